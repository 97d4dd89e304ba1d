"""Model-level summaries of the responses to one synthetic source."""

from pairedeval.files import write_table
from pairedeval.prediction.features import SPLITS, describe_source
from pairedeval.scripting import job

with job(snakemake):
    responses = describe_source(
        snakemake.input.records,
        SPLITS[snakemake.wildcards.source],
        snakemake.params.seed,
        snakemake.params.coverage,
    )
    write_table(responses, snakemake.output[0])
