"""Table 10: variance of paired and unpaired changes."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_correspondence import table_10
from pairedeval.scripting import job

with job(snakemake):
    table = table_10(read_table(snakemake.input.variance), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
