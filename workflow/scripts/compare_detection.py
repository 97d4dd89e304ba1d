"""How much better or worse than confidence other scores find errors on clean images."""

from pairedeval.consistency.differences import detection_differences
from pairedeval.consistency.views import read_views
from pairedeval.files import write_table
from pairedeval.scripting import job

with job(snakemake):
    configurations = [read_views(path) for path in snakemake.input.levels]
    write_table(detection_differences(configurations, snakemake.params.seed), snakemake.output[0])
