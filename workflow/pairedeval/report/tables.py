"""The layout of each table of the report.

A builder arranges tidy results as a `Table` and computes no statistic; `pairedeval.report.render` writes it.
"""

from collections.abc import Collection, Mapping

import pandas as pd

from pairedeval.report.names import (
    LEVELS,
    TIERS,
    check_tiers,
    counted,
    distinct_images,
    listed,
    ordered_sources,
    predictions_simulated,
    simulated_sentence,
    source_name,
)
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.table import Column, Rows, Table, Value


def table_06(widths: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the mean identification widths on the full grid (Table 6).

    Parameters
    ----------
    widths
        Rows per source, target and level with `mean_width` (shares), `cells` and `undefined`.
    simulated
        Sources with simulated data.
    """
    need_columns(widths, ("source", "target", "level", "mean_width", "cells", "undefined"), "table_06")
    wanted = [("H", "I0"), ("H", "Ik"), ("L", "I0"), ("L", "Ik"), ("dM_k", "Ik")]
    columns = [Column("source", "Source"), Column("cells", "Cells", "count")]
    columns += [
        Column(f"{target.lower()}_width_{level.lower()}_pp", f"{{{level}}}", "share", f"{{{target}}}")
        for target, level in wanted
    ]
    value = lookup(widths, ["source", "target", "level"])
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            _cells(widths, source),
            *(value("mean_width", source, target, level) for target, level in wanted),
        )
        for source in ordered_sources(widths["source"])
    )
    title = "Mean width of the identified intervals on the full grid, in percentage points."
    notes = (
        "{I0}: separate records of both sides; {Ik}: and, per class, how many images are correct on both sides.",
        "{I5} equals {Ik} for {L} and {dM_k}. Every cell counts the same within its source.",
        *_undefined_note(widths, simulated),
    )
    return Table("table_06", "Table 6", title, tuple(columns), rows, notes)


def table_07(panel: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the widths of H in the panel and what the five-state counts add (Table 7).

    Parameters
    ----------
    panel
        As for `table_06`, with `narrower_cells`: cells whose interval is strictly narrower than one level before.
    simulated
        Sources with simulated data.
    """
    need_columns(panel, ("source", "target", "level", "mean_width", "cells", "narrower_cells"), "table_07")
    widths = panel[panel["target"] == "H"]
    value = lookup(widths, ["source", "level"])
    rows: list[tuple[Value, ...]] = []
    for source in ordered_sources(widths["source"]):
        separate, overlap, states = (value("mean_width", source, level) for level in LEVELS)
        cells = _cells(widths, source)
        narrower = (int(value("narrower_cells", source, "I5")), cells)
        rows.append((source_name(source, simulated), cells, separate, overlap, states, overlap - states, narrower))
    columns = (
        Column("source", "Source"),
        Column("cells", "Cells", "count"),
        *(Column(f"h_width_{level.lower()}_pp", f"{{{level}}}", "share") for level in LEVELS),
        Column("h_extra_narrowing_i5_pp", "Extra", "share"),
        Column("narrower_cells", "Narrower", "part"),
    )
    title = "Mean width of the identified interval of {H} in the panel, in percentage points."
    notes = (
        "Extra: what the five-state counts ({I5}) take off the width at {Ik}. "
        "Narrower: cells whose interval is strictly narrower at {I5} than at {Ik}.",
    )
    return Table("table_07", "Table 7", title, columns, tuple(rows), notes)


def models_table(models: pd.DataFrame, accuracy: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the model pool with the accuracy on unperturbed images (in the manner of Table 41).

    Parameters
    ----------
    models
        One row per model with `model` and `group`; `architecture` and `parameters` (number of weights) if known.
    accuracy
        Rows with `model`, `source`, `tier` and `accuracy` (share); those of the tier ``clean`` are printed, once for
        sources with the same unperturbed images.
    simulated
        Sources with simulated data.
    """
    need_columns(models, ("model", "group"), "table_models")
    need_columns(accuracy, ("model", "source", "tier", "accuracy"), "table_models")
    clean = accuracy[accuracy["tier"] == "clean"]
    sources = distinct_images(clean["source"])
    columns = [Column("model", "Model"), Column("group", "Group")]
    present = [name for name in ("architecture", "parameters") if name in models]
    offered = {
        "architecture": Column("architecture", "Architecture"),
        "parameters": Column("parameters", "Weights", "count"),
    }
    columns += [offered[name] for name in present]
    columns += [
        Column(f"clean_accuracy_{source}_pct", source_name(source, simulated), "share", "Clean accuracy (%)")
        for source in sources
    ]
    value = lookup(clean, ["model", "source"])
    rows: Rows = tuple(
        tuple(_plain(getattr(entry, name)) for name in ("model", "group", *present))
        + tuple(value("accuracy", entry.model, source) for source in sources)
        for entry in models.itertuples()
    )
    return Table(
        "table_models",
        "",
        "Models of the study and their accuracy on unperturbed evaluation images.",
        tuple(columns),
        rows,
    )


def table_41(models: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the model pool in the order of the registry (Table 41).

    Parameters
    ----------
    models
        One row per model with `model`, `group` and `parameters` (number of weights).
    simulated
        Sources with simulated data.
    """
    need_columns(models, ("model", "group", "parameters"), "table_41")
    columns = (
        Column("model", "Model"),
        Column("group", "Group"),
        Column("params_millions", "Parameters (millions)", "number", decimals=2),
    )
    rows: Rows = tuple(
        (row["model"], row["group"], row["parameters"] / 1e6)
        for row in models[["model", "group", "parameters"]].to_dict("records")
    )
    notes = (
        "Counted over the whole model, text towers and linear heads included.",
        *([simulated_sentence(simulated)] if predictions_simulated(simulated) else []),
    )
    return Table("table_41", "Table 41", "Models of the study, their groups and sizes.", columns, rows, notes)


def tiers_table(conditions: pd.DataFrame, lowest: Mapping[str, float], simulated: Collection[str] = ()) -> Table:
    """Lay out how many conditions of each source fall into each tier (Section 3.3).

    Parameters
    ----------
    conditions
        One row per source and condition, with `source`, `condition` and `tier`.
    lowest
        Lowest mean development accuracy (share) of the tiers ``mild`` and ``severe``.
    simulated
        Sources with simulated data.

    Raises
    ------
    PairedEvalError
        If a tier is none of the three.
    """
    need_columns(conditions, ("source", "condition", "tier"), "table_tiers")
    check_tiers(conditions["tier"], "table_tiers")
    counts = conditions.drop_duplicates(["source", "condition"]).groupby(["source", "tier"]).size().to_dict()
    rows: list[tuple[Value, ...]] = []
    for source in ordered_sources(conditions["source"]):
        per_tier = [int(counts.get((source, tier), 0)) for tier in TIERS]
        rows.append((source_name(source, simulated), sum(per_tier), *per_tier))
    columns = (
        Column("source", "Source"),
        Column("conditions", "Conditions", "count"),
        *(Column(f"{tier}_conditions", tier.capitalize(), "count", "Tier") for tier in TIERS),
    )
    mild, severe = (f"{100 * lowest[tier]:g}%" for tier in ("mild", "severe"))
    notes = (f"Mean development accuracy over all models: mild from {mild}, severe from {severe}, extreme below that.",)
    return Table("table_tiers", "", "Conditions per source and tier.", columns, tuple(rows), notes)


def sources_table(sources: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the extent of each source.

    Parameters
    ----------
    sources
        One row per source with `source`, `images`, `evaluation_images`, `conditions`, `models` and `cells`.
    simulated
        Sources with simulated data.
    """
    counts = ("images", "evaluation_images", "conditions", "models", "cells")
    need_columns(sources, ("source", *counts), "table_sources")
    value = lookup(sources, ["source"])
    columns = [Column(name, name.replace("_", " ").capitalize(), "count") for name in counts]
    rows: Rows = tuple(
        (source_name(source, simulated), *(value(name, source) for name in counts))
        for source in ordered_sources(sources["source"])
    )
    notes = ("A cell is one model under one condition; it compares the evaluation images with their clean records.",)
    return Table("table_sources", "", "Extent of the sources.", (Column("source", "Source"), *columns), rows, notes)


def timings_table(timings: pd.DataFrame) -> Table:
    """Lay out what each rule of the workflow took.

    Parameters
    ----------
    timings
        One row per rule with `rule`, `jobs`, `seconds` (all jobs together) and `max_memory_mb` (largest job).
    """
    need_columns(timings, ("rule", "jobs", "seconds", "max_memory_mb"), "timings")
    columns = (
        Column("rule", "Rule"),
        Column("jobs", "Jobs", "count"),
        Column("seconds", "Seconds", "number", decimals=1),
        Column("max_memory_mb", "Largest memory (MB)", "number", decimals=0),
    )
    rows: Rows = tuple(
        (str(row.rule), int(row.jobs), float(row.seconds), float(row.max_memory_mb))  # type: ignore[arg-type]
        for row in timings.itertuples()
    )
    title = "Wall-clock time of the jobs of each rule, added up, and the memory of the largest one."
    notes = ("Snakemake samples the memory; jobs that end before the first sample have no value.",)
    return Table("timings", "", title, columns, rows, notes)


def _cells(widths: pd.DataFrame, source: str) -> int:
    """All cells of a source: those that count towards a mean and those where it is undefined."""
    rows = widths[widths["source"] == source]
    return int(rows["cells"].max())


def _plain(value: object) -> Value:
    """Turn a value of a frame into a plain one; a missing text is undefined."""
    if isinstance(value, str | int) or value is None:
        return value
    number = float(value)  # type: ignore[arg-type]
    return int(number) if number.is_integer() else number


def _undefined_note(widths: pd.DataFrame, simulated: Collection[str]) -> list[str]:
    """Say in how many cells dM_k at Ik is undefined, because no image is correct on both sides."""
    rows = widths[(widths["target"] == "dM_k") & (widths["level"] == "Ik")]
    value = lookup(rows, ["source"])
    counts = {source: int(value("undefined", source)) for source in ordered_sources(rows["source"])}
    if not sum(counts.values()):
        return []
    parts = [f"{source_name(source, simulated)} {count:,}" for source, count in counts.items() if count]
    total = counted(sum(counts.values()), "cell")
    return [
        f"No image is correct on both sides in {total} ({listed(parts)}): {{dM_k}} is undefined there and left out."
    ]
