"""Accuracy of each model per source and tier."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figures import accuracy_overview
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = accuracy_overview(read_table(snakemake.input.accuracy), snakemake.params.simulated)
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
