"""One recaptured cell as an example of what a shared correspondence establishes."""

import pandas as pd

from pairedeval.files import read_table, write_table
from pairedeval.policies.illustration import illustrate
from pairedeval.scripting import job

with job(snakemake):
    panel = read_table(snakemake.input.panel)
    cells, targets, bounds, comparisons = (
        pd.concat([read_table(path) for path in paths], ignore_index=True)
        for paths in (
            snakemake.input.cells,
            snakemake.input.targets,
            snakemake.input.bounds,
            snakemake.input.comparisons,
        )
    )
    recaptured = panel[panel["source"].isin(snakemake.params.captures)]
    intervals, pair = illustrate(recaptured, cells, targets, bounds, comparisons)
    write_table(intervals, snakemake.output.intervals)
    write_table(pair, snakemake.output.pair)
