"""Figure 3: failures found at recapture budgets."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_03 import figure_03
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_03(
        read_table(snakemake.input.means), read_table(snakemake.input.ceilings), snakemake.params.simulated
    )
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
