"""Persistence of clean wrong answers over all models of each source."""

import pandas as pd

from pairedeval.files import read_table, write_table
from pairedeval.labels.consensus import summarise_consensus
from pairedeval.scripting import job

with job(snakemake):
    counts = pd.concat([read_table(path) for path in snakemake.input.consensus], ignore_index=True)
    write_table(summarise_consensus(counts), snakemake.output[0])
