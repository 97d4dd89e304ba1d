"""Records of one model on one source."""

from pairedeval.inference.engine import Execution, infer_records
from pairedeval.models.registry import entry_from_values
from pairedeval.scripting import job
from pairedeval.splits import role_of_source

with job(snakemake):
    source = snakemake.wildcards.source
    infer_records(
        entry_from_values(snakemake.params.entry),
        snakemake.input.weights,
        index=snakemake.input.index,
        stores=[snakemake.input.clean, snakemake.input.perturbed],
        role=role_of_source(source),
        output=snakemake.output[0],
        work=snakemake.params.work,
        facts={
            "study": snakemake.params.study,
            "source": source,
            "config_digest": snakemake.params.config,
            "simulated": source in snakemake.params.simulated,
        },
        templates=snakemake.params.prompts,
        execution=Execution(**snakemake.params.inference, threads=snakemake.threads),
    )
