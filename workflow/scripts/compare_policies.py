"""Bounds, comparisons and selections of rejection policies in the chosen cells of one source."""

from pairedeval.files import read_table, write_table
from pairedeval.policies.tidy import compare_source
from pairedeval.scripting import job

with job(snakemake):
    tables = compare_source(
        snakemake.input.records,
        read_table(snakemake.input.cells),
        weights=snakemake.params.weights,
        coverages=snakemake.params.coverages,
        clean_coverage=snakemake.params.coverage,
    )
    write_table(tables.bounds, snakemake.output.bounds)
    write_table(tables.comparisons, snakemake.output.comparisons)
    write_table(tables.selections, snakemake.output.selections)
