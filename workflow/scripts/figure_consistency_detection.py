"""Figure C2: trust scores against the largest softmax probability."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.figure_consistency_detection import figure_consistency_detection
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    figure = figure_consistency_detection(
        read_table(snakemake.input.detection_differences), read_table(snakemake.input.detection_configurations)
    )
    save_figure(figure, Path(snakemake.output[0]).with_suffix(""))
