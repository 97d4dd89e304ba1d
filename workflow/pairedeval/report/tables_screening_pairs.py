"""The layout of the tables that compare the corruption mean with other scores pairwise (Tables 34, 35, 37 to 39)."""

from collections.abc import Callable, Collection, Mapping

import pandas as pd

from pairedeval.identification.levels import STRICTNESS
from pairedeval.report.names import MINUS, listed, ordered_sources, source_name
from pairedeval.report.probe_rows import (
    BOTH_NOTE,
    CONSISTENCY_NOTE,
    METRIC_NAMES,
    NAMES,
    NATURAL,
    PRIMARY,
    RESAMPLED_HEADERS,
    absent_mild_notes,
    interval_entries,
    label_notes,
    mild_sources,
)
from pairedeval.report.results import need_columns
from pairedeval.report.screening_rows import (
    AUROC,
    BUDGETS,
    GROUP_NOTE,
    IMAGES_NOTE,
    RECALL,
    RECALL_NOTE,
    Resampled,
    against,
    choose,
    differences_of,
    interval,
    label_of,
    legend,
    level,
    means_of,
    signed,
    tier_rows,
    tier_table,
    undefined_notes,
)
from pairedeval.report.table import Column, Rows, Table, Value
from pairedeval.tiers import MILD

ALIGNMENTS = {"Natural": "alignment_natural", "Corruption": "alignment_corruption"}
A3_NOTE = "A3Rank's equations are used without its training; low {A3} means high risk."
# Rows of Table 38: those of the paper, then those of the Decision Consistency Framework.
SIMPLE_SCORES = {
    "U": PRIMARY,
    "S": "confidence",
    "TTA": NATURAL,
    "Margin": "margin",
    "Entropy": "entropy",
    "Agreement": "agreement",
}
CONSISTENCY_SCORES = {
    "Label stability, corruptions": "retention",
    "Deviation, corruptions": "corruption_deviation",
    "Consistency, corruptions": "corruption_consistency",
    "Deviation, natural": "natural_deviation",
    "Consistency, natural": "natural_consistency",
}
# Models named for a difference that is not positive; more are only counted.
NAMED_MODELS = 3


def table_34(differences: pd.DataFrame, simulated: Collection[str] = (), label_changing: Collection[str] = ()) -> Table:
    """Lay out the corruption mean against A3Rank's score over both probe sets (Table 34).

    Parameters
    ----------
    differences
        Rows per source, half, tier, images, score, baseline and metric with `mean`, `cells`, `undefined` and the ends
        of both intervals (shares).
    simulated
        Sources with simulated data.
    label_changing
        Natural transforms that do not keep the class of every image.
    """
    chosen = choose(differences, "table_34")
    value, sources = differences_of(chosen, "table_34"), mild_sources(chosen)
    keys = [(source, MILD) for source in sources]
    above = f"{{U}} {MINUS} {{A3}} (pp)"
    columns = (
        Column("source", "Source"),
        Column("a3_probes", "{A3} probes"),
        Column("metric", "Metric"),
        *(
            Column(f"u_minus_a3_pp_{by}", header, "interval", above, signed=True)
            for by, header in RESAMPLED_HEADERS.items()
        ),
    )
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            probes,
            name,
            *(_points(value, by, source, MILD, PRIMARY, score, metric) for by in RESAMPLED_HEADERS),
        )
        for source in sources
        for probes, score in ALIGNMENTS.items()
        for metric, name in METRIC_NAMES.items()
    )
    notes = (
        f"{legend((PRIMARY, *ALIGNMENTS.values()))} {A3_NOTE}",
        f"{RECALL_NOTE} Recall@.2: with {{q}} = 0.2.",
        BOTH_NOTE,
        *label_notes(label_changing),
        *(
            note
            for metric in METRIC_NAMES
            for note in undefined_notes(against(value, ALIGNMENTS["Natural"]), (PRIMARY,), metric, keys, simulated)
        ),
        *absent_mild_notes(chosen, simulated),
    )
    title = "Recall and AUROC of {U} minus those of A3Rank's score, mean over cells of mild conditions in pp."
    return Table("table_34", label_of("table_34"), title, columns, rows, notes)


