r"""Extreme weighted counts of accepted-error transitions and lost acceptances in one class (Appendix A.7, D).

A *switch* marks wrong and correct perturbed records of a class: those that one policy accepts, respectively rejects, or
those whose acceptance differs between two policies. Let A be the u correct accepted clean records. Under a
correspondence, A meets ``alpha`` of the marked wrong and ``beta`` of the marked correct records. The transition cost of
a policy is ``weight * alpha + (1 - weight) * beta``; the cost of a more accepting policy minus that of a less accepting
one is ``weight * alpha - (1 - weight) * beta``. Every function here returns candidate pairs (alpha, beta) among which
each class attains its extreme, whatever the weight; a pair of integer arrays of shape
``(candidates, conditions, classes)``.
"""

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from pairedeval.identification import events
from pairedeval.identification.classes import ClassCounts, overlap_range
from pairedeval.identification.events import Range

Candidates = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Switch:
    """Marked perturbed records.

    Attributes
    ----------
    records
        Marked ones among the wrong perturbed records, bool, shape ``(conditions, n)``.
    wrong, correct
        Numbers of marked wrong and marked correct records per class, shape ``(conditions, classes)``.
    """

    records: np.ndarray
    wrong: np.ndarray
    correct: np.ndarray


@dataclass(frozen=True)
class Corner:
    """Which extreme is sought.

    Attributes
    ----------
    most_wrong, most_correct
        Whether alpha, respectively beta, should be large.
    """

    most_wrong: bool
    most_correct: bool

    @property
    def sign(self) -> int:
        """Sign of beta: a cost adds lost acceptances, a difference subtracts them."""
        return 1 if self.most_wrong == self.most_correct else -1


# The largest and the smallest cost, and the largest and the smallest difference of two costs.
LARGEST_COST, SMALLEST_COST = Corner(True, True), Corner(False, False)
LARGEST_DIFFERENCE, SMALLEST_DIFFERENCE = Corner(True, False), Corner(False, True)


def marginal_candidates(counts: ClassCounts, switch: Switch, corner: Corner) -> Candidates:
    """Return candidates at I0, where A is matched to any u perturbed records of the class.

    ``alpha + beta`` is at most u, and at least what the unmarked records cannot take. The extreme is greedy: first one
    kind of marked records, then the other.
    """
    accepted = np.broadcast_to(counts.clean_accepted, switch.wrong.shape)
    needed = np.maximum(0, accepted - (counts.size - switch.wrong - switch.correct))

    def greedy(first: np.ndarray, second: np.ndarray, most_first: bool, most_second: bool) -> Candidates:
        taken = np.minimum(accepted, first) if most_first else np.maximum(0, needed - second)
        other = np.minimum(second, accepted - taken) if most_second else np.maximum(0, needed - taken)
        return taken, other

    alpha, beta = greedy(switch.wrong, switch.correct, corner.most_wrong, corner.most_correct)
    other_beta, other_alpha = greedy(switch.correct, switch.wrong, corner.most_correct, corner.most_wrong)
    return np.stack([alpha, other_alpha]), np.stack([beta, other_beta])


def overlap_candidates(
    counts: ClassCounts, switch: Switch, corner: Corner, overlap: np.ndarray, flips: Range
) -> Candidates:
    """Return candidates at Ik and I5, where the correctness blocks have fixed sizes.

    With x members of A among the k retained-correct pairs, the other ``u - x`` are among the h harmful flips, and
    alpha and beta vary independently. Both extremes are piecewise linear in x, the cost is concave (largest) or convex
    (smallest) in it, so the ends of the range of x and the two kinks suffice.

    Parameters
    ----------
    counts, switch, corner
        Counts per class, marked records, and which extreme is sought.
    overlap
        k_y, shape ``(conditions, classes)``.
    flips
        Range of marked wrong records among the harmful flips, from `events.marked_flips` (Ik) or
        `wrong_block.marked_flips` (I5).
    """
    accepted, harmful = counts.clean_accepted, counts.clean_correct - overlap
    low = np.maximum(0, overlap - (counts.clean_correct - accepted))
    high = np.minimum(accepted, overlap)
    retained = overlap_range(counts.perturbed_correct, overlap, switch.correct)
    kinks = (
        accepted - flips[1] if corner.most_wrong else accepted + flips[0] - harmful,
        retained[1] if corner.most_correct else overlap - retained[0],
    )
    x = np.stack([low, high, *(np.clip(kink, low, high) for kink in kinks)])
    least_wrong, most_wrong = np.maximum(0, accepted - x + flips[0] - harmful), np.minimum(accepted - x, flips[1])
    least_correct, most_correct = np.maximum(0, x + retained[0] - overlap), np.minimum(x, retained[1])
    return (
        most_wrong if corner.most_wrong else least_wrong,
        most_correct if corner.most_correct else least_correct,
    )


