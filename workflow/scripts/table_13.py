"""Table 13: realized regret per source."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_policies import table_13
from pairedeval.scripting import job

with job(snakemake):
    table = table_13(read_table(snakemake.input.selection), snakemake.params.simulated, snakemake.params.grid)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
