"""The layout of the tables on decision consistency on clean images (Tables C1, C2 and C4).

None of their numbers depends on recaptures, simulated or not: the images are the study's own, and the operators are
computed from them. Shares are printed as numbers between 0 and 1, so that gaps and scores can be compared by eye.
"""

from math import isnan

import pandas as pd

from pairedeval.consistency.detection import ALL_GROUPS
from pairedeval.consistency.differences import REFERENCE
from pairedeval.consistency.quantities import ACCURACY_DOMINANT, CONSISTENCY_DOMINANT, REGIMES
from pairedeval.consistency.scores import CONSISTENCY_SCORES, SCORES
from pairedeval.consistency.statistics import COLUMNS
from pairedeval.report.consistency_rows import NO_ENTRY
from pairedeval.report.consistency_words import (
    CLEAN_NOTE,
    IMAGES_NOTE,
    SCORE_NAMES,
    Row,
    counts_note,
    glossary,
    legend,
    p_value_column,
    p_value_words,
    smallest_p_value,
    undefined_notes,
    with_ends,
)
from pairedeval.report.names import MINUS, counted, listed
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.screening_rows import signed
from pairedeval.report.table import Column, Rows, Table, Value

MEASURE_WORDS = {"accuracy": "accuracy", "consistency": "mean CS", "calibration_error": "ECE"}
OVER_SEEDS = "SD over seeds"


def table_consistency_reference(model_summaries: pd.DataFrame, model_correlations: pd.DataFrame) -> Table:
    """Lay out accuracy, calibration and consistency of each configuration (Table C1).

    Parameters
    ----------
    model_summaries
        Rows per configuration, means over its seeds; see `pairedeval.consistency.reference.summarise_models`.
    model_correlations
        Rows per pair of measures; see `pairedeval.consistency.reference.correlate_models`.
    """
    printed = {
        "accuracy": Column("accuracy", "Accuracy", "number", decimals=3),
        "mean_confidence": Column("mean_msp", "Mean MSP", "number", decimals=3),
        "stability": Column("ls", "LS", "number", decimals=3),
        "deviation": Column("cd", "CD", "number", decimals=3),
        "total_variation": Column("cd_tv", "total variation", "number", "CD, variants", 3),
        "rescaled_deviation": Column("cd_rescaled", "rescaled", "number", "CD, variants", 3),
        "consistency": Column("cs", "mean", "number", "CS", 3),
        "consistency_spread": Column("cs_sd", OVER_SEEDS, "number", "CS", 3),
        "gap": Column("cag", "mean", "number", "CAG", 3, signed=True),
        "gap_spread": Column("cag_sd", OVER_SEEDS, "number", "CAG", 3),
        "calibration_error": Column("ece", "ECE", "number", decimals=3),
    }
    need_columns(model_summaries, ("model", "group", "seeds", *printed), "table_consistency_reference")
    need_columns(
        model_correlations,
        ("first", "second", "correlation", "p_value", "configurations"),
        "table_consistency_reference",
    )
    columns = (
        Column("model", "Model"),
        Column("group", "Group"),
        Column("seeds", "Seeds", "count"),
        *printed.values(),
    )
    rows: Rows = tuple(
        (row["model"], row["group"], row["seeds"], *(row[name] for name in printed))
        for row in model_summaries.to_dict("records")
    )
    notes = (
        f"{CLEAN_NOTE} Means over the images, then over the seeds of training. MSP: largest softmax probability.",
        glossary("LS", "CD", "CS", "CAG", "ECE"),
        "CD, variants: total variation takes the distance of the whole softmax, rescaled the change relative to the "
        "original's probability. CAG equals mean instability, 1 minus CS, minus the error rate: a large negative value "
        "asks for a look at class priors and the recall of each class; it is no summary of reliability.",
        *(_correlation_words(row) for row in model_correlations.to_dict("records")),
    )
    title = "Accuracy, calibration and consistency of each configuration, shares from 0 to 1."
    return Table("table_consistency_reference", "Table C1", title, columns, rows, notes)


def table_consistency_regimes(regimes: pd.DataFrame, regime_counts: pd.DataFrame) -> Table:
    """Lay out how many configurations are in each regime under each tolerance (Table C2).

    Parameters
    ----------
    regimes
        Rows per configuration and tolerance; see `pairedeval.consistency.regimes.name_regimes`.
    regime_counts
        Rows per tolerance and regime; see `pairedeval.consistency.regimes.count_regimes`.
    """
    place = "table_consistency_regimes"
    need_columns(regimes, ("model", "gap", "changes"), place)
    need_columns(regime_counts, ("tolerance", "regime", "configurations", "of", "changing"), place)
    value = lookup(regime_counts, ["tolerance", "regime"])
    columns = (
        Column("tolerance", "Tolerance d", "number"),
        *(Column(f"{name.replace('-', '_')}", name.capitalize(), "part", "Configurations") for name in REGIMES),
    )
    rows: Rows = tuple(
        (tolerance, *((int(value("configurations", *key)), int(value("of", *key))) for key in _pairs(tolerance)))
        for tolerance in regime_counts["tolerance"].unique()
    )
    gaps = regimes.drop_duplicates("model").sort_values("gap")
    ends = [f"{signed(row['gap'])} ({row['model']})" for row in gaps.iloc[[0, -1]].to_dict("records")]
    changing = regimes.loc[regimes["changes"], "model"].unique()
    notes = (
        f"{CONSISTENCY_DOMINANT.capitalize()}: CAG below {MINUS}d; {ACCURACY_DOMINANT}: CAG above d; balanced "
        f"otherwise. {glossary('CAG')} It is the mean over the seeds of a configuration.",
        f"CAG lies between {ends[0]} and {ends[1]}.",
        f"Configurations that change regime between these tolerances: {len(changing)} of {len(gaps)}"
        + (f" ({listed(changing)})." if len(changing) else "."),
        "The tolerance is descriptive: nothing in the data says which one is right, and no decision follows from it.",
    )
    title = "Configurations in each regime of the consistency-accuracy gap, by tolerance."
    return Table(place, "Table C2", title, columns, rows, notes)


