"""Table C13: clean measures and accuracy on corrupted images."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_shift import table_consistency_robustness
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_robustness(
        read_table(snakemake.input.robustness), read_table(snakemake.input.robustness_correlations)
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
