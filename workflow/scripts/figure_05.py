"""Figure 5: policy orderings over the cost weight."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_05 import figure_05
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_05(read_table(snakemake.input.orderings), snakemake.params.simulated)
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
