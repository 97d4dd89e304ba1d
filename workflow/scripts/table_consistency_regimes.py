"""Table C2: regimes of the consistency-accuracy gap."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_clean import table_consistency_regimes
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_regimes(read_table(snakemake.input.regimes), read_table(snakemake.input.regime_counts))
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
