"""What consistency costs beside a single forward pass, in seconds an image."""

import time
from collections.abc import Sequence
from statistics import median

import numpy as np

from pairedeval.inference.execution import reproducible
from pairedeval.inference.view_sets import view_logits
from pairedeval.models.loaded import LoadedModel
from pairedeval.perturb.operator_table import Operator

REPEATS = 3


def measure_cost(
    network: LoadedModel,
    images: Sequence[np.ndarray],
    image_ids: Sequence[str],
    operators: Sequence[Operator],
    *,
    seed: int,
    batch_size: int,
) -> dict[str, float]:
    """Time one pass, and all passes that consistency takes, on one CPU thread.

    Both start at decoded images and end at logits. They take turns, and the median of `REPEATS` rounds after one that
    is not counted stands for each.

    Parameters
    ----------
    network
        Network of one training seed.
    images, image_ids
        Decoded images, uint8 RGB, and their ids.
    operators
        Operators of the views.
    seed
        Seed of the study.
    batch_size
        Images, or views, of one forward pass.

    Returns
    -------
    dict
        Seconds an image: ``single_seconds`` for preprocessing and one pass, ``views_seconds`` for making all views,
        preprocessing them and the image, and a pass for each.
    """

    def seconds(made: Sequence[Operator]) -> float:
        start = time.perf_counter()
        view_logits(network, images, image_ids, made, seed, batch_size)
        return time.perf_counter() - start

    with reproducible(threads=1):
        rounds = [(seconds(()), seconds(operators)) for _ in range(1 + REPEATS)][1:]
    alone, together = (median(times) / len(images) for times in zip(*rounds, strict=True))
    return {"single_seconds": alone, "views_seconds": together}
