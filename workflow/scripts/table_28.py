"""Table 28: averages over fewer corruptions."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_screening_controls import table_28
from pairedeval.scripting import job

with job(snakemake):
    table = table_28(read_table(snakemake.input.subsets), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
