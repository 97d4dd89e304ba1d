"""Table C7: what consistency adds to the clean output."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_margin import table_consistency_margin
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_margin(read_table(snakemake.input.margin_summary))
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
