"""How far the mild operators change the images."""

from pairedeval.files import write_table
from pairedeval.inference.inputs import read_image_set, read_pixels
from pairedeval.perturb.operator_table import read_operators
from pairedeval.perturb.operators import audit_operators
from pairedeval.records import CLEAN
from pairedeval.scripting import job
from pairedeval.splits import SYN

with job(snakemake):
    images = read_image_set(snakemake.input.index, SYN)
    audit = audit_operators(
        read_pixels(snakemake.input.store, CLEAN, images.image_ids),
        images.image_ids,
        read_operators(snakemake.input.operators),
        snakemake.params.seed,
    )
    write_table(audit, snakemake.output[0])
