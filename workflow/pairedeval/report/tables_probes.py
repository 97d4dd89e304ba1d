"""The layout of the tables that compare sets of probes (Tables 29 to 33 and 36)."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

from pairedeval.records import DEVELOPMENT, EVALUATION
from pairedeval.report.names import (
    MINUS,
    ordered_sources,
    predictions_simulated,
    simulated_sentence,
    source_name,
)
from pairedeval.report.probe_rows import (
    BOTH_NOTE,
    CONSISTENCY_NOTE,
    METRIC_NAMES,
    NAMES,
    NATURAL,
    NO_ENTRY,
    PRIMARY,
    absent_mild_notes,
    interval_entries,
    label_notes,
    mild_sources,
    selection_notes,
)
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.score_names import SCORES
from pairedeval.report.screening_rows import (
    AUROC,
    BUDGETS,
    GROUP_NOTE,
    IMAGES_NOTE,
    RECALL,
    RECALL_NOTE,
    absent_notes,
    against,
    choose,
    differences_of,
    interval,
    label_of,
    legend,
    level,
    means_of,
    tier_rows,
    tier_table,
    undefined_notes,
)
from pairedeval.report.table import Column, Rows, Table, Value
from pairedeval.screening.agreement import (
    LARGEST_ACCURACY_DIFFERENCE,
    LARGEST_PROBABILITY_DIFFERENCE,
    LEAST_PREDICTION_AGREEMENT,
)
from pairedeval.tiers import MILD

# Columns of Table 29: what is subtracted from what.
VARIANTS = {
    "u_plus0_minus_tta_plus0": ("corruption_mean_clean", "natural_mean_clean"),
    "native_u_minus_tta": ("native_corruption_mean", "native_natural_mean"),
    "u18_minus_tta_sel": (PRIMARY, "natural_selected"),
    "tta_sel_minus_tta18": ("natural_selected", NATURAL),
    "u_sel_minus_u18": ("corruption_selected", PRIMARY),
}
AVERAGES = {"corruption": "U", "natural": "TTA"}
# Rows of Table 33: the score over the natural and over the corruption probes.
RULES = {
    "probability mean": (NATURAL, PRIMARY),
    "A3 score": ("alignment_natural", "alignment_corruption"),
    "confidence deviation": ("natural_deviation", "corruption_deviation"),
    "consistency score": ("natural_consistency", "corruption_consistency"),
}


def table_29(
    differences: pd.DataFrame,
    selection: pd.DataFrame,
    simulated: Collection[str] = (),
    label_changing: Collection[str] = (),
) -> Table:
    """Lay out the recall differences between variants of both probe sets at three budgets (Table 29).

    Parameters
    ----------
    differences
        Rows per source, half, tier, images, score, baseline and metric with `mean`, `cells`, `undefined` and the ends
        of both intervals.
    selection
        Rows per source, half and pool with `first` (condition), `shared_with_fixed` and `size`.
    simulated
        Sources with simulated data.
    label_changing
        Natural transforms that do not keep the class of every image.
    """
    chosen = choose(differences, "table_29")
    value, tiers = differences_of(chosen, "table_29"), tier_rows(chosen)
    columns = (
        Column("source", "Source"),
        Column("tier", "Tier"),
        Column("q", "{q}", "number", decimals=1),
        *(
            Column(f"recall_{key}", f"{SCORES[one].symbol} {MINUS} {SCORES[other].symbol}", "interval", "", 3, True)
            for key, (one, other) in VARIANTS.items()
        ),
    )
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            tier,
            budget,
            *(interval(value, "group", source, tier, *pair, metric) for pair in VARIANTS.values()),
        )
        for source, tier in tiers
        for metric, budget in BUDGETS.items()
    )
    scores = dict.fromkeys([PRIMARY, NATURAL, *(score for pair in VARIANTS.values() for score in pair)])
    notes = (
        RECALL_NOTE,
        legend(scores),
        "A selected set is built up from all probes of its kind, each time by the one that adds most to the recall at "
        "{q} = 0.2 on the other half. The paper has {U_sel} in its text.",
        *selection_notes(selection, EVALUATION, AVERAGES, simulated, "table_29"),
        GROUP_NOTE,
        *label_notes(label_changing),
        *undefined_notes(against(value, NATURAL), (PRIMARY,), RECALL, tiers, simulated),
        *absent_notes(tiers, simulated),
    )
    title = "Differences in recall between averages over corruptions and natural transforms, mean over cells."
    return Table("table_29", label_of("table_29"), title, columns, rows, notes)


def table_30(agreement: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out how well two inference runs agree (Table 30).

    Parameters
    ----------
    agreement
        Rows per `library` with `models`, `conditions` and `within_tolerance` (counts); `prediction_agreement`,
        `probability_difference` and `accuracy_difference` (shares); `scale_lowest` and `scale_highest`, NaN without a
        learned scale.
    simulated
        Sources with simulated data.
    """
    numbers = ("prediction_agreement", "probability_difference", "accuracy_difference")
    scales = ("scale_lowest", "scale_highest")
    need_columns(agreement, ("library", "models", "conditions", *numbers, *scales, "within_tolerance"), "table_30")
    columns = (
        Column("implementation", "Implementation"),
        Column("models", "Models", "count"),
        Column("conditions", "Comparisons", "count"),
        Column("prediction_agreement_min_share", "Agreement", "number", decimals=4),
        Column("probability_difference_max", "Probability", "number", decimals=4),
        Column("accuracy_difference_max_pp", "Accuracy (pp)", "share"),
        Column("logit_scale_min", "lowest", "number", "Logit scale", 1),
        Column("logit_scale_max", "highest", "number", "Logit scale", 1),
        Column("within_tolerance_models", "Within", "part"),
    )
    rows: Rows = tuple(
        (
            row["library"],
            row["models"],
            row["conditions"],
            *(row[name] for name in numbers),
            *(NO_ENTRY if pd.isna(row[name]) else row[name] for name in scales),
            (int(row["within_tolerance"]), int(row["models"])),
        )
        for row in agreement.to_dict("records")
    )
    notes = (
        "The base images are inferred twice: together with the probes, and together with the captures of each source; "
        "the paper compared with older records. Comparisons: conditions of a model that both runs hold, above all the "
        "unperturbed one of each source. Logit scale: learned; other models have no entry.",
        "Agreement: lowest share of equal predictions. Probability: largest mean absolute difference of the confidence "
        "or of the true class's probability. Accuracy: largest difference.",
        f"Within: models with at least {LEAST_PREDICTION_AGREEMENT:.0%} equal predictions and differences of at most "
        f"{LARGEST_PROBABILITY_DIFFERENCE:g} in probability and {100 * LARGEST_ACCURACY_DIFFERENCE:g} pp in accuracy "
        "under every condition. These tolerances were set before the comparison.",
        *([simulated_sentence(simulated)] if predictions_simulated(simulated) else []),
    )
    title = "Agreement of two inference runs on the same images, worst case over the models of an implementation."
    return Table("table_30", label_of("table_30"), title, columns, rows, notes)


