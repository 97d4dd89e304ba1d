"""The layout of the tables on consistency under corruption (Tables C10 to C13).

Images and corruptions are those that the models were run on; no simulated captures take part.
"""

from collections.abc import Mapping
from math import factorial, isnan
from types import MappingProxyType

import pandas as pd

from pairedeval.consistency.robustness import RELATIONS
from pairedeval.consistency.shift import ALL_FAMILIES, FAMILIES
from pairedeval.consistency.transfer import CLEAN_ONLY, LEAVE_ONE_OUT, OTHER_FAMILIES, SAME
from pairedeval.report.consistency_rows import (
    CELLS_NOTE,
    cells_of,
    interval_and_test,
    interval_of,
    number_column,
    runs_note,
    signed_rank_note,
    significance_columns,
    summary_values,
)
from pairedeval.report.consistency_words import (
    FAMILY_NAMES,
    QUANTITIES,
    RUNS_NOTE,
    SCORE_NAMES,
    auroc_column,
    glossary,
    legend,
    p_value_column,
    p_value_words,
)
from pairedeval.report.names import MINUS, counted, listed
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.screening_rows import signed
from pairedeval.report.table import Column, Rows, Table

SHOWN_SCORES = ("msp", "margin", "tta_confidence", "stability", "deviation", "consistency")
TRAINING_NAMES: Mapping[str, str] = MappingProxyType(
    {
        SAME: "same corruption and severity",
        CLEAN_ONLY: "clean images",
        OTHER_FAMILIES: "other families",
        LEAVE_ONE_OUT: "all other corruptions",
    }
)
ESTIMATOR_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "atc_msp": "MSP above a threshold",
        "atc_cs": "CS above a threshold",
        "average_confidence": "mean MSP",
        "difference_of_confidences": "clean accuracy less the drop of mean MSP",
        "average_consistency": "mean CS",
    }
)
RELATION_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "accuracy": "Clean accuracy and accuracy",
        "consistency": "Clean CS and accuracy",
        "consistency_given_accuracy": "Clean CS and accuracy, given clean accuracy",
        "gap_drop": "Clean CAG and drop",
    }
)
_CONDITIONS_NOTE = "Within a run, the corruptions and severities of a family count equally."
_GAINS: Mapping[str, str] = MappingProxyType(
    {
        "consistency_gain": f"CS {MINUS} margin",
        "added_gain": "LS and CD added to MSP and margin, trained on the same corruption and severity",
    }
)
_FAMILIES = (ALL_FAMILIES, *FAMILIES)


def table_consistency_shift(shift_summary: pd.DataFrame, gain_correlations: pd.DataFrame) -> Table:
    """Lay out how trust scores rank errors on corrupted images, by family (Table C10).

    Parameters
    ----------
    shift_summary
        Result of `consistency.shift_summaries.summarise_shift`.
    gain_correlations
        Result of `consistency.shift_summaries.correlate_gains`.
    """
    name = "table_consistency_shift"
    tests = ("p_value", "wins", "cells", "undefined_cells")
    value = summary_values(shift_summary, ("family", "score"), name, tests)
    columns = [Column("family", "Corruptions")]
    columns += [auroc_column(f"auroc_{SCORE_NAMES[s].key}", SCORE_NAMES[s].symbol, "AUROC") for s in SHOWN_SCORES]
    for baseline in ("msp", "margin"):
        ending, group = f"cs_minus_{baseline}", f"CS {MINUS} {SCORE_NAMES[baseline].symbol}"
        columns.append(auroc_column(f"auroc_{ending}", "AUROC", group, interval=True, difference=True))
        columns += significance_columns(ending, group)
    columns.append(Column("cells", "Cells", "part"))
    rows: Rows = tuple(
        (
            FAMILY_NAMES[family],
            *(value("mean", family, score, "auroc") for score in SHOWN_SCORES),
            *(
                entry
                for baseline in ("msp", "margin")
                for entry in interval_and_test(value, family, "consistency", f"minus_{baseline}")
            ),
            cells_of(value, family, "consistency", "auroc"),
        )
        for family in _present(shift_summary)
    )
    notes = (
        f"Corrupted evaluation images, and their versions by six mild operators at level 1. {glossary('AUROC')}",
        legend(SHOWN_SCORES),
        f"{runs_note(shift_summary)} {_CONDITIONS_NOTE}",
        RUNS_NOTE,
        signed_rank_note(shift_summary),
        _gain_note(gain_correlations, name),
        CELLS_NOTE,
    )
    title = "AUROC of trust scores that rank errors on corrupted images, by family of the corruptions."
    return Table(name, "Table C10", title, tuple(columns), rows, notes)


