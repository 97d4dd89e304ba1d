"""Agreement of two inference runs on the same base images: probes beside the records of the captures."""

from pairedeval.files import write_table
from pairedeval.models.registry import read_registry
from pairedeval.screening.agreement import compare_runs, summarise_agreement
from pairedeval.scripting import job

with job(snakemake):
    libraries = {entry.model: entry.library for entry in read_registry(snakemake.input.registry)}
    compared = compare_runs(snakemake.input.probes, snakemake.input.records)
    write_table(summarise_agreement(compared, libraries), snakemake.output[0])
