"""The supplementary 5% risk rule: accept down to where clean development records have 5% errors (Appendix F).

The rule guarantees nothing on other records, and through ties not even on those that set it.
"""

from dataclasses import dataclass

import numpy as np

from pairedeval.identification.levels import STRICTNESS
from pairedeval.states import conditional_mean

RISK_TARGET = 0.05


@dataclass(frozen=True)
class Acceptance:
    """What a threshold does with a set of records, shares of shape ``(...)``.

    Attributes
    ----------
    coverage
        Accepted records.
    risk
        Errors among the accepted records; NaN where there are none.
    """

    coverage: np.ndarray
    risk: np.ndarray


def risk_rule_threshold(confidence: np.ndarray, wrong: np.ndarray, target: float = RISK_TARGET) -> float:
    """Return the confidence at the end of the largest top-ranked subset whose error rate is at most the target.

    Where the subset ends among records of equal confidence, their errors count as in a random order of them (the paper
    leaves this open); all of them are accepted then.

    Parameters
    ----------
    confidence
        Confidence of clean development records, shape ``(n,)``.
    wrong
        Whether the predictions are wrong, bool, same shape.
    target
        Largest error rate of the subset, a share.

    Returns
    -------
    float
        Threshold; NaN where no subset, not even the single most confident record, has so few errors.

    Examples
    --------
    The first error is the fourth record, and 1 of 4 is too many for a fifth.

    >>> wrong = np.array([False, False, False, True, False, True])
    >>> risk_rule_threshold(np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4]), wrong, 0.2)
    0.5
    """
    sizes = np.arange(1, len(confidence) + 1)
    order = np.argsort(-confidence, kind="stable")
    ranked, errors = confidence[order], np.cumsum(wrong[order])
    # Between the ends of a group of ties the expected number of errors grows linearly.
    ends = np.flatnonzero(np.append(ranked[1:] < ranked[:-1], True))
    expected = np.interp(sizes, np.append(0, sizes[ends]), np.append(0, errors[ends]))
    fitting = np.flatnonzero(expected <= target * sizes + STRICTNESS)
    return float(ranked[fitting[-1]]) if len(fitting) else float("nan")


def accept(confidence: np.ndarray, wrong: np.ndarray, threshold: float) -> Acceptance:
    """Accept every record whose confidence reaches a threshold.

    Parameters
    ----------
    confidence
        Confidence of each record, shape ``(..., n)``.
    wrong
        Whether its prediction is wrong, bool, same shape.
    threshold
        Lowest accepted confidence; NaN stands for no rule and leaves coverage and risk undefined.
    """
    if np.isnan(threshold):
        undefined = np.full(confidence.shape[:-1], np.nan)
        return Acceptance(undefined, undefined)
    accepted = confidence >= threshold
    risk = conditional_mean((accepted & wrong).sum(axis=-1), accepted.sum(axis=-1))
    return Acceptance(accepted.mean(axis=-1), risk)
