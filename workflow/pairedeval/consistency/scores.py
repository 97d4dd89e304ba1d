"""Scores of how far a prediction can be trusted, from one forward pass and from one pass per view (Section 4.4).

Every score is larger where a prediction deserves more trust; its negative is a risk for `screening.ranking.auroc`. The
summary of the paper names the scores that consistency is compared with; their formulas are the usual ones:

========================  =============================================================================================
``msp``                   largest softmax probability
``margin``                largest logit minus the second largest
``entropy``               negative entropy of the softmax
``energy``                log of the summed exponentials of the logits, the negative of the free energy at temperature 1
``doctor``                negative of (1 - g) / g, where g is the sum of the squared probabilities
``tta_confidence``        largest entry of the mean softmax over all 1 + K views
``tta_agreement``         share of the 1 + K views whose prediction is that of the mean softmax
``stability``             LS
``deviation``             negative of CD
``consistency``           CS, and ``consistency_tv`` and ``consistency_rescaled`` with the variants of CD in its place
========================  =============================================================================================
"""

import numpy as np
from scipy.special import log_softmax, logsumexp

from pairedeval.consistency.quantities import (
    confidence_deviation,
    consistency_score,
    label_stability,
    margins,
    rescaled_deviation,
    total_variation,
)
from pairedeval.consistency.views import OPERATORS

SINGLE_PASS_SCORES = ("msp", "margin", "entropy", "energy", "doctor")
AVERAGED_SCORES = ("tta_confidence", "tta_agreement")
CONSISTENCY_SCORES = ("stability", "deviation", "consistency", "consistency_tv", "consistency_rescaled")
SCORES = (*SINGLE_PASS_SCORES, *AVERAGED_SCORES, *CONSISTENCY_SCORES)
# Forward passes that a score of one image takes (Section 3.6).
FORWARD_PASSES = {name: 1 if name in SINGLE_PASS_SCORES else 1 + len(OPERATORS) for name in SCORES}


def trust_scores(views: np.ndarray) -> dict[str, np.ndarray]:
    """Compute every score of every image.

    Parameters
    ----------
    views
        Logits, shape ``(..., 1 + K, n, classes)``, original first.

    Returns
    -------
    dict
        Scores in the order of `SCORES`, float64, shape ``(..., n)`` each.

    Examples
    --------
    >>> found = trust_scores(np.log([[[0.75, 0.25]], [[0.25, 0.75]]]))
    >>> [round(float(found[name][0]), 3) for name in ("msp", "tta_confidence", "tta_agreement", "consistency")]
    [0.75, 0.5, 0.5, 0.5]
    """
    logits = views.astype(np.float64)
    logarithms = log_softmax(logits, axis=-1)
    probabilities = np.exp(logarithms)
    found = (
        _single_pass_scores(logits[..., 0, :, :], logarithms[..., 0, :, :], probabilities[..., 0, :, :])
        | _averaged_scores(views.argmax(axis=-1), probabilities)
        | _consistency_scores(views.argmax(axis=-1), probabilities)
    )
    return {name: found[name] for name in SCORES}


def _single_pass_scores(logits: np.ndarray, logarithms: np.ndarray, probabilities: np.ndarray) -> dict[str, np.ndarray]:
    """Compute the scores of the original; all arrays have the shape ``(..., n, classes)``."""
    squares = (probabilities**2).sum(axis=-1)
    return {
        "msp": probabilities.max(axis=-1),
        "margin": margins(logits),
        "entropy": (probabilities * logarithms).sum(axis=-1),
        "energy": np.asarray(logsumexp(logits, axis=-1)),
        "doctor": -(1 - squares) / squares,
    }


def _averaged_scores(predictions: np.ndarray, probabilities: np.ndarray) -> dict[str, np.ndarray]:
    """Compute the scores that average the predictions of all views, as test-time augmentation does."""
    mean = probabilities.mean(axis=-3)
    return {
        "tta_confidence": mean.max(axis=-1),
        "tta_agreement": (predictions == mean.argmax(axis=-1)[..., np.newaxis, :]).mean(axis=-2),
    }


def _consistency_scores(predictions: np.ndarray, probabilities: np.ndarray) -> dict[str, np.ndarray]:
    confidence, stability = probabilities.max(axis=-1), label_stability(predictions)
    deviation = confidence_deviation(confidence)
    return {
        "stability": stability,
        "deviation": -deviation,
        "consistency": consistency_score(stability, deviation),
        "consistency_tv": consistency_score(stability, total_variation(probabilities)),
        "consistency_rescaled": consistency_score(stability, rescaled_deviation(confidence)),
    }
