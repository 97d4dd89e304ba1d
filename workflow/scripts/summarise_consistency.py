"""Consistency over seeds and configurations."""

from pairedeval.consistency.summaries import summarise_runs
from pairedeval.files import read_table, write_table
from pairedeval.scripting import job

with job(snakemake):
    runs = {name: read_table(path) for name, path in snakemake.input.items()}
    for name, frame in summarise_runs(runs, snakemake.params.seed).items():
        write_table(frame, snakemake.output[name])
