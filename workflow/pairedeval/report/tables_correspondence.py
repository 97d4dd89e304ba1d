"""The layout of the tables on matched supports, correspondence information and calibration (Tables 8 to 11 and 40)."""

from collections.abc import Callable, Collection, Iterable

import pandas as pd

from pairedeval.report.names import TARGETS, TIERS, check_tiers, counted, listed, ordered_sources, source_name
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.table import Column, Rows, Table

ALL_TIERS = "all tiers"
SAMPLES = {"native": "Original", "matched": "Matched"}
MEASURES = ("C", "S", "M")
SCORES = {"raw": "Raw", "platt": "Platt"}


def table_08(support: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the five-state widths before and after matching the sources' supports (Table 8).

    Parameters
    ----------
    support
        Rows per source, target and sample (``native``, the seeds and ``matched``) with `mean_width` (share), `records`
        and `undefined`.
    simulated
        Sources with simulated data.
    """
    need_columns(support, ("source", "target", "sample", "mean_width", "records", "undefined"), "table_08")
    value = lookup(support, ["source", "target", "sample"])
    wanted = [(target, sample) for target in TARGETS for sample in SAMPLES]
    columns = (
        Column("source", "Source"),
        *(
            Column(f"{target.lower()}_width_{SAMPLES[sample].lower()}_pp", SAMPLES[sample], "share", f"{{{target}}}")
            for target, sample in wanted
        ),
    )
    sources = ordered_sources(support["source"])
    rows: Rows = tuple(
        (source_name(source, simulated), *(value("mean_width", source, *key) for key in wanted)) for source in sources
    )
    seeds = support["sample"].nunique() - len(SAMPLES)
    notes = [
        "Matched: every source keeps the true classes that all sources share and equally many evaluation images of "
        f"each, chosen by a hash of their names; the means of {counted(seeds, 'seed')} are weighted equally. "
        "Thresholds and candidate classes stay as they were."
    ]
    whole = [source for source in sources if len({value("records", source, "H", sample) for sample in SAMPLES}) == 1]
    if whole:
        notes.append(f"{listed(source_name(source, simulated) for source in whole)}: the sample holds all images.")
    undefined = sum(int(value("undefined", source, "dM_k", "matched")) for source in sources)
    if undefined:
        cells = counted(undefined, "matched cell")
        notes.append(f"No image is correct on both sides in {cells}: {{dM_k}} is undefined there and left out.")
    title = "Mean width of the identified interval at {I5} in the panel, in percentage points."
    return Table("table_08", "Table 8", title, columns, rows, tuple(notes))


def table_09(decomposition: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the signed decomposition of the confidence decrease (Table 9).

    Parameters
    ----------
    decomposition
        Rows per source and `least_overlap`, of which those with 1 are printed, with `cells`,
        `paired_minus_independent`, `absolute_composition`, `absolute_selection`, `selection_larger` (shares) and
        `zero_overlap_cells`.
    simulated
        Sources with simulated data.
    """
    means = ("paired_minus_independent", "absolute_composition", "absolute_selection", "selection_larger")
    need_columns(decomposition, ("source", "least_overlap", "cells", *means, "zero_overlap_cells"), "table_09")
    positive = decomposition[decomposition["least_overlap"] == 1]
    value = lookup(positive, ["source"])
    columns = (
        Column("source", "Source"),
        Column("positive_k_cells", "K > 0 cells", "count"),
        Column("dm_k_paired_minus_ind_pp", "Paired minus independent", "share", signed=True),
        Column("mean_abs_w_pp", "Mean |W|", "share"),
        Column("mean_abs_v_pp", "Mean |V|", "share"),
        Column("abs_v_gt_abs_w_cells_pct", "|V| > |W| (% of cells)", "share", decimals=1),
    )
    sources = ordered_sources(positive["source"])
    rows: Rows = tuple(
        (source_name(source, simulated), int(value("cells", source)), *(value(name, source) for name in means))
        for source in sources
    )
    notes = [
        "K: images that are correct on both sides. W: classes keep other shares of these than independence within "
        "classes expects. V: within a class, the images that stay correct differ from all correct images of each side. "
        "W and V have signs and add up to the difference in every cell; their sizes are no shares of it."
    ]
    empty = {source: int(value("zero_overlap_cells", source)) for source in sources}
    if sum(empty.values()):
        parts = listed(f"{source_name(source, simulated)} {count:,}" for source, count in empty.items() if count)
        notes.append(f"Left out: {counted(sum(empty.values()), 'cell')} without such images ({parts}).")
    title = "{dM_k} of the observed pairs minus its value under independence within classes, in percentage points."
    return Table("table_09", "Table 9", title, columns, rows, tuple(notes))


def table_10(variance: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the ratio of paired to unpaired variance (Table 10).

    Parameters
    ----------
    variance
        Rows per source, tier and `measure` (C, S, M) with `ratio`, `lower`, `upper`, `cells` and `undefined`.
    simulated
        Sources with simulated data.

    Raises
    ------
    PairedEvalError
        If a tier is unknown.
    """
    numbers = ("ratio", "lower", "upper")
    need_columns(variance, ("source", "tier", "measure", *numbers, "cells", "undefined"), "table_10")
    value = lookup(variance, ["source", "tier", "measure"])
    columns = [Column("source", "Source"), Column("tier", "Tier"), Column("cells", "Cells", "count")]
    columns += [Column(measure.lower(), measure, "interval") for measure in MEASURES]
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            tier,
            int(value("cells", source, tier, "C") + value("undefined", source, tier, "C")),
            *(_interval(value, source, tier, measure) for measure in MEASURES),
        )
        for source, tier in _tiers(variance, "table_10")
    )
    notes = [
        "C: correctness, S: confidence, M: probability of the true class. Below 1, pairs measure the change more "
        "precisely than two separate samples would. Brackets: 95% interval from resampling the model groups.",
    ]
    constant = [
        f"{measure} in {counted(count, 'cell')} of {source_name(source, simulated)}"
        for source in ordered_sources(variance["source"])
        for measure in MEASURES
        if (count := int(value("undefined", source, ALL_TIERS, measure)))
    ]
    if constant:
        notes.append(f"Neither side varies, so the ratio is undefined and left out: {listed(constant)}.")
    title = "Variance of the paired difference over the sum of both sides' variances, mean over cells."
    return Table("table_10", "Table 10", title, tuple(columns), rows, tuple(notes))


def table_11(accuracy_only: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out what accuracies alone determine about the overlap of correct records (Table 11).

    Parameters
    ----------
    accuracy_only
        Rows per source and tier with `classwise_width`, `global_width`, `gross_flips` and `pinned_classes` (shares).
    simulated
        Sources with simulated data.

    Raises
    ------
    PairedEvalError
        If a tier is unknown.
    """
    means = ("classwise_width", "global_width", "gross_flips", "pinned_classes")
    need_columns(accuracy_only, ("source", "tier", *means), "table_11")
    value = lookup(accuracy_only, ["source", "tier"])
    columns = (
        Column("source", "Source"),
        Column("tier", "Tier"),
        Column("k_width_classwise_pp", "Per class", "share", "Width of K"),
        Column("k_width_global_pp", "Global", "share", "Width of K"),
        Column("observed_h_plus_r_pp", "Observed h + r", "share"),
        Column("pinned_classes_pct", "Pinned (%)", "share", decimals=1),
    )
    rows: Rows = tuple(
        (source_name(source, simulated), tier, *(value(name, source, tier) for name in means))
        for source, tier in _tiers(accuracy_only, "table_11")
    )
    notes = (
        "K: images that are correct on both sides; what is known is the accuracy of both sides, for each class or over "
        "all images. h + r: images whose correctness changes, in either direction; its interval is twice as wide as "
        "that of K. Pinned: classes whose two accuracies leave one value of their overlap.",
    )
    title = (
        "What accuracies alone leave open about the overlap of correct images, mean over cells in percentage points."
    )
    return Table("table_11", "Table 11", title, columns, rows, notes)


def table_40(calibration: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out acceptance events of raw and Platt-scaled confidences under each protocol (Table 40).

    Parameters
    ----------
    calibration
        Rows per source, protocol and score with `accepted_error_transition`, `lost_acceptance`, `selective_risk`,
        `perturbed_coverage` (shares), `uncalibrated_cells`, `without_risk`, `models` and `unchanged_models`.
    simulated
        Sources with simulated data.
    """
    events = {
        "accepted_error_transition": ("h", "_pct", "{H} (%)", 100),
        "lost_acceptance": ("l", "_pct", "{L} (%)", 100),
        "selective_risk": ("selective_risk", "_pct", "Selective risk (%)", 100),
        "perturbed_coverage": ("acceptance_coverage", "", "Coverage", 1),
    }
    counts = ("uncalibrated_cells", "without_risk", "models", "unchanged_models")
    need_columns(calibration, ("source", "protocol", "score", *events, *counts), "table_40")
    value = lookup(calibration, ["source", "protocol", "score"])
    columns = [Column("source", "Source"), Column("protocol", "Protocol")]
    columns += [
        Column(f"{key}_{score}{unit}", header, "share" if scale == 100 else "number", group, 2 if scale == 100 else 3)
        for key, unit, group, scale in events.values()
        for score, header in SCORES.items()
    ]
    protocols = calibration["protocol"].drop_duplicates().tolist()
    sources = ordered_sources(calibration["source"])
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            protocol,
            *(value(event, source, protocol, score) for event in events for score in SCORES),
        )
        for source in sources
        for protocol in protocols
    )
    title = "Acceptance events of raw and Platt-scaled confidence, mean over all cells."
    notes = (
        "Q: the threshold accepts this percentage of the clean development images; A: a fixed probability. "
        "Platt scaling is fitted on clean development images and applied to both sides. Selective risk: error "
        "rate of the accepted perturbed images. Coverage: accepted share of the perturbed images.",
        *_platt_notes(calibration, sources, simulated),
    )
    return Table("table_40", "Table 40", title, tuple(columns), rows, notes)


def _platt_notes(calibration: pd.DataFrame, sources: Iterable[str], simulated: Collection[str]) -> list[str]:
    """Say whether Platt scaling keeps the decisions under a coverage target, and which cells the means leave out."""
    platt = calibration[calibration["score"] == "platt"]
    targets = platt[platt["protocol"].str.startswith("Q")]
    kept, models = int(targets["unchanged_models"].sum()), int(targets["models"].sum())
    notes = [
        f"Under Q, Platt scaling keeps every decision of raw confidence for {kept:,} of "
        f"{counted(models, 'pair')} of model and source."
    ]
    absent = int(targets["uncalibrated_cells"].sum())
    if absent:
        notes.append(
            f"No calibrator in {counted(absent, 'cell')}: the clean development images are all correct, all wrong, "
            "or all equally confident."
        )
    printed = calibration[calibration["score"].isin(SCORES)]
    empty = [
        f"{source_name(source, simulated)} {rows['without_risk'].min():,} to {rows['without_risk'].max():,}"
        for source, rows in ((source, printed[printed["source"] == source]) for source in sources)
        if rows["without_risk"].any()
    ]
    if empty:
        notes.append(
            "Cells without an accepted perturbed image have no selective risk and are left out of its mean: "
            f"{listed(empty)}, depending on protocol and score."
        )
    return notes


def _interval(value: Callable[..., float], *key: str) -> tuple[float, float, float]:
    return value("ratio", *key), value("lower", *key), value("upper", *key)


def _tiers(frame: pd.DataFrame, table: str) -> list[tuple[str, str]]:
    """Return the sources with their tiers: first all of a source together, then each that it has."""
    check_tiers(frame["tier"], table, also=(ALL_TIERS,))
    present = set(zip(frame["source"], frame["tier"], strict=True))
    return [
        (source, tier)
        for source in ordered_sources(frame["source"])
        for tier in (ALL_TIERS, *TIERS)
        if (source, tier) in present
    ]
