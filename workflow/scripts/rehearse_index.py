"""Ids, roles and halves of images that do not exist."""

from pairedeval.files import write_table
from pairedeval.scripting import job
from pairedeval.sources.rehearsal_images import build_index

with job(snakemake):
    seed = snakemake.params.seed
    write_table(build_index(seed), snakemake.output[0], {"images": "simulated", "simulated": True, "seed": seed})
