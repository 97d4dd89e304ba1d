"""Accepted labels of the digits, by agreement of independently trained classifiers."""

from pairedeval.labels.agreement import annotate_digits
from pairedeval.labels.annotations import write_annotations
from pairedeval.scripting import job
from pairedeval.sources.digits import load_scans

with job(snakemake):
    scans, digits = load_scans()
    write_annotations(annotate_digits(scans, digits, snakemake.params.seed), snakemake.output[0])
