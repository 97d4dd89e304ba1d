"""Table C11: models of correctness and where they were trained."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_shift import table_consistency_transfer
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_transfer(read_table(snakemake.input.transfer_summary))
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