def table_31(
    means: pd.DataFrame,
    differences: pd.DataFrame,
    selection: pd.DataFrame,
    simulated: Collection[str] = (),
    label_changing: Collection[str] = (),
) -> Table:
    """Lay out corruptions against natural transforms on the development images (Table 31).

    Parameters
    ----------
    means
        Rows per source, half, tier, images, score and metric with `mean`, `cells` and `undefined`.
    differences, selection, simulated, label_changing
        As for `table_29`.
    """
    chosen = choose(means, "table_31", half=DEVELOPMENT)
    value, tiers = means_of(chosen), tier_rows(chosen)
    between = differences_of(choose(differences, "table_31", half=DEVELOPMENT), "table_31")
    scores = ("confidence", PRIMARY, NATURAL)
    entries = [level(value, score, RECALL, "Recall", NAMES) for score in scores]
    entries += interval_entries(between, PRIMARY, NATURAL, RECALL)
    entries += interval_entries(between, PRIMARY, NATURAL, AUROC, ["group"])
    entries += interval_entries(between, PRIMARY, "natural_selected", RECALL, ["group"])
    notes = (
        "The development images are ranked; {TTA_sel} averages transforms that the failures of the evaluation images "
        "select. The tiers are those of development accuracy, so here the ranked images defined them.",
        legend((*scores, "natural_selected")),
        *selection_notes(selection, DEVELOPMENT, ["natural"], simulated, "table_31"),
        RECALL_NOTE,
        BOTH_NOTE,
        *label_notes(label_changing),
        *undefined_notes(value, scores, RECALL, tiers, simulated),
        *undefined_notes(value, scores, AUROC, tiers, simulated),
    )
    title = "Recall at {q} = 0.2 of corruptions and natural transforms on the development images, mean over cells."
    return tier_table("table_31", title, entries, tiers, notes, simulated)


