"""Cells and bounds of one source."""

from pairedeval.files import read_table, write_table
from pairedeval.identification.tidy import identify_source
from pairedeval.scripting import job

with job(snakemake):
    tiers = read_table(snakemake.input.tiers)
    cells, bounds = identify_source(
        snakemake.input.records, tiers[tiers["source"] == snakemake.wildcards.source], snakemake.params.coverage
    )
    write_table(cells, snakemake.output.cells)
    write_table(bounds, snakemake.output.bounds)
