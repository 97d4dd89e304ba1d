"""Table 49: persistence of clean wrong answers by the models that share them."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_labels import table_49
from pairedeval.scripting import job

with job(snakemake):
    table = table_49(read_table(snakemake.input.consensus), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
