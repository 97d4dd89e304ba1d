"""The report page of the study."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.page import render_page
from pairedeval.report.study_page import study_page
from pairedeval.scripting import job

with job(snakemake):
    results = {Path(path).stem: read_table(path) for path in snakemake.input.results}
    page = study_page(
        title=snakemake.params.title,
        seed=snakemake.params.seed,
        coverage=snakemake.params.coverage,
        tiers=snakemake.params.tiers,
        results=results,
        grid=snakemake.params.grid,
        figures={Path(path).stem: Path(path) for path in snakemake.input.figures},
        simulated=snakemake.params.simulated,
    )
    render_page(page, snakemake.output[0])
