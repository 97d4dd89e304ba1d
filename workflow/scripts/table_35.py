"""Table 35: corruption mean and A3Rank's score by budget."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_screening_pairs import table_35
from pairedeval.scripting import job

with job(snakemake):
    table = table_35(
        read_table(snakemake.input.means), read_table(snakemake.input.differences), snakemake.params.simulated
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
