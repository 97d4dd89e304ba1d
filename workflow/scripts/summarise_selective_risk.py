"""Means over cells of error rates by confidence, and pooled fates of clean errors."""

import pandas as pd

from pairedeval.files import read_table, write_table
from pairedeval.scripting import job
from pairedeval.selective.summaries import summarise_fixed_coverage, summarise_gaps, summarise_risk_rule

with job(snakemake):
    fixed_coverage, risk_rule, gaps = (
        pd.concat([read_table(path) for path in paths], ignore_index=True)
        for paths in (snakemake.input.fixed_coverage, snakemake.input.risk_rule, snakemake.input.gaps)
    )
    write_table(summarise_fixed_coverage(fixed_coverage, snakemake.params.seed), snakemake.output.fixed_coverage)
    write_table(summarise_risk_rule(risk_rule), snakemake.output.risk_rule)
    write_table(summarise_gaps(gaps), snakemake.output.gaps)
