"""One published file: fetched, or a copy that is already there."""

from pairedeval.scripting import job
from pairedeval.sources.facts import read_facts
from pairedeval.sources.published import fetch_source

with job(snakemake):
    name = snakemake.wildcards.file
    fetch_source(
        read_facts(snakemake.input.facts).file(name),
        snakemake.output.file,
        snakemake.output.record,
        work=snakemake.params.work,
        copy=snakemake.params.own_copy,
    )
