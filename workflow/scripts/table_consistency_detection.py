"""Table C4: detection of errors on clean images."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_clean import table_consistency_detection
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_detection(
        read_table(snakemake.input.detection_summary),
        read_table(snakemake.input.detection_differences),
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
