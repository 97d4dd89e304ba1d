"""Logits of one model on attacked images and on their mildly changed versions, for all of its training seeds."""

from pairedeval.inference.attacked_views import run_attacked_views
from pairedeval.inference.attacks import attack_grid
from pairedeval.inference.execution import Execution
from pairedeval.models.registry import entry_from_values
from pairedeval.scripting import job

with job(snakemake):
    run_attacked_views(
        entry_from_values(snakemake.params.entry),
        snakemake.input.weights,
        attack_grid(snakemake.params.budgets, snakemake.params.adaptive_budgets, snakemake.params.stability_weights),
        index=snakemake.input.index,
        store=snakemake.input.store,
        operators=snakemake.input.operators,
        output=snakemake.output[0],
        images=snakemake.params.images,
        seed=snakemake.params.seed,
        facts={"study": snakemake.params.study, "config_digest": snakemake.params.config, "simulated": False},
        execution=Execution(**snakemake.params.inference, threads=snakemake.threads),
    )
