"""Simulated records and probe outputs of one model that was never run."""

from pathlib import Path

from pairedeval.models.registry import entry_from_values
from pairedeval.scripting import job
from pairedeval.sources.rehearsal import simulate_model

with job(snakemake):
    simulate_model(
        entry_from_values(snakemake.params.entry),
        index=snakemake.input.index,
        conditions=Path(snakemake.input.conditions[0]).parent,
        records={source: snakemake.output[source] for source in snakemake.params.sources},
        probes=snakemake.output.probes,
        description=snakemake.output.description,
        seed=snakemake.params.seed,
        facts={"study": snakemake.params.study, "config_digest": snakemake.params.config},
    )
