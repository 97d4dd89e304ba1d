"""Area under the risk-coverage curve, with images of equal risk in random order (AURC, Section 4.4).

The curve gives the error rate among the most trusted images at each coverage. The summary of the paper names the area
only; here it is the mean over the coverages 1/n, 2/n, ..., 1, and its expected value over the orders of ties.

Let a group of m tied images follow S images of lower risk. The first j of all N images hold an image of the group with
probability (j - S) / m, for j from S + 1 to S + m, and surely for larger j. Divided by j and summed over j, an error of
the group adds 1 - S (H(S + m) - H(S)) / m within the group and H(N) - H(S + m) after it, with harmonic numbers H. No
order has to be drawn.
"""

import numpy as np

from pairedeval.states import conditional_mean


def aurc(risk: np.ndarray, errors: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the mean error rate over all coverages, images of low risk first; lower is better.

    Parameters
    ----------
    risk
        Risk scores (negatives of trust scores), shape ``(scores, n)``. A score that is NaN for some image ranks
        nothing.
    errors
        Whether each prediction is wrong, under each condition, bool, shape ``(conditions, n)``.
    weights
        Whole numbers of copies of each image in each draw, shape ``(n, draws)``; copies are images of their own. None
        counts each image once.

    Returns
    -------
    numpy.ndarray
        Shape ``(scores, conditions, draws)``, without the last axis if `weights` is None. Zero without errors; NaN
        without images, and for scores that rank nothing.

    Examples
    --------
    The error rates are 0, then 1/4 (one image of two, half of them wrong) and 1/3.

    >>> aurc(np.array([[0.1, 0.5, 0.5]]), np.array([[False, True, False]])).round(4).tolist()
    [[0.1944]]
    """
    copies = np.ones((risk.shape[1], 1), dtype=np.int64) if weights is None else weights.astype(np.int64)
    totals = copies.sum(axis=0)
    harmonic = np.append(0, np.cumsum(1 / np.arange(1, totals.max(initial=0) + 1)))
    wrong = errors.astype(float)
    found = np.full((len(risk), len(errors), copies.shape[1]), np.nan)
    for row, values in enumerate(risk):
        if len(values) and not np.isnan(values).any():
            order = np.argsort(values, kind="stable")
            first = np.append(True, values[order][1:] != values[order][:-1])
            found[row] = conditional_mean(wrong[:, order] @ _added(copies[order], first, harmonic), totals)
    return found[..., 0] if weights is None else found


def _added(copies: np.ndarray, first: np.ndarray, harmonic: np.ndarray) -> np.ndarray:
    """Return what each image adds to the sum of error rates if it is an error, shape ``(n, draws)``.

    Parameters
    ----------
    copies
        In ascending order of risk, shape ``(n, draws)``.
    first
        Whether an image is the first of its group of equal risk, shape ``(n,)``.
    harmonic
        Harmonic numbers from H(0) = 0.
    """
    sizes = np.add.reduceat(copies, np.flatnonzero(first), axis=0)
    ends = sizes.cumsum(axis=0)
    until = harmonic[ends]
    # A group that a draw leaves out has no copies that could add anything.
    within = 1 - (ends - sizes) * np.diff(until, axis=0, prepend=0) / np.maximum(sizes, 1)
    added: np.ndarray = copies * (within + until[-1] - until)[first.cumsum() - 1]
    return added
