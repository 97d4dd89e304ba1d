"""Label stability, confidence deviation, the consistency score and its gap to accuracy (LS, CD, CS, CAG; Section 3.2).

An image has 1 + K views: itself first, then one per operator. The summary of the paper fixes LS, CD, CS and CAG; where
it names a variant only, the reading taken here stands in the function's notes.
"""

import numpy as np
from scipy.special import softmax

DEFAULT_WEIGHT = 0.5
TOLERANCES = (0.02, 0.03, 0.05, 0.10)
CONSISTENCY_DOMINANT, BALANCED, ACCURACY_DOMINANT = REGIMES = (
    "consistency-dominant",
    "balanced",
    "accuracy-dominant",
)


def label_stability(predictions: np.ndarray) -> np.ndarray:
    """Return the share of operators under which the prediction stays the one of the original (LS, Section 3.2).

    Parameters
    ----------
    predictions
        Predicted class of each view, any codes, shape ``(..., 1 + K, n)``, original first.

    Returns
    -------
    numpy.ndarray
        Shares, shape ``(..., n)``.

    Examples
    --------
    >>> label_stability(np.array([[3, 1], [3, 2], [3, 1]])).tolist()
    [1.0, 0.5]
    """
    kept: np.ndarray = (predictions[..., 1:, :] == predictions[..., :1, :]).mean(axis=-2)
    return kept


def confidence_deviation(confidence: np.ndarray) -> np.ndarray:
    """Return the mean absolute change of confidence over the operators (CD, Section 3.2).

    Parameters
    ----------
    confidence
        Largest probability of each view, whichever class it belongs to, shape ``(..., 1 + K, n)``, original first.

    Returns
    -------
    numpy.ndarray
        In [0, 1], shape ``(..., n)``.

    Examples
    --------
    >>> confidence_deviation(np.array([[0.75], [0.5], [1.0]])).tolist()
    [0.25]
    """
    deviation: np.ndarray = np.abs(confidence[..., 1:, :] - confidence[..., :1, :]).mean(axis=-2)
    return deviation


def rescaled_deviation(confidence: np.ndarray) -> np.ndarray:
    """Return the mean absolute change of confidence relative to the original's (rescaled CD, Section 5.3).

    Parameters
    ----------
    confidence
        As for `confidence_deviation`; the confidence of the original is above zero.

    Returns
    -------
    numpy.ndarray
        In [0, 1], shape ``(..., n)``.

    Notes
    -----
    The summary names a rescaled variant without its formula. The reading here divides each change by the confidence of
    the original and cuts it off at one: mean over k of min(1, abs(conf_k - conf_0) / conf_0).

    Examples
    --------
    >>> rescaled_deviation(np.array([[0.25], [0.375], [1.0]])).tolist()
    [0.75]
    """
    original = confidence[..., :1, :]
    relative = np.abs(confidence[..., 1:, :] - original) / original
    deviation: np.ndarray = np.minimum(1.0, relative).mean(axis=-2)
    return deviation


def total_variation(probabilities: np.ndarray) -> np.ndarray:
    """Return the mean total-variation distance between original and operator's version (CD variant, Section 5.3).

    Parameters
    ----------
    probabilities
        Shape ``(..., 1 + K, n, classes)``, original first.

    Returns
    -------
    numpy.ndarray
        In [0, 1], shape ``(..., n)``.

    Examples
    --------
    >>> total_variation(np.array([[[0.75, 0.25]], [[0.5, 0.5]], [[0.25, 0.75]]])).tolist()
    [0.375]
    """
    distance = np.abs(probabilities[..., 1:, :, :] - probabilities[..., :1, :, :]).sum(axis=-1) / 2
    mean: np.ndarray = distance.mean(axis=-2)
    return mean


def consistency_score(
    stability: np.ndarray, deviation: np.ndarray, weight: float | np.ndarray = DEFAULT_WEIGHT
) -> np.ndarray:
    """Return the weighted mean of label stability and of one minus the deviation (CS, Section 3.2).

    Parameters
    ----------
    stability
        LS, shares.
    deviation
        CD or one of its variants, in [0, 1], same shape.
    weight
        Weight alpha of label stability, in [0, 1].

    Examples
    --------
    >>> consistency_score(np.array([1.0, 0.5]), np.array([0.25, 0.5])).tolist()
    [0.875, 0.5]
    """
    return np.asarray(weight * stability + (1 - weight) * (1 - deviation))


def consistency_accuracy_gap(correct: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Return accuracy minus mean consistency, which is mean instability minus error rate (CAG, Sections 3.2 and 6.2).

    Parameters
    ----------
    correct
        Whether the prediction of the original is right, bool, shape ``(..., n)``.
    score
        CS, same shape.

    Returns
    -------
    numpy.ndarray
        In [-1, 1], shape ``(...)``; negative where wrong predictions are stable.

    Examples
    --------
    >>> float(consistency_accuracy_gap(np.array([True, False]), np.array([1.0, 0.75])))
    -0.375
    """
    return np.asarray(correct.mean(axis=-1) - score.mean(axis=-1))


def regime(gap: float, tolerance: float) -> str:
    """Name the regime of a gap (Section 5.7).

    Parameters
    ----------
    gap
        CAG.
    tolerance
        Descriptive tolerance delta; a gap of exactly this size is balanced.

    Returns
    -------
    str
        One of `REGIMES`.

    Examples
    --------
    >>> regime(-0.04, 0.03), regime(-0.04, 0.05), regime(0.2, 0.1)
    ('consistency-dominant', 'balanced', 'accuracy-dominant')
    """
    if gap < -tolerance:
        return CONSISTENCY_DOMINANT
    return ACCURACY_DOMINANT if gap > tolerance else BALANCED


def probabilities(logits: np.ndarray) -> np.ndarray:
    """Return the softmax over the last axis, float64, of the shape of `logits`."""
    return np.asarray(softmax(logits.astype(np.float64), axis=-1))


def margins(logits: np.ndarray) -> np.ndarray:
    """Return the largest logit minus the second largest, float64, shape ``(...)`` without the classes.

    Examples
    --------
    >>> margins(np.array([[1.0, 4.0, 2.5]])).tolist()
    [1.5]
    """
    ordered = np.partition(logits.astype(np.float64), -2, axis=-1)
    margin: np.ndarray = ordered[..., -1] - ordered[..., -2]
    return margin
