"""Table C10: AUROC of trust scores on corrupted images."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_shift import table_consistency_shift
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_shift(
        read_table(snakemake.input.shift_summary), read_table(snakemake.input.gain_correlations)
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
