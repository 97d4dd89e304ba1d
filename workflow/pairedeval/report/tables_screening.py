"""The layout of the tables on screening scores and recapture budgets (Tables 16 to 21)."""

from collections.abc import Collection
from dataclasses import replace
from functools import partial

import pandas as pd

from pairedeval.report.names import source_name
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.screening_rows import (
    AUROC,
    BUDGETS,
    CLASS_NOTE,
    GROUP_NOTE,
    IMAGES_NOTE,
    RECALL,
    RECALL_NOTE,
    Entry,
    absent_notes,
    against,
    choose,
    difference,
    differences_of,
    legend,
    level,
    means_of,
    tier_rows,
    tier_table,
    undefined_cells,
    undefined_notes,
)
from pairedeval.report.table import Column, Rows, Table

BASELINES = ("confidence", "confidence_decrease", "retention")


def table_16(means: pd.DataFrame, differences: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out how well each score ranks the images that fail (Table 16).

    Parameters
    ----------
    means
        Rows per source, half, tier, images, score and metric with `mean`, `cells` and `undefined`.
    differences
        The same per score and baseline, with the ends of both intervals.
    simulated
        Sources with simulated data.
    """
    chosen = choose(means, "table_16")
    value, tiers = means_of(chosen), tier_rows(chosen)
    between = differences_of(choose(differences, "table_16"), "table_16")
    scores = ("confidence", "corruption_mean", *BASELINES[1:], "class_decrease", "predictor_confidence_mean")
    entries = [level(value, score, AUROC) for score in scores]
    entries.append(difference(between, "corruption_mean", "confidence", AUROC))
    notes = (
        f"{IMAGES_NOTE} Low {{S}}, {{U}} and ret count as risky, as do high {{delta}}, class {{delta}} and {{g(S,U)}}.",
        legend(scores),
        GROUP_NOTE,
        *undefined_notes(value, scores, AUROC, tiers, simulated),
    )
    title = "AUROC of scores that rank images by their risk of failing after recapture, mean over cells."
    return tier_table("table_16", title, entries, tiers, notes, simulated)


def table_17(differences: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out differences in AUROC with intervals from resampled classes (Table 17).

    Parameters
    ----------
    differences
        As for `table_16`, with `cells_per_draw`.
    simulated
        Sources with simulated data.
    """
    chosen = choose(differences, "table_17")
    need_columns(chosen, ("cells_per_draw",), "table_17")
    value, tiers = differences_of(chosen, "table_17"), tier_rows(chosen)
    pairs = (
        ("corruption_mean", "confidence"),
        ("confidence_decrease", "corruption_mean"),
        ("predictor_confidence_mean", "confidence"),
    )
    kept = Column("cells", "Cells per draw", "count")
    entries = [Entry(kept, lambda source, tier: value("cells_per_draw", source, tier, *pairs[0], AUROC))]
    entries += [difference(value, *pair, AUROC, by="class", ending="_class") for pair in pairs]
    scores = ("confidence", "corruption_mean", "confidence_decrease", "predictor_confidence_mean")
    notes = (
        legend(scores),
        *undefined_notes(against(value, "confidence"), (scores[1], scores[3]), AUROC, tiers, simulated),
        f"{CLASS_NOTE} A draw skips the cells whose drawn images share one outcome; cells per draw: how many it keeps "
        "on average. The differences themselves are those of all images.",
    )
    title = "Differences in AUROC between scores, mean over cells, under resampling of the true classes."
    return tier_table("table_17", title, entries, tiers, notes, simulated)


def table_18(means: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the recall of each score at two recapture budgets (Table 18).

    Parameters as for `table_16`.
    """
    chosen = choose(means, "table_18")
    value, tiers = means_of(chosen), tier_rows(chosen)
    scores = ("confidence", "corruption_mean", "confidence_decrease", "retention", "random")
    entries = [
        level(value, score, metric, group=f"{{q}} = {BUDGETS[metric]:g}")
        for metric in ("recall_10", "recall_20")
        for score in scores
    ]
    notes = (
        f"{RECALL_NOTE} The paper broke ties at random in this table.",
        legend(scores[:-1]),
        "random: one random order of the images of each cell; on average it finds the share {q}, but for rounding.",
        *undefined_notes(value, scores, RECALL, tiers, simulated),
    )
    title = "Recall of failures when a share {q} of the images is recaptured, mean over cells."
    return tier_table("table_18", title, entries, tiers, notes, simulated)


def table_19(means: pd.DataFrame, differences: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the recall at the primary budget and its paired differences (Table 19).

    Parameters as for `table_16`.
    """
    chosen = choose(means, "table_19")
    value, tiers = means_of(chosen), tier_rows(chosen)
    between = differences_of(choose(differences, "table_19"), "table_19")
    entries = [level(value, score, RECALL) for score in ("confidence", "corruption_mean")]
    entries += [difference(between, "corruption_mean", baseline, RECALL) for baseline in BASELINES]
    scores = ("confidence", "corruption_mean", "confidence_decrease", "retention")
    notes = (
        RECALL_NOTE,
        legend(scores),
        GROUP_NOTE,
        *undefined_notes(value, scores, RECALL, tiers, simulated),
    )
    title = "Recall of failures when a share {q} = 0.2 of the images is recaptured, and paired differences in it."
    return tier_table("table_19", title, entries, tiers, notes, simulated)


def table_20(differences: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the paired recall differences at each budget with intervals from resampled classes (Table 20).

    Parameters as for `table_16`.
    """
    chosen = choose(differences, "table_20")
    value, tiers = differences_of(chosen, "table_20"), tier_rows(chosen)

    by_budget = {
        metric: [difference(value, "corruption_mean", one, metric, by="class", ending="_class") for one in BASELINES]
        for metric in BUDGETS
    }
    columns = (
        Column("source", "Source"),
        Column("tier", "Tier"),
        Column("q", "{q}", "number", decimals=1),
        *(replace(entry.column, key=entry.column.key.replace("_q20", "")) for entry in by_budget[RECALL]),
    )
    rows: Rows = tuple(
        (source_name(source, simulated), tier, BUDGETS[metric], *(entry.value(source, tier) for entry in entries))
        for source, tier in tiers
        for metric, entries in by_budget.items()
    )
    notes = (
        RECALL_NOTE,
        legend(("corruption_mean", *BASELINES)),
        f"{CLASS_NOTE} The budget and the recall of each draw are those of its weighted images.",
        *undefined_notes(against(value, "confidence"), ("corruption_mean",), RECALL, tiers, simulated),
        *absent_notes(tiers, simulated),
    )
    title = "Differences in recall between scores at three recapture budgets, under resampling of the true classes."
    return Table("table_20", "Table 20", title, columns, rows, notes)


def table_21(ceilings: pd.DataFrame, means: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the failure share, the largest attainable recall, and how much of it is attained (Table 21).

    Parameters
    ----------
    ceilings
        Rows per source and tier with `failure_share`; `ceiling_<percent>` and
        `corruption_mean_over_ceiling_<percent>` per budget; and `random_over_ceiling_20`.
    means
        As for `table_16`; they count the cells without failures.
    simulated
        Sources with simulated data.
    """
    printed = {
        "failure_share": Column("failure_share_p", "Failures {p}", "number", decimals=3),
        "ceiling_10": Column("ceiling_recall_q10", "{q} = 0.1", "number", "Ceiling", 3),
        "ceiling_20": Column("ceiling_recall_q20", "{q} = 0.2", "number", "Ceiling", 3),
        "ceiling_30": Column("ceiling_recall_q30", "{q} = 0.3", "number", "Ceiling", 3),
        "corruption_mean_over_ceiling_10": Column(
            "recall_u_over_ceiling_q10", "{q} = 0.1", "number", "{U} / ceiling", 3
        ),
        "corruption_mean_over_ceiling_20": Column(
            "recall_u_over_ceiling_q20", "{q} = 0.2", "number", "{U} / ceiling", 3
        ),
        "random_over_ceiling_20": Column(
            "recall_random_over_ceiling_q20", "{q} = 0.2", "number", "Random / ceiling", 3
        ),
    }
    need_columns(ceilings, ("source", "tier", *printed), "table_21")
    chosen = choose(means, "table_21")
    found, tiers = lookup(ceilings, ["source", "tier"]), tier_rows(chosen)
    entries = [Entry(column, partial(found, name)) for name, column in printed.items()]
    empty = undefined_cells(means_of(chosen), "corruption_mean", RECALL, tiers, simulated)
    notes = (
        "Failures: share of the clean-correct images that fail after recapture. Ceiling: the largest recall that a "
        "budget allows, reached if every recaptured image is a failure. {U} / ceiling and random / ceiling: recall of "
        "{U}, and on average of a random order, as a share of the ceiling; means of the ratios of single cells.",
        legend(("corruption_mean",)),
        *(
            [f"Cells without a failure have no ceiling and enter the share of failures alone: {empty}."]
            if empty
            else []
        ),
    )
    title = "Share of images that fail and the recall of failures that budgets allow, mean over cells."
    return tier_table("table_21", title, entries, tiers, notes, simulated)
