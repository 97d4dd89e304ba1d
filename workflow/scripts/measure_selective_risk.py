"""Error rates at fixed coverages and under the 5% risk rule in every cell of one source."""

from pairedeval.files import read_table, write_table
from pairedeval.scripting import job
from pairedeval.selective.tidy import measure_source

with job(snakemake):
    tiers = read_table(snakemake.input.tiers)
    of_source = tiers[tiers["source"] == snakemake.wildcards.source]
    fixed_coverage, risk_rule = measure_source(snakemake.input.records, of_source)
    write_table(fixed_coverage, snakemake.output.fixed_coverage)
    write_table(risk_rule, snakemake.output.risk_rule)
