"""Table C18: published findings beside this study."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_published import table_consistency_published
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_published(read_table(snakemake.input.published))
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
