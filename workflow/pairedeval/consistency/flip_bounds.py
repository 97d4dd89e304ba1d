"""Bounds on the chance that an operator flips the prediction of an image, from calibration displacements (Section 5.5).

An operator flips an image of margin m only if its scaled displacement is at least m (see `margins`), so the chance that
a displacement of the calibration images reaches m bounds the chance of a flip. That takes the displacements of images
of margin m to be like those of all images; where they are larger, a bound can be exceeded, and the counts here show
whether it is. The summary of the paper names its bounds only. The reading here: ``dkw``, the share of calibration
displacements that reach m plus the one-sided Dvoretzky-Kiefer-Wolfowitz correction, valid for all m at once with
probability 1 - alpha; ``plain``, the share without the correction; and ``lemma``, for the "lemma-shaped" one, Markov's
inequality, the mean calibration displacement over m.
"""

import math

import numpy as np
import pandas as pd

from pairedeval.consistency.halves import clean_half
from pairedeval.consistency.margins import DECILES, deciles, flips, scaled_displacements
from pairedeval.consistency.quantities import margins
from pairedeval.consistency.runs import RUN_KEYS, by_run, mean_over_runs
from pairedeval.consistency.views import OPERATORS, Views
from pairedeval.identification.levels import STRICTNESS
from pairedeval.records import DEVELOPMENT, EVALUATION
from pairedeval.states import conditional_mean

# Probability that the correction fails for some margin.
ALPHA = 0.05
DKW, PLAIN, LEMMA = BOUNDS = ("dkw", "plain", "lemma")


def dkw_correction(images: int, alpha: float = ALPHA) -> float:
    """Return sqrt(log(1 / alpha) / (2 n)), the one-sided correction of a share of n images; alpha at most one half.

    Examples
    --------
    >>> round(dkw_correction(300), 4)
    0.0707
    """
    return math.sqrt(math.log(1 / alpha) / (2 * images))


def flip_bounds(displacements: np.ndarray, margin: np.ndarray, alpha: float = ALPHA) -> dict[str, np.ndarray]:
    """Bound the chance that one operator flips images of the given margins.

    Parameters
    ----------
    displacements
        Scaled displacements of the calibration images under this operator, shape ``(n,)``, at least one.
    margin
        Margins of other images, shape ``(m,)``.
    alpha
        Probability that the correction fails, at most one half.

    Returns
    -------
    dict
        By `BOUNDS`: shares in [0, 1], shape ``(m,)``; 1 says nothing.

    Examples
    --------
    >>> bounds = flip_bounds(np.array([0.5, 1.0, 1.5, 3.0]), np.array([0.0, 1.5, 6.0]))
    >>> bounds["plain"].tolist(), bounds["lemma"].tolist(), bounds["dkw"].round(3).tolist()
    ([1.0, 0.5, 0.0], [1.0, 1.0, 0.25], [1.0, 1.0, 0.612])
    """
    images = len(displacements)
    reached = 1 - np.searchsorted(np.sort(displacements), margin, side="left") / images
    mean = displacements.mean()
    return {
        DKW: np.minimum(1, reached + dkw_correction(images, alpha)),
        PLAIN: reached,
        LEMMA: np.divide(mean, margin, out=np.ones_like(margin), where=margin > mean),
    }


def measure_flip_bounds(views: Views) -> pd.DataFrame:
    """Judge the bounds of each run, calibrated on its development images, on its evaluation images.

    A cell is one run, operator and tenth of the evaluation images by margin, see `margins.deciles`.

    Parameters
    ----------
    views
        View file with clean images of both halves.

    Returns
    -------
    pandas.DataFrame
        Rows per ``model``, ``group``, ``seed``, ``operator`` and ``bound`` (one of `BOUNDS`): ``mean_bound`` and
        ``flip_rate`` (shares of the evaluation images), ``brier`` (mean squared difference between the bound and
        whether the image flips), ``cells`` (with images), ``exceeded`` (cells with more flips than their mean bound),
        ``trivial`` (cells whose mean bound is 1), ``images`` (evaluation images).

    Raises
    ------
    RecordsError
        If a half has no image.
    """
    displaced, logits = scaled_displacements(clean_half(views, DEVELOPMENT)), clean_half(views, EVALUATION)
    runs = zip(displaced, flips(logits), margins(logits[:, 0]), strict=True)
    return by_run(views, [_judge_run(*run) for run in runs])


def _judge_run(displaced: np.ndarray, flipped: np.ndarray, margin: np.ndarray) -> pd.DataFrame:
    """Judge one run; displacements and flips have a row per operator."""
    tenth = deciles(margin)
    rows = []
    for operator, calibration, flip in zip(OPERATORS, displaced, flipped, strict=True):
        for name, bound in flip_bounds(calibration, margin).items():
            rows.append({"operator": operator, "bound": name, **_judge(bound, flip, tenth)})
    return pd.DataFrame(rows)


def _judge(bound: np.ndarray, flipped: np.ndarray, tenth: np.ndarray) -> dict[str, float | int]:
    """Compare the bound of each image with its flip, in all and in the cells of one seed and operator."""
    size = np.bincount(tenth, minlength=DECILES)
    filled = size > 0
    allowed, seen = (np.bincount(tenth, values, DECILES)[filled] / size[filled] for values in (bound, flipped))
    return {
        "mean_bound": bound.mean(),
        "flip_rate": flipped.mean(),
        "brier": ((bound - flipped) ** 2).mean(),
        "cells": int(filled.sum()),
        "exceeded": int((seen > allowed + STRICTNESS).sum()),
        "trivial": int((allowed >= 1 - STRICTNESS).sum()),
        "images": len(bound),
    }


def summarise_flip_bounds(bounds: pd.DataFrame) -> pd.DataFrame:
    """Average the bounds over configurations, seeds and operators first, and add up their cells (Section 5.5).

    Parameters
    ----------
    bounds
        Tables of `measure_flip_bounds`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per ``bound``: means of ``mean_bound``, ``flip_rate`` and ``brier``, ``configurations``, ``runs``; sums of
        ``cells``, ``exceeded`` and ``trivial``; ``exceeded_share`` and ``trivial_share`` of the cells, and ``ratio``,
        the mean bound over the flip rate (NaN without flips).
    """
    averaged, counted = ["mean_bound", "flip_rate", "brier"], ["cells", "exceeded", "trivial"]
    by_seed = bounds.groupby(["bound", *RUN_KEYS], sort=False)[averaged].mean().reset_index()
    sums = bounds.groupby("bound", sort=False)[counted].sum().reset_index()
    means = mean_over_runs(by_seed, ["bound"], averaged).drop(columns="undefined")
    found = means.merge(sums, on="bound", validate="one_to_one")
    return found.assign(
        exceeded_share=found["exceeded"] / found["cells"],
        trivial_share=found["trivial"] / found["cells"],
        ratio=conditional_mean(found["mean_bound"].to_numpy(), found["flip_rate"].to_numpy()),
    )
