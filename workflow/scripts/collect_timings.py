"""What the jobs of the study took."""

from os.path import commonpath

from pairedeval.files import write_table
from pairedeval.scripting import job
from pairedeval.timings import collect_timings

with job(snakemake):
    benchmarks = list(snakemake.input.benchmarks)
    write_table(collect_timings(benchmarks, commonpath(benchmarks)), snakemake.output[0])
