"""Table 9: signed decomposition of the confidence decrease."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_correspondence import table_09
from pairedeval.scripting import job

with job(snakemake):
    table = table_09(read_table(snakemake.input.decomposition), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
