"""The report page of a study: what was run, findings, and the figures and tables in the order in which they come."""

from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from platform import python_version

import pandas as pd

from pairedeval import __version__
from pairedeval.report.captions import caption
from pairedeval.report.findings import (
    Finding,
    accuracy_findings,
    panel_findings,
    tier_findings,
    width_findings,
)
from pairedeval.report.findings_labels import label_findings
from pairedeval.report.findings_policies import policy_findings
from pairedeval.report.findings_prediction import prediction_findings
from pairedeval.report.findings_screening import screening_findings
from pairedeval.report.names import predictions_simulated
from pairedeval.report.page import Page, PageFigure, PageTable, Provenance, simulated_sentences
from pairedeval.report.table import Table
from pairedeval.report.tables import timings_table
from pairedeval.report.tables_policies import Grid

SOFTWARE = ("snakemake", "torch", "timm", "open_clip_torch", "imagecorruptions-imaug", "numpy", "pandas", "matplotlib")


def study_page(
    *,
    title: str,
    seed: int,
    coverage: float,
    results: Mapping[str, pd.DataFrame],
    grid: Grid,
    figures: Sequence[Path],
    tables: Sequence[Table],
    simulated: Collection[str],
    label_changing: Collection[str],
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
    results
        Frames by the name of their file in ``analyses/``.
    grid
        Cells whose policies were compared, ``panel`` or ``full``.
    figures
        SVG or PNG file of each figure, in printed order.
    tables
        Tables in printed order.
    simulated
        Sources with simulated data.
    label_changing
        Natural transforms that do not keep the class of every image.
    """
    sources, models = results["sources"], results["models"]
    return Page(
        title=title,
        lead=_lead(models, sources, simulated),
        facts={
            "Models": f"{len(models):,} in {models['group'].nunique():,} groups",
            "Cells": f"{int(sources['cells'].sum()):,}",
            "Pairs": f"{int((sources['cells'] * sources['evaluation_images']).sum()):,}",
            "Seed": str(seed),
        },
        coverage=coverage,
        simulated=simulated_sentences(simulated),
        findings={
            "What the records determine": _findings(results, simulated),
            "Which rejection policies can be ordered": policy_findings(results, simulated, grid),
            "Which images to test next": screening_findings(results, simulated, label_changing),
            "What summaries of responses predict": prediction_findings(results, simulated),
            "How much labels and shared errors matter": label_findings(
                results["consensus"],
                results["labels"],
                results["label_changes"],
                results["label_endpoints"],
                simulated,
            ),
        },
        figures=tuple(
            PageFigure(
                path.stem, path, caption(path.stem, simulated, label_changing), _provenance("figures", path.stem, "pdf")
            )
            for path in figures
        ),
        tables=tuple(PageTable(table, _provenance("tables", table.name, "csv")) for table in tables),
        timings=timings_table(results["timings"]),
        software={"pairedeval": __version__, "Python": python_version(), **{name: version(name) for name in SOFTWARE}},
    )


def _lead(models: pd.DataFrame, sources: pd.DataFrame, simulated: Collection[str]) -> str:
    conditions = int(sources["conditions"].sum())
    kind = "simulated classifiers" if predictions_simulated(simulated) else "classifiers"
    return (
        f"{len(models)} {kind} predicted every image twice, unperturbed and perturbed, under {conditions} "
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


def _provenance(folder: str, name: str, suffix: str) -> Provenance:
    """Rule, script and file of an item share its name."""
    return Provenance(f"{folder}/{name}.{suffix}", name, f"workflow/scripts/{name}.py")