def table_consistency_detection(detection_summary: pd.DataFrame, detection_differences: pd.DataFrame) -> Table:
    """Lay out how well each trust score tells errors from right predictions (Table C4).

    Parameters
    ----------
    detection_summary
        Rows per group and score; see `pairedeval.consistency.detection.summarise_detection`.
    detection_differences
        Rows per score and measure, against the largest softmax probability; see
        `pairedeval.consistency.differences.detection_differences`.
    """
    place = "table_consistency_detection"
    need_columns(detection_summary, ("group", "score", "auroc", "aurc", "runs", "undefined", "forward_passes"), place)
    need_columns(detection_differences, ("score", "measure", "p_holm", *COLUMNS), place)
    value = lookup(detection_summary[detection_summary["group"] == ALL_GROUPS], ["score"])
    compared = {(row["score"], row["measure"]): row for row in detection_differences.to_dict("records")}
    columns = (
        Column("score", "Score"),
        Column("forward_passes", "Passes", "count"),
        *_measure_columns("auroc", 3),
        *_measure_columns("aurc", 4),
    )
    rows: Rows = tuple(
        (
            SCORE_NAMES[score].symbol,
            value("forward_passes", score),
            *(
                entry
                for measure in ("auroc", "aurc")
                for entry in (value(measure, score), *_comparison(compared.get((score, measure))))
            ),
        )
        for score in SCORES
    )
    notes = (
        f"{CLEAN_NOTE} Passes: forward passes an image. {glossary('AUROC', 'AURC')}",
        legend(SCORES),
        *_comparison_notes(detection_summary, detection_differences),
        _group_note(detection_summary),
    )
    title = "Detection of errors on clean images by trust scores."
    return Table(place, "Table C4", title, columns, rows, notes)


def _correlation_words(row: Row) -> str:
    first, second = MEASURE_WORDS[row["first"]], MEASURE_WORDS[row["second"]]
    configurations = counted(row["configurations"], "configuration")
    pair = f"{first[0].upper()}{first[1:]} and {second}"
    if pd.isna(row["correlation"]):
        return f"{pair}: no correlation over {configurations}, fewer than three or without spread."
    return (
        f"{pair} correlate at r = {signed(row['correlation'])} ({p_value_words(row['p_value'])}) over {configurations}."
    )


def _pairs(tolerance: float) -> list[tuple[float, str]]:
    return [(tolerance, regime) for regime in REGIMES]


def _measure_columns(measure: str, decimals: int) -> tuple[Column, ...]:
    name = measure.upper()
    return (
        Column(measure, "mean", "number", name, decimals),
        Column(f"{measure}_minus_msp", f"{MINUS} MSP", "interval", name, decimals, signed=True),
        Column(f"{measure}_dz", "dz", "number", name, 2),
        p_value_column(f"{measure}_p_value", "p", name),
        p_value_column(f"{measure}_p_holm", "p, Holm", name),
    )


def _comparison(row: Row | None) -> tuple[Value, ...]:
    """Return the entries of a comparison with the reference; the reference itself has none."""
    if row is None:
        return (NO_ENTRY,) * 4
    return with_ends(row), row["effect_size"], row["p_value"], row["p_holm"]


def _comparison_notes(summary: pd.DataFrame, differences: pd.DataFrame) -> list[str]:
    """Say what the differences are, and in how many runs and draws they do not exist."""
    everywhere = summary[summary["group"] == ALL_GROUPS].iloc[0]
    configurations, draws = differences["configurations"].max(), differences["undefined_draws"].max()
    notes = [
        f"{counts_note(everywhere['configurations'], everywhere['runs'])} {MINUS} MSP: paired difference to MSP of the "
        f"same images; above 0 is better in AUROC, below 0 in AURC. {IMAGES_NOTE}",
        "dz: mean difference over its standard deviation, p: signed-rank test, both over configurations; "
        f"Holm: adjusted for the {differences['score'].nunique()} scores of a measure. "
        f"{smallest_p_value(configurations)}",
        *undefined_notes(everywhere["undefined"], everywhere["runs"], "an AUROC"),
    ]
    if draws:
        notes.append(f"Up to {counted(draws, 'draw')} without a difference are left out of an interval.")
    return notes


def _group_note(summary: pd.DataFrame) -> str:
    """Say in how many groups of models each consistency score detects errors less well than the reference."""
    value = lookup(summary, ["group", "score"])
    groups = [name for name in summary["group"].unique() if name != ALL_GROUPS]
    compared = [group for group in groups if not isnan(value("auroc", group, REFERENCE))]
    lower = {
        score: sum(value("auroc", group, score) < value("auroc", group, REFERENCE) for group in compared)
        for score in CONSISTENCY_SCORES
    }
    words = [f"{SCORE_NAMES[score].symbol} in {number}" for score, number in lower.items()]
    return f"Groups of models with a mean AUROC below that of MSP, of {len(compared)}: {listed(words)}."
