"""The layout of the tables on operators, their strength and their cost (Tables C3, C5 and C6).

None of their numbers depends on recaptures, simulated or not: the images are the study's own, and the operators are
computed from them. Shares are printed as numbers between 0 and 1.
"""

from collections.abc import Sequence

import pandas as pd

from pairedeval.consistency.quantities import DEFAULT_WEIGHT
from pairedeval.consistency.scores import FORWARD_PASSES
from pairedeval.consistency.views import OPERATORS
from pairedeval.report.consistency_words import (
    OPERATOR_NAMES,
    Row,
    auroc_column,
    counts_note,
    glossary,
    undefined_notes,
)
from pairedeval.report.names import counted, listed
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.screening_rows import signed
from pairedeval.report.table import Column, Rows, Table


def table_consistency_operators(
    operator_summary: pd.DataFrame, operator_audit: pd.DataFrame, rankings: pd.DataFrame
) -> Table:
    """Lay out how far each operator moves the images and what that does to the outputs (Table C3).

    Parameters
    ----------
    operator_summary
        Rows per operator and level; see `pairedeval.consistency.operators.summarise_operators`.
    operator_audit
        Rows per operator and level; see `pairedeval.perturb.operators.audit_operators`.
    rankings
        Rows per size of a set of operators; see `pairedeval.consistency.operator_subsets.compare_rankings`.
    """
    place = "table_consistency_operators"
    audited = {
        "mean_distance": Column("input_distance", "mean", "number", "Distance of the image", 3),
        "sd_distance": Column("input_distance_sd", "SD", "number", "Distance of the image", 3),
        "unchanged": Column("unchanged", "unchanged", "number", "Distance of the image", 3),
    }
    measured = {
        "flip_rate": Column("flip_rate", "mean", "number", "Flips", 3),
        "lowest_flip_rate": Column("flip_rate_min", "lowest", "number", "Flips", 3),
        "highest_flip_rate": Column("flip_rate_max", "highest", "number", "Flips", 3),
        "mean_displacement": Column("displacement", "Displacement", "number", decimals=3),
        "mean_abs_confidence_change": Column("abs_msp_change", "Change of MSP", "number", decimals=3),
    }
    need_columns(operator_summary, ("operator", "level", *measured, "configurations", "runs"), place)
    need_columns(operator_audit, ("operator", "level", "strength", *audited, "images"), place)
    seen, image = (lookup(frame, ["operator", "level"]) for frame in (operator_summary, operator_audit))
    columns = (
        Column("operator", "Operator"),
        Column("level", "Level", "count"),
        Column("strength", "Strength"),
        *audited.values(),
        *measured.values(),
    )
    rows: Rows = tuple(
        (
            OPERATOR_NAMES[operator],
            level,
            f"{image('strength', operator, level):g}",
            *(image(name, operator, level) for name in audited),
            *(seen(name, operator, level) for name in measured),
        )
        for operator in OPERATORS
        for level in operator_summary.loc[operator_summary["operator"] == operator, "level"]
    )
    title = "Six mild operators: how far they move the images and what they do to the outputs, shares from 0 to 1."
    notes = _operator_notes(operator_summary, operator_audit, rankings)
    return Table(place, "Table C3", title, columns, rows, notes)


def table_consistency_cost(cost: pd.DataFrame) -> Table:
    """Lay out the time that consistency takes beside a single pass (Table C5).

    Parameters
    ----------
    cost
        Rows per configuration; see `pairedeval.consistency.cost.measure_cost`.
    """
    place = "table_consistency_cost"
    need_columns(cost, ("model", "group", "single_seconds", "views_seconds", "ratio"), place)
    columns = (
        Column("model", "Model"),
        Column("group", "Group"),
        Column("single_ms", "One pass", "number", "Milliseconds an image", 3),
        Column("views_ms", "All views", "number", "Milliseconds an image", 3),
        Column("time_ratio", "Ratio", "number", decimals=1),
    )
    rows: Rows = tuple(
        (row["model"], row["group"], 1000 * row["single_seconds"], 1000 * row["views_seconds"], row["ratio"])
        for row in cost.to_dict("records")
    )
    ends = [f"{end:.1f}" for end in (cost["ratio"].min(), cost["ratio"].max())]
    notes = (
        f"LS, CD and CS take {FORWARD_PASSES['consistency']} forward passes an image, scores of the clean output one. "
        f"The time is {' to '.join(dict.fromkeys(ends))} times that of one pass.",
        "One pass: preprocessing and a forward pass of decoded images. All views: making the six versions at level 1, "
        "preprocessing, and a forward pass for each and for the image. Median of several rounds on one processor "
        "thread; times depend on the machine.",
    )
    title = "Time that consistency takes, and that of a single forward pass."
    return Table(place, "Table C5", title, columns, rows, notes)


