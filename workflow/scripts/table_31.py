"""Table 31: probe sets on the development images."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_probes import table_31
from pairedeval.scripting import job

with job(snakemake):
    table = table_31(
        read_table(snakemake.input.means),
        read_table(snakemake.input.differences),
        read_table(snakemake.input.selection),
        snakemake.params.simulated,
        snakemake.params.label_changing,
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
