"""Accuracy of each model per tier, and the extent of each source."""

import pandas as pd

from pairedeval.files import read_table, write_table
from pairedeval.overview import accuracy_by_tier, source_extents
from pairedeval.scripting import job

with job(snakemake):
    cells = pd.concat([read_table(path) for path in snakemake.input.cells], ignore_index=True)
    write_table(accuracy_by_tier(cells), snakemake.output.accuracy)
    write_table(source_extents(cells, read_table(snakemake.input.index)), snakemake.output.sources)
