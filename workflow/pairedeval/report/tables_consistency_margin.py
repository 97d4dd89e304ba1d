"""The layout of the tables on margins: added information, the no-flip certificate and bounds on flips (C7 to C9).

None of their numbers depends on recaptures, simulated or not: the images are the study's own, and the operators are
computed from them. Shares are printed as numbers between 0 and 1.
"""

from math import isnan

import pandas as pd

from pairedeval.consistency.flip_bounds import ALPHA, DKW, LEMMA, PLAIN
from pairedeval.consistency.margin_information import CONFIDENT
from pairedeval.consistency.margins import DECILES
from pairedeval.consistency.statistics import COLUMNS
from pairedeval.report.consistency_words import (
    CLEAN_NOTE,
    RUNS_NOTE,
    Row,
    auroc_column,
    counts_note,
    glossary,
    p_value_column,
    smallest_p_value,
    with_ends,
)
from pairedeval.report.names import MINUS, counted
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.table import Column, Rows, Table

INFORMATION = {
    "within_displacement": ("AUROC at a fixed margin", f"{MINUS}displacement"),
    "within_stability": ("AUROC at a fixed margin", "LS"),
    "confident_stability": (f"AUROC among MSP of at least {CONFIDENT:g}", "LS"),
    "confident_msp": (f"AUROC among MSP of at least {CONFIDENT:g}", "MSP"),
    "confidence_base": ("AUROC of a fitted model", "MSP, margin"),
    "confidence_added": ("AUROC of a fitted model", "MSP, margin, LS, CD"),
    "confidence_gain": ("Gain in AUROC", "LS and CD, added to MSP and margin"),
    "margin_base": ("AUROC of a fitted model", "margin"),
    "margin_added": ("AUROC of a fitted model", "margin, displacement, LS"),
    "margin_gain": ("Gain in AUROC", "displacement and LS, added to the margin"),
    "margin_stability_correlation": ("Rank correlation given MSP", "margin with LS"),
}
BOUND_WORDS = {
    DKW: "share of displacements, corrected",
    PLAIN: "share of displacements",
    LEMMA: "mean displacement over margin",
}
KIND_WORDS = {
    "levels": "clean images",
    "shifted": "corrupted images",
    "rare": "clean images, models with rare classes",
    "withheld": "clean images, models without some classes",
    "attacked": "attacked images",
}
ROOT = "the square root of 2 times"


def table_consistency_margin(margin_summary: pd.DataFrame) -> Table:
    """Lay out what consistency adds at a fixed margin and next to confidence (Table C7).

    Parameters
    ----------
    margin_summary
        Rows per quantity; see `pairedeval.consistency.margin_information.summarise_margin_information`.
    """
    place = "table_consistency_margin"
    need_columns(margin_summary, ("quantity", "chance", *COLUMNS), place)
    columns = (
        Column("measure", "Measure"),
        Column("of", "Of"),
        auroc_column("value", "Value", interval=True),
        Column("without_information", "Without information", "number", decimals=1),
        Column("dz", "dz", "number"),
        p_value_column(),
        Column("runs", "Runs", "part"),
    )
    known = {row["quantity"]: row for row in margin_summary.to_dict("records")}
    rows: Rows = tuple(
        (
            *INFORMATION[quantity],
            with_ends(row),
            row["chance"],
            row["effect_size"],
            row["p_value"],
            (row["runs"], row["runs"] + row["undefined_runs"]),
        )
        for quantity, row in ((name, known[name]) for name in INFORMATION if name in known)
    )
    notes = (
        f"{CLEAN_NOTE} {glossary('AUROC')} A fixed margin: errors and right predictions are compared within tenths of "
        "the images by margin, all such pairs of a run weighing the same.",
        "Displacement: mean Euclidean distance of the logits under the operators from those of the image. Fitted "
        "models: logistic regressions of correctness on the named features, fitted on the calibration images and "
        "judged on the evaluation images.",
        f"Runs: those with a value, of all; the others have one outcome only, or too little variation. {RUNS_NOTE} A "
        "draw without a value is left out.",
        "dz: mean difference from the value without information over its standard deviation, p: signed-rank test of "
        "it, both over configurations and not adjusted for the number of rows. "
        f"{smallest_p_value(int(margin_summary['configurations'].max()))}",
    )
    title = "What consistency tells of errors that the clean output does not, on clean images."
    return Table(place, "Table C7", title, columns, rows, notes)


