"""Table 24: screening in tiers by the other half."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_screening_controls import table_24
from pairedeval.scripting import job

with job(snakemake):
    table = table_24(
        read_table(snakemake.input.means),
        read_table(snakemake.input.differences),
        read_table(snakemake.input.models),
        snakemake.params.simulated,
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
