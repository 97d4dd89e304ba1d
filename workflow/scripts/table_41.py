"""Table 41: the model pool."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables import table_41
from pairedeval.scripting import job

with job(snakemake):
    table = table_41(read_table(snakemake.input.models), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
