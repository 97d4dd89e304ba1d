"""How well stability and confidence rank the errors of one model, and what the errors of each class look like."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pairedeval.own.answers import Answer
from pairedeval.own.screening_ranking import comparable
from pairedeval.own.screening_recall import DRAWS, drawn_images
from pairedeval.resampling import percentile_ends
from pairedeval.screening.ranking import auroc
from pairedeval.states import conditional_mean

CONFIDENCE = "confidence"
STABILITY = "label_stability"
DEVIATION = "confidence_deviation"
SCORE = "consistency_score"
# Sign that makes each quantity a risk: larger where an error is more likely.
RISK_SIGNS = {CONFIDENCE: -1, STABILITY: -1, DEVIATION: 1, SCORE: -1}


def detection_answer(quantities: Mapping[str, np.ndarray], correct: np.ndarray) -> Answer:
    """Say how well each quantity ranks wrong predictions before right ones, and compare consistency with confidence.

    Parameters
    ----------
    quantities
        Values of each quantity of `RISK_SIGNS`, shape ``(n,)``.
    correct
        Whether the prediction is right, bool, shape ``(n,)``.

    Returns
    -------
    dict
        ``auroc`` per quantity (ties one half; None if all predictions are right, or none is) and ``comparison``:
        ``difference`` (AUROC of the consistency score minus that of confidence), ``interval`` (95%, from resampled
        images), ``draws`` and ``undefined_draws``, draws without errors or with errors only, which are left out.
    """
    risk = np.stack([sign * comparable(quantities[name]) for name, sign in RISK_SIGNS.items()])
    area = dict(zip(RISK_SIGNS, auroc(risk, ~correct[np.newaxis])[:, 0].tolist(), strict=True))
    compared = risk[[list(RISK_SIGNS).index(name) for name in (CONFIDENCE, SCORE)]]
    difference = np.diff(resampled_areas(compared, ~correct), axis=0)[0]
    ends = percentile_ends(difference[:, np.newaxis])[:, 0]
    return {
        "auroc": {name: value_or_none(value) for name, value in area.items()},
        "comparison": {
            "difference": value_or_none(area[SCORE] - area[CONFIDENCE]),
            "interval": None if np.isnan(ends).any() else ends.tolist(),
            "draws": DRAWS,
            "undefined_draws": int(np.isnan(difference).sum()),
        },
    }


def resampled_areas(risk: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """Return the AUROC of each risk in every resample of the images.

    The numbers are those of `pairedeval.screening.ranking.auroc` with the resamples as weights. One resample at a time
    stays in the processor's cache, which for large files is about ten times as fast.

    Parameters
    ----------
    risk
        Larger where an error is more likely, shape ``(scores, n)``.
    wrong
        Whether the prediction is wrong, bool, shape ``(n,)``.

    Returns
    -------
    numpy.ndarray
        Shape ``(scores, DRAWS)``; NaN where a resample holds no error, or errors only.
    """
    orders = np.argsort(risk, axis=1)
    ends = []
    for values, order in zip(risk, orders, strict=True):
        ascending, of_errors = values[order], values[wrong]
        ends.append((ascending.searchsorted(of_errors, "left"), ascending.searchsorted(of_errors, "right")))
    areas = []
    for weights in drawn_images(len(wrong), DRAWS):
        for copies in weights.T:
            errors, right = copies[wrong], np.where(wrong, 0, copies)
            below = [np.append(0, right[order].cumsum()) for order in orders]
            # An error wins against right predictions of less risk, and half against those of equal risk.
            won = [errors @ (part[first] + part[last]) / 2 for part, (first, last) in zip(below, ends, strict=True)]
            areas.append(conditional_mean(np.array(won), np.full(len(risk), errors.sum() * right.sum())))
    return np.array(areas).T


def class_answers(labels: pd.Series, correct: np.ndarray, stability: np.ndarray) -> list[Answer]:
    """Say of each class how often it is recognised and how stable its errors are, the lowest recall first.

    Parameters
    ----------
    labels
        True class of each image.
    correct
        Whether the prediction is right, bool, shape ``(n,)``.
    stability
        LS of each image, shape ``(n,)``.

    Returns
    -------
    list of dict
        ``label``, ``images``, ``recall``, ``errors`` and ``error_stability``, the mean LS of the class's wrongly
        predicted images, None without any.
    """
    frame = pd.DataFrame({"recall": correct, "error_stability": np.where(correct, np.nan, stability)})
    grouped = frame.groupby(labels.to_numpy(), sort=True)
    found = grouped.mean().assign(images=grouped.size(), errors=grouped["error_stability"].count())
    found = found.sort_values("recall", kind="stable").rename_axis("label").reset_index()
    return [
        {
            "label": row["label"],
            "images": row["images"],
            "recall": row["recall"],
            "errors": row["errors"],
            "error_stability": value_or_none(row["error_stability"]),
        }
        for row in found.to_dict("records")
    ]


def value_or_none(number: float) -> float | None:
    """Return a number as JSON knows it; None where it is undefined."""
    return None if np.isnan(number) else float(number) + 0.0  # no negative zero
