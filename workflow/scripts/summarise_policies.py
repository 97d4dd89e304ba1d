"""Established orderings, realized selection, distinct actions and checks of the policy comparisons."""

import pandas as pd

from pairedeval.files import read_table, write_table
from pairedeval.policies.summaries import established, policy_checks, realized_selection, undominated_actions
from pairedeval.scripting import job

with job(snakemake):
    bounds, comparisons, selections = (
        pd.concat([read_table(path) for path in paths], ignore_index=True)
        for paths in (snakemake.input.bounds, snakemake.input.comparisons, snakemake.input.selections)
    )
    write_table(established(comparisons), snakemake.output.orderings)
    write_table(realized_selection(selections), snakemake.output.selection)
    write_table(undominated_actions(bounds), snakemake.output.actions)
    write_table(policy_checks(bounds, comparisons, selections), snakemake.output.checks)
