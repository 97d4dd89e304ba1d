"""Outputs of one model on every variant of the base images."""

from pairedeval.inference.engine import Execution, infer_probes
from pairedeval.models.registry import entry_from_values
from pairedeval.scripting import job

with job(snakemake):
    infer_probes(
        entry_from_values(snakemake.params.entry),
        snakemake.input.weights,
        index=snakemake.input.index,
        stores=[snakemake.input.clean, snakemake.input.perturbed],
        output=snakemake.output[0],
        work=snakemake.params.work,
        facts={"study": snakemake.params.study, "config_digest": snakemake.params.config, "simulated": False},
        templates=snakemake.params.prompts,
        execution=Execution(**snakemake.params.inference, threads=snakemake.threads),
    )
