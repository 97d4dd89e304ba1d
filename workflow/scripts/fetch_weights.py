"""Published weights of one model, checked and written as one safetensors file."""

from pairedeval.models.fetch import fetch_weights
from pairedeval.models.registry import entry_from_values
from pairedeval.scripting import job

with job(snakemake):
    fetch_weights(
        entry_from_values(snakemake.params.entry),
        snakemake.output.weights,
        work=snakemake.params.work,
        local=snakemake.params.local,
    )
