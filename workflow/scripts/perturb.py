"""One set of perturbed images."""

from pathlib import Path

from pairedeval.perturb.make import perturb_set
from pairedeval.scripting import job

with job(snakemake):
    perturb_set(
        snakemake.wildcards.image_set,
        index=snakemake.input.index,
        clean=snakemake.input.store,
        conditions=Path(snakemake.input.conditions[0]).parent,
        target=snakemake.output.store,
        work=snakemake.params.work,
        seed=snakemake.params.seed,
        workers=snakemake.threads,
    )
