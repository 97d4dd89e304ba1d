"""Simulated accepted labels of images that do not exist."""

from pairedeval.files import read_table
from pairedeval.labels.annotations import write_annotations
from pairedeval.scripting import job
from pairedeval.sources.rehearsal_labels import annotate_images

with job(snakemake):
    annotations = annotate_images(read_table(snakemake.input.index), snakemake.params.seed)
    write_annotations(annotations, snakemake.output[0])
