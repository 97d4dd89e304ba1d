"""Recall differences by capture setting."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_captures import captures_table
from pairedeval.scripting import job

with job(snakemake):
    table = captures_table(
        read_table(snakemake.input.captures), snakemake.params.simulated, snakemake.params.label_changing
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
