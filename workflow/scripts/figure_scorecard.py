"""Figure of the printed numbers that agree with the study."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_scorecard import figure_scorecard
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_scorecard(read_table(snakemake.input.numbers), snakemake.params.simulated)
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
