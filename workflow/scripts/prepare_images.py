"""Images, labels, roles and splits of the study."""

from pairedeval.scripting import job
from pairedeval.sources.digits import make_images

with job(snakemake):
    images = snakemake.params.images
    make_images(
        snakemake.output.index,
        snakemake.output.store,
        size=images["size"],
        seed=snakemake.params.seed,
        base_per_class=images["base_per_class"],
        syn_per_class=images["syn_per_class"],
        train_per_class=images["train_per_class"],
    )