def table_consistency_certificate(certificate_summary: pd.DataFrame, inequality_summary: pd.DataFrame) -> Table:
    """Lay out the no-flip certificate at each probability (Table C8).

    Parameters
    ----------
    certificate_summary
        Rows per beta; see `pairedeval.consistency.certificate.summarise_certificate`.
    inequality_summary
        Rows per kind of images; see `pairedeval.consistency.margins.summarise_inequality`.
    """
    place = "table_consistency_certificate"
    printed = {
        "coverage": Column("coverage", "Certified", "number", decimals=3),
        "realized": Column("certified_and_flipped", "mean", "number", "Certified and flipped", 4),
        "largest_realized": Column("certified_and_flipped_max", "largest", "number", "Certified and flipped", 4),
    }
    judged = {
        "flip_rate": Column("flipped", "Flipped, all", "number", decimals=3),
        "certified_accuracy": Column("accuracy_certified", "certified", "number", "Accuracy", 3),
        "accuracy": Column("accuracy", "all", "number", "Accuracy", 3),
    }
    counts = ("configurations", "runs", "undefined", "above", "infinite")
    need_columns(certificate_summary, ("beta", *printed, *judged, *counts), place)
    columns = (
        Column("beta", "Beta", "number"),
        *printed.values(),
        Column("runs_above_beta", "runs above beta", "part", "Certified and flipped"),
        *judged.values(),
        Column("runs_without_certified", "certifying none", "part", "Runs"),
        Column("runs_without_threshold", "without threshold", "part", "Runs"),
    )
    rows: Rows = tuple(
        (
            row["beta"],
            *(row[name] for name in printed),
            (row["above"], row["runs"]),
            *(row[name] for name in judged),
            (row["undefined"], row["runs"]),
            (row["infinite"], row["runs"]),
        )
        for row in certificate_summary.to_dict("records")
    )
    first = certificate_summary[[*counts]].iloc[0]
    notes = (
        f"{CLEAN_NOTE} An image is certified if its margin, the largest logit minus the second largest, is above a "
        f"high quantile of the calibration images' largest displacement, {ROOT} the Euclidean distance of the logits "
        "under an operator from those of the image. No label is used. Flipped: another prediction under any operator.",
        "If calibration and evaluation images are exchangeable, an image is certified and flipped with probability at "
        "most beta, on average over draws of both halves; a single run may be above. Corrupted or attacked images are "
        "not covered. No threshold: too few calibration images for this beta.",
        f"{counts_note(first['configurations'], first['runs'])} Accuracy of certified images: of the runs that certify "
        "any. Largest: of a run.",
        *_inequality_notes(inequality_summary),
    )
    title = "Images whose prediction is certified to survive the operators, by beta, shares from 0 to 1."
    return Table(place, "Table C8", title, columns, rows, notes)


def table_consistency_bounds(bound_summary: pd.DataFrame) -> Table:
    """Lay out bounds on the chance of a flip (Table C9).

    Parameters
    ----------
    bound_summary
        Rows per bound; see `pairedeval.consistency.flip_bounds.summarise_flip_bounds`.
    """
    place = "table_consistency_bounds"
    printed = {
        "mean_bound": Column("mean_bound", "Mean bound", "number", decimals=3),
        "flip_rate": Column("flip_rate", "Flips", "number", decimals=3),
        "ratio": Column("bound_over_flips", "Bound / flips", "number", decimals=1),
        "brier": Column("brier", "Brier score", "number", decimals=3),
    }
    need_columns(bound_summary, ("bound", *printed, "cells", "exceeded", "trivial", "configurations", "runs"), place)
    columns = (
        Column("bound", "Bound"),
        *printed.values(),
        Column("cells_exceeded", "exceeded", "part", "Cells"),
        Column("cells_trivial", "trivial", "part", "Cells"),
    )
    value = lookup(bound_summary, ["bound"])
    rows: Rows = tuple(
        (
            words,
            *(value(name, bound) for name in printed),
            *((int(value(name, bound)), int(value("cells", bound))) for name in ("exceeded", "trivial")),
        )
        for bound, words in BOUND_WORDS.items()
        if bound in set(bound_summary["bound"])
    )
    first = bound_summary.iloc[0]
    notes = (
        f"{CLEAN_NOTE} A bound on the chance that an operator flips an image of margin m, from the displacements of "
        f"the calibration images under this operator, {ROOT} the distance of the logits: the share of them that reach "
        "m, without and with the Dvoretzky-Kiefer-Wolfowitz correction, which fails for some margin with probability "
        f"{ALPHA:g} at most, and their mean over m. Displacements are taken not to depend on the margin.",
        f"Flips: share of the evaluation images that flip. Brier score: mean squared difference of the bound and "
        f"whether the image flips. A cell is one run, one operator and a tenth of the images by margin ({DECILES} "
        "tenths, those without an image left out); it is exceeded if it has more flips than its mean bound, and "
        "trivial if that is 1.",
        f"{counts_note(first['configurations'], first['runs'])} Operators are averaged first.",
    )
    title = "Bounds on the chance that an operator flips the prediction of an image, shares from 0 to 1."
    return Table(place, "Table C9", title, columns, rows, notes)


def _inequality_notes(summary: pd.DataFrame) -> list[str]:
    """Say how often the inequality behind the certificate was checked, and whether it ever failed."""
    need_columns(
        summary, ("kind", "comparisons", "flips", "violations", "smallest_slack"), "table_consistency_certificate"
    )
    words = [_inequality_words(row) for row in summary.to_dict("records")]
    return [
        f"A flip implies a margin of at most {ROOT} the displacement, whatever the model. Flips against it, beyond "
        f"rounding (slack: the latter minus the margin): {'; '.join(words)}."
    ]


def _inequality_words(row: Row) -> str:
    found = f"{row['violations']:,} of {counted(row['flips'], 'flip')} among {row['comparisons']:,} views"
    slack = "" if isnan(row["smallest_slack"]) else f", the smallest slack {row['smallest_slack']:.2g}"
    return f"{KIND_WORDS[row['kind']]} {found}{slack}".replace("e-", f"e{MINUS}").replace("slack -", f"slack {MINUS}")
