"""Table 36: probe sets by severity."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_probes import table_36
from pairedeval.scripting import job

with job(snakemake):
    table = table_36(read_table(snakemake.input.probes), snakemake.params.simulated, snakemake.params.label_changing)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
