"""Table 12: cells with additional policy orderings."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_policies import table_12
from pairedeval.scripting import job

with job(snakemake):
    table = table_12(read_table(snakemake.input.orderings), snakemake.params.simulated, snakemake.params.grid)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
