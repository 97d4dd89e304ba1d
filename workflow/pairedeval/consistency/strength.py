"""Strength of the operators and weight of label stability, chosen on calibration images (Sections 5.3 and 5.6)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pairedeval.consistency.quantities import (
    DEFAULT_WEIGHT,
    confidence_deviation,
    consistency_score,
    label_stability,
    probabilities,
)
from pairedeval.consistency.runs import by_run, mean_over_runs, wrong_predictions
from pairedeval.consistency.views import LEVELS, Views
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION
from pairedeval.screening.ranking import auroc

WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_SELECTION = ["calibration_auroc", "evaluation_auroc"]


def measure_strength(views: Views) -> pd.DataFrame:
    """Measure how well CS ranks the errors of each run with operators of each strength.

    Parameters
    ----------
    views
        Views of one configuration, kind ``levels``.

    Returns
    -------
    pandas.DataFrame
        ``model``, ``group``, ``seed``, ``level``, ``calibration_auroc`` and ``evaluation_auroc`` (of CS),
        ``msp_auroc`` (evaluation, the same at every level), ``consistency`` (mean CS, evaluation) and ``selected`` (the
        largest calibration AUROC, the mildest of equal ones; no level if none is defined). AUROC is NaN where all
        predictions of a half are right, or all are wrong.
    """
    tables = []
    for level in LEVELS:
        calibration, evaluation = (_Half.of(views, level, split) for split in (DEVELOPMENT, EVALUATION))
        columns = {
            "calibration_auroc": calibration.auroc(calibration.consistency()),
            "evaluation_auroc": evaluation.auroc(evaluation.consistency()),
            "msp_auroc": evaluation.auroc(evaluation.confidence),
            "consistency": evaluation.consistency().mean(axis=-1),
        }
        tables.append(pd.DataFrame({"level": level, **columns}))
    return _with_selection(views, tables)


def measure_weights(views: Views, level: int = LEVELS[0]) -> pd.DataFrame:
    """Measure how well CS ranks the errors of each run with each weight alpha of label stability.

    Parameters
    ----------
    views
        Views of one configuration, kind ``levels``.
    level
        Strength of the operators.

    Returns
    -------
    pandas.DataFrame
        ``model``, ``group``, ``seed``, ``weight``, ``calibration_auroc``, ``evaluation_auroc`` and ``selected`` (the
        largest calibration AUROC, the smallest of equal weights), undefined as for `measure_strength`.
    """
    calibration, evaluation = (_Half.of(views, level, split) for split in (DEVELOPMENT, EVALUATION))
    tables = []
    for weight in WEIGHTS:
        columns = {
            "calibration_auroc": calibration.auroc(calibration.consistency(weight)),
            "evaluation_auroc": evaluation.auroc(evaluation.consistency(weight)),
        }
        tables.append(pd.DataFrame({"weight": weight, **columns}))
    return _with_selection(views, tables)


def summarise_strength(strength: pd.DataFrame) -> pd.DataFrame:
    """Average the measures of each strength over configurations, seeds first, and count the choices.

    Parameters
    ----------
    strength
        Tables of `measure_strength`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per ``level``: means of ``calibration_auroc``, ``evaluation_auroc``, ``msp_auroc`` and ``consistency``,
        ``configurations``, ``runs``, ``undefined`` (runs without one of these) and ``selected`` (runs).
    """
    return _with_choices(strength, "level", [*_SELECTION, "msp_auroc", "consistency"])


def summarise_weights(weights: pd.DataFrame) -> pd.DataFrame:
    """Average the measures of each weight over configurations, seeds first, and count the choices.

    Parameters
    ----------
    weights
        Tables of `measure_weights`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per ``weight``: means of ``calibration_auroc`` and ``evaluation_auroc``, and counts as for
        `summarise_strength`.
    """
    return _with_choices(weights, "weight", _SELECTION)


@dataclass(frozen=True)
class _Half:
    """What CS and its rival need of one half of the images, arrays of shape ``(seeds, n)``."""

    wrong: np.ndarray
    confidence: np.ndarray
    stability: np.ndarray
    deviation: np.ndarray

    @classmethod
    def of(cls, views: Views, level: int, split: str) -> "_Half":
        logits = views.at_level(level, CLEAN, split)
        confidence = probabilities(logits).max(axis=-1)
        return cls(
            wrong=wrong_predictions(views, logits, split),
            confidence=confidence[:, 0],
            stability=label_stability(logits.argmax(axis=-1)),
            deviation=confidence_deviation(confidence),
        )

    def consistency(self, weight: float = DEFAULT_WEIGHT) -> np.ndarray:
        return consistency_score(self.stability, self.deviation, weight)

    def auroc(self, trust: np.ndarray) -> np.ndarray:
        """Return how well a score ranks the errors of each seed, shape ``(seeds,)``."""
        runs = zip(-trust, self.wrong, strict=True)
        return np.array([auroc(risk[np.newaxis], wrong[np.newaxis])[0, 0] for risk, wrong in runs])


def _with_selection(views: Views, tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Join tables of one row a seed, one table a setting, and mark the setting that each seed selects."""
    joined = pd.concat(tables)
    runs = by_run(views, [joined.loc[[number]] for number in range(len(tables[0]))])
    measured = runs["calibration_auroc"].groupby(runs["seed"])
    largest = runs["calibration_auroc"] == measured.transform("max")
    return runs.assign(selected=largest & (largest.groupby(runs["seed"]).cumsum() == 1))


def _with_choices(runs: pd.DataFrame, setting: str, columns: Sequence[str]) -> pd.DataFrame:
    chosen = runs.groupby(setting, sort=False)["selected"].sum()
    return mean_over_runs(runs, [setting], columns).join(chosen, on=setting)
