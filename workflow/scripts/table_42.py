"""Table 42: features of the predictions."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_prediction import table_42
from pairedeval.scripting import job

with job(snakemake):
    table = table_42(read_table(snakemake.input.feature_sets))
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
