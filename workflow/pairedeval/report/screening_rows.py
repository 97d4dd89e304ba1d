"""What the tables on screening share: which rows they read, their columns by score and metric, and common notes."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from pairedeval.errors import PairedEvalError
from pairedeval.records import EVALUATION
from pairedeval.report.names import MINUS, TIERS, check_tiers, counted, listed, ordered_sources, source_name
from pairedeval.report.render import format_value
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.score_names import SCORES, ScoreName
from pairedeval.report.table import Column, Rows, Table, Value
from pairedeval.resampling import CLASS_DRAWS, DRAWS

Resampled = Literal["group", "class"]
# Recapture budget of each recall, a share of the images; the second one is primary.
BUDGETS = {"recall_10": 0.1, "recall_20": 0.2, "recall_30": 0.3}
AUROC = "auroc"
RECALL = "recall_20"
ALL_CONDITIONS = "all"
CELLS = ("source", "half", "tier_by", "tier", "images", "score", "metric")
IMAGES_NOTE = (
    "All scores rank the same images of a cell, the clean-correct ones: those that its model gets right unperturbed. A "
    "failure is a wrong prediction after recapture."
)
RECALL_NOTE = (
    "Recall: share of a cell's failures among the {q} riskiest of its clean-correct images, those that its model gets "
    "right unperturbed. Images that tie at the cutoff count in part, as many as a random order takes on average."
)
GROUP_NOTE = f"Brackets: 95% interval from {DRAWS:,} draws of the model groups."
CLASS_NOTE = (
    f"Brackets: 95% interval from {CLASS_DRAWS:,} draws of the true classes, the same for all cells of a source."
)


@dataclass(frozen=True)
class Entry:
    """A column of a table with rows per source and tier, and what it holds there.

    Attributes
    ----------
    column
        Header and format.
    value
        Function of source and tier.
    """

    column: Column
    value: Callable[[str, str], Value]


def choose(
    frame: pd.DataFrame, table: str, half: str = EVALUATION, images: str = "all", tier_by: str = "development"
) -> pd.DataFrame:
    """Keep the rows of one half and set of images, with the conditions in one kind of tiers.

    Parameters
    ----------
    frame
        Means of scores, or differences between them, per source, half, tier, images, score and metric.
    table
        What messages call the rows.
    half
        Half of the base images that is ranked.
    images
        Which of its clean-correct images are ranked.
    tier_by
        Half whose accuracy defines the tiers.

    Raises
    ------
    PairedEvalError
        If columns are missing, a tier is unknown, or no row is left.
    """
    need_columns(frame, (*CELLS, "mean", "cells", "undefined"), table)
    kept = frame[(frame["half"] == half) & (frame["images"] == images) & (frame["tier_by"] == tier_by)]
    if kept.empty:
        raise PairedEvalError(
            f"{table}: no results for half {half}, images {images} and tiers by {tier_by}; run the analysis again"
        )
    check_tiers(kept["tier"], table, also=(ALL_CONDITIONS,))
    return kept


def tier_rows(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the sources with each of their tiers, in the order of the paper.

    Examples
    --------
    >>> tier_rows(pd.DataFrame({"source": ["diverse", "es", "es"], "tier": ["mild", "extreme", "mild"]}))
    [('es', 'mild'), ('es', 'extreme'), ('diverse', 'mild')]
    """
    present = set(zip(frame["source"], frame["tier"], strict=True))
    return [
        (source, tier) for source in ordered_sources(frame["source"]) for tier in TIERS if (source, tier) in present
    ]


def means_of(frame: pd.DataFrame) -> Callable[..., float]:
    """Return a function from column, source, tier, score and metric to a number of the chosen means."""
    return lookup(frame, ["source", "tier", "score", "metric"])


def differences_of(frame: pd.DataFrame, table: str) -> Callable[..., float]:
    """Return a function from column, source, tier, score, baseline and metric to a number of the chosen differences."""
    need_columns(frame, ("baseline", "group_lower", "group_upper", "class_lower", "class_upper"), table)
    return lookup(frame, ["source", "tier", "score", "baseline", "metric"])


def against(value: Callable[..., float], baseline: str) -> Callable[..., float]:
    """Fix the baseline of a result of `differences_of`, which then reads like one of `means_of`."""
    return lambda column, source, tier, score, metric: value(column, source, tier, score, baseline, metric)


def level(
    value: Callable[..., float], score: str, metric: str, group: str = "", names: Mapping[str, ScoreName] = SCORES
) -> Entry:
    """Return the column of a score's mean.

    Parameters
    ----------
    value
        Result of `means_of`.
    score, metric
        What is printed.
    group
        Header above the column, a template.
    names
        How scores are printed.
    """
    column = Column(f"{metric_key(metric)}_{names[score].key}", names[score].symbol, "number", group, 3)
    return Entry(column, lambda source, tier: value("mean", source, tier, score, metric))


def difference(
    value: Callable[..., float],
    score: str,
    baseline: str,
    metric: str,
    group: str = "",
    by: Resampled = "group",
    ending: str = "",
    names: Mapping[str, ScoreName] = SCORES,
) -> Entry:
    """Return the column of a score's mean minus that of a baseline, with its interval.

    Parameters
    ----------
    value
        Result of `differences_of`.
    score, baseline, metric
        What is printed.
    group
        Header above the column, a template.
    by
        What is resampled for the interval.
    ending
        End of the column's key, for tables that tell two kinds of intervals apart.
    names
        How scores are printed.
    """
    first, second = names[score], names[baseline]
    key = f"{metric_key(metric)}_{first.key}_minus_{second.key}{ending}"
    column = Column(key, f"{first.symbol} {MINUS} {second.symbol}", "interval", group, 3, signed=True)
    return Entry(column, lambda source, tier: interval(value, by, source, tier, score, baseline, metric))


