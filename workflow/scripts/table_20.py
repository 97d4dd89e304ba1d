"""Table 20: recall differences under resampled classes."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_screening import table_20
from pairedeval.scripting import job

with job(snakemake):
    table = table_20(read_table(snakemake.input.differences), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
