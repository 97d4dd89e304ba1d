"""The report page on decision consistency."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.consistency_page import consistency_page
from pairedeval.report.page import render_page
from pairedeval.report.stored import read_stored
from pairedeval.scripting import job

with job(snakemake):
    results = {Path(path).stem: read_table(path) for path in snakemake.input.results}
    page = consistency_page(
        title=snakemake.params.title,
        seed=snakemake.params.seed,
        results=results,
        figures=[Path(path) for path in snakemake.input.figures],
        tables=[read_stored(path) for path in snakemake.input.tables],
    )
    render_page(page, snakemake.output[0])
