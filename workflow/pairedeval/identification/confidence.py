"""Sharp bounds on the mean true-class probability decrease dM_k of retained-correct pairs (Appendices A.5, A.10)."""

from dataclasses import dataclass

import numpy as np

from pairedeval.identification.classes import ClassCounts, Classes
from pairedeval.identification.levels import Interval
from pairedeval.states import conditional_mean


@dataclass(frozen=True)
class CorrectScores:
    """True-class probabilities of the correct records, sorted within each class.

    Attributes
    ----------
    ascending
        The lowest of the class first, infinity behind the last correct record, shape ``(..., n)``.
    descending
        The highest of the class first, minus infinity behind the last correct record, shape ``(..., n)``.
    """

    ascending: np.ndarray
    descending: np.ndarray


def correct_scores(classes: Classes, scores: np.ndarray, correct: np.ndarray) -> CorrectScores:
    """Sort the scores of correct records within each class, shape ``(..., n)``."""
    ascending = _sort_within(classes, np.where(correct, scores, np.inf))
    descending = -_sort_within(classes, np.where(correct, -scores, np.inf))
    return CorrectScores(ascending, descending)


def fixed_overlap(
    classes: Classes, counts: ClassCounts, clean: CorrectScores, perturbed: CorrectScores, overlap: np.ndarray
) -> Interval:
    """Bound dM_k at Ik, and by Theorem 1 at I5 (Eq. 6); NaN where K = 0.

    Parameters
    ----------
    classes, counts
        Classes of the records and their counts.
    clean, perturbed
        Scores of shape ``(n,)`` and ``(conditions, n)``.
    overlap
        k_y, shape ``(conditions, classes)``.
    """
    low, high = _numerators(classes, counts, clean, perturbed, overlap)
    pairs = overlap.sum(axis=1)
    return _interval(conditional_mean(low, pairs), conditional_mean(high, pairs))


def variable_overlap(classes: Classes, counts: ClassCounts, clean: CorrectScores, perturbed: CorrectScores) -> Interval:
    """Bound dM_k at I0 over all correspondences with a retained-correct pair (Appendix A.10); NaN where none has.

    Each class may add pairs one by one to the least feasible k_y. For the minimum the i-th pair adds the i-th lowest
    clean minus the i-th highest perturbed score, which grows with i. So the best set of added pairs of a cell is a
    prefix of all its addable pairs in ascending order, and the bound is the least ratio over these prefixes: the
    fixed point that the paper finds by bisection.
    """
    fewest, most = counts.overlap_range
    low, high = _numerators(classes, counts, clean, perturbed, fewest)
    pairs = fewest.sum(axis=1)
    addable = (classes.place >= classes.spread(fewest)) & (classes.place < classes.spread(most))
    return _interval(
        _least_ratio(low, pairs, clean.ascending - perturbed.descending, addable),
        -_least_ratio(-high, pairs, perturbed.ascending - clean.descending, addable),
    )


def _interval(low: np.ndarray, high: np.ndarray) -> Interval:
    """Order the ends: tied scores give equal sums, which rounding in another order could cross by a last bit."""
    return Interval(np.minimum(low, high), np.maximum(low, high))


def _sort_within(classes: Classes, values: np.ndarray) -> np.ndarray:
    ordered = np.empty_like(values)
    for positions in classes.by_size():
        ordered[..., positions] = np.sort(values[..., positions], axis=-1)
    return ordered


def _numerators(
    classes: Classes, counts: ClassCounts, clean: CorrectScores, perturbed: CorrectScores, overlap: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Extreme sums of clean minus perturbed scores over k_y pairs a class (Eq. 6), shape ``(conditions,)``.

    All four sums run over ascending scores, so that equal selections give equal sums to the last bit.
    """
    lowest = classes.place < classes.spread(overlap)
    highest_clean = _highest(classes, counts.clean_correct, overlap)
    highest_perturbed = _highest(classes, counts.perturbed_correct, overlap)
    low = _sum(clean.ascending, lowest) - _sum(perturbed.ascending, highest_perturbed)
    high = _sum(clean.ascending, highest_clean) - _sum(perturbed.ascending, lowest)
    return low, high


def _highest(classes: Classes, correct: np.ndarray, overlap: np.ndarray) -> np.ndarray:
    """Mark the last `overlap` of the `correct` ascending scores of each class."""
    marked: np.ndarray = (classes.place >= classes.spread(correct - overlap)) & (
        classes.place < classes.spread(correct)
    )
    return marked


def _sum(scores: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    total: np.ndarray = np.where(chosen, scores, 0.0).sum(axis=1)
    return total


def _least_ratio(total: np.ndarray, pairs: np.ndarray, increments: np.ndarray, addable: np.ndarray) -> np.ndarray:
    """Return the least (total + sum of increments) / (pairs + their number) with a positive denominator."""
    most = int(addable.sum(axis=1).max(initial=0))
    ordered = np.sort(np.where(addable, increments, np.inf), axis=1)[:, :most]
    numerators = np.concatenate([total[:, None], total[:, None] + np.cumsum(ordered, axis=1)], axis=1)
    denominators = pairs[:, None] + np.arange(most + 1)
    ratios = np.divide(numerators, denominators, out=np.full(numerators.shape, np.inf), where=denominators > 0)
    least = ratios.min(axis=1)
    return np.where(np.isfinite(least), least, np.nan)
