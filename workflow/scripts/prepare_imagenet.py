"""Images, labels, roles and splits of the study, from the ImageNet validation set."""

from pairedeval.scripting import job
from pairedeval.sources.facts import read_facts
from pairedeval.sources.imagenet import make_images

with job(snakemake):
    images = snakemake.params.images
    make_images(
        snakemake.output.index,
        snakemake.output.store,
        validation=images["validation"],
        labels=snakemake.input.labels,
        archive=snakemake.input.archive,
        facts=read_facts(snakemake.input.facts),
        seed=snakemake.params.seed,
        syn_per_class=images["syn_per_class"],
        syn_list=images["syn_list"],
        workers=snakemake.threads,
    )
