"""What accuracies alone determine about the overlap of correct records (Appendix C.3, Table 11).

This level lies below I0: it knows how many records of each class, or of all classes together, are correct on either
side, and no record.
"""

from dataclasses import dataclass

import numpy as np

from pairedeval.identification.classes import overlap_range
from pairedeval.identification.levels import Interval


@dataclass(frozen=True)
class AccuracyBounds:
    """Intervals of the total overlap K and of the gross flips h + r, shares of N, one entry a condition.

    Attributes
    ----------
    classwise_overlap, global_overlap
        Sharp intervals of K from per-class accuracies, and from the two accuracies over all classes.
    classwise_flips, global_flips
        The same for h + r = A + B - 2 K, twice as wide.
    pinned
        Share of the classes whose overlap the two accuracies of the class fix.
    net_change
        A - B, which any of these reports identifies.
    """

    classwise_overlap: Interval
    global_overlap: Interval
    classwise_flips: Interval
    global_flips: Interval
    pinned: np.ndarray
    net_change: np.ndarray


def accuracy_bounds(size: np.ndarray, clean_correct: np.ndarray, perturbed_correct: np.ndarray) -> AccuracyBounds:
    """Bound the overlap and the gross flips from numbers of correct records.

    Parameters
    ----------
    size
        Records n_y of each class, shape ``(classes,)``.
    clean_correct
        Correct clean records a_y, shape ``(classes,)``.
    perturbed_correct
        Correct perturbed records b_y, shape ``(conditions, classes)``.

    Examples
    --------
    Two classes of five records. The first has 4 and 3 correct ones, so 2 or 3 in common; the second 5 and 1, so 1.

    >>> found = accuracy_bounds(np.array([5, 5]), np.array([4, 5]), np.array([[3, 1]]))
    >>> float(found.classwise_overlap.lower[0]), float(found.classwise_overlap.upper[0]), float(found.pinned[0])
    (0.3, 0.4, 0.5)
    >>> float(found.global_overlap.lower[0]), float(found.global_overlap.upper[0])
    (0.3, 0.4)
    """
    records = size.sum()
    low, high = overlap_range(size, clean_correct, perturbed_correct)
    clean_total, perturbed_total = clean_correct.sum(), perturbed_correct.sum(axis=-1)
    classwise = low.sum(axis=-1), high.sum(axis=-1)
    overall = overlap_range(records, clean_total, perturbed_total)
    correct = clean_total + perturbed_total
    return AccuracyBounds(
        classwise_overlap=Interval(classwise[0] / records, classwise[1] / records),
        global_overlap=Interval(overall[0] / records, overall[1] / records),
        classwise_flips=Interval((correct - 2 * classwise[1]) / records, (correct - 2 * classwise[0]) / records),
        global_flips=Interval((correct - 2 * overall[1]) / records, (correct - 2 * overall[0]) / records),
        pinned=(low == high).mean(axis=-1),
        net_change=(clean_total - perturbed_total) / records,
    )
