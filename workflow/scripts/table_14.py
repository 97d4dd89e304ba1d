"""Table 14: realized selection over the cost weights."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_policies import table_14
from pairedeval.scripting import job

with job(snakemake):
    table = table_14(read_table(snakemake.input.selection), snakemake.params.simulated, snakemake.params.grid)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
