"""Tokens of all prompts for one published image-text model."""

from pairedeval.models.prompts import tokenize_prompts
from pairedeval.models.registry import entry_from_values
from pairedeval.scripting import job

with job(snakemake):
    tokenize_prompts(
        entry_from_values(snakemake.params.entry),
        snakemake.params.prompts,
        snakemake.output[0],
        local=snakemake.params.local,
    )
