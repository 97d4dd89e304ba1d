"""Whether the gain from consistency features transfers to shifts that were not trained on (Section 5.6).

Logistic models predict correctness from confidence and margin alone, or with label stability and confidence deviation
added. They are trained on calibration images under some conditions and judged on evaluation images under another. The
published study leaves noise corruptions among the training data when it holds out one of several; with a single noise
corruption, leaving it out leaves out its family.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.consistency.runs import by_run
from pairedeval.consistency.shift import ScoredRun, Shift, check_same_images, detection, scored_runs, shifts
from pairedeval.consistency.views import Views
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION

SAME, CLEAN_ONLY, OTHER_FAMILIES, LEAVE_ONE_OUT = TRAININGS = ("same", "clean", "other_families", "leave_one_out")
BASE, ADDED = "base", "added"
# Trust scores that are features; the sign of a feature does not matter to a logistic model.
FEATURE_SETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {BASE: ("msp", "margin"), ADDED: ("msp", "margin", "stability", "deviation")}
)
INVERSE_REGULARISATION = 1.0


@dataclass(frozen=True)
class CorrectnessModel:
    """A logistic model of correctness on standardised features.

    Attributes
    ----------
    features
        Names of trust scores.
    images, errors
        Numbers of training images and of errors among them.
    pipeline
        Fitted scikit-learn pipeline; None where the training images share one outcome.
    """

    features: tuple[str, ...]
    images: int
    errors: int
    pipeline: Any

    def log_odds(self, scores: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the log-odds of being right, shape ``(n,)``, NaN without a fit; probabilities would round to ties."""
        columns = _columns(scores, self.features)
        if self.pipeline is None:
            return np.full(len(columns), np.nan)
        log_odds: np.ndarray = self.pipeline.decision_function(columns)
        return log_odds


def fit_correctness(runs: Sequence[ScoredRun], features: tuple[str, ...]) -> CorrectnessModel:
    """Fit a logistic model: features standardised on the training images, L2 penalty with inverse strength 1.

    Parameters
    ----------
    runs
        Training images, one entry a condition; the conditions are pooled.
    features
        Names of trust scores.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    correct = np.concatenate([np.zeros(0, dtype=bool), *(run.correct for run in runs)])
    errors = int((~correct).sum())
    if not 0 < errors < len(correct):
        return CorrectnessModel(features, len(correct), errors, None)
    columns = np.concatenate([_columns(run.scores, features) for run in runs])
    model = LogisticRegression(C=INVERSE_REGULARISATION, solver="newton-cholesky", tol=1e-8)
    return CorrectnessModel(
        features, len(correct), errors, make_pipeline(StandardScaler(), model).fit(columns, correct)
    )


def measure_transfer(shifted: Views, clean: Views) -> pd.DataFrame:
    """Judge the logistic models on every corrupted condition of one configuration.

    Parameters
    ----------
    shifted
        File of kind ``shifted``.
    clean
        File of kind ``levels`` of the same configuration.

    Returns
    -------
    pandas.DataFrame
        One row per run, condition, training and feature set: ``model``, ``group``, ``seed``, ``condition``,
        ``corruption``, ``severity``, ``family``, ``training`` (one of `TRAININGS`: calibration images under the same
        condition, clean ones, all conditions of the other families, all conditions of the other corruptions),
        ``features`` (one of `FEATURE_SETS`), ``auroc`` (NaN if the training or the evaluation images share one
        outcome), ``images`` and ``errors`` (evaluation), ``training_images`` and ``training_errors`` (an image counts
        once a condition) and ``fitted``.

    Raises
    ------
    RecordsError
        If the files do not belong together, or a condition is no known corruption.
    """
    check_same_images(shifted, clean)
    conditions = shifts(shifted)
    calibration = {CLEAN: scored_runs(clean, CLEAN, DEVELOPMENT)}
    calibration |= {shift.condition: scored_runs(shifted, shift.condition, DEVELOPMENT) for shift in conditions}
    evaluation = {shift: scored_runs(shifted, shift.condition, EVALUATION) for shift in conditions}
    tables = []
    for place in range(len(shifted.logits)):
        fits = _Fits({name: runs[place] for name, runs in calibration.items()})
        rows = [
            {**vars(shift), **row}
            for shift, runs in evaluation.items()
            for row in _judge(fits, training_conditions(shift, conditions), runs[place])
        ]
        tables.append(pd.DataFrame(rows))
    return by_run(shifted, tables)


@dataclass(frozen=True)
class _Fits:
    """The models of one run; each is fitted once, whatever number of conditions it is judged on."""

    calibration: Mapping[str, ScoredRun]
    found: dict[tuple[tuple[str, ...], str], CorrectnessModel] = field(default_factory=dict)

    def trained(self, conditions: tuple[str, ...], features: str) -> CorrectnessModel:
        """Return the model of a feature set, trained on some conditions."""
        key = (conditions, features)
        if key not in self.found:
            runs = [self.calibration[condition] for condition in conditions]
            self.found[key] = fit_correctness(runs, FEATURE_SETS[features])
        return self.found[key]


def _judge(fits: _Fits, trainings: Mapping[str, tuple[str, ...]], run: ScoredRun) -> Iterator[dict[str, Any]]:
    """Judge every training and feature set on the evaluation images of one condition; yields a row each."""
    for training, names in trainings.items():
        for features in FEATURE_SETS:
            model = fits.trained(names, features)
            yield {
                "training": training,
                "features": features,
                **detection({"auroc": model.log_odds(run.scores)}, ~run.correct),
                "images": len(run.correct),
                "errors": run.errors,
                "training_images": model.images,
                "training_errors": model.errors,
                "fitted": model.pipeline is not None,
            }


def training_conditions(shift: Shift, conditions: tuple[Shift, ...]) -> dict[str, tuple[str, ...]]:
    """Return the names of the conditions that each training uses to judge one of them.

    Examples
    --------
    >>> noise, fog = Shift("gaussian_noise-2", "gaussian_noise", 2, "noise"), Shift("fog-2", "fog", 2, "weather")
    >>> snow = Shift("snow-2", "snow", 2, "weather")
    >>> for training, names in training_conditions(fog, (noise, fog, snow)).items():
    ...     print(training, *names)
    same fog-2
    clean clean
    other_families gaussian_noise-2
    leave_one_out gaussian_noise-2 snow-2
    """
    return {
        SAME: (shift.condition,),
        CLEAN_ONLY: (CLEAN,),
        OTHER_FAMILIES: tuple(other.condition for other in conditions if other.family != shift.family),
        LEAVE_ONE_OUT: tuple(other.condition for other in conditions if other.corruption != shift.corruption),
    }


def _columns(scores: Mapping[str, np.ndarray], features: tuple[str, ...]) -> np.ndarray:
    return np.column_stack([scores[name] for name in features])
