"""Targets of prediction of one recaptured source, pooled over its mild conditions."""

from pairedeval.files import read_table, write_table
from pairedeval.prediction.targets import pool_source
from pairedeval.scripting import job

with job(snakemake):
    tiers = read_table(snakemake.input.tiers)
    targets = pool_source(
        snakemake.input.records, tiers[tiers["source"] == snakemake.wildcards.source], snakemake.params.coverage
    )
    write_table(targets, snakemake.output[0])