def capped_candidates(accepted: np.ndarray, transitions: Range, losses: Range) -> Candidates:
    """Return candidates for the largest cost that the separate ranges of both events allow (Lemma 1).

    In a class both events together take at most the u accepted correct clean records. The largest cost under this cap
    has one of them at its maximum and the other as large as the cap allows (Eq. 8).
    """
    most_moved, most_lost = transitions[1], losses[1]
    moved = np.stack([most_moved, np.minimum(most_moved, accepted - most_lost)])
    return moved, np.stack([np.minimum(most_lost, accepted - most_moved), most_lost])


def extreme(candidates: Candidates, weights: np.ndarray, corner: Corner, size: int) -> np.ndarray:
    """Return the extreme cost, or cost difference, of all classes together, as shares of N.

    Each class takes its own best candidate; the counts are added before they are weighted.

    Parameters
    ----------
    candidates
        From `marginal_candidates`, `overlap_candidates` or `natural_candidates`.
    weights
        Weight lambda of alpha, shape ``(weights,)``; beta has the weight 1 - lambda, negative for differences.
    corner
        The extreme that the candidates were made for.
    size
        Number N of records a side.

    Returns
    -------
    numpy.ndarray
        Shape ``(weights, conditions)``.
    """
    alpha, beta, classes = _tally(candidates)
    weight = weights[:, None, None]
    value = weight * alpha + corner.sign * (1 - weight) * beta
    best = (value.argmax(axis=1) if corner.most_wrong else value.argmin(axis=1))[:, None]
    total_alpha, total_beta = (np.take_along_axis(part[None], best, axis=1)[:, 0] @ classes.T for part in (alpha, beta))
    total: np.ndarray = (weights[:, None] * total_alpha + corner.sign * (1 - weights[:, None]) * total_beta) / size
    return total


def _tally(candidates: Candidates) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tally the classes with equal candidates; where classes are small, there are few kinds.

    Returns
    -------
    alpha, beta
        Candidates of each kind, shape ``(candidates, kinds)``.
    classes
        Number of classes of each kind, shape ``(conditions, kinds)``.
    """
    stacked = np.concatenate(candidates)
    conditions, rows = stacked.shape[1], stacked.reshape(len(stacked), -1)
    base = int(rows.max(initial=0)) + 1
    kind = first = np.arange(rows.shape[1])
    if base ** len(rows) < 1 << 62:  # else the numbers of a class do not fit into one integer
        code = reduce(lambda known, row: known * base + row, rows)
        _, first, kind = np.unique(code, return_index=True, return_inverse=True)
    cell = np.repeat(np.arange(conditions), stacked.shape[2]) * len(first) + kind
    classes = np.bincount(cell, minlength=conditions * len(first)).reshape(conditions, len(first))
    alpha, beta = np.split(rows[:, first], 2)
    return alpha, beta, classes


def natural_candidates(counts: ClassCounts, switch: Switch, corner: Corner, overlap: np.ndarray | None) -> Candidates:
    """Return the candidate for the natural cost, which counts all accepted errors (Corollary 1).

    Then alpha is the number of marked wrong records, whatever the correspondence; beta ranges as the lost acceptances
    do, at I0 without an overlap and alike at Ik and I5.
    """
    marked = replace(counts, perturbed_rejected=switch.correct)
    least, most = (
        events.marginal_lost_acceptance(marked) if overlap is None else events.lost_acceptance(marked, overlap)
    )
    return switch.wrong[None], (most if corner.most_correct else least)[None]
