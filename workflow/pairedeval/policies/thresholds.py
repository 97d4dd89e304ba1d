"""Candidate policies: perturbed-side thresholds by clean-development coverage (Appendix D)."""

from collections.abc import Sequence

import numpy as np

from pairedeval.states import acceptance_threshold

COVERAGES = (0.6, 0.7, 0.8, 0.9, 1.0)
WEIGHTS = tuple(tenth / 10 for tenth in range(11))
PRIMARY_WEIGHT = 0.5


def policy_thresholds(confidence: np.ndarray, coverages: Sequence[float] = COVERAGES) -> np.ndarray:
    """Return the threshold of each policy: the clean-development order statistic of its coverage.

    Parameters
    ----------
    confidence
        Confidence of clean development records, shape ``(n,)``.
    coverages
        Share of them that each policy is meant to accept.

    Examples
    --------
    >>> policy_thresholds(np.array([0.5, 0.6, 0.7, 0.8, 0.9])).tolist()
    [0.7, 0.6, 0.6, 0.5, 0.5]
    """
    return np.array([acceptance_threshold(confidence, coverage) for coverage in coverages])
