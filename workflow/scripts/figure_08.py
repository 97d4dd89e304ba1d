"""Figure 8: gains of the first paired step without each model group."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_08 import figure_08
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_08(
        read_table(snakemake.input.gains),
        read_table(snakemake.input.deletions),
        read_table(snakemake.input.thresholds),
        snakemake.params.simulated,
    )
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
