"""Figure C3: failures and coverage of the no-flip certificate."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_consistency_certificate import figure_consistency_certificate
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_consistency_certificate(
        read_table(snakemake.input.certificate_summary), read_table(snakemake.input.certificate_configurations)
    )
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
