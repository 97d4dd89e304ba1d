"""Responses of one model to every probe, scored from its outputs."""

from pairedeval.files import write_table
from pairedeval.probes import read_probes
from pairedeval.screening.probe_sets import read_probe_sets
from pairedeval.screening.responses import respond, score_images
from pairedeval.scripting import job

with job(snakemake):
    probes = read_probes(snakemake.input.probes)
    sets = read_probe_sets(snakemake.input.corruptions, snakemake.input.transforms)
    write_table(respond(probes), snakemake.output.responses, probes.metadata)
    write_table(score_images(probes, sets), snakemake.output.scores, probes.metadata)
