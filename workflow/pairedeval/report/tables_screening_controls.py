"""The layout of the tables that check the screening scores (Tables 22 to 28).

They change the probability scale, the half of the images, whose response an image gets, and the number of probes.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from pairedeval.records import DEVELOPMENT, EVALUATION
from pairedeval.report.names import MINUS, listed, ordered_sources, source_name
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.score_names import SCORES
from pairedeval.report.screening_rows import (
    ALL_CONDITIONS,
    AUROC,
    GROUP_NOTE,
    RECALL,
    RECALL_NOTE,
    Entry,
    choose,
    difference,
    differences_of,
    label_of,
    legend,
    level,
    means_of,
    row_name,
    rows_of,
    signed,
    tier_rows,
    tier_table,
    undefined_notes,
    whole,
)
from pairedeval.report.table import Column, Rows, Table, Value

GAIN = ("corruption_mean", "confidence")
NON_SINGLETON, CLASS_KNOWN = "non_singleton", "class_known"
STRATA = ("low", "mid", "high")
# Kinds of probe subsets in printed order.
SUBSETS = {"prefixed": "random", "severity 2": "severity 2 only", "severity 4": "severity 4 only", "all": "all"}
NO_ENTRY = ""


def table_22(means: pd.DataFrame, differences: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the AUROC of the corruption mean on other scales of probability (Table 22).

    Parameters
    ----------
    means
        Rows per source, half, tier, images, score and metric with `mean`, `cells` and `undefined`.
    differences
        The same per score and baseline, with the ends of both intervals.
    simulated
        Sources with simulated data.
    """
    chosen = choose(means, "table_22")
    value, tiers = means_of(chosen), tier_rows(chosen)
    between = differences_of(choose(differences, "table_22"), "table_22")
    scores = ("confidence", "corruption_mean", "corruption_rank_mean", "corruption_root_mean", "corruption_square_mean")
    entries = [level(value, score, AUROC) for score in scores]
    entries.append(difference(between, "corruption_rank_mean", "confidence", AUROC))
    notes = (
        legend(scores),
        "{U_rank} does not change with an increasing rescaling of the probabilities under a corruption.",
        GROUP_NOTE,
        *undefined_notes(value, scores, AUROC, tiers, simulated),
    )
    title = "AUROC of {U} when its probabilities become ranks or powers, mean over cells."
    return tier_table("table_22", title, entries, tiers, notes, simulated)


