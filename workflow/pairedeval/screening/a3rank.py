"""The augmentation-alignment score of A3Rank, adapted to a fixed set of probes (Appendix E.2, Eq. 12)."""

import numpy as np


def alignment(clean: np.ndarray, probes: np.ndarray, prediction: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    r"""Compute the adapted score A3 of each image; a low one indicates a high risk of failure.

    Let p be the clean prediction and m the modal prediction of the probes. The score is the clean probability of p,
    less :math:`\max_c v_a(c) - v_a(p)` for each probe a that predicts neither (distractor), plus
    :math:`v_a(p) - v_a(m)` for each that predicts p (supporter), plus
    :math:`v_a(p) - v_a(m) + v_0(m) - v_0(p)` for each that predicts m (dominator). With p = m the last two are zero.

    Parameters
    ----------
    clean
        Candidate probabilities v_0 of the clean images, shape ``(n, candidates)``.
    probes
        Candidate probabilities v_a under each probe, shape ``(probes, n, candidates)``.
    prediction
        Clean predictions, candidate indices, shape ``(n,)``.
    predictions
        Predictions under each probe, shape ``(probes, n)``.

    Returns
    -------
    numpy.ndarray
        Shape ``(n,)``.

    Examples
    --------
    >>> clean = np.array([[0.6, 0.4]])
    >>> probes = np.array([[[0.7, 0.3]], [[0.2, 0.8]], [[0.4, 0.6]]])
    >>> alignment(clean, probes, np.array([0]), np.array([[0], [1], [1]])).round(3)  # 0.6 + 0.4 - 0.6 - 0.2 - 2 x 0.2
    array([-0.2])
    """
    largest = _at(probes, predictions)
    modal = modal_prediction(predictions, largest, probes.shape[-1])
    clean_gap = _at(clean, modal) - _at(clean, prediction)
    predicted = _at(probes, np.broadcast_to(prediction, predictions.shape))
    gap = predicted - _at(probes, np.broadcast_to(modal, predictions.shape))
    supporter, dominator = predictions == prediction, predictions == modal
    distractor = ~supporter & ~dominator
    terms = supporter * gap + dominator * (gap + clean_gap) - distractor * (largest - predicted)
    score: np.ndarray = _at(clean, prediction) + terms.sum(axis=0)
    return score


def modal_prediction(predictions: np.ndarray, confidence: np.ndarray, candidates: int) -> np.ndarray:
    """Return the most frequent prediction of each image over the probes.

    Among equally frequent ones it is that with the largest mean confidence of its voters, then the lowest index.

    Parameters
    ----------
    predictions, confidence
        Prediction and its probability under each probe, shape ``(probes, n)``.
    candidates
        Number of candidate classes.

    Examples
    --------
    >>> modal_prediction(np.array([[0, 2], [1, 1]]), np.array([[0.5, 0.9], [0.6, 0.9]]), 3).tolist()
    [1, 1]
    """
    images = predictions.shape[1]
    place = (np.arange(images) * candidates + predictions).ravel()
    shape = (images, candidates)
    votes = np.bincount(place, minlength=images * candidates).reshape(shape)
    # Equally frequent predictions have equally many voters, so their sums rank as their means.
    total = np.bincount(place, weights=confidence.ravel(), minlength=images * candidates).reshape(shape)
    frequent = votes == votes.max(axis=1, keepdims=True)
    return np.asarray(np.where(frequent, total, -np.inf).argmax(axis=1))


def _at(probabilities: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Pick the probability of one class per image, the class axis being the last."""
    return np.take_along_axis(probabilities, classes[..., np.newaxis], axis=-1)[..., 0]
