"""Table 32: averages over fewer probes."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_probes import table_32
from pairedeval.scripting import job

with job(snakemake):
    table = table_32(
        read_table(snakemake.input.subset_sizes), snakemake.params.simulated, snakemake.params.label_changing
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
