"""Table 30: agreement of two inference runs."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_probes import table_30
from pairedeval.scripting import job

with job(snakemake):
    table = table_30(read_table(snakemake.input.agreement), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
