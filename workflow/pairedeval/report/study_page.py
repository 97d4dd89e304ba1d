"""The report page of a study: which findings, figures and tables stand on it, and in which order."""

from collections.abc import Collection, Mapping
from importlib.metadata import version
from pathlib import Path
from platform import python_version

import pandas as pd

from pairedeval import __version__
from pairedeval.report import tables, tables_correspondence, tables_policies
from pairedeval.report.captions import caption
from pairedeval.report.findings import (
    Finding,
    accuracy_findings,
    panel_findings,
    tier_findings,
    width_findings,
)
from pairedeval.report.findings_policies import policy_findings
from pairedeval.report.page import Page, PageFigure, PageTable, Provenance, simulated_captures
from pairedeval.report.table import Table
from pairedeval.report.tables_policies import Grid

FIGURES = ("figure_01", "figure_intervals", "figure_05", "figure_accuracy", "figure_07")
SOFTWARE = ("snakemake", "torch", "timm", "open_clip_torch", "imagecorruptions-imaug", "numpy", "pandas", "matplotlib")


def study_page(
    *,
    title: str,
    seed: int,
    coverage: float,
    tiers: Mapping[str, float],
    results: Mapping[str, pd.DataFrame],
    grid: Grid,
    figures: Mapping[str, Path],
    simulated: Collection[str],
) -> Page:
    """Arrange the results of a study as a page.

    Parameters
    ----------
    title
        Title of the study.
    seed
        Seed of the study.
    coverage
        Share of clean development records that the acceptance threshold accepts.
    tiers
        Lowest mean development accuracy of a mild and of a severe condition.
    results
        Frames by the name of their file in ``analyses/``.
    grid
        Cells whose policies were compared, ``panel`` or ``full``.
    figures
        SVG or PNG file of each figure in `FIGURES`.
    simulated
        Sources whose captures are simulated.
    """
    sources, models = results["sources"], results["models"]
    return Page(
        title=title,
        lead=_lead(models, sources),
        facts={
            "Models": f"{len(models):,} in {models['group'].nunique():,} groups",
            "Cells": f"{int(sources['cells'].sum()):,}",
            "Pairs": f"{int((sources['cells'] * sources['evaluation_images']).sum()):,}",
            "Seed": str(seed),
        },
        coverage=coverage,
        simulated=simulated_captures(simulated),
        findings=(*_findings(results, simulated), *policy_findings(results, simulated, grid)),
        figures=tuple(
            PageFigure(name, figures[name], caption(name, simulated), _provenance("figures", name, "pdf"))
            for name in FIGURES
        ),
        tables=tuple(
            PageTable(table, _provenance("tables", table.name, "csv"))
            for table in _tables(results, tiers, grid, simulated)
        ),
        timings=tables.timings_table(results["timings"]),
        software={"pairedeval": __version__, "Python": python_version(), **{name: version(name) for name in SOFTWARE}},
    )


def _lead(models: pd.DataFrame, sources: pd.DataFrame) -> str:
    conditions = int(sources["conditions"].sum())
    return (
        f"{len(models)} classifiers predicted every image twice, unperturbed and perturbed, under {conditions} "
        f"conditions of {len(sources)} sources. This page shows what these predictions determine about changes of "
        "reliability, with and without knowing which predictions belong together."
    )


def _findings(results: Mapping[str, pd.DataFrame], simulated: Collection[str]) -> tuple[Finding, ...]:
    makers = {
        "widths": width_findings,
        "panel_widths": panel_findings,
        "tiers": tier_findings,
        "accuracy": accuracy_findings,
    }
    return tuple(
        finding
        for name, maker in makers.items()
        for finding in maker(results[name], f"analyses/{name}.parquet", simulated)
    )


def _tables(
    results: Mapping[str, pd.DataFrame], tiers: Mapping[str, float], grid: Grid, simulated: Collection[str]
) -> list[Table]:
    """Build the tables in the order of the paper, those of the study itself first."""
    orderings, selection = results["policy_orderings"], results["policy_selection"]
    return [
        tables.sources_table(results["sources"], simulated),
        tables.tiers_table(results["tiers"], tiers, simulated),
        tables.models_table(results["models"], results["accuracy"], simulated),
        tables_policies.table_04(orderings, selection, simulated, grid),
        tables.table_06(results["widths"], simulated),
        tables.table_07(results["panel_widths"], simulated),
        tables_correspondence.table_08(results["support"], simulated),
        tables_correspondence.table_09(results["decomposition"], simulated),
        tables_correspondence.table_10(results["variance"], simulated),
        tables_correspondence.table_11(results["accuracy_only"], simulated),
        tables_policies.table_12(orderings, simulated, grid),
        tables_policies.table_13(selection, simulated, grid),
        tables_policies.table_14(selection, simulated, grid),
        tables_policies.table_15(results["illustration_intervals"], results["illustration_pair"], simulated),
        tables_correspondence.table_40(results["calibration"], simulated),
    ]


def _provenance(folder: str, name: str, suffix: str) -> Provenance:
    """Rule, script and file of an item share its name."""
    return Provenance(f"{folder}/{name}.{suffix}", name, f"workflow/scripts/{name}.py")