def table_consistency_transfer(transfer_summary: pd.DataFrame) -> Table:
    """Lay out what LS and CD add to MSP and margin, by what the models of correctness were trained on (Table C11).

    Parameters
    ----------
    transfer_summary
        Result of `consistency.shift_summaries.summarise_transfer`.
    """
    name = "table_consistency_transfer"
    tests = ("p_value", "wins", "cells", "undefined_cells", "unfitted_cells")
    value = summary_values(transfer_summary, ("family", "training"), name, tests)
    columns = (
        Column("family", "Judged on"),
        Column("trained_on", "Trained on"),
        auroc_column("auroc_base", "MSP, margin", "AUROC"),
        auroc_column("auroc_added", "with LS, CD", "AUROC"),
        auroc_column("auroc_gain", "AUROC", "Gain", interval=True, difference=True),
        *significance_columns("gain", "Gain"),
        Column("cells", "Cells", "part"),
    )
    rows: Rows = tuple(
        (
            FAMILY_NAMES[family],
            words,
            *(value("mean", family, training, side) for side in ("base", "added")),
            *interval_and_test(value, family, training, "gain"),
            cells_of(value, family, training, "gain"),
        )
        for family in _present(transfer_summary)
        for training, words in TRAINING_NAMES.items()
    )
    single = [FAMILY_NAMES[family] for family, members in FAMILIES.items() if len(members) == 1]
    whole = transfer_summary[transfer_summary["family"] == ALL_FAMILIES]
    unfitted = int(whole.loc[whole["quantity"] == "gain", "unfitted_cells"].sum())
    notes = [
        "A logistic model of whether a prediction is right, on the calibration images and judged on the evaluation "
        f"images. LS: {QUANTITIES['LS']}. CD: {QUANTITIES['CD']}. {glossary('AUROC')}",
        f"{listed(single)}: one corruption, so that leaving it out leaves out its family.",
        f"{runs_note(transfer_summary)} {_CONDITIONS_NOTE}",
        RUNS_NOTE,
        signed_rank_note(transfer_summary),
        CELLS_NOTE,
    ]
    if unfitted:
        notes.append(f"Without a model, because its calibration images share one outcome: {counted(unfitted, 'cell')}.")
    title = "AUROC of logistic models of correctness on corrupted images, without and with consistency features."
    return Table(name, "Table C11", title, columns, rows, tuple(notes))


def table_consistency_estimators(estimator_summary: pd.DataFrame) -> Table:
    """Lay out the errors of estimates of accuracy without labels (Table C12).

    Parameters
    ----------
    estimator_summary
        Result of `consistency.shift_summaries.summarise_estimators`.
    """
    name = "table_consistency_estimators"
    value = summary_values(estimator_summary, ("family", "estimator"), name)
    families = [family for family in _present(estimator_summary) if family != ALL_FAMILIES]
    columns = (
        Column("estimator", "Estimate"),
        number_column("absolute_error", "absolute", "Error", interval=True),
        number_column("error", "signed", "Error", interval=True, signed=True),
        *(number_column(f"absolute_error_{family}", FAMILY_NAMES[family], "Absolute error") for family in families),
    )
    rows: Rows = tuple(
        (
            words,
            *(interval_of(value, ALL_FAMILIES, estimator, kind) for kind in ("absolute_error", "error")),
            *(value("mean", family, estimator, "absolute_error") for family in families),
        )
        for estimator, words in ESTIMATOR_NAMES.items()
    )
    notes = (
        "No estimate sees labels of corrupted images. Above a threshold: share of the images above the score below "
        "which as many clean calibration images lie as are wrong. Clean accuracy, and the mean MSP from which the drop "
        "is counted, are those of the clean calibration images.",
        f"MSP: {SCORE_NAMES['msp'].meaning}. CS: {QUANTITIES['CS']}. The signed error of mean CS is minus CAG, "
        f"the {QUANTITIES['CAG'].partition(',')[0]}.",
        f"Signed: estimate minus accuracy, positive if too high. {runs_note(estimator_summary)} {_CONDITIONS_NOTE}",
        RUNS_NOTE,
    )
    title = "Errors of accuracies on corrupted images that are estimated without labels, as shares."
    return Table(name, "Table C12", title, columns, rows, notes)


