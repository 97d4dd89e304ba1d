"""Extent of the sources."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables import sources_table
from pairedeval.scripting import job

with job(snakemake):
    table = sources_table(read_table(snakemake.input.sources), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
