"""Fates of clean errors by probability gap."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_selective import table_probability_gap
from pairedeval.scripting import job

with job(snakemake):
    table = table_probability_gap(read_table(snakemake.input.gaps), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