def table_35(means: pd.DataFrame, differences: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the corruption mean against A3Rank's score over the same corruptions by budget (Table 35).

    Parameters
    ----------
    means
        Rows per source, half, tier, images, score and metric with `mean`, `cells` and `undefined`.
    differences, simulated
        As for `table_34`.
    """
    chosen = choose(means, "table_35")
    value, sources = means_of(chosen), mild_sources(chosen)
    between = differences_of(choose(differences, "table_35"), "table_35")
    pair = (PRIMARY, "alignment_corruption")
    columns = (
        Column("source", "Source"),
        Column("budget_pct", "{q} (%)", "share", decimals=0),
        Column("recall_u", "{U}", "number", "Recall", 3),
        Column("recall_a3", "{A3}", "number", "Recall", 3),
        Column("recall_u_minus_a3_pp_group", f"{{U}} {MINUS} {{A3}} (pp)", "interval", signed=True),
    )
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            budget,
            *(value("mean", source, MILD, score, metric) for score in pair),
            _points(between, "group", source, MILD, *pair, metric),
        )
        for source in sources
        for metric, budget in BUDGETS.items()
    )
    notes = (
        f"{legend(pair)} {A3_NOTE}",
        RECALL_NOTE,
        GROUP_NOTE,
        *undefined_notes(value, pair, RECALL, [(source, MILD) for source in sources], simulated),
        *absent_mild_notes(chosen, simulated),
    )
    title = "Recall of {U} and {A3} over the same corruptions by budget, mean over the cells of mild conditions."
    return Table("table_35", label_of("table_35"), title, columns, rows, notes)


def table_37(
    means: pd.DataFrame,
    differences: pd.DataFrame,
    simulated: Collection[str] = (),
    label_changing: Collection[str] = (),
) -> Table:
    """Lay out corruptions against natural transforms in every tier (Table 37).

    Parameters as for `table_34` and `table_35`.
    """
    chosen = choose(means, "table_37")
    value, tiers = means_of(chosen), tier_rows(chosen)
    between = differences_of(choose(differences, "table_37"), "table_37")
    scores = ("confidence", PRIMARY, NATURAL)
    entries = [level(value, score, RECALL, "Recall", NAMES) for score in scores]
    entries += interval_entries(between, PRIMARY, NATURAL, RECALL)
    entries += [level(value, score, AUROC, "AUROC", NAMES) for score in scores[1:]]
    entries += interval_entries(between, PRIMARY, NATURAL, AUROC, ["group"])
    notes = (
        f"{IMAGES_NOTE} {{U}} and {{TTA18}} take 18 inferences each.",
        legend(scores),
        RECALL_NOTE,
        BOTH_NOTE,
        *label_notes(label_changing),
        *undefined_notes(value, scores, RECALL, tiers, simulated),
        *undefined_notes(value, scores, AUROC, tiers, simulated),
    )
    title = "Recall at {q} = 0.2 and AUROC of corruptions and of natural transforms, mean over cells."
    return tier_table("table_37", title, entries, tiers, notes, simulated)


def table_38(
    means: pd.DataFrame,
    differences: pd.DataFrame,
    simulated: Collection[str] = (),
    label_changing: Collection[str] = (),
) -> Table:
    """Lay out the corruption mean against simple scores on mild conditions (Table 38), with those of consistency.

    Parameters as for `table_34` and `table_35`.
    """
    chosen = choose(means, "table_38")
    value, sources = means_of(chosen), mild_sources(chosen)
    between = differences_of(choose(differences, "table_38"), "table_38")
    above = f"Recall of {{U}} {MINUS} score"
    columns = (
        Column("source", "Source"),
        Column("score", "Score"),
        Column("recall_q20", "Recall", "number", decimals=3),
        Column("auroc", "AUROC", "number", decimals=3),
        *(
            Column(f"recall_q20_u_minus_score_{by}", header, "interval", above, 3, signed=True)
            for by, header in RESAMPLED_HEADERS.items()
        ),
    )
    printed = SIMPLE_SCORES | CONSISTENCY_SCORES
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            name,
            *(value("mean", source, MILD, score, metric) for metric in (RECALL, AUROC)),
            *(_gain(between, by, source, score) for by in RESAMPLED_HEADERS),
        )
        for source in sources
        for name, score in printed.items()
    )
    keys = [(source, MILD) for source in sources]
    notes = (
        legend(SIMPLE_SCORES.values()),
        f"The rows after Agreement are not in the paper. {CONSISTENCY_NOTE} Over the natural transforms, label "
        "stability is the agreement.",
        RECALL_NOTE,
        BOTH_NOTE,
        *label_notes(label_changing),
        *undefined_notes(value, list(printed.values()), RECALL, keys, simulated),
        *undefined_notes(value, list(printed.values()), AUROC, keys, simulated),
        *absent_mild_notes(chosen, simulated),
    )
    title = "Recall at {q} = 0.2 and AUROC of simple scores beside {U}, mean over the cells of mild conditions."
    return Table("table_38", label_of("table_38"), title, columns, rows, notes)


def table_39(
    groups: pd.DataFrame,
    models: pd.DataFrame,
    simulated: Collection[str] = (),
    label_changing: Collection[str] = (),
) -> Table:
    """Lay out the recall differences of each model group on mild conditions (Table 39).

    Parameters
    ----------
    groups
        Rows per source and group with `models`, `cells` and `corruption_mean_minus_<score>` for clean confidence, the
        natural mean and the margin (shares).
    models
        The same per model, with `model`.
    simulated, label_changing
        As for `table_34`.
    """
    measures = {
        f"corruption_mean_minus_{score}": Column(
            f"recall_q20_u_minus_{NAMES[score].key}",
            f"{{U}} {MINUS} {NAMES[score].symbol}",
            "number",
            "Recall",
            3,
            signed=True,
        )
        for score in ("confidence", NATURAL, "margin")
    }
    need_columns(groups, ("source", "group", "models", "cells", *measures), "table_39")
    need_columns(models, ("source", "model", *measures), "table_39")
    columns = (
        Column("source", "Source"),
        Column("group", "Group"),
        Column("models", "Models", "count"),
        Column("cells", "Cells", "count"),
        *measures.values(),
    )
    rows: Rows = tuple(
        (source_name(source, simulated), row["group"], row["models"], row["cells"], *(row[name] for name in measures))
        for source in ordered_sources(groups["source"])
        for row in groups[groups["source"] == source].to_dict("records")
    )
    signs = [
        f"Models with a positive mean difference on {source_name(source, simulated)}: "
        f"{'; '.join(_signs(models[models['source'] == source], measures))}."
        for source in ordered_sources(models["source"])
    ]
    notes = (
        f"{legend(('confidence', PRIMARY, NATURAL, 'margin'))} The paper has the margin in its text.",
        "Cells: those with failures; they count equally within a group. The groups are the fixed ones that are "
        "resampled for intervals.",
        *signs,
        RECALL_NOTE,
        *label_notes(label_changing),
    )
    title = "Differences in recall at {q} = 0.2 by model group, mean over the cells of mild conditions."
    return Table("table_39", label_of("table_39"), title, columns, rows, notes)


def _points(value: Callable[..., float], by: Resampled, *key: str) -> tuple[float, float, float] | None:
    """Return a mean difference and its interval in percentage points."""
    found = interval(value, by, *key)
    return None if found is None else (100 * found[0], 100 * found[1], 100 * found[2])


def _gain(value: Callable[..., float], by: Resampled, source: str, score: str) -> Value:
    """Return the recall of the corruption mean minus that of a score; a dash for itself."""
    return None if score == PRIMARY else interval(value, by, source, MILD, PRIMARY, score, RECALL)


def _signs(models: pd.DataFrame, measures: Mapping[str, Column]) -> list[str]:
    """Count the models of a source with a positive difference, and name the others if they are few."""
    texts = []
    for name, column in measures.items():
        differences = models.set_index("model")[name]
        others = differences[~(differences > STRICTNESS)]
        text = f"{column.header} {len(differences) - len(others):,} of {len(differences):,}"
        if 0 < len(others) <= NAMED_MODELS:
            text += f" (not {listed(f'{model} {signed(number)}' for model, number in others.items())})"
        texts.append(text)
    return texts