def table_32(subsets: pd.DataFrame, simulated: Collection[str] = (), label_changing: Collection[str] = ()) -> Table:
    """Lay out the averages over fewer corruptions and over fewer natural transforms (Table 32).

    Parameters
    ----------
    subsets
        Rows per source, pool, size and kind of subset with `subsets` (number), `recall_20`, `gain` (over clean
        confidence) and `auroc` (means), and the `_lowest` of each and the `_highest` of recall and AUROC.
    simulated, label_changing
        As for `table_29`.
    """
    numbers = {
        "recall_20": Column("recall_q20", "mean", "number", "Recall", 3),
        "recall_20_lowest": Column("recall_q20_min", "lowest", "number", "Recall", 3),
        "recall_20_highest": Column("recall_q20_max", "highest", "number", "Recall", 3),
        "gain": Column("recall_q20_minus_s", "mean", "number", f"Recall {MINUS} that of {{S}}", 3, signed=True),
        "gain_lowest": Column("recall_q20_minus_s_min", "lowest", "number", f"Recall {MINUS} that of {{S}}", 3, True),
        "auroc": Column("auroc", "mean", "number", "AUROC", 3),
        "auroc_lowest": Column("auroc_min", "lowest", "number", "AUROC", 3),
        "auroc_highest": Column("auroc_max", "highest", "number", "AUROC", 3),
    }
    need_columns(subsets, ("source", "pool", "size", "kind", "subsets", *numbers), "table_32")
    random = subsets[subsets["kind"].isin(["prefixed", "all"])].astype({"size": int})
    columns = (
        Column("source", "Source"),
        Column("pool", "Average"),
        Column("m", "m", "count"),
        Column("n_subsets", "Subsets", "count"),
        *numbers.values(),
    )
    rows: Rows = tuple(
        (source_name(source, simulated), AVERAGES[pool], row["size"], row["subsets"], *_spread(row, numbers))
        for source in ordered_sources(random["source"])
        for pool in AVERAGES
        for row in _of_pool(random, source, pool)
    )
    notes = (
        "U, TTA: mean probability of the class under m of the 18 corruptions, of the 18 natural transforms. Subsets "
        "are positions in a list of 18, drawn before any result was known; the same ones serve both lists. With m = 1 "
        "they are all positions. Lowest and highest: over the subsets.",
        legend(("confidence",)),
        RECALL_NOTE,
        *label_notes(label_changing),
    )
    title = "Recall at {q} = 0.2 and AUROC of averages over m probes, mean over the cells of mild conditions."
    return Table("table_32", label_of("table_32"), title, columns, rows, notes)


