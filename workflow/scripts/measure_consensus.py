"""Persistence of clean wrong answers of one source, by the share of other models that give them."""

from pairedeval.files import write_table
from pairedeval.labels.consensus import measure_consensus
from pairedeval.scripting import job

with job(snakemake):
    write_table(measure_consensus(snakemake.input.records), snakemake.output[0])
