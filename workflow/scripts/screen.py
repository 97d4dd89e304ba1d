"""Screening scores of every model on one source: cells, class draws, subsets of probes, selections and fits."""

from dataclasses import fields

from pairedeval.files import read_table, write_table
from pairedeval.screening.probe_sets import read_probe_sets
from pairedeval.screening.tidy import screen_source
from pairedeval.scripting import job

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    tiers = read_table(given.tiers)
    tables = screen_source(
        given.responses,
        given.scores,
        given.records,
        tiers[tiers["source"] == snakemake.wildcards.source],
        read_probe_sets(given.corruptions, given.transforms),
        seed=params.seed,
        lowest=params.tiers,
    )
    for field in fields(tables):
        write_table(getattr(tables, field.name), snakemake.output[field.name])
