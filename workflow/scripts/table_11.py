"""Table 11: identification from accuracies alone."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_correspondence import table_11
from pairedeval.scripting import job

with job(snakemake):
    table = table_11(read_table(snakemake.input.accuracy_only), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
