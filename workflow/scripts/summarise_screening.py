"""Means, differences and breakdowns of the screening scores over the recaptured sources."""

import pandas as pd

from pairedeval.files import read_table, write_table
from pairedeval.screening.all_summaries import summarise_screening
from pairedeval.screening.tidy import ScreeningTables
from pairedeval.scripting import job

with job(snakemake):
    given = snakemake.input
    parts = {name: [read_table(path) for path in given[name]] for name in ScreeningTables.__dataclass_fields__}
    tables = ScreeningTables(**{name: pd.concat(found, ignore_index=True) for name, found in parts.items()})
    summaries = summarise_screening(tables, pd.read_csv(given.captures), snakemake.params.seed)
    for name, summary in summaries.items():
        write_table(summary, snakemake.output[name])
