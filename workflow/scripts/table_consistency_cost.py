"""Table C5: time of consistency."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_operators import table_consistency_cost
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_cost(read_table(snakemake.input.cost))
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
