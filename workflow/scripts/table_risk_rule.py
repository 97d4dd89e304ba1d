"""The 5% risk rule."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_selective import table_risk_rule
from pairedeval.scripting import job

with job(snakemake):
    table = table_risk_rule(read_table(snakemake.input.rule), snakemake.params.simulated)
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
