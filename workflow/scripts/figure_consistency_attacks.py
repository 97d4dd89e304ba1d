"""Figure C5: detection and success of attacks."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_consistency_attacks import figure_consistency_attacks
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_consistency_attacks(
        read_table(snakemake.input.attack_summary), read_table(snakemake.input.success_summary)
    )
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
