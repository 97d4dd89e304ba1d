"""Table 43: what Syn summaries add to the prediction of mild real targets."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_prediction import table_43
from pairedeval.scripting import job

with job(snakemake):
    table = table_43(read_table(snakemake.input.gains), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
