"""Table 44: gains in every setting."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_prediction import table_44
from pairedeval.scripting import job

with job(snakemake):
    table = table_44(read_table(snakemake.input.gains), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
