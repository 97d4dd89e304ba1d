"""Why the observed confidence decrease of retained-correct pairs differs from the independent one (Appendix B.4).

The signed parts W (which classes keep how many correct pairs) and V (which records survive within a class) add up to
the difference (Eq. 9). They may cancel, so neither is a share of it.
"""

from dataclasses import dataclass

import numpy as np

from pairedeval.identification.classes import Classes
from pairedeval.records import RecordBlock
from pairedeval.states import conditional_mean


@dataclass(frozen=True)
class Decomposition:
    """Parts of dM_k - dM_k,ind in shares, one entry a condition; NaN where K = 0.

    Attributes
    ----------
    confidence_drop
        dM_k under the observed correspondence.
    composition
        W: the overlap weighs the classes otherwise than independence does.
    selection
        V: within a class, the surviving pairs differ from all correct records of each side.
    overlap
        K, number of pairs that are correct on both sides.
    independent_overlap
        The number that class-conditional independence expects.
    """

    confidence_drop: np.ndarray
    composition: np.ndarray
    selection: np.ndarray
    overlap: np.ndarray
    independent_overlap: np.ndarray


def decompose(block: RecordBlock) -> Decomposition:
    """Split the difference between the observed dM_k and its independent value (Eq. 9).

    Examples
    --------
    One class of three. Correct are the images of clean 0.9, 0.5 and 0.7, and the first and the second when perturbed:
    the mean drop of all correct records is 0.7 - 0.6, that of the two survivors 0.7 - 0.6 as well.

    >>> from pairedeval.records import Predictions
    >>> clean = Predictions(np.zeros(3, int), np.array([0.9, 0.5, 0.7]), np.array([0.9, 0.5, 0.7]))
    >>> perturbed = Predictions(np.array([[0, 0, 1]]), np.array([[0.8, 0.4, 0.6]]), np.array([[0.8, 0.4, 0.3]]))
    >>> found = decompose(RecordBlock(np.zeros(3, int), np.arange(3), ("fog-2",), clean, perturbed))
    >>> int(found.overlap[0]), float(found.independent_overlap[0]), round(float(found.selection[0]), 12)
    (2, 2.0, 0.0)
    """
    classes = Classes.of(block.labels)
    correct, still_correct = block.clean.prediction == block.labels, block.perturbed.prediction == block.labels
    kept = correct & still_correct
    clean_correct, perturbed_correct, overlap = (classes.count(flags) for flags in (correct, still_correct, kept))
    marginal_drop = _class_means(classes, block.clean.true_class_probability * correct, clean_correct) - _class_means(
        classes, block.perturbed.true_class_probability * still_correct, perturbed_correct
    )
    # A class without correct records on a side has neither overlap nor weight.
    marginal_drop = np.where(clean_correct * perturbed_correct > 0, marginal_drop, 0.0)
    surviving = (block.clean.true_class_probability - block.perturbed.true_class_probability) * kept
    independent = clean_correct * perturbed_correct / classes.sizes
    pairs, expected = overlap.sum(axis=1), independent.sum(axis=1)
    explained = conditional_mean((overlap * marginal_drop).sum(axis=1), pairs)
    observed = conditional_mean(surviving.sum(axis=1), pairs)
    return Decomposition(
        confidence_drop=observed,
        composition=explained - conditional_mean((independent * marginal_drop).sum(axis=1), expected),
        selection=observed - explained,
        overlap=pairs,
        independent_overlap=expected,
    )


def _class_means(classes: Classes, scores: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Average scores of correct records (0 for wrong ones) per class, ``(..., n)`` to ``(..., classes)``."""
    return conditional_mean(np.add.reduceat(scores, classes.starts, axis=-1), count)
