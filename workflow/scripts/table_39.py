"""Table 39: model groups."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_screening_pairs import table_39
from pairedeval.scripting import job

with job(snakemake):
    table = table_39(
        read_table(snakemake.input.groups),
        read_table(snakemake.input.models),
        snakemake.params.simulated,
        snakemake.params.label_changing,
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
