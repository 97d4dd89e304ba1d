"""One model of the second study, trained from several seeds on one variant of the training images."""

from pairedeval.inference.inputs import read_image_set, read_pixels
from pairedeval.models.registry import entry_from_values
from pairedeval.models.variants import train_seeds, training_set
from pairedeval.records import CLEAN
from pairedeval.scripting import job
from pairedeval.splits import TRAIN

with job(snakemake):
    images = read_image_set(snakemake.input.index, TRAIN)
    chosen = training_set(
        snakemake.wildcards.variant,
        images.image_ids,
        images.labels,
        images.classes,
        affected=snakemake.params.affected,
        share=snakemake.params.share,
        seed=snakemake.params.seed,
    )
    train_seeds(
        entry_from_values(snakemake.params.entry),
        read_pixels(snakemake.input.store, CLEAN, chosen.image_ids),
        chosen,
        snakemake.output.weights,
        seed=snakemake.params.seed,
    )
