"""Table 25: responses of other images of the class."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_screening_controls import table_25
from pairedeval.scripting import job

with job(snakemake):
    table = table_25(
        read_table(snakemake.input.means),
        read_table(snakemake.input.differences),
        read_table(snakemake.input.ablation),
        snakemake.params.simulated,
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
