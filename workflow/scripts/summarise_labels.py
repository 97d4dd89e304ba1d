"""Means under original and accepted labels, what changes between them, and the endpoint checks."""

import pandas as pd

from pairedeval.files import read_table, write_table
from pairedeval.labels.annotations import read_annotations
from pairedeval.labels.summaries import summarise_changes, summarise_endpoints, summarise_labels
from pairedeval.scripting import job

with job(snakemake):
    cells, endpoints = (
        pd.concat([read_table(path) for path in paths], ignore_index=True)
        for paths in (snakemake.input.cells, snakemake.input.endpoints)
    )
    write_table(summarise_labels(cells), snakemake.output.labels)
    write_table(summarise_changes(cells, read_annotations(snakemake.input.annotations)), snakemake.output.changes)
    write_table(summarise_endpoints(endpoints), snakemake.output.endpoints)
