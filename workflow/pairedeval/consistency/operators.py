"""What each mild operator does to the outputs at each strength (Sections 4.3 and 5.1)."""

import numpy as np
import pandas as pd

from pairedeval.consistency.margins import displacements, flips
from pairedeval.consistency.quantities import probabilities
from pairedeval.consistency.runs import by_run, mean_over_runs
from pairedeval.consistency.views import LEVELS, OPERATORS, Views
from pairedeval.records import CLEAN, EVALUATION

MEASURES = ("flip_rate", "mean_displacement", "mean_abs_confidence_change")


def measure_operators(views: Views) -> pd.DataFrame:
    """Measure flips, displacement and change of confidence of each run on its clean evaluation images.

    Parameters
    ----------
    views
        Views of one configuration, kind ``levels``.

    Returns
    -------
    pandas.DataFrame
        Rows per ``model``, ``group``, ``seed``, ``level`` and ``operator``: ``flip_rate`` (share of the images),
        ``mean_displacement`` (of the logits, not scaled), ``mean_abs_confidence_change`` (of the largest probability)
        and ``images``.
    """
    levels = [_measure_level(views.at_level(level, CLEAN, EVALUATION), level) for level in LEVELS]
    return by_run(views, [pd.concat(run) for run in zip(*levels, strict=True)])


def _measure_level(logits: np.ndarray, level: int) -> list[pd.DataFrame]:
    """Return one table a seed, a row per operator, from logits of shape ``(seeds, 1 + K, n, classes)``."""
    confidence = probabilities(logits).max(axis=-1)
    measured = (flips(logits), displacements(logits), np.abs(confidence[:, 1:] - confidence[:, :1]))
    means = [values.mean(axis=-1) for values in measured]
    keys = {"level": level, "operator": OPERATORS}
    return [
        pd.DataFrame({**keys, **dict(zip(MEASURES, run, strict=True)), "images": logits.shape[2]})
        for run in zip(*means, strict=True)
    ]


def summarise_operators(operators: pd.DataFrame) -> pd.DataFrame:
    """Average the measures of each operator and level over configurations, seeds first.

    Parameters
    ----------
    operators
        Tables of `measure_operators`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per ``operator`` and ``level``: means of `MEASURES`, ``configurations``, ``runs``, ``lowest_flip_rate`` and
        ``highest_flip_rate`` (extreme means of single configurations).
    """
    keys = ["operator", "level"]
    by_model = operators.groupby([*keys, "model"], sort=False)["flip_rate"].mean().groupby(keys, sort=False)
    extremes = pd.DataFrame({"lowest_flip_rate": by_model.min(), "highest_flip_rate": by_model.max()}).reset_index()
    found = mean_over_runs(operators, keys, MEASURES).drop(columns="undefined")
    return found.merge(extremes, on=keys, validate="one_to_one")
