"""Table C15: images of classes without training images."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_attacks import table_consistency_withheld
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_withheld(read_table(snakemake.input.withheld_summary))
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