def table_33(means: pd.DataFrame, simulated: Collection[str] = (), label_changing: Collection[str] = ()) -> Table:
    """Lay out scoring rules over both probe sets on mild conditions (Table 33), with two further rules.

    Parameters
    ----------
    means
        As for `table_31`.
    simulated, label_changing
        As for `table_29`.
    """
    chosen = choose(means, "table_33")
    value, sources = means_of(chosen), mild_sources(chosen)
    columns = (
        Column("metric", "Metric"),
        Column("scoring_rule", "Scoring rule"),
        *(
            Column(f"{pool}_{source}", source_name(source, simulated), "number", header, 3)
            for pool, header in (("natural", "Natural transforms"), ("corruption", "Corruptions"))
            for source in sources
        ),
    )
    rows: Rows = tuple(
        (name, rule, *(value("mean", source, MILD, score, metric) for score in scores for source in sources))
        for metric, name in METRIC_NAMES.items()
        for rule, scores in RULES.items()
    )
    keys = [(source, MILD) for source in sources]
    notes = (
        f"{IMAGES_NOTE} Every score takes the clean image and 18 probes.",
        "Probability mean: of the class, over the probes. A3 score: A3Rank's alignment of the probes with the clean "
        "prediction, without training.",
        f"The last two rules are not in the paper. {CONSISTENCY_NOTE}",
        RECALL_NOTE,
        *label_notes(label_changing),
        *undefined_notes(value, (PRIMARY,), RECALL, keys, simulated),
        *undefined_notes(value, (PRIMARY,), AUROC, keys, simulated),
        *absent_mild_notes(chosen, simulated),
    )
    title = (
        "Recall at {q} = 0.2 and AUROC of each scoring rule over each probe set, mean over cells of mild conditions."
    )
    return Table("table_33", label_of("table_33"), title, columns, rows, notes)


def table_36(probes: pd.DataFrame, simulated: Collection[str] = (), label_changing: Collection[str] = ()) -> Table:
    """Lay out the corruptions of either severity beside both whole sets and the clean image (Table 36).

    Parameters
    ----------
    probes
        Rows per source, pool, kind and name with `size`, `recall_20`, `auroc` and `error_rate` (share).
    simulated, label_changing
        As for `table_29`.
    """
    need_columns(probes, ("source", "pool", "kind", "name", "size", "recall_20", "auroc", "error_rate"), "table_36")
    value = lookup(probes, ["source", "pool", "kind", "name"])
    severities = sorted(set(probes.loc[probes["kind"] == "severity", "name"]))
    whole = ("natural", "all", "all")
    sets = {("clean", "clean", "clean"): "Clean", whole: "Natural TTA"}
    sets |= {("corruption", "severity", name): f"Severity {name}" for name in severities}
    sets[("corruption", "all", "all")] = "All corruptions"
    columns = (
        Column("source", "Source"),
        Column("probe_set", "Probe set"),
        Column("evaluations", "Inferences", "count"),
        Column("recall_q20", "Recall", "number", decimals=3),
        Column("auroc", "AUROC", "number", decimals=3),
        Column("recall_q20_minus_tta18", f"Recall {MINUS} natural", "number", decimals=3, signed=True),
        Column("development_error_pct", "Errors (%)", "share"),
    )
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            name,
            *(value(column, source, *key) for column in ("size", "recall_20", "auroc")),
            value("recall_20", source, *key) - value("recall_20", source, *whole),
            NO_ENTRY if name == "Clean" else value("error_rate", source, *key),
        )
        for source in ordered_sources(probes["source"])
        for key, name in sets.items()
    )
    notes = (
        "Each set is scored by the mean probability of the class under its probes, the clean image by its confidence. "
        "Inferences: of the probes, beyond the clean prediction that all sets share; for the clean image that one.",
        "Errors: wrong predictions of the single probes on the clean-correct development images, mean over probes and "
        "models. The sets differ in family and in strength; no difference can be put down to one of them.",
        RECALL_NOTE,
        *label_notes(label_changing),
    )
    title = "Recall at {q} = 0.2 and AUROC by probe set, mean over the cells of mild conditions."
    return Table("table_36", label_of("table_36"), title, columns, rows, notes)


def _of_pool(subsets: pd.DataFrame, source: str, pool: str) -> list[dict[Hashable, Any]]:
    """Return the rows of one source and pool from the smallest subsets to the largest."""
    rows = subsets[(subsets["source"] == source) & (subsets["pool"] == pool)]
    return rows.sort_values("size").to_dict("records")


def _spread(row: Mapping[Hashable, Any], numbers: Iterable[str]) -> tuple[Value, ...]:
    """Return the numbers of a row; a single subset has no lowest and highest."""
    return tuple(
        NO_ENTRY if row["subsets"] == 1 and name.endswith(("_lowest", "_highest")) else row[name] for name in numbers
    )