def interval(value: Callable[..., float], by: Resampled, *key: str) -> tuple[float, float, float] | None:
    """Return a mean difference with the ends of its interval, or None if one of the three is undefined."""
    mean, lower, upper = (value(column, *key) for column in ("mean", f"{by}_lower", f"{by}_upper"))
    return None if math.isnan(mean + lower + upper) else (mean, lower, upper)


def metric_key(metric: str) -> str:
    """Return what a metric is called in column names.

    Examples
    --------
    >>> metric_key("auroc"), metric_key("recall_20")
    ('auroc', 'recall_q20')
    """
    return metric.replace("recall_", "recall_q")


def tier_table(
    name: str,
    title: str,
    entries: Sequence[Entry],
    tiers: Sequence[tuple[str, str]],
    notes: Iterable[str],
    simulated: Collection[str],
) -> Table:
    """Lay out one row for each source and tier, and name the tiers that have none.

    Parameters
    ----------
    name
        Id such as ``table_16``.
    title, notes
        Templates.
    entries
        Columns after source and tier.
    tiers
        Rows, from `tier_rows`.
    simulated
        Sources with simulated data.
    """
    columns = (Column("source", "Source"), Column("tier", "Tier"), *(entry.column for entry in entries))
    notes = (*notes, *absent_notes(tiers, simulated))
    return Table(name, label_of(name), title, columns, rows_of(entries, tiers, simulated), notes)


def label_of(name: str) -> str:
    """Return what stands before the title of a numbered table.

    Examples
    --------
    >>> label_of("table_16")
    'Table 16'
    """
    return name.replace("_", " ").capitalize()


def rows_of(entries: Iterable[Entry], keys: Iterable[tuple[str, str]], simulated: Collection[str]) -> Rows:
    """Return a row for each source and tier, or whatever the entries have in place of a tier."""
    columns = list(entries)
    return tuple((source_name(key[0], simulated), key[1], *(entry.value(*key) for entry in columns)) for key in keys)


def row_name(key: tuple[str, str], simulated: Collection[str]) -> str:
    """Return what notes call a row.

    Examples
    --------
    >>> row_name(("es", "mild"), {"es"})
    'ES (simulated) mild'
    """
    return f"{source_name(key[0], simulated)} {key[1]}"


def legend(scores: Iterable[str], names: Mapping[str, ScoreName] = SCORES) -> str:
    """Say what scores are, a template.

    Examples
    --------
    >>> legend(["confidence", "confidence_decrease"])
    '{S}: confidence on the unperturbed image; {delta}: {S} minus {U}.'
    """
    return "; ".join(f"{names[score].symbol}: {names[score].meaning}" for score in scores) + "."


def absent_notes(tiers: Iterable[tuple[str, str]], simulated: Collection[str]) -> list[str]:
    """Name the tiers without conditions, which have no row.

    Examples
    --------
    >>> absent_notes([("es", "mild")], {"es"})
    ['No condition of ES (simulated) is severe or extreme.']
    """
    present = list(tiers)
    absent = {source: [tier for tier in TIERS if (source, tier) not in present] for source, _ in present}
    return [
        f"No condition of {source_name(source, simulated)} is {' or '.join(missing)}."
        for source, missing in absent.items()
        if missing
    ]


def undefined_cells(
    value: Callable[..., float],
    score: str,
    metric: str,
    tiers: Iterable[tuple[str, str]],
    simulated: Collection[str],
) -> str:
    """List the rows with cells that a metric leaves undefined, such as ``3 of 60 on ES mild``; empty if there is none.

    Parameters as for `undefined_notes`.
    """
    parts = []
    for key in tiers:
        undefined, defined = (whole(value(column, *key, score, metric)) for column in ("undefined", "cells"))
        if undefined:
            parts.append(f"{undefined:,} of {undefined + defined:,} on {row_name(key, simulated)}")
    return listed(parts) if parts else ""


def undefined_notes(
    value: Callable[..., float],
    scores: Sequence[str],
    metric: str,
    tiers: Sequence[tuple[str, str]],
    simulated: Collection[str],
) -> list[str]:
    """Count the cells that a metric leaves undefined, and those where single scores are undefined besides.

    Parameters
    ----------
    value
        Result of `means_of` or `against`.
    scores
        Scores of the table; the first is defined wherever its metric is.
    metric
        The metric.
    tiers
        Rows of the table.
    simulated
        Sources with simulated data.
    """
    lack = (
        "AUROC, since all their images share one outcome" if metric == AUROC else "recall, since they hold no failure"
    )
    cells = undefined_cells(value, scores[0], metric, tiers, simulated)
    notes = [f"Cells without {lack}, are left out: {cells}."] if cells else []
    counts = [sum(whole(value("undefined", *key, score, metric)) for key in tiers) for score in scores]
    for score, count in zip(scores[1:], counts[1:], strict=True):
        if count > counts[0]:
            notes.append(f"{SCORES[score].symbol} is undefined in {counted(count - counts[0], 'further cell')}.")
    return notes


def whole(number: float) -> int:
    """Return a count from results, 0 where there is none."""
    return 0 if math.isnan(number) else int(number)


def signed(number: float) -> str:
    """Write a difference as tables print it.

    Examples
    --------
    >>> signed(0.0471), signed(-0.003), signed(0.0001)
    ('+0.047', '−0.003', '0.000')
    """
    return format_value(number, Column("", "", "number", decimals=3, signed=True))
