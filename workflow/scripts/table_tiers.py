"""Conditions per source and tier."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables import tiers_table
from pairedeval.scripting import job

with job(snakemake):
    table = tiers_table(read_table(snakemake.input.tiers), snakemake.params.tiers, snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
