"""Estimates of accuracy on corrupted images without their labels (Section 5.6).

Every estimator is calibrated on the clean calibration images and applied to the evaluation images under a corruption.
The summary names thresholded and average confidence; the difference of confidences and the mean consistency score are
added, the latter because its error is the consistency-accuracy gap.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.consistency.runs import by_run
from pairedeval.consistency.shift import ScoredRun, check_same_images, scored_runs, shifts
from pairedeval.consistency.views import Views
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION

ATC_MSP, ATC_CS, AVERAGE_CONFIDENCE, DIFFERENCE_OF_CONFIDENCES, AVERAGE_CONSISTENCY = ESTIMATORS = (
    "atc_msp",
    "atc_cs",
    "average_confidence",
    "difference_of_confidences",
    "average_consistency",
)


@dataclass(frozen=True)
class Threshold:
    """Average thresholded confidence: the share of images at or above a threshold estimates accuracy.

    Attributes
    ----------
    value
        Threshold.
    share
        Share of an image of exactly this score that counts as above.
    """

    value: float
    share: float

    @classmethod
    def fit(cls, scores: np.ndarray, correct: np.ndarray) -> "Threshold":
        """Find the threshold below which lie as many calibration images as are wrong.

        Where the border runs through images of equal scores, each of them counts as above with the same share, which is
        the mean over the orders of these images. So the estimate on the calibration images is their accuracy, whatever
        the ties.

        Parameters
        ----------
        scores
            Trust score of each calibration image, shape ``(n,)``.
        correct
            Whether its prediction is right, bool, same shape.

        Examples
        --------
        >>> Threshold.fit(np.array([0.5, 0.9, 0.9, 0.9]), np.array([False, False, True, True]))
        Threshold(value=0.9, share=0.6666666666666666)
        """
        errors = int((~correct).sum())
        value = np.sort(scores)[min(errors, len(scores) - 1)]
        above = int((scores <= value).sum()) - errors
        return cls(float(value), above / int((scores == value).sum()))

    def estimate(self, scores: np.ndarray) -> float:
        """Return the share of images above the threshold."""
        return float((scores > self.value).mean() + self.share * (scores == self.value).mean())


def estimate_accuracy(shifted: Views, clean: Views) -> pd.DataFrame:
    """Estimate the accuracy under every corrupted condition of one configuration.

    Parameters
    ----------
    shifted
        File of kind ``shifted``.
    clean
        File of kind ``levels`` of the same configuration, which calibrates.

    Returns
    -------
    pandas.DataFrame
        One row per run, condition and estimator: ``model``, ``group``, ``seed``, ``condition``,
        ``corruption``, ``severity``, ``family``, ``images`` (evaluation), ``estimator`` (one of `ESTIMATORS`),
        ``estimate``, ``accuracy`` and ``absolute_error``. An estimate is not cut off: a difference of confidences can
        leave [0, 1].

    Raises
    ------
    RecordsError
        If the files do not belong together, or a condition is no known corruption.
    """
    check_same_images(shifted, clean)
    calibration = scored_runs(clean, CLEAN, DEVELOPMENT)
    rows: list[list[dict[str, Any]]] = [[] for _ in shifted.logits]
    for shift in shifts(shifted):
        for place, run in enumerate(scored_runs(shifted, shift.condition, EVALUATION)):
            rows[place] += [
                {
                    **vars(shift),
                    "images": len(run.correct),
                    "estimator": estimator,
                    "estimate": estimate,
                    "accuracy": run.accuracy,
                    "absolute_error": abs(estimate - run.accuracy),
                }
                for estimator, estimate in _estimates(calibration[place], run)
            ]
    return by_run(shifted, [pd.DataFrame(run) for run in rows])


def _estimates(calibration: ScoredRun, run: ScoredRun) -> Iterator[tuple[str, float]]:
    for name, score in ((ATC_MSP, "msp"), (ATC_CS, "consistency")):
        yield name, Threshold.fit(calibration.scores[score], calibration.correct).estimate(run.scores[score])
    confidence = float(run.scores["msp"].mean())
    yield AVERAGE_CONFIDENCE, confidence
    yield DIFFERENCE_OF_CONFIDENCES, calibration.accuracy + confidence - float(calibration.scores["msp"].mean())
    yield AVERAGE_CONSISTENCY, float(run.scores["consistency"].mean())
