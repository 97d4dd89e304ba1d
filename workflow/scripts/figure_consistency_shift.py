"""Figure C4: gains of consistency under corruptions against overconfidence."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_consistency_shift import figure_consistency_shift
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_consistency_shift(
        read_table(snakemake.input.shift_gain), read_table(snakemake.input.gain_correlations)
    )
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
