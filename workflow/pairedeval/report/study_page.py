"""The report page of a study: what was run, findings, and the figures and tables in the order in which they come."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pandas as pd

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
from pairedeval.report.page import (
    Page,
    PageFigure,
    PageTable,
    Provenance,
    Reading,
    simulated_sentences,
    software_versions,
)
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
    second_part: str | None = None,
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
    second_part
        File name of the page on decision consistency, if the study has that part.
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
        counted_in=("analyses/sources.parquet", "analyses/models.parquet"),
        reading=Reading("reading_identification.html.j2", {"coverage": coverage}),
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
                path.stem,
                path,
                caption(path.stem, simulated, label_changing),
                Provenance.of("figures", path.stem, "pdf"),
            )
            for path in figures
        ),
        tables=tuple(PageTable(table, Provenance.of("tables", table.name, "csv")) for table in tables),
        timings=timings_table(results["timings"]),
        software=software_versions(SOFTWARE),
        companion=companion(second_part),
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


def companion(second_part: str | None) -> str:
    """Name the page of the second part; empty without one.

    Examples
    --------
    >>> companion("consistency.html").endswith("the page consistency.html, made by the target consistency.")
    True
    >>> companion(None)
    ''
    """
    if second_part is None:
        return ""
    return (
        f"This study has a second part, on what perturbation consistency adds to confidence: the page {second_part}, "
        "made by the target consistency."
    )
