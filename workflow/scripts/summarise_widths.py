"""Mean identified widths on the full grid and in the panel."""

import pandas as pd

from pairedeval.files import read_table, write_table
from pairedeval.identification.widths import on_panel, summarise_widths
from pairedeval.scripting import job

with job(snakemake):
    bounds = pd.concat([read_table(path) for path in snakemake.input.bounds], ignore_index=True)
    write_table(summarise_widths(bounds), snakemake.output.grid)
    write_table(summarise_widths(on_panel(bounds, read_table(snakemake.input.panel))), snakemake.output.panel)
