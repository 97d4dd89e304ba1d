"""Observed values inside what the records determine, in single cells."""

from pathlib import Path

import pandas as pd

from pairedeval.files import read_table
from pairedeval.report.figures import identified_intervals, select_cells
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    bounds = pd.concat([read_table(path) for path in snakemake.input.bounds], ignore_index=True)
    figure = identified_intervals(select_cells(bounds), snakemake.params.simulated)
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
