"""The report page of the study."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.page import render_page
from pairedeval.report.stored import read_stored
from pairedeval.report.study_page import study_page
from pairedeval.scripting import job

with job(snakemake):
    results = {Path(path).stem: read_table(path) for path in snakemake.input.results}
    page = study_page(
        title=snakemake.params.title,
        seed=snakemake.params.seed,
        coverage=snakemake.params.coverage,
        results=results,
        grid=snakemake.params.grid,
        figures=[Path(path) for path in snakemake.input.figures],
        tables=[read_stored(path) for path in snakemake.input.tables],
        simulated=snakemake.params.simulated,
        label_changing=snakemake.params.label_changing,
        second_part=snakemake.params.second_part,
    )
    render_page(page, snakemake.output[0])
