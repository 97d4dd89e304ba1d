"""Table 33: scoring rules over both probe sets."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_probes import table_33
from pairedeval.scripting import job

with job(snakemake):
    table = table_33(read_table(snakemake.input.means), snakemake.params.simulated, snakemake.params.label_changing)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
