"""Table 21: attainable recall."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_screening import table_21
from pairedeval.scripting import job

with job(snakemake):
    table = table_21(
        read_table(snakemake.input.ceilings),
        read_table(snakemake.input.means),
        snakemake.params.simulated,
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
