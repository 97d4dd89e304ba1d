"""Table C6: strength of the operators."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_operators import table_consistency_strength
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_strength(
        read_table(snakemake.input.strength_summary),
        read_table(snakemake.input.weight_summary),
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
