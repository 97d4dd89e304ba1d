"""Figure 1: mean identified widths in the panel."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_01 import figure_01
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_01(read_table(snakemake.input.widths), snakemake.params.simulated)
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
