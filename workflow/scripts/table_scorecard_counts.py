"""Table of the counts that the shape of the study decides."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_scorecard import table_scorecard_counts
from pairedeval.scripting import job

with job(snakemake):
    table = table_scorecard_counts(read_table(snakemake.input.counts), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
