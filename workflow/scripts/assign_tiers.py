"""Tier of every condition, by the models' mean accuracy on development images."""

import pandas as pd

from pairedeval.files import write_table
from pairedeval.scripting import job
from pairedeval.tiers import assign_tiers, development_counts

with job(snakemake):
    counts = development_counts(snakemake.input.records)
    captures = pd.read_csv(snakemake.input.captures)
    write_table(assign_tiers(counts, captures, snakemake.params.tiers), snakemake.output[0])
