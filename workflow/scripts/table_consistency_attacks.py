"""Table C14: attacks and their detection."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_attacks import table_consistency_attacks
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_attacks(
        read_table(snakemake.input.attack_summary), read_table(snakemake.input.success_summary)
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
