"""What the jobs of the study took."""

from pairedeval.files import write_table
from pairedeval.scripting import job
from pairedeval.timings import collect_timings

with job(snakemake):
    write_table(collect_timings(snakemake.input.benchmarks, snakemake.params.folder), snakemake.output[0])