def table_consistency_robustness(robustness: pd.DataFrame, robustness_correlations: pd.DataFrame) -> Table:
    """Lay out whether clean measures of configurations go with their accuracy under corruption (Table C13).

    Parameters
    ----------
    robustness
        Result of `consistency.robustness.describe_robustness`.
    robustness_correlations
        Result of `consistency.robustness.correlate_robustness`.
    """
    name = "table_consistency_robustness"
    need_columns(robustness, ("family", "shifted_accuracy"), name)
    need_columns(robustness_correlations, ("family", "relation", "correlation", "p_value", "configurations"), name)
    value = lookup(robustness_correlations, ["family", "relation"])
    accuracy = robustness.groupby("family")["shifted_accuracy"]
    ends = {"lowest": accuracy.min(), "highest": accuracy.max()}
    columns = [Column("family", "Corruptions")]
    columns += [number_column(f"accuracy_{key}", key, "Accuracy") for key in ends]
    for relation, group in RELATION_NAMES.items():
        columns.append(number_column(f"spearman_{relation}", "Spearman", group, signed=True))
        columns.append(p_value_column(f"p_{relation}", group=group))
    rows: Rows = tuple(
        (
            FAMILY_NAMES[family],
            *(float(found[family]) for found in ends.values()),
            *(value(column, family, relation) for relation in RELATIONS for column in ("correlation", "p_value")),
        )
        for family in _present(robustness_correlations)
    )
    configurations = int(robustness_correlations["configurations"].max())
    notes = (
        "Accuracy: on the corrupted evaluation images, range over the configurations. Drop: clean accuracy minus it. "
        f"{_CONDITIONS_NOTE}",
        f"CS: {QUANTITIES['CS']}. {glossary('CAG')} CAG and the drop both contain clean accuracy, whose sampling error "
        "alone correlates them positively.",
        f"{counted(configurations, 'configuration')}, each a mean over its seeds. p: Student's t, an approximation for "
        "ranks, not adjusted for the number of entries. In an exact test over all orders of so many configurations no "
        f"p-value can be below 2/{configurations}! = {min(1, 2 / factorial(configurations)):.2g}.",
    )
    title = "Rank correlations over configurations of clean measures with accuracy on corrupted images."
    return Table(name, "Table C13", title, tuple(columns), rows, notes)


def _present(frame: pd.DataFrame) -> list[str]:
    """Return the families of a result in printed order, all of them together first."""
    return [family for family in _FAMILIES if (frame["family"] == family).any()]


def _gain_note(correlations: pd.DataFrame, table: str) -> str:
    """Say whether gains from consistency go with overconfidence."""
    need_columns(correlations, ("gain", "points", "correlation", "p_value", "used"), table)
    value = lookup(correlations, ["gain", "points"])

    def correlation(gain: str, points: str) -> str:
        found = value("correlation", gain, points)
        p_value = p_value_words(value("p_value", gain, points))
        return "undefined" if isnan(found) else f"{signed(found)} ({p_value})"

    words = [
        f"{meaning}: {correlation(gain, 'corruption')} over {int(value('used', gain, 'corruption'))} corruptions and "
        f"{correlation(gain, 'condition')} over all {int(value('used', gain, 'condition'))} with their severities"
        for gain, meaning in _GAINS.items()
    ]
    return (
        "Spearman's correlation of the gain in AUROC with overconfidence, mean MSP minus accuracy, points taken as "
        f"independent: {'; '.join(words)}."
    )
