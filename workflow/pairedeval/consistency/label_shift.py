"""Posteriors under other class shares than those of the training images (Section 5.9).

Under label shift classes look the same and only their shares differ. Then the posterior under other shares is known:
p_i times target_i / source_i, made to sum to one. Where the target is unknown, expectation maximisation estimates it
from the posteriors of unlabelled images (Saerens, Latinne & Decaestecker, Neural Computation 14, 2002).
"""

import numpy as np

# Largest change of a share in the last step of the estimate, and number of steps after which it stops anyway.
TOLERANCE = 1e-8
LARGEST_STEPS = 10_000


def correct_prior(logits: np.ndarray, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return logits whose softmax is the posterior under other class shares.

    Parameters
    ----------
    logits
        Shape ``(..., classes)``.
    source
        Share of each class among the training images, above zero, shape ``(classes,)``.
    target
        Share of each class where the model is used; the logit of a class without a share is minus infinity.

    Returns
    -------
    numpy.ndarray
        float64, of the shape of `logits`.

    Examples
    --------
    >>> corrected = correct_prior(np.log([[0.75, 0.25]]), np.array([0.75, 0.25]), np.array([0.5, 0.5]))
    >>> (np.exp(corrected) / np.exp(corrected).sum()).round(6).tolist()
    [[0.5, 0.5]]
    """
    with np.errstate(divide="ignore"):
        shift = np.log(target / source)
    corrected: np.ndarray = logits.astype(np.float64) + shift
    return corrected


def estimate_prior(posteriors: np.ndarray, source: np.ndarray) -> np.ndarray:
    """Estimate the class shares of unlabelled images by expectation maximisation.

    The estimate maximises the likelihood of the images over the class shares. It starts at `source` and stops when no
    share changes by more than `TOLERANCE` in a step, or after `LARGEST_STEPS` steps.

    Parameters
    ----------
    posteriors
        Posterior of each image under the training shares, shape ``(n, classes)``.
    source
        Share of each class among the training images, above zero, shape ``(classes,)``.

    Returns
    -------
    numpy.ndarray
        Shares, shape ``(classes,)``.

    Examples
    --------
    >>> estimate_prior(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]), np.array([0.5, 0.5])).tolist()
    [0.25, 0.75]
    """
    shares = source
    for _ in range(LARGEST_STEPS):
        before, shares = shares, prior_step(posteriors, source, shares)
        if np.abs(shares - before).max() <= TOLERANCE:
            break
    return shares


def prior_step(posteriors: np.ndarray, source: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the mean posterior under the current estimate of the class shares; it never lowers the likelihood.

    Parameters
    ----------
    posteriors, source
        As for `estimate_prior`.
    shares
        Current estimate, shape ``(classes,)``.
    """
    joint = posteriors * (shares / source)
    mean: np.ndarray = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
    return mean
