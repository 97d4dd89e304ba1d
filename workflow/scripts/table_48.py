"""Table 48: states and acceptance events under original and accepted labels."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_labels import table_48
from pairedeval.scripting import job

with job(snakemake):
    labels, changes = read_table(snakemake.input.labels), read_table(snakemake.input.changes)
    table = table_48(labels, changes, snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
