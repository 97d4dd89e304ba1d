"""Table C3: the six mild operators."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_operators import table_consistency_operators
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_operators(
        read_table(snakemake.input.operator_summary),
        read_table(snakemake.input.operator_audit),
        read_table(snakemake.input.rankings),
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
