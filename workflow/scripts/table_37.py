"""Table 37: corruptions and natural transforms in every tier."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_screening_pairs import table_37
from pairedeval.scripting import job

with job(snakemake):
    table = table_37(
        read_table(snakemake.input.means),
        read_table(snakemake.input.differences),
        snakemake.params.simulated,
        snakemake.params.label_changing,
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
