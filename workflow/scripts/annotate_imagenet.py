"""Accepted labels of the validation images: ReaL."""

from pairedeval.labels.annotations import write_annotations
from pairedeval.labels.real import read_real
from pairedeval.scripting import job

with job(snakemake):
    write_annotations(read_real(snakemake.input.real, snakemake.input.synsets), snakemake.output[0])
