"""Figure C1: one image under the six mild operators at each level."""

from pathlib import Path

from pairedeval.perturb.operator_table import read_operators
from pairedeval.report.consistency_pictures import operator_rows
from pairedeval.report.figure_consistency_operators import figure_consistency_operators
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    rows = operator_rows(snakemake.input.store, read_operators(snakemake.input.operators), snakemake.params.seed)
    save_figure(figure_consistency_operators(rows), Path(snakemake.output[0]).with_suffix(""))
