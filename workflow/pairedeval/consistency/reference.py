"""Accuracy, calibration and consistency of the runs of a configuration (Section 5.1, Table 3)."""

import numpy as np
import pandas as pd
from scipy.stats import pearsonr

from pairedeval.consistency.quantities import (
    confidence_deviation,
    consistency_accuracy_gap,
    consistency_score,
    label_stability,
    probabilities,
    rescaled_deviation,
    total_variation,
)
from pairedeval.consistency.runs import by_run, wrong_predictions
from pairedeval.consistency.views import LEVELS, Views
from pairedeval.records import CLEAN, EVALUATION

CALIBRATION_BINS = 15
MEASURES = (
    "accuracy",
    "mean_confidence",
    "stability",
    "deviation",
    "consistency",
    "total_variation",
    "rescaled_deviation",
    "gap",
    "calibration_error",
)
PAIRS = (("accuracy", "consistency"), ("consistency", "calibration_error"))
_FEWEST_CONFIGURATIONS = 3


def measure_models(views: Views, level: int = LEVELS[0]) -> pd.DataFrame:
    """Measure each run of a configuration on its clean evaluation images.

    The paper takes accuracy and calibration error from a larger set than the consistency; here all come from the same
    images, so that the gap is mean instability minus error rate exactly.

    Parameters
    ----------
    views
        Views of one configuration, kind ``levels``.
    level
        Strength of the operators.

    Returns
    -------
    pandas.DataFrame
        One row a seed: ``model``, ``group``, ``seed``, then shares: ``accuracy``, ``mean_confidence``, ``stability``
        (LS), ``deviation`` (CD), ``consistency`` (CS), ``total_variation`` and ``rescaled_deviation`` (variants of CD),
        ``gap`` (CAG), ``calibration_error`` (ECE); and ``images``.
    """
    logits = views.at_level(level, CLEAN, EVALUATION)
    shares = probabilities(logits)
    correct, confidence = ~wrong_predictions(views, logits), shares.max(axis=-1)
    stability, deviation = label_stability(logits.argmax(axis=-1)), confidence_deviation(confidence)
    score = consistency_score(stability, deviation)
    columns = {
        "accuracy": correct,
        "mean_confidence": confidence[:, 0],
        "stability": stability,
        "deviation": deviation,
        "consistency": score,
        "total_variation": total_variation(shares),
        "rescaled_deviation": rescaled_deviation(confidence),
    }
    table = pd.DataFrame({name: values.mean(axis=-1) for name, values in columns.items()})
    table["gap"] = consistency_accuracy_gap(correct, score)
    table["calibration_error"] = [calibration_error(*run) for run in zip(confidence[:, 0], correct, strict=True)]
    table["images"] = correct.shape[-1]
    return by_run(views, [table.iloc[[number]] for number in range(len(table))])


def calibration_error(confidence: np.ndarray, correct: np.ndarray, bins: int = CALIBRATION_BINS) -> float:
    """Return the expected calibration error: the mean gap of accuracy and confidence over bins of equal width.

    Parameters
    ----------
    confidence
        Confidence of each prediction, a share, shape ``(n,)``.
    correct
        Whether it is right, bool, same shape.
    bins
        Number of bins; a confidence on an edge belongs to the lower bin.

    Returns
    -------
    float
        Share; bins weigh as many images as they hold.

    Examples
    --------
    >>> round(calibration_error(np.array([0.9, 0.8, 0.3]), np.array([True, False, False]), bins=2), 3)
    0.333
    """
    place = np.digitize(confidence, np.linspace(0, 1, bins + 1)[1:-1], right=True)
    excess = np.bincount(place, weights=confidence - correct, minlength=bins)
    return float(np.abs(excess).sum() / len(confidence))


def summarise_models(models: pd.DataFrame) -> pd.DataFrame:
    """Average the measures of each configuration over its seeds (Table 3).

    Parameters
    ----------
    models
        Tables of `measure_models`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per ``model`` and ``group``: means of `MEASURES`, ``consistency_spread`` (standard deviation of the mean
        CS over the seeds, n - 1 in the denominator; NaN with one seed), ``gap_spread`` (of CAG) and ``seeds``.
    """
    grouped = models.groupby(["model", "group"], sort=False)
    found = grouped[[*MEASURES]].mean()
    for name in ("consistency", "gap"):
        found[f"{name}_spread"] = grouped[name].std()
    found["seeds"] = grouped.size()
    return found.reset_index()


def correlate_models(models: pd.DataFrame) -> pd.DataFrame:
    """Correlate measures over configurations, means over seeds (Section 5.1).

    Parameters
    ----------
    models
        Tables of `measure_models`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per pair of `PAIRS`: ``first``, ``second``, ``correlation`` (Pearson), ``p_value`` (two-sided) and
        ``configurations``. NaN with fewer than three configurations or where a measure is constant.
    """
    means = summarise_models(models)
    rows = [(*pair, *_correlation(means[pair[0]], means[pair[1]]), len(means)) for pair in PAIRS]
    return pd.DataFrame(rows, columns=["first", "second", "correlation", "p_value", "configurations"])


def _correlation(first: pd.Series, second: pd.Series) -> tuple[float, float]:
    if len(first) < _FEWEST_CONFIGURATIONS or not np.ptp(first) or not np.ptp(second):
        return float("nan"), float("nan")
    found = pearsonr(first, second)
    return float(found.statistic), float(found.pvalue)
