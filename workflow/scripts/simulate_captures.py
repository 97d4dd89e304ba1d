"""Simulated captures of one source."""

from pathlib import Path

from pairedeval.perturb.make import perturb_set
from pairedeval.scripting import job

with job(snakemake):
    perturb_set(
        snakemake.wildcards.source,
        index=snakemake.input.index,
        clean=snakemake.input.store,
        conditions=Path(snakemake.input.conditions).parent,
        target=snakemake.output.store,
        work=snakemake.params.work,
        seed=snakemake.params.seed,
        workers=snakemake.threads,
    )
