"""Random matchings within classes, the empirical control of correspondence (Appendix H.2)."""

from dataclasses import replace

import numpy as np

from pairedeval.records import Predictions, RecordBlock
from pairedeval.seeds import derive_seed

REPLICATES = 20


def class_permutations(block: RecordBlock, seed: int, source: str, replicates: int = REPLICATES) -> np.ndarray:
    """Draw uniform permutations of the images within their classes, the identity allowed.

    Each condition and replicate has its own; all models of a source share them, so that models differ by their records
    alone. They depend on the seed, the source, the condition and the images, not on other conditions.

    Parameters
    ----------
    block
        Records of any model of the source.
    seed
        Seed of the study.
    source
        Name of the source.
    replicates
        Number of permutations a condition; more of them leave the first ones as they are.

    Returns
    -------
    numpy.ndarray
        Position of the perturbed record that each position receives, shape ``(replicates, conditions, n)``.
    """
    # Positions are sorted by class: with a random fraction added, sorting shuffles within classes only.
    classes = np.unique(block.labels, return_inverse=True)[1]
    order = np.empty((replicates, len(block.conditions), len(classes)), dtype=np.int32)
    for row, condition in enumerate(block.conditions):
        random = np.random.default_rng(derive_seed(seed, "class permutations", source, condition, bits=64))
        order[:, row] = np.argsort(classes + random.random((replicates, len(classes))), axis=-1)
    return order


def permuted_block(block: RecordBlock, order: np.ndarray) -> RecordBlock:
    """Move complete perturbed records to other images.

    Parameters
    ----------
    block
        Records of one model.
    order
        Position of the record that each position receives, shape ``(conditions, n)``.
    """
    side = block.perturbed
    columns = (side.prediction, side.confidence, side.true_class_probability)
    return replace(block, perturbed=Predictions(*(np.take_along_axis(column, order, axis=1) for column in columns)))
