"""What the tables that compare corruptions with natural transforms share, beside `screening_rows`."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from pairedeval.report.names import MINUS, condition_name, listed, ordered_sources, source_name
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.score_names import SCORES
from pairedeval.report.screening_rows import AUROC, RECALL, Entry, Resampled, difference, tier_rows
from pairedeval.resampling import CLASS_DRAWS, DRAWS
from pairedeval.tiers import MILD

PRIMARY, NATURAL = "corruption_mean", "natural_mean"
# In columns beside the natural mean, the corruption mean is named by its number of probes.
NAMES = SCORES | {PRIMARY: replace(SCORES[PRIMARY], key="u18")}
METRIC_NAMES = {RECALL: "Recall@.2", AUROC: "AUROC"}
METRIC_HEADERS = {RECALL: "Recall", AUROC: "AUROC"}
RESAMPLED_HEADERS: Mapping[Resampled, str] = {"group": "groups", "class": "classes"}
NO_ENTRY = ""
BOTH_NOTE = (
    f"Brackets: 95% intervals, for groups from {DRAWS:,} draws of the model groups, for classes from {CLASS_DRAWS:,} "
    "draws of the true classes, the same for all cells of a source. A draw of classes leaves out the cells that it "
    "makes undefined; its interval need not centre on the difference."
)
CONSISTENCY_NOTE = (
    "Label stability: share of the 18 probes that keep the clean prediction. Deviation: mean absolute change of the "
    "confidence, where more means risk. Consistency: half of label stability plus half of one minus deviation, where "
    "less means risk. They are of the Decision Consistency Framework, with alpha = 1/2."
)
_SELECTED = {"natural": "natural_selected", "corruption": "corruption_selected"}


def interval_entries(
    value: Callable[..., float],
    score: str,
    baseline: str,
    metric: str,
    resampled: Sequence[Resampled] = ("group", "class"),
) -> list[Entry]:
    """Return a column of a mean difference for each kind of interval, which its header names.

    Parameters
    ----------
    value
        Result of `screening_rows.differences_of`.
    score, baseline, metric
        What is printed.
    resampled
        What is resampled for each column's interval.
    """
    above = f"{METRIC_HEADERS[metric]}, {NAMES[score].symbol} {MINUS} {NAMES[baseline].symbol}"
    entries = [difference(value, score, baseline, metric, above, by, f"_{by}", NAMES) for by in resampled]
    return [
        replace(entry, column=replace(entry.column, header=RESAMPLED_HEADERS[by]))
        for entry, by in zip(entries, resampled, strict=True)
    ]


def mild_sources(chosen: pd.DataFrame) -> list[str]:
    """Return the sources with mild conditions, in the order of the paper.

    Examples
    --------
    >>> mild_sources(pd.DataFrame({"source": ["diverse", "es"], "tier": ["mild", "severe"]}))
    ['diverse']
    """
    return [source for source, tier in tier_rows(chosen) if tier == MILD]


def absent_mild_notes(chosen: pd.DataFrame, simulated: Collection[str]) -> list[str]:
    """Name the sources without mild conditions, which have no row.

    Examples
    --------
    >>> absent_mild_notes(pd.DataFrame({"source": ["diverse", "es"], "tier": ["mild", "severe"]}), {"es"})
    ['No condition of ES (simulated) is mild.']
    """
    present = mild_sources(chosen)
    absent = [source_name(one, simulated) for one in ordered_sources(chosen["source"]) if one not in present]
    return [f"No condition of {listed(absent)} is mild."] if absent else []


def label_notes(label_changing: Collection[str]) -> list[str]:
    """Say which natural transforms do not keep the class of every image; nothing if all do.

    Examples
    --------
    >>> label_notes(["flip", "flip_zoom_1.1"])
    ['Of the natural transforms, flip and flip zoom 1.1 may turn an image into another class of this study.']
    >>> label_notes([])
    []
    """
    names = [condition_name(one).lower() for one in label_changing]
    if not names:
        return []
    return [f"Of the natural transforms, {listed(names)} may turn an image into another class of this study."]


def selection_notes(
    selection: pd.DataFrame, half: str, pools: Iterable[str], simulated: Collection[str], table: str
) -> list[str]:
    """Say which probe was selected first, and how many of the fixed ones were selected as well.

    Parameters
    ----------
    selection
        Rows per source, half and pool with `first` (condition), `shared_with_fixed` and `size`.
    half
        Half that is ranked; the other one has chosen.
    pools
        ``natural``, ``corruption`` or both.
    simulated
        Sources with simulated data.
    table
        What messages call the rows.
    """
    need_columns(selection, ("source", "half", "pool", "first", "shared_with_fixed", "size"), table)
    rows = selection[selection["half"] == half]
    count = lookup(rows, ["source", "pool"])
    notes = []
    for pool in pools:
        first = rows[rows["pool"] == pool].set_index("source")["first"]
        parts = [
            f"on {source_name(source, simulated)} {condition_name(first[source])} came first, and "
            f"{count('shared_with_fixed', source, pool):.0f} of {count('size', source, pool):.0f} are in the fixed set"
            for source in ordered_sources(first.index)
        ]
        notes.append(f"{SCORES[_SELECTED[pool]].symbol}: {'; '.join(parts)}.")
    return notes
