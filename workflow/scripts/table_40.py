"""Table 40: acceptance events and calibration."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_correspondence import table_40
from pairedeval.scripting import job

with job(snakemake):
    table = table_40(read_table(snakemake.input.calibration), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
