"""Cells and endpoint checks of one source under original and accepted labels."""

from pairedeval.files import write_table
from pairedeval.labels.annotations import read_annotations
from pairedeval.labels.comparison import compare_source
from pairedeval.scripting import job

with job(snakemake):
    annotations = read_annotations(snakemake.input.annotations)
    cells, endpoints = compare_source(snakemake.input.records, annotations, snakemake.params.coverage)
    write_table(cells, snakemake.output.cells)
    write_table(endpoints, snakemake.output.endpoints)
