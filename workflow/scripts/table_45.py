"""Table 45: refits without each model group."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_prediction import table_45
from pairedeval.scripting import job

with job(snakemake):
    table = table_45(read_table(snakemake.input.gains), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
