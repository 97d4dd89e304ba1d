"""Figure 4: natural transforms and corruptions at equal inference counts."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_04 import figure_04
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_04(read_table(snakemake.input.means), snakemake.params.simulated)
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
