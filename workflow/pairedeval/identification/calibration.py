"""Acceptance events of calibrated confidences (Appendix F.1, Table 40).

A calibrator is fitted on the clean development records of one model and source and applied to both sides; none is
fitted on perturbed records. A strictly increasing one cannot change decisions under a coverage target, only under
absolute thresholds.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy.special import logit

from pairedeval.records import DEVELOPMENT, EVALUATION, RecordBlock, block, read_records
from pairedeval.states import (
    PRIMARY_COVERAGE,
    Outcomes,
    ResponseStates,
    acceptance_threshold,
    conditional_mean,
    observed_targets,
    outcomes,
    response_states,
)

ABSOLUTE_THRESHOLDS = (0.9, 0.7, 0.5)
RAW, PLATT, ISOTONIC = SCORES = ("raw", "platt", "isotonic")
_EVENTS = ("accepted_error_transition", "lost_acceptance", "selective_risk", "perturbed_coverage")


class Calibrator(Protocol):
    """Turns confidence into a score, and a probability into the threshold of such scores."""

    def score(self, confidence: np.ndarray) -> np.ndarray:
        """Return the score of each confidence, same shape."""

    def threshold(self, probability: float) -> float:
        """Return the score that stands for a probability."""


@dataclass(frozen=True)
class Raw:
    """The confidence as it is."""

    def score(self, confidence: np.ndarray) -> np.ndarray:
        """Return the confidence."""
        return confidence

    def threshold(self, probability: float) -> float:
        """Return the probability."""
        return probability


@dataclass(frozen=True)
class PlattScaling:
    """A logistic model of correctness on the log-odds of confidence.

    Its score is the calibrated log-odds. As a probability, values near one would round to ties and change decisions.

    Attributes
    ----------
    slope, intercept
        Coefficients; the calibrator is strictly increasing if `slope` is positive.
    """

    slope: float
    intercept: float

    @classmethod
    def fit(cls, confidence: np.ndarray, correct: np.ndarray) -> "PlattScaling":
        """Maximise the likelihood with Platt's targets, (N+ + 1)/(N+ + 2) and 1/(N- + 2).

        The targets keep the coefficients finite when confidence separates the errors. A saturated confidence of
        exactly 1 or 0 enters the fit as the number next to it.

        Parameters
        ----------
        confidence
            Confidence of clean development records, shape ``(n,)``.
        correct
            Their correctness; both outcomes occur.
        """
        from sklearn.linear_model import LogisticRegression

        nearest = np.clip(confidence, np.nextafter(0, 1), np.nextafter(1, 0))
        right, wrong = int(correct.sum()), int((~correct).sum())
        target = np.where(correct, (right + 1) / (right + 2), 1 / (wrong + 2))
        # A target between the outcomes is a record of each outcome, with the target and its complement as weights.
        outcome = np.repeat([1, 0], len(target))
        model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-8)
        model.fit(np.tile(logit(nearest), 2)[:, None], outcome, sample_weight=np.concatenate([target, 1 - target]))
        return cls(float(model.coef_[0, 0]), float(model.intercept_[0]))

    def score(self, confidence: np.ndarray) -> np.ndarray:
        """Return calibrated log-odds; infinite for a saturated confidence, which stays the largest or smallest."""
        score: np.ndarray = self.slope * logit(np.clip(confidence, 0, 1)) + self.intercept
        return score

    def threshold(self, probability: float) -> float:
        """Return the log-odds of a probability."""
        return float(logit(probability))


@dataclass(frozen=True)
class IsotonicScaling:
    """The non-decreasing function of confidence that fits correctness best; its steps make ties.

    Attributes
    ----------
    model
        Fitted ``sklearn.isotonic.IsotonicRegression``.
    """

    model: Any

    @classmethod
    def fit(cls, confidence: np.ndarray, correct: np.ndarray) -> "IsotonicScaling":
        """Fit by least squares; confidences outside those of the fit take the value at the nearest end."""
        from sklearn.isotonic import IsotonicRegression

        return cls(IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(confidence, correct))

    def score(self, confidence: np.ndarray) -> np.ndarray:
        """Return calibrated probabilities."""
        score: np.ndarray = self.model.predict(confidence.ravel()).reshape(confidence.shape)
        return score

    def threshold(self, probability: float) -> float:
        """Return the probability."""
        return probability


def fit_calibrators(development: RecordBlock) -> dict[str, Calibrator]:
    """Fit the calibrators on clean records; there is only `RAW` where these share one outcome or one confidence."""
    confidence, correct = development.clean.confidence, development.clean.prediction == development.labels
    calibrators: dict[str, Calibrator] = {RAW: Raw()}
    if np.ptp(correct.astype(int)) and np.ptp(confidence):
        calibrators[PLATT] = PlattScaling.fit(confidence, correct)
        calibrators[ISOTONIC] = IsotonicScaling.fit(confidence, correct)
    return calibrators


def calibrate_source(paths: Iterable[str | Path], coverage: float = PRIMARY_COVERAGE) -> pd.DataFrame:
    """Compute `calibrate_records` for all models of one source.

    Parameters
    ----------
    paths
        One record file a model, in the order of the result.
    coverage
        As for `calibrate_records`.
    """
    return pd.concat([calibrate_records(*read_records(path), coverage, str(path)) for path in paths], ignore_index=True)


def calibrate_records(
    frame: pd.DataFrame, metadata: Mapping[str, Any], coverage: float = PRIMARY_COVERAGE, place: str = "records"
) -> pd.DataFrame:
    """Judge the evaluation records of one model by raw and calibrated scores under each acceptance protocol.

    Parameters
    ----------
    frame
        Checked records of one model and source.
    metadata
        Holds ``source``, ``model`` and ``group``.
    coverage
        Share of the clean development records that the coverage protocol accepts.
    place
        What a message calls the records.

    Returns
    -------
    pandas.DataFrame
        ``source``, ``model``, ``group``, then the columns of `calibrated_events`.
    """
    table = calibrated_events(block(frame, DEVELOPMENT, place), block(frame, EVALUATION, place), coverage)
    for position, name in enumerate(("source", "model", "group")):
        table.insert(position, name, metadata[name])
    return table


def calibrated_events(
    development: RecordBlock,
    evaluation: RecordBlock,
    coverage: float = PRIMARY_COVERAGE,
    thresholds: Sequence[float] = ABSOLUTE_THRESHOLDS,
) -> pd.DataFrame:
    """Compute the acceptance events of every protocol, score and condition.

    Parameters
    ----------
    development, evaluation
        Both splits of one model; of the former the clean records count.
    coverage
        Target of the coverage protocol; its threshold is found again for each score.
    thresholds
        Probabilities of the absolute protocols, the same for every score.

    Returns
    -------
    pandas.DataFrame
        Rows per ``protocol`` (such as ``Q80``, ``A0.9``), ``score`` (one of `SCORES`) and ``condition``, shares:
        ``accepted_error_transition`` (H), ``lost_acceptance`` (L), ``selective_risk`` (error rate among the accepted
        perturbed records, NaN if none is), ``perturbed_coverage``; and ``changed_decisions``, the number of records of
        both sides that raw scores judge otherwise. All are NaN where no calibrator could be fitted.
    """
    protocols: dict[str, float | None] = {f"Q{100 * coverage:g}": None} | {f"A{value:g}": value for value in thresholds}
    calibrators = fit_calibrators(development)
    judged, states = outcomes(evaluation, 0.0), response_states(evaluation)
    accepted = {
        name: _accepted(calibrator, development, evaluation, coverage, list(protocols.values()))
        for name, calibrator in calibrators.items()
    }
    tables = []
    for place, protocol in enumerate(protocols):
        for name in SCORES:
            table = pd.DataFrame({"protocol": protocol, "score": name, "condition": evaluation.conditions})
            if name in calibrators:
                clean, perturbed = (sides[place] for sides in accepted[name])
                raw_clean, raw_perturbed = (sides[place] for sides in accepted[RAW])
                events = _events(
                    evaluation, replace(judged, clean_accepted=clean, perturbed_accepted=perturbed), states
                )
                changed = (clean != raw_clean).sum() + (perturbed != raw_perturbed).sum(axis=1)
                table = table.assign(**events, changed_decisions=changed)
            tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _accepted(
    calibrator: Calibrator,
    development: RecordBlock,
    evaluation: RecordBlock,
    coverage: float,
    probabilities: Sequence[float | None],
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return which clean and which perturbed records each protocol accepts; None stands for the coverage target."""
    frozen = acceptance_threshold(calibrator.score(development.clean.confidence), coverage)
    clean, perturbed = (calibrator.score(side.confidence) for side in (evaluation.clean, evaluation.perturbed))
    cutoffs = [frozen if value is None else calibrator.threshold(value) for value in probabilities]
    return [clean >= cutoff for cutoff in cutoffs], [perturbed >= cutoff for cutoff in cutoffs]


