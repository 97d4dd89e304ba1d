"""One evaluation image under every operator at every level, for a figure."""

from pairedeval.consistency.views import ORIGINAL
from pairedeval.images import write_store
from pairedeval.inference.inputs import read_image_set, read_pixels
from pairedeval.perturb.operator_table import read_operators
from pairedeval.perturb.operators import apply_operator
from pairedeval.records import CLEAN, EVALUATION
from pairedeval.scripting import job
from pairedeval.splits import SYN

with job(snakemake):
    images = read_image_set(snakemake.input.index, SYN)
    image_id = images.image_ids[images.splits.index(EVALUATION)]
    (pixels,) = read_pixels(snakemake.input.store, CLEAN, [image_id])
    views = [
        (operator.view, image_id, apply_operator(pixels, operator, snakemake.params.seed, image_id))
        for operator in read_operators(snakemake.input.operators)
    ]
    write_store(snakemake.output[0], [(ORIGINAL, image_id, pixels), *views])
