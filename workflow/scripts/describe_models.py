"""The models of the study: registry and training facts."""

from pairedeval.files import write_table
from pairedeval.models.description import describe_models
from pairedeval.models.registry import read_registry
from pairedeval.scripting import job

with job(snakemake):
    write_table(describe_models(read_registry(snakemake.input.registry), snakemake.input.facts), snakemake.output[0])
