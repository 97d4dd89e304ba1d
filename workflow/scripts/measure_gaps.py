"""Fates of clean errors by probability gap in every cell of one source of base images."""

from pairedeval.files import read_table, write_table
from pairedeval.scripting import job
from pairedeval.selective.tidy import measure_gaps

with job(snakemake):
    tiers = read_table(snakemake.input.tiers)
    of_source = tiers[tiers["source"] == snakemake.wildcards.source]
    write_table(measure_gaps(snakemake.input.records, snakemake.input.scores, of_source), snakemake.output[0])
