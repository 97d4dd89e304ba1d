"""Error rates at fixed coverages."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_selective import table_fixed_coverage
from pairedeval.scripting import job

with job(snakemake):
    table = table_fixed_coverage(read_table(snakemake.input.risks), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
