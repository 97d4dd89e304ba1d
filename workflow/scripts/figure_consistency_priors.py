"""Figure C6: gaps under corrections of the class prior, and stable errors by class."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_consistency_priors import figure_consistency_priors
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_consistency_priors(
        read_table(snakemake.input.prior_summary), read_table(snakemake.input.recall_summary)
    )
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
