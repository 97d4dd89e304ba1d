"""Values under class-conditional independent matching (Eq. 4 and 14; Appendix H.2)."""

import numpy as np

from pairedeval.identification.classes import ClassCounts, Classes
from pairedeval.states import conditional_mean


def independent_event(counts: ClassCounts, perturbed: np.ndarray) -> np.ndarray:
    """Return the expected share of pairs with an accepted correct clean end and a perturbed end of a given set.

    Parameters
    ----------
    counts
        Counts per class.
    perturbed
        Perturbed records of the set per class: accepted errors for H, rejected correct ones for L; shape
        ``(conditions, classes)``.
    """
    share: np.ndarray = (counts.clean_accepted * perturbed / counts.size).sum(axis=1) / counts.size.sum()
    return share


def independent_confidence_drop(
    classes: Classes, counts: ClassCounts, clean: np.ndarray, perturbed: np.ndarray
) -> np.ndarray:
    """Return dM_k,ind, the ratio of expected numerator and denominator (Eq. 14); NaN where no pair is expected.

    Parameters
    ----------
    classes, counts
        Classes of the records and their counts.
    clean, perturbed
        True-class probabilities of correct records and 0 for wrong ones, shapes ``(n,)`` and ``(conditions, n)``.
    """
    clean_total = np.add.reduceat(clean, classes.starts)
    perturbed_total = np.add.reduceat(perturbed, classes.starts, axis=1)
    weight = counts.clean_correct * counts.perturbed_correct / counts.size
    # (a b / n) (mean - mean') without dividing by an empty class's count.
    total = (clean_total * counts.perturbed_correct - counts.clean_correct * perturbed_total) / counts.size
    return conditional_mean(total.sum(axis=1), weight.sum(axis=1))
