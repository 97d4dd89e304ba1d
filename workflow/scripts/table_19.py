"""Table 19: recall differences at the primary budget."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_screening import table_19
from pairedeval.scripting import job

with job(snakemake):
    table = table_19(
        read_table(snakemake.input.means),
        read_table(snakemake.input.differences),
        snakemake.params.simulated,
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