def _events(evaluation: RecordBlock, judged: Outcomes, states: ResponseStates) -> dict[str, np.ndarray]:
    """Compute H, L, selective risk and coverage of the perturbed side."""
    seen = observed_targets(evaluation, judged, states)
    coverage = judged.perturbed_accepted.mean(axis=1)
    return {
        "accepted_error_transition": seen["accepted_error_transition"],
        "lost_acceptance": seen["lost_acceptance"],
        "selective_risk": conditional_mean(seen["accepted_error"], coverage),
        "perturbed_coverage": coverage,
    }


def summarise_calibration(events: pd.DataFrame) -> pd.DataFrame:
    """Average the acceptance events of each source, protocol and score over models and conditions (Table 40).

    Parameters
    ----------
    events
        Result of `calibrate_records` for all models.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``protocol`` and ``score``: the means of ``accepted_error_transition``,
        ``lost_acceptance``, ``selective_risk`` and ``perturbed_coverage`` over the cells where each is defined,
        ``cells`` (with a calibrator), ``uncalibrated_cells``, ``without_risk`` (nothing accepted), ``models`` (with a
        calibrator) and ``unchanged_models`` (all decisions as those of raw scores).
    """
    keys = ["source", "protocol", "score"]
    grouped = events.groupby(keys, sort=False)
    summary = grouped[[*_EVENTS]].mean()
    summary["cells"] = grouped["perturbed_coverage"].count()
    summary["uncalibrated_cells"] = grouped.size() - summary["cells"]
    summary["without_risk"] = summary["cells"] - grouped["selective_risk"].count()
    by_model = (
        events.dropna(subset="changed_decisions").groupby([*keys, "model"], sort=False)["changed_decisions"].sum()
    )
    models = by_model.groupby(keys, sort=False)
    summary["models"] = models.size()
    summary["unchanged_models"] = (by_model == 0).groupby(keys, sort=False).sum()
    return (
        summary.fillna({"models": 0, "unchanged_models": 0})
        .astype({"models": int, "unchanged_models": int})
        .reset_index()
    )
