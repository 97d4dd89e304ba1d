"""Acceptance events of raw and calibrated confidences in every cell of one source."""

from pairedeval.files import write_table
from pairedeval.identification.calibration import calibrate_source
from pairedeval.scripting import job

with job(snakemake):
    write_table(calibrate_source(snakemake.input.records, snakemake.params.coverage), snakemake.output[0])
