"""Error rate among the most confident records at a fixed coverage (Appendix F, "Acceptance and ties").

Records of equal confidence at the boundary have no order. Every count of errors here is its expected value over random
orders of them, so it depends on no order of the rows, and the number of selected records is kept.
"""

from collections.abc import Sequence

import numpy as np

from pairedeval.states import PRIMARY_COVERAGE, coverage_rank

# Coverages of the risk-coverage curve, shares of the records.
CURVE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def expected_errors(confidence: np.ndarray, wrong: np.ndarray, selected: Sequence[float]) -> np.ndarray:
    """Count the errors among the most confident records, averaged over the orders of ties.

    Parameters
    ----------
    confidence
        Confidence of each record, shape ``(..., n)``.
    wrong
        Whether its prediction is wrong, bool, same shape.
    selected
        Numbers of records to select, in (0, n]; a fraction takes part of one more record.

    Returns
    -------
    numpy.ndarray
        Expected number of errors, shape ``(..., len(selected))``.

    Examples
    --------
    Of the two records at 0.5, one of them wrong, the third selected one is either.

    >>> expected_errors(np.array([0.9, 0.5, 0.8, 0.5]), np.array([True, True, False, False]), [1, 3, 3.5]).tolist()
    [1.0, 1.5, 1.75]
    """
    descending = -np.sort(-confidence, axis=-1)
    errors = []
    for number in selected:
        boundary = descending[..., [int(np.ceil(number)) - 1]]
        above, tied = confidence > boundary, confidence == boundary
        share = (number - above.sum(axis=-1)) / tied.sum(axis=-1)
        errors.append((above & wrong).sum(axis=-1) + share * (tied & wrong).sum(axis=-1))
    return np.stack(errors, axis=-1)


def fixed_coverage_risk(
    confidence: np.ndarray, wrong: np.ndarray, coverage: float = PRIMARY_COVERAGE
) -> np.ndarray | np.floating:
    """Return the error rate among the most confident share of the records, a whole number of them.

    Parameters
    ----------
    confidence, wrong
        As for `expected_errors`.
    coverage
        Share of the records; their number is rounded, but is at least one.

    Returns
    -------
    numpy.ndarray
        Share, shape ``(...)``.
    """
    selected = max(1, coverage_rank(coverage, confidence.shape[-1]))
    risk: np.ndarray = expected_errors(confidence, wrong, [selected])[..., 0] / selected
    return risk


def risk_coverage_curve(confidence: np.ndarray, wrong: np.ndarray, coverages: Sequence[float] = CURVE) -> np.ndarray:
    """Return the error rate at each coverage, the number of records not rounded, shape ``(..., len(coverages))``.

    Parameters
    ----------
    confidence, wrong
        As for `expected_errors`.
    coverages
        Shares of the records, in (0, 1].
    """
    selected = np.array(coverages) * confidence.shape[-1]
    risk: np.ndarray = expected_errors(confidence, wrong, selected.tolist()) / selected
    return risk
