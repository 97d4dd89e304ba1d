"""Errors among the most confident predictions at a fixed coverage (R80 of Appendix I, ties of Appendix F)."""

import numpy as np

from pairedeval.selective.fixed_coverage import expected_errors
from pairedeval.states import PRIMARY_COVERAGE, coverage_rank


def selected_errors(confidence: np.ndarray, correct: np.ndarray) -> tuple[np.ndarray, int]:
    """Count the errors among the most confident 80% of the records (R80 of Appendix I).

    Where several records share the lowest selected confidence, each of them counts for the share of them that is
    selected: the expectation over random orders of the ties.

    Parameters
    ----------
    confidence
        Confidence S', shape ``(conditions, n)``.
    correct
        Correctness C', same shape.

    Returns
    -------
    errors, selected
        Expected number of selected errors, shape ``(conditions,)``, and number of selected records, at least one.

    Examples
    --------
    Four of five are selected; of the two at 0.5, one is.

    >>> selected_errors(np.array([[0.9, 0.8, 0.7, 0.5, 0.5]]), np.array([[True, False, True, True, False]]))
    (array([1.5]), 4)
    """
    selected = max(1, coverage_rank(PRIMARY_COVERAGE, confidence.shape[1]))
    return expected_errors(confidence, ~correct, [selected])[..., 0], selected
