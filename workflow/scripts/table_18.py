"""Table 18: recall at two recapture budgets."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_screening import table_18
from pairedeval.scripting import job

with job(snakemake):
    table = table_18(read_table(snakemake.input.means), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
