"""Logits of one model on every view of the images, for all of its training seeds."""

from pairedeval.inference.execution import Execution
from pairedeval.inference.views import run_views
from pairedeval.models.registry import entry_from_values
from pairedeval.scripting import job

with job(snakemake):
    run_views(
        entry_from_values(snakemake.params.entry),
        snakemake.input.weights,
        snakemake.wildcards.kind,
        index=snakemake.input.index,
        stores=[snakemake.input.store],
        operators=snakemake.input.operators,
        output=snakemake.output[0],
        work=snakemake.params.work,
        seed=snakemake.params.seed,
        facts={"study": snakemake.params.study, "config_digest": snakemake.params.config, "simulated": False},
        execution=Execution(**snakemake.params.inference, threads=snakemake.threads),
    )
