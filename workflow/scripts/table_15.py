"""Table 15: intervals of one recaptured cell."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_policies import table_15
from pairedeval.scripting import job

with job(snakemake):
    table = table_15(
        read_table(snakemake.input.intervals), read_table(snakemake.input.pair), snakemake.params.simulated
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
