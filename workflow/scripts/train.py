"""One model of the study, trained on its training images."""

from pairedeval.inference.inputs import read_image_set, read_pixels
from pairedeval.models.registry import entry_from_values
from pairedeval.models.training import train
from pairedeval.records import CLEAN
from pairedeval.scripting import job
from pairedeval.splits import TRAIN

with job(snakemake):
    images = read_image_set(snakemake.input.index, TRAIN)
    train(
        entry_from_values(snakemake.params.entry),
        read_pixels(snakemake.input.store, CLEAN, images.image_ids),
        images.labels,
        images.classes,
        snakemake.output.weights,
        seed=snakemake.params.seed,
        templates=snakemake.params.prompts,
        threads=snakemake.threads,
    )
