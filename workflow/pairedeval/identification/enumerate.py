"""Bounds by listing every correspondence of small classes: an independent check that shares no formula (Appendix C.1).

Each class is matched in all n! ways, every pair is judged by the definitions of Tables 1 and 2, and an information
level keeps the correspondences whose counts equal the observed ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from pairedeval.identification.levels import (
    ACCEPTED_ERROR_TRANSITION,
    CONFIDENCE_DROP,
    FIVE_STATES,
    LEVELS,
    LOST_ACCEPTANCE,
    OVERLAP,
)
from pairedeval.records import Predictions, RecordBlock

LARGEST_CLASS = 7


@dataclass(frozen=True)
class Correspondences:
    """All matchings of one class, one a row; the first is the observed one.

    Attributes
    ----------
    states
        Numbers of h, r, s, w and k pairs, shape ``(matchings, 5)``.
    transitions, losses
        Numbers of H and L events per perturbed threshold, shape ``(matchings, thresholds)``.
    drop
        Sum of M - M' over the k pairs, shape ``(matchings,)``.
    """

    states: np.ndarray
    transitions: np.ndarray
    losses: np.ndarray
    drop: np.ndarray

    def feasible(self, level: str) -> np.ndarray:
        """Mark the matchings that agree with the observed one in everything that `level` retains."""
        retained = {OVERLAP: [4], FIVE_STATES: [0, 1, 2, 3, 4]}.get(level, [])
        agrees: np.ndarray = (self.states[:, retained] == self.states[0, retained]).all(axis=1)
        return agrees


def correspondences(
    label: int, clean: Predictions, perturbed: Predictions, threshold: float, policy_thresholds: np.ndarray
) -> Correspondences:
    """List the matchings of one class.

    Parameters
    ----------
    label
        The true class.
    clean, perturbed
        Its records, shape ``(n,)`` each, n at most `LARGEST_CLASS`.
    threshold
        Acceptance threshold of the clean side.
    policy_thresholds
        Acceptance thresholds of the perturbed side.
    """
    size = len(clean.prediction)
    if size > LARGEST_CLASS:
        raise ValueError(f"class {label} has {size} records; enumeration stops at {LARGEST_CLASS}")
    matchings = np.array(list(permutations(range(size))))
    right, still_right = clean.prediction[:, None] == label, perturbed.prediction[None, :] == label
    same = clean.prediction[:, None] == perturbed.prediction[None, :]
    accepted = clean.confidence[:, None] >= threshold
    states = (
        right & ~still_right,
        ~right & still_right,
        ~right & ~still_right & same,
        ~right & ~still_right & ~same,
        right & still_right,
    )
    still_accepted = [perturbed.confidence[None, :] >= policy for policy in policy_thresholds]
    change = clean.true_class_probability[:, None] - perturbed.true_class_probability[None, :]

    def total(pairs: np.ndarray) -> np.ndarray:
        """Add up a property of pairs, shape ``(n, n)``, over the pairs of each matching."""
        summed: np.ndarray = pairs[np.arange(size), matchings].sum(axis=1)
        return summed

    return Correspondences(
        states=np.stack([total(state) for state in states], axis=1),
        transitions=np.stack([total(states[0] & accepted & kept) for kept in still_accepted], axis=1),
        losses=np.stack([total(states[4] & accepted & ~kept) for kept in still_accepted], axis=1),
        drop=total(np.where(states[4], change, 0.0)),
    )


def class_correspondences(
    block: RecordBlock, condition: int, threshold: float, policy_thresholds: np.ndarray
) -> Iterator[Correspondences]:
    """List the matchings of each class of one condition."""
    for label in np.unique(block.labels):
        members = block.labels == label
        clean, perturbed = block.clean, block.perturbed
        yield correspondences(
            label,
            Predictions(clean.prediction[members], clean.confidence[members], clean.true_class_probability[members]),
            Predictions(
                perturbed.prediction[condition, members],
                perturbed.confidence[condition, members],
                perturbed.true_class_probability[condition, members],
            ),
            threshold,
            policy_thresholds,
        )


def enumerated_bounds(
    block: RecordBlock, condition: int, threshold: float
) -> dict[str, dict[str, tuple[float, float]]]:
    """Return the sharp interval of H, L and dM_k of one condition, per level and target, in shares.

    NaN end points mark a dM_k without a feasible retained-correct pair.
    """
    classes = list(class_correspondences(block, condition, threshold, np.array([threshold])))
    bounds = {}
    for level in LEVELS:
        feasible = [found.feasible(level) for found in classes]
        bounds[level] = {
            ACCEPTED_ERROR_TRANSITION: _share(
                [c.transitions[f] for c, f in zip(classes, feasible, strict=True)], block
            ),
            LOST_ACCEPTANCE: _share([c.losses[f] for c, f in zip(classes, feasible, strict=True)], block),
            CONFIDENCE_DROP: _mean_drop([(c.states[f, 4], c.drop[f]) for c, f in zip(classes, feasible, strict=True)]),
        }
    return bounds


def _share(counts: list[np.ndarray], block: RecordBlock) -> tuple[float, float]:
    size = len(block.labels)
    return sum(int(count.min()) for count in counts) / size, sum(int(count.max()) for count in counts) / size


def _mean_drop(classes: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float]:
    """Combine the classes' matchings, keeping the extreme sums for every total number of retained-correct pairs."""
    reached = {0: (0.0, 0.0)}
    for pairs, drop in classes:
        options = [(int(k), float(drop[pairs == k].min()), float(drop[pairs == k].max())) for k in np.unique(pairs)]
        combined: dict[int, tuple[float, float]] = {}
        for total, (low, high) in reached.items():
            for k, least, most in options:
                known_low, known_high = combined.get(total + k, (np.inf, -np.inf))
                combined[total + k] = (min(known_low, low + least), max(known_high, high + most))
        reached = combined
    means = [(low / total, high / total) for total, (low, high) in reached.items() if total]
    if not means:
        return np.nan, np.nan
    return min(low for low, _ in means), max(high for _, high in means)