def table_23(means: pd.DataFrame, differences: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out screening on the development images, with the roles of the halves exchanged (Table 23).

    Parameters as for `table_22`.
    """
    chosen = choose(means, "table_23", half=DEVELOPMENT)
    value, tiers = means_of(chosen), tier_rows(chosen)
    between = differences_of(choose(differences, "table_23", half=DEVELOPMENT), "table_23")
    scores = ("confidence", "corruption_mean", "confidence_decrease", "retention", "predictor_confidence_mean")
    entries = [level(value, score, AUROC, "AUROC") for score in scores]
    entries += _gains(between)
    notes = (
        "The development images are ranked, and {g(S,U)} is fitted on the evaluation images. The tiers are those of "
        "development accuracy, so here the ranked images defined them.",
        legend(scores),
        RECALL_NOTE,
        f"{GROUP_NOTE} {_class_sentence(between, tiers, simulated)}",
        *undefined_notes(value, scores, AUROC, tiers, simulated),
        *undefined_notes(value, scores, RECALL, tiers, simulated),
    )
    title = "AUROC and differences in AUROC and in recall at {q} = 0.2 on the development images, mean over cells."
    return tier_table("table_23", title, entries, tiers, notes, simulated)


def table_24(
    means: pd.DataFrame, differences: pd.DataFrame, models: pd.DataFrame, simulated: Collection[str] = ()
) -> Table:
    """Lay out screening on the development images in tiers by evaluation accuracy (Table 24).

    Parameters
    ----------
    means, differences
        As for `table_22`.
    models
        One row per source and model.
    simulated
        Sources with simulated data.
    """
    swapped = {"half": DEVELOPMENT, "tier_by": EVALUATION}
    chosen = choose(means, "table_24", **swapped)
    value, tiers = means_of(chosen), tier_rows(chosen)
    between = differences_of(choose(differences, "table_24", **swapped), "table_24")
    need_columns(models, ("source", "model"), "table_24")
    pool = models.groupby("source")["model"].nunique()

    def conditions(source: str, tier: str) -> float | None:
        cells = sum(value(count, source, tier, "confidence", AUROC) for count in ("cells", "undefined"))
        return cells / pool[source] if source in pool else None

    entries = [Entry(Column("conditions", "Conditions", "count"), conditions)]
    entries += [level(value, score, AUROC, "AUROC") for score in reversed(GAIN)]
    entries += _gains(between)
    notes = (
        "The development images are ranked; the tiers are those of mean accuracy on the evaluation images.",
        legend(("confidence", "corruption_mean")),
        RECALL_NOTE,
        GROUP_NOTE,
        *undefined_notes(value, GAIN[::-1], AUROC, tiers, simulated),
        *undefined_notes(value, GAIN[::-1], RECALL, tiers, simulated),
    )
    title = "AUROC and differences on the development images, in tiers by evaluation accuracy, mean over cells."
    table = tier_table("table_24", title, entries, tiers, notes, simulated)
    source, tier, *others = table.columns
    return replace(table, columns=(source, replace(tier, key="tier_eval_defined"), *others))


def table_25(
    means: pd.DataFrame, differences: pd.DataFrame, ablation: pd.DataFrame, simulated: Collection[str] = ()
) -> Table:
    """Lay out what remains of the AUROC when images get the response of others of their class (Table 25).

    Parameters
    ----------
    means
        As for `table_22`.
    differences
        As for `table_22`, with `wins`.
    ablation
        Rows per source and tier with `images_excluded_lowest`, `images_excluded_highest`, `degenerate_cells`, `cells`
        and `gap_without_degenerate`.
    simulated
        Sources with simulated data.
    """
    chosen = choose(means, "table_25", images=NON_SINGLETON)
    value, tiers = means_of(chosen), tier_rows(chosen)
    compared = choose(differences, "table_25", images=NON_SINGLETON)
    need_columns(compared, ("wins",), "table_25")
    between = differences_of(compared, "table_25")
    pair = ("corruption_mean", "deranged_mean")
    scores = ("confidence", *pair, "loo_mean")

    def of_pair(column: str) -> Callable[[str, str], float]:
        return lambda source, tier: between(column, source, tier, *pair, AUROC)

    entries = [Entry(Column("cells", "Cells", "count"), of_pair("cells"))]
    entries += [level(value, score, AUROC) for score in scores]
    entries.append(difference(between, *pair, AUROC))
    entries.append(Entry(Column("wins_cells_pct", "Wins (%)", "share", decimals=1), of_pair("wins")))
    notes = (
        f"{legend(scores)} Wins: cells in which {{U}} ranks better than deranged {{U}}.",
        GROUP_NOTE,
        *undefined_notes(value, scores, AUROC, tiers, simulated),
        *_ablation_notes(ablation, tiers, simulated),
        _decrease_note(between, tiers, simulated),
    )
    title = "AUROC when each image gets the response of other images of its class, mean over cells."
    return tier_table("table_25", title, entries, tiers, notes, simulated)


def table_26(means: pd.DataFrame, differences: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out scores that know only the class of an image (Table 26).

    Parameters as for `table_22`.
    """
    chosen = choose(means, "table_26", images=CLASS_KNOWN)
    value, tiers = means_of(chosen), tier_rows(chosen)
    between = differences_of(choose(differences, "table_26", images=CLASS_KNOWN), "table_26")
    scores = ("confidence", "corruption_mean", "class_mean_correct", "class_mean_all")
    short = SCORES | {"class_mean_correct": replace(SCORES["class_mean_correct"], key="class_cc_dev")}
    pair = ("corruption_mean", "class_mean_correct")
    entries = [level(value, score, AUROC, "AUROC") for score in scores]
    entries += [
        difference(between, *pair, metric, group, names=short)
        for metric, group in ((AUROC, "AUROC"), (RECALL, "Recall at {q} = 0.2"))
    ]
    notes = (
        "Ranked are the clean-correct images of the classes that also have one in the other half.",
        legend(scores),
        RECALL_NOTE,
        GROUP_NOTE,
        *undefined_notes(value, scores, AUROC, tiers, simulated),
        *undefined_notes(value, scores, RECALL, tiers, simulated),
    )
    title = "AUROC of {U} and its class means, and differences in AUROC and in recall at {q} = 0.2, mean over cells."
    return tier_table("table_26", title, entries, tiers, notes, simulated)


def table_27(
    means: pd.DataFrame, differences: pd.DataFrame, terciles: pd.DataFrame, simulated: Collection[str] = ()
) -> Table:
    """Lay out the ranking within thirds of clean confidence, over all conditions (Table 27).

    Parameters
    ----------
    means, differences
        As for `table_22`.
    terciles
        Rows per source and `images` (low, mid, high) with `retention_gap`.
    simulated
        Sources with simulated data.
    """
    need_columns(terciles, ("source", "images", "retention_gap"), "table_27")
    chosen = _by_stratum(means, "table_27")
    value = means_of(chosen)
    between = differences_of(_by_stratum(differences, "table_27"), "table_27")
    keys = [(source, stratum) for source in ordered_sources(chosen["source"]) for stratum in STRATA]
    scores = ("confidence", "corruption_mean", "deranged_mean")
    gap = Column("retention_rate_gap", "Retention gap", "number", decimals=3, signed=True)
    entries = [level(value, score, AUROC) for score in scores]
    entries.append(difference(between, *scores[1:], AUROC))
    entries.append(Entry(gap, partial(lookup(terciles, ["source", "images"]), "retention_gap")))
    columns = (Column("source", "Source"), Column("stratum", "Confidence"), *(entry.column for entry in entries))
    notes = (
        "Confidence: lowest, middle and highest third by {S} of each model's clean-correct images (those it gets right "
        "unperturbed), without those that are alone in their class. Every third is ranked by itself.",
        legend(scores),
        "Retention gap: by how much more often images with {U} above the median of their third stay correct than those "
        "below it.",
        GROUP_NOTE,
        *undefined_notes(value, scores, AUROC, keys, simulated),
    )
    title = "AUROC within thirds of clean confidence, and the gap in retention, mean over the cells of all conditions."
    return Table("table_27", label_of("table_27"), title, columns, rows_of(entries, keys, simulated), notes)


def table_28(subsets: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the corruption mean over fewer corruptions (Table 28).

    Parameters
    ----------
    subsets
        Rows per source, pool, size and kind of subset with `subsets` (number), `recall_20`, `gain` (over clean
        confidence) and `auroc` (means), and the `_lowest` of each and the `_highest` of recall and AUROC.
    simulated
        Sources with simulated data.
    """
    numbers = {
        "recall_20": Column("recall_q20_u_m", "mean", "number", "Recall", 3),
        "recall_20_lowest": Column("recall_q20_u_m_min", "lowest", "number", "Recall", 3),
        "recall_20_highest": Column("recall_q20_u_m_max", "highest", "number", "Recall", 3),
        "gain": Column("recall_q20_u_m_minus_s", "mean", "number", "Recall, {U_m} − {S}", 3, signed=True),
        "gain_lowest": Column("recall_q20_u_m_minus_s_min", "lowest", "number", "Recall, {U_m} − {S}", 3, signed=True),
        "auroc": Column("auroc_u_m", "mean", "number", "AUROC", 3),
        "auroc_lowest": Column("auroc_u_m_min", "lowest", "number", "AUROC", 3),
        "auroc_highest": Column("auroc_u_m_max", "highest", "number", "AUROC", 3),
    }
    need_columns(subsets, ("source", "pool", "size", "kind", "subsets", *numbers), "table_28")
    value = lookup(subsets[subsets["pool"] == "corruption"], ["source", "size", "kind"])
    columns = (
        Column("source", "Source"),
        Column("m", "m", "count"),
        Column("subsets", "Subsets"),
        Column("n_subsets", "Number", "count"),
        *numbers.values(),
    )
    rows: Rows = tuple(
        (source_name(source, simulated), size, SUBSETS[kind], int(count), *_spread(value, numbers, source, size, kind))
        for source, size, kind in _subset_keys(subsets)
        for count in [value("subsets", source, size, kind)]
    )
    notes = (
        "{U_m}: mean probability of the class under m of the 18 corruptions. Random subsets were drawn before any "
        "result was known; with m = 1 they are all single corruptions. Lowest and highest: over the subsets.",
        legend(("confidence",)),
        RECALL_NOTE,
    )
    title = "Recall at {q} = 0.2 and AUROC of averages over m corruptions, mean over the cells of mild conditions."
    return Table("table_28", label_of("table_28"), title, columns, rows, notes)


def _gains(between: Callable[..., float]) -> list[Entry]:
    """Return the columns of the corruption mean against clean confidence, by AUROC and by recall."""
    return [
        difference(between, *GAIN, metric, group)
        for metric, group in ((AUROC, "AUROC"), (RECALL, "Recall at {q} = 0.2"))
    ]


def _class_sentence(between: Callable[..., float], tiers: Sequence[tuple[str, str]], simulated: Collection[str]) -> str:
    """Say where both gains exclude zero under draws of the true classes too."""
    clear = [
        row_name(key, simulated)
        for key in tiers
        if all(between("class_lower", *key, *GAIN, metric) > 0 for metric in (AUROC, RECALL))
    ]
    return f"With draws of the true classes instead, both lie above zero on {listed(clear) if clear else 'no tier'}."


def _ablation_notes(ablation: pd.DataFrame, tiers: Sequence[tuple[str, str]], simulated: Collection[str]) -> list[str]:
    """Say how many images have no other of their class, and where reassigning cannot change the AUROC."""
    counts = ("images_excluded_lowest", "images_excluded_highest", "degenerate_cells", "cells")
    need_columns(ablation, ("source", "tier", *counts, "gap_without_degenerate"), "table_25")
    value = lookup(ablation, ["source", "tier"])
    first = {source: (source, tier) for source, tier in reversed(tiers)}
    excluded = [
        f"{whole(value('images_excluded_lowest', *first[source])):,} to "
        f"{whole(value('images_excluded_highest', *first[source])):,} a model on {source_name(source, simulated)}"
        for source in ordered_sources(first)
        if whole(value("images_excluded_highest", *first[source]))
    ]
    degenerate = [
        f"{whole(value('degenerate_cells', *key)):,} of {whole(value('cells', *key)):,} on "
        f"{row_name(key, simulated)} ({signed(value('gap_without_degenerate', *key))})"
        for key in tiers
        if whole(value("degenerate_cells", *key))
    ]
    notes = []
    if excluded:
        notes.append(f"Left out: images that are the only clean-correct one of their class, {listed(excluded)}.")
    if degenerate:
        notes.append(
            "No class holds both outcomes, so that reassigning cannot change the AUROC, in this many cells (in "
            f"parentheses {{U}} {MINUS} deranged {{U}} over the others): {listed(degenerate)}."
        )
    return notes


def _decrease_note(between: Callable[..., float], tiers: Sequence[tuple[str, str]], simulated: Collection[str]) -> str:
    """Give the same comparison for the confidence decrease."""
    parts = [
        f"{row_name(key, simulated)} {signed(between('mean', *key, 'confidence_decrease', 'deranged_decrease', AUROC))}"
        for key in tiers
    ]
    return f"The same difference for {{delta}} ({SCORES['confidence_decrease'].meaning}): {', '.join(parts)}."


def _by_stratum(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    """Keep the rows over all conditions of each third of clean confidence, the third in place of the tier."""
    parts = [choose(frame, table, images=stratum).assign(stratum=stratum) for stratum in STRATA]
    together = pd.concat(parts)
    return together[together["tier"] == ALL_CONDITIONS].assign(tier=together["stratum"])


def _subset_keys(subsets: pd.DataFrame) -> list[tuple[str, int, str]]:
    """Return source, size and kind of the rows: sources in the order of the paper, then by size, then by kind."""
    present = subsets[(subsets["pool"] == "corruption") & subsets["kind"].isin(SUBSETS)]
    keys = set(zip(present["source"], present["size"].astype(int), present["kind"], strict=True))
    sources, kinds = ordered_sources(present["source"]), list(SUBSETS)
    return sorted(keys, key=lambda key: (sources.index(key[0]), key[1], kinds.index(key[2])))


def _spread(value: Callable[..., float], numbers: Iterable[str], *key: object) -> tuple[Value, ...]:
    """Return the numbers of a row; a single subset has no lowest and highest."""
    single = value("subsets", *key) == 1
    return tuple(
        NO_ENTRY if single and name.endswith(("_lowest", "_highest")) else value(name, *key) for name in numbers
    )
