"""Class vectors of one published image-text model."""

from pairedeval.models.prompts import build_head
from pairedeval.models.registry import entry_from_values
from pairedeval.scripting import job

with job(snakemake):
    build_head(
        entry_from_values(snakemake.params.entry),
        snakemake.input.weights,
        snakemake.input.tokens,
        snakemake.output[0],
        device=snakemake.params.device,
    )
