"""Table C1: accuracy, calibration and consistency."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_clean import table_consistency_reference
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_reference(
        read_table(snakemake.input.model_summaries),
        read_table(snakemake.input.model_correlations),
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
