"""Strata of the human review."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_review import table_review
from pairedeval.scripting import job

with job(snakemake):
    params = snakemake.params
    table = table_review(read_table(snakemake.input.strata), len(params.reviewers), params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
