"""Decomposition, variance ratios and accuracy-only bounds of every cell of one source."""

from pairedeval.files import read_table, write_table
from pairedeval.identification.correspondence import check_source
from pairedeval.scripting import job

with job(snakemake):
    tiers = read_table(snakemake.input.tiers)
    cells = check_source(snakemake.input.records, tiers[tiers["source"] == snakemake.wildcards.source])
    write_table(cells, snakemake.output[0])
