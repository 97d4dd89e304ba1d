"""Table 6: mean identification widths on the full grid."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables import table_06
from pairedeval.scripting import job

with job(snakemake):
    table = table_06(read_table(snakemake.input.widths), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
