"""Table 8: widths before and after matching supports."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_correspondence import table_08
from pairedeval.scripting import job

with job(snakemake):
    table = table_08(read_table(snakemake.input.support), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
