"""Figure 6: single corruptions as probes."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_06 import figure_06
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_06(
        read_table(snakemake.input.probes), read_table(snakemake.input.means), snakemake.params.simulated
    )
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
