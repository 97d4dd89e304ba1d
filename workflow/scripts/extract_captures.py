"""Captures of one source, from its published archive."""

from pairedeval.scripting import job
from pairedeval.sources.facts import read_facts
from pairedeval.sources.imagenet_es import extract_captures

with job(snakemake):
    extract_captures(
        snakemake.wildcards.source,
        archive=snakemake.input.archive,
        facts=read_facts(snakemake.input.facts),
        index=snakemake.input.index,
        clean=snakemake.input.clean,
        conditions=snakemake.input.conditions,
        target=snakemake.output.store,
        report=snakemake.output.report,
        workers=snakemake.threads,
    )
