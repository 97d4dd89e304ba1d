"""Means of the checks of correspondence information over sources and tiers."""

import pandas as pd

from pairedeval.files import read_table, write_table
from pairedeval.identification import correspondence_summaries as summaries
from pairedeval.scripting import job

with job(snakemake):
    cells = pd.concat([read_table(path) for path in snakemake.input.cells], ignore_index=True)
    write_table(summaries.summarise_decomposition(cells), snakemake.output.decomposition)
    write_table(summaries.summarise_variance(cells, snakemake.params.seed), snakemake.output.variance)
    write_table(summaries.summarise_accuracy_only(cells), snakemake.output.accuracy_only)
