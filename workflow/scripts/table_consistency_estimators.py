"""Table C12: errors of accuracies estimated without labels."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_shift import table_consistency_estimators
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_estimators(read_table(snakemake.input.estimator_summary))
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
