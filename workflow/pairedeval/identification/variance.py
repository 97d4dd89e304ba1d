"""How much pairing reduces the variance of a measured change (Appendix C.2, Table 10)."""

import numpy as np

from pairedeval.states import conditional_mean


def variance_ratio(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return Var(X - X') / (Var X + Var X') over the pairs of each condition.

    Below one, pairing measures the mean change more precisely than two independent samples would; the standard error
    shrinks with the square root. It is one minus twice the covariance over the sum of variances.

    Parameters
    ----------
    before
        Clean values X: correctness, confidence or true-class probability; shape ``(n,)``.
    after
        Perturbed values X', shape ``(conditions, n)``.

    Returns
    -------
    numpy.ndarray
        Ratio per condition, at most 2; NaN where neither side varies.

    Examples
    --------
    >>> variance_ratio(np.array([0, 1]), np.array([[0, 1], [1, 0], [1, 1]])).tolist()
    [0.0, 2.0, 1.0]
    """
    before, after = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    # Equal values have no variance; their mean may be off by a last bit, and a ratio of such remainders is noise.
    varies = (np.ptp(before) > 0) | (np.ptp(after, axis=1) > 0)
    separate = before.var() + after.var(axis=1)
    return conditional_mean((before - after).var(axis=1), np.where(varies, separate, 0.0))
