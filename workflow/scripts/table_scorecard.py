"""Table of the printed numbers that agree with the study."""

from pathlib import Path

from pairedeval.files import read_metadata, read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_scorecard import table_scorecard
from pairedeval.scorecard.summary import summarise_numbers
from pairedeval.scripting import job

with job(snakemake):
    facts = read_metadata(snakemake.input.numbers)
    summary = summarise_numbers(read_table(snakemake.input.numbers))
    table = table_scorecard(summary, facts["scope"], facts["published"], snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