def table_consistency_strength(strength_summary: pd.DataFrame, weight_summary: pd.DataFrame) -> Table:
    """Lay out how the consistency score detects errors at each strength of the operators (Table C6).

    Parameters
    ----------
    strength_summary
        Rows per level; see `pairedeval.consistency.strength.summarise_strength`.
    weight_summary
        Rows per weight of label stability; see `pairedeval.consistency.strength.summarise_weights`.
    """
    place = "table_consistency_strength"
    printed = {
        "calibration_auroc": auroc_column("auroc_cs_calibration", "calibration", "AUROC of CS"),
        "evaluation_auroc": auroc_column("auroc_cs_evaluation", "evaluation", "AUROC of CS"),
        "msp_auroc": auroc_column("auroc_msp_evaluation", "AUROC of MSP, evaluation"),
        "consistency": Column("cs", "Mean CS", "number", decimals=3),
    }
    counts = ("configurations", "runs", "undefined", "selected")
    need_columns(strength_summary, ("level", *printed, *counts), place)
    need_columns(weight_summary, ("weight", "calibration_auroc", "evaluation_auroc", *counts), place)
    columns = (
        Column("level", "Level", "count"),
        *printed.values(),
        Column("selected_runs", "Chosen in runs", "part"),
    )
    records = strength_summary.to_dict("records")
    rows: Rows = tuple(
        (row["level"], *(row[name] for name in printed), (row["selected"], row["runs"])) for row in records
    )
    notes = (
        f"All six operators act at one level. {glossary('AUROC')} MSP does not depend on the level. "
        f"{counts_note(records[0]['configurations'], records[0]['runs'])}",
        "Chosen: the level with the largest AUROC of CS on the calibration images of a run, the mildest of equal ones. "
        "Evaluation images take no part in the choice.",
        *_weight_notes(weight_summary.to_dict("records")),
        *undefined_notes(records[0]["undefined"], records[0]["runs"], "one of these AUROCs"),
    )
    title = "Detection of clean errors by the consistency score at each strength of the operators."
    return Table(place, "Table C6", title, columns, rows, notes)


def _operator_notes(summary: pd.DataFrame, audit: pd.DataFrame, rankings: pd.DataFrame) -> tuple[str, ...]:
    """Say how the operators are set, what is measured, and how far rankings depend on them."""
    need_columns(
        rankings, ("size", "mean_tau", "lowest_tau", "undefined", "configurations"), "table_consistency_operators"
    )
    return (
        "Strength: standard deviation as a share of full scale (noise) or of the image's width (blur), distance of the "
        "factor from 1 (brightness, contrast), degrees (rotation), quality (JPEG; smaller is stronger). Distance: root "
        f"mean square difference from the image, full scale being 1, over {counted(audit['images'].iloc[0], 'image')}; "
        "unchanged: share of them of which no value changed.",
        "Flips: share of the clean evaluation images whose prediction changes; 1 minus the mean over the operators is "
        "LS. Lowest and highest: of a configuration. Displacement: mean Euclidean distance of the logits from those of "
        "the image. Change of MSP: mean absolute change of the largest softmax probability; its mean over the "
        f"operators is CD. {counts_note(summary['configurations'].iloc[0], summary['runs'].iloc[0])}",
        "Whether an operator keeps the class of every image was judged by eye on a few images, not measured.",
        *_ranking_notes(rankings.sort_values("size").to_dict("records")),
    )


def _ranking_notes(rankings: Sequence[Row]) -> list[str]:
    """Say how the rankings by fewer operators agree with the ranking by all of them."""
    defined = [row for row in rankings if not pd.isna(row["mean_tau"])]
    if not defined:
        return ["Rankings of configurations by mean CS cannot be compared: fewer than two, or all equal."]
    words = [
        f"{signed(row['mean_tau'])} (lowest {signed(row['lowest_tau'])}) with {counted(row['size'], 'operator')}"
        for row in defined
    ]
    undefined = sum(row["undefined"] for row in rankings)
    left_out = f" {counted(undefined, 'set')} without a tau left out." if undefined else ""
    return [
        f"Kendall's tau between the rankings of {counted(defined[0]['configurations'], 'configuration')} by mean CS "
        f"from some and from all six operators, at level 1, mean over the sets of a size: {listed(words)}.{left_out}"
    ]


def _weight_notes(weights: Sequence[Row]) -> list[str]:
    """Say which weights the calibration images choose and what the weight is worth."""
    chosen = [f"{row['weight']:g} in {counted(row['selected'], 'run')}" for row in weights if row["selected"]]
    usual = next(row for row in weights if row["weight"] == DEFAULT_WEIGHT)
    defined = [row for row in weights if not pd.isna(row["evaluation_auroc"])]
    if not chosen or not defined:
        return []
    best = max(defined, key=lambda row: float(row["evaluation_auroc"]))
    return [
        "Weight of LS in CS at level 1, chosen on the calibration images in the same way, the smallest of equal ones: "
        f"{listed(chosen)}. On the evaluation images the AUROC of CS is {usual['evaluation_auroc']:.3f} with "
        f"{DEFAULT_WEIGHT:g} for all runs and at most {best['evaluation_auroc']:.3f}, with {best['weight']:g}."
    ]
