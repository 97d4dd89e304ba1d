"""Matchings that attain the end points of policy costs and of their differences (Appendix D)."""

import numpy as np

from pairedeval.identification.attain import event_matching
from pairedeval.records import RecordBlock


def attaining_cost(
    block: RecordBlock, condition: int, threshold: float, policy: float, weight: float, level: str, upper: bool
) -> np.ndarray:
    """Return a feasible correspondence under which the cost J of one policy takes an end point of its interval.

    Parameters
    ----------
    block, condition, threshold, level, upper
        As for `pairedeval.identification.attain.attaining_matching`; the threshold is that of the clean side.
    policy
        Acceptance threshold of the perturbed side.
    weight
        Weight lambda of accepted-error transitions.
    """
    accepted, correct = _perturbed(block, condition, policy)
    sign = 1.0 if upper else -1.0
    return event_matching(block, condition, threshold, level, accepted != correct, (sign * weight, sign * (1 - weight)))


def attaining_difference(
    block: RecordBlock, condition: int, threshold: float, policy: float, other: float, weight: float, level: str
) -> np.ndarray:
    """Return a feasible correspondence under which the first policy costs as much more than the other as it can (D+).

    Parameters as for `attaining_cost`, with the perturbed-side thresholds of both policies.
    """
    switching = _perturbed(block, condition, policy)[0] != _perturbed(block, condition, other)[0]
    # The more accepting policy pays for wrong records that switch and is spared the correct ones.
    sign = 1.0 if policy <= other else -1.0
    return event_matching(block, condition, threshold, level, switching, (sign * weight, -sign * (1 - weight)))


def _perturbed(block: RecordBlock, condition: int, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """Return which perturbed records are accepted and which are correct."""
    side = block.perturbed
    return side.confidence[condition] >= threshold, side.prediction[condition] == block.labels
