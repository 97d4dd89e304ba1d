"""Table C16: corrections of the class prior."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_priors import table_consistency_priors
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_priors(read_table(snakemake.input.prior_summary))
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
