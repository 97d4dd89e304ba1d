"""A no-flip certificate without labels: a split-conformal quantile of displacements (Section 3.4).

An operator can change the prediction of an image only if the margin is at most D, its largest scaled displacement (see
`margins`). The threshold is a high order statistic of D over calibration images, and an image is certified if its
margin is above it. A certified image that flips has D above the threshold. If calibration and test images are
exchangeable, D of the test image is equally likely to take any rank among all n + 1, so that happens with probability
at most beta, whatever the margins have to do with D. The guarantee is marginal: it averages over draws of the
calibration images and of the test image. One calibration may exceed beta, and other images than those of the
calibration (shifted, attacked) are not covered.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pandas as pd

from pairedeval.consistency.halves import clean_half
from pairedeval.consistency.margins import flips, violations, worst_displacements
from pairedeval.consistency.quantities import margins
from pairedeval.consistency.runs import by_run, mean_over_runs, wrong_predictions
from pairedeval.consistency.views import Views
from pairedeval.identification.levels import STRICTNESS
from pairedeval.records import DEVELOPMENT, EVALUATION
from pairedeval.states import conditional_mean

# Probabilities beta that a certified image flips.
BETAS = (0.01, 0.02, 0.05, 0.1, 0.2)


def calibration_rank(images: int, beta: float) -> int:
    """Return ceil((n + 1)(1 - beta)): the rank, among n ascending displacements, of the threshold.

    Computed in fractions, with beta as the decimal number that it is written as, because 150 * (1 - 0.18) is more than
    123 in binary arithmetic.

    Parameters
    ----------
    images
        Number n of calibration images.
    beta
        Probability, in (0, 1).

    Returns
    -------
    int
        At least 1; above n where there are too few images for this beta.

    Raises
    ------
    ValueError
        If beta is not in (0, 1).

    Examples
    --------
    >>> calibration_rank(19, 0.05), calibration_rank(18, 0.05), calibration_rank(149, 0.18)
    (19, 19, 123)
    """
    if not 0 < beta < 1:
        raise ValueError(f"beta is {beta}; give a probability above 0 and below 1")
    return math.ceil((images + 1) * (1 - Fraction(str(float(beta)))))


def calibrate(displacements: np.ndarray, beta: float) -> np.ndarray | np.floating:
    """Return the margin above which an image is certified.

    Parameters
    ----------
    displacements
        Largest scaled displacement D of each calibration image, see `margins.worst_displacements`, shape ``(..., n)``.
    beta
        Largest probability that an image is certified and flips, in (0, 1).

    Returns
    -------
    numpy.ndarray
        The `calibration_rank`-th smallest displacement, float64, shape ``(...)``; infinite if that rank is above n.

    Raises
    ------
    ValueError
        If beta is not in (0, 1).

    Examples
    --------
    >>> displacements = np.array([0.4, 0.1, 0.3, 0.2])
    >>> float(calibrate(displacements, 0.2)), float(calibrate(displacements, 0.4)), float(calibrate(displacements, 0.1))
    (0.4, 0.3, inf)
    """
    images = displacements.shape[-1]
    rank = calibration_rank(images, beta)
    if rank > images:
        return np.full(displacements.shape[:-1], np.inf)[()]
    threshold: np.ndarray = np.sort(displacements, axis=-1)[..., rank - 1]
    return threshold


def certify(margins: np.ndarray, threshold: float | np.ndarray | np.floating) -> np.ndarray:
    """Return which images no operator flips, up to the probability of the threshold.

    Parameters
    ----------
    margins
        Margin of each image, shape ``(..., n)``.
    threshold
        Result of `calibrate`, shape ``(...)``; an infinite one certifies nothing.

    Returns
    -------
    numpy.ndarray
        Bool, shape ``(..., n)``.

    Examples
    --------
    >>> certify(np.array([0.2, 0.3, 0.4]), 0.3).tolist()
    [False, False, True]
    """
    certified: np.ndarray = margins > np.expand_dims(threshold, -1)
    return certified


def measure_certificate(views: Views, betas: Sequence[float] = BETAS) -> pd.DataFrame:
    """Calibrate the certificate of each run on its development images and judge it on its evaluation images.

    Parameters
    ----------
    views
        View file with clean images of both halves.
    betas
        Probabilities in (0, 1).

    Returns
    -------
    pandas.DataFrame
        Rows per ``model``, ``group``, ``seed`` and ``beta``: ``threshold`` (margin, logit units; NaN where it is
        infinite), ``infinite`` (bool); of the evaluation images, shares: ``coverage`` (certified), ``realized``
        (certified and flipped by any operator), ``flip_rate`` (flipped by any operator), ``certified_accuracy`` (NaN if
        none is certified), ``accuracy``; ``violations`` of the inequality in all views of the file,
        ``calibration_images`` and ``evaluation_images`` (numbers).

    Raises
    ------
    RecordsError
        If a half has no image.
    """
    worst, logits = worst_displacements(clean_half(views, DEVELOPMENT)), clean_half(views, EVALUATION)
    runs = zip(worst, margins(logits[:, 0]), flips(logits), ~wrong_predictions(views, logits), strict=True)
    broken = violations(views.logits).sum(axis=1)
    tables = [_judge(betas, *run).assign(violations=count) for run, count in zip(runs, broken, strict=True)]
    images = {"calibration_images": worst.shape[1], "evaluation_images": logits.shape[2]}
    return by_run(views, tables).assign(**images)


def _judge(
    betas: Sequence[float], worst: np.ndarray, margin: np.ndarray, changed: np.ndarray, correct: np.ndarray
) -> pd.DataFrame:
    """Judge the certificates of one run on margins, flips under each operator and correctness of evaluation images."""
    threshold, flipped = np.array([calibrate(worst, beta) for beta in betas]), changed.any(axis=0)
    certified = certify(margin, threshold)
    return pd.DataFrame(
        {
            "beta": betas,
            "threshold": np.where(np.isinf(threshold), np.nan, threshold),
            "infinite": np.isinf(threshold),
            "coverage": certified.mean(axis=1),
            "realized": (certified & flipped).mean(axis=1),
            "flip_rate": flipped.mean(),
            "certified_accuracy": conditional_mean((certified & correct).sum(axis=1), certified.sum(axis=1)),
            "accuracy": correct.mean(),
        }
    )


def summarise_certificate(certificates: pd.DataFrame) -> pd.DataFrame:
    """Average the certificates over configurations, seeds first, and count where the guarantee does not show (Table 7).

    Parameters
    ----------
    certificates
        Tables of `measure_certificate`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per ``beta``: means of ``coverage``, ``realized``, ``flip_rate``, ``certified_accuracy`` (of the runs that
        certify an image) and ``accuracy``; ``configurations``, ``runs``, ``undefined`` (runs that certify no image),
        ``largest_realized`` (of a run), ``above`` (runs whose realised rate is above beta; the guarantee is about the
        mean of many calibrations), ``infinite`` (runs without a finite threshold) and ``violations`` (of the
        inequality).
    """
    averaged = ["coverage", "realized", "flip_rate", "certified_accuracy", "accuracy"]
    marked = certificates.assign(above=certificates["realized"] > certificates["beta"] + STRICTNESS)
    counts = marked.groupby("beta", sort=False).agg(
        largest_realized=("realized", "max"),
        above=("above", "sum"),
        infinite=("infinite", "sum"),
        violations=("violations", "sum"),
    )
    return mean_over_runs(certificates, ["beta"], averaged).merge(
        counts.reset_index(), on="beta", validate="one_to_one"
    )


def average_seeds(certificates: pd.DataFrame) -> pd.DataFrame:
    """Average the certificates over the seeds of each configuration.

    Parameters
    ----------
    certificates
        Tables of `measure_certificate`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per ``model``, ``group`` and ``beta``: means of ``coverage`` and ``realized``, and ``runs``.
    """
    grouped = certificates.groupby(["model", "group", "beta"], sort=False)
    means = grouped[["coverage", "realized"]].mean()
    return means.assign(runs=grouped.size()).reset_index()
