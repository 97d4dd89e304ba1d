"""The second page of a study: what perturbation consistency adds to confidence."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from pairedeval.consistency.views import LEVELS, OPERATORS
from pairedeval.report.captions import caption
from pairedeval.report.findings_consistency import consistency_findings
from pairedeval.report.names import counted
from pairedeval.report.page import Page, PageFigure, PageTable, Provenance, Reading, software_versions
from pairedeval.report.table import Table
from pairedeval.report.tables import timings_table

SOFTWARE = ("snakemake", "torch", "numpy", "scipy", "pandas", "scikit-learn", "matplotlib")
FIRST_PART = "report.html"
REAL = (
    "No data of this part is simulated: the images are those of the study, and operators, corruptions and attacks are "
    "computed from them. Simulated captures, where the study has any, are not used here."
)


def consistency_page(
    *,
    title: str,
    seed: int,
    results: Mapping[str, pd.DataFrame],
    figures: Sequence[Path],
    tables: Sequence[Table],
) -> Page:
    """Arrange the results on decision consistency as a page.

    The images are real and all versions of them are computed. Nothing of this part uses captures, so nothing is
    simulated.

    Parameters
    ----------
    title
        Title of the study.
    seed
        Seed of the study.
    results
        Frames by the name of their file in ``consistency/``: ``models``, ``certificate``, ``timings`` and those of
        `pairedeval.report.findings_consistency.consistency_findings`.
    figures
        SVG or PNG file of each figure, in printed order.
    tables
        Tables in printed order.
    """
    models, certificate = results["models"], results["certificate"]
    configurations = models["model"].nunique()
    judged, calibrating = int(models["images"].max()), int(certificate["calibration_images"].max())
    return Page(
        title=f"{title}: decision consistency",
        lead=_lead(configurations, len(models)),
        facts={
            "Configurations": f"{configurations:,} in {counted(models['group'].nunique(), 'group')}",
            "Runs": f"{len(models):,}",
            "Images": f"{judged:,} judged, {calibrating:,} calibrate",
            "Operators": f"{len(OPERATORS)} at {len(LEVELS)} levels",
            "Seed": str(seed),
        },
        counted_in=("consistency/models.parquet", "consistency/certificate.parquet"),
        reading=Reading("reading_consistency.html.j2", {"configurations": configurations}),
        simulated=(),
        real=REAL,
        findings=consistency_findings(results),
        figures=tuple(
            PageFigure(path.stem, path, caption(path.stem), Provenance.of("figures", path.stem, "pdf"))
            for path in figures
        ),
        tables=tuple(PageTable(table, Provenance.of("tables", table.name, "csv")) for table in tables),
        timings=timings_table(results["timings"]),
        software=software_versions(SOFTWARE),
        companion=f"The first part of this study, on paired evaluation, is the page {FIRST_PART}.",
    )


def _lead(configurations: int, runs: int) -> str:
    return (
        f"{counted(configurations, 'configuration')}, trained {counted(runs, 'time')} in all, predicted images of the "
        "study and mildly changed versions of them. This page shows on which inputs the consistency of these "
        "predictions tells more than confidence. Its questions come from a summary of arXiv 2610.36640; images and "
        "models are others, and nothing is reproduced."
    )
