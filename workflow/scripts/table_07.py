"""Table 7: widths of H in the panel."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables import table_07
from pairedeval.scripting import job

with job(snakemake):
    table = table_07(read_table(snakemake.input.widths), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
