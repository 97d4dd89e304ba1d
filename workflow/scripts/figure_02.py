"""Figure 2: AUROC of screening scores."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_02 import figure_02
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_02(
        read_table(snakemake.input.means), read_table(snakemake.input.differences), snakemake.params.simulated
    )
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
