"""Detection of errors on corrupted images, by corruption family (Section 5.6).

The nine corruptions are grouped as in ImageNet-C. The published study has 19 corruptions, four of them noise; here they
are nine, one of them noise, each at two severities. Operators act at the default level.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.consistency.runs import by_run, wrong_predictions
from pairedeval.consistency.scores import trust_scores
from pairedeval.consistency.views import LEVELS, Views
from pairedeval.errors import RecordsError
from pairedeval.records import EVALUATION
from pairedeval.screening.ranking import auroc

FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "noise": ("gaussian_noise",),
        "blur": ("defocus_blur", "motion_blur"),
        "weather": ("fog", "snow", "brightness"),
        "digital": ("contrast", "jpeg_compression", "pixelate"),
    }
)
ALL_FAMILIES = "all families"


@dataclass(frozen=True)
class Shift:
    """One corrupted condition.

    Attributes
    ----------
    condition
        Id ``<corruption>-<severity>``.
    corruption, severity
        Its parts.
    family
        One of `FAMILIES`.
    """

    condition: str
    corruption: str
    severity: int
    family: str


# Columns that describe a condition.
SHIFT_COLUMNS = tuple(Shift.__dataclass_fields__)


@dataclass(frozen=True)
class ScoredRun:
    """The images of one half under one condition, as one run sees them.

    Attributes
    ----------
    scores
        Trust scores, larger where a prediction deserves more trust, shape ``(n,)`` each.
    correct
        Whether the prediction on the original view is right, bool, shape ``(n,)``.
    """

    scores: Mapping[str, np.ndarray]
    correct: np.ndarray

    @property
    def accuracy(self) -> float:
        """Share of right predictions."""
        return float(self.correct.mean())

    @property
    def errors(self) -> int:
        """Number of wrong predictions."""
        return int((~self.correct).sum())


def measure_shift(views: Views) -> pd.DataFrame:
    """Measure how well each trust score ranks the errors of each run on corrupted evaluation images.

    Parameters
    ----------
    views
        Views of one configuration, kind ``shifted``.

    Returns
    -------
    pandas.DataFrame
        One row per run, condition and score: ``model``, ``group``, ``seed``, ``condition``, ``corruption``,
        ``severity``, ``family``, ``images``, ``errors`` (counts), ``accuracy``, ``mean_confidence``, ``overconfidence``
        (mean confidence minus accuracy), ``score`` and ``auroc`` (NaN where all images share one outcome).

    Raises
    ------
    RecordsError
        If a condition is no corruption of `FAMILIES`, or the half or a view is missing.
    """
    rows: list[list[dict[str, Any]]] = [[] for _ in views.logits]
    for shift in shifts(views):
        for place, run in enumerate(scored_runs(views, shift.condition, EVALUATION)):
            confidence = float(run.scores["msp"].mean())
            facts = {
                **vars(shift),
                "images": len(run.correct),
                "errors": run.errors,
                "accuracy": run.accuracy,
                "mean_confidence": confidence,
                "overconfidence": confidence - run.accuracy,
            }
            found = detection(run.scores, ~run.correct)
            rows[place] += [{**facts, "score": score, "auroc": value} for score, value in found.items()]
    return by_run(views, [pd.DataFrame(run) for run in rows])


def shifts(views: Views) -> tuple[Shift, ...]:
    """Return the conditions of a file with their families, in its order.

    Raises
    ------
    RecordsError
        If a condition is no corruption of `FAMILIES`.
    """
    return tuple(_shift(condition, str(views.metadata["model"])) for condition in views.conditions)


def _shift(condition: str, model: str) -> Shift:
    corruption, _, severity = condition.rpartition("-")
    families = [family for family, members in FAMILIES.items() if corruption in members]
    if not families or not severity.isdecimal():
        raise RecordsError(
            f"{model}: condition {condition} is not <corruption>-<severity> of a known family; "
            "use a view file of kind shifted, or add the corruption to FAMILIES"
        )
    return Shift(condition, corruption, int(severity), families[0])


def by_family(frame: pd.DataFrame) -> pd.DataFrame:
    """Repeat all rows under `ALL_FAMILIES`, before those of each family in the order of `FAMILIES`.

    Examples
    --------
    >>> by_family(pd.DataFrame({"family": ["weather", "noise"]}))["family"].tolist()
    ['all families', 'all families', 'noise', 'weather']
    """
    parts = [frame[frame["family"] == family] for family in FAMILIES]
    return pd.concat([frame.assign(family=ALL_FAMILIES), *parts], ignore_index=True)


def scored_runs(views: Views, condition: str, split: str) -> list[ScoredRun]:
    """Score the images of one half under one condition; one entry a training seed.

    Raises
    ------
    RecordsError
        If the file lacks the condition, a view, or images of this half.
    """
    if not views.in_split(split).any():
        raise RecordsError(f"{views.metadata['model']}: no images of the {split} half; run the views of both halves")
    logits = views.at_level(LEVELS[0], condition, split)
    correct = ~wrong_predictions(views, logits, split)
    return [ScoredRun(trust_scores(run), right) for run, right in zip(logits, correct, strict=True)]


def detection(scores: Mapping[str, np.ndarray], positive: np.ndarray) -> dict[str, float]:
    """Return for each score the AUROC with which low trust points at the positive images.

    Parameters
    ----------
    scores
        Trust scores, shape ``(n,)`` each.
    positive
        Images to be detected, such as errors, bool, shape ``(n,)``.

    Returns
    -------
    dict
        Ties count one half; NaN if all images or none are positive.

    Examples
    --------
    >>> detection({"msp": np.array([0.9, 0.6, 0.6])}, np.array([False, False, True]))
    {'msp': 0.75}
    """
    found = auroc(-np.stack(list(scores.values())), positive[np.newaxis])[:, 0]
    return dict(zip(scores, found.tolist(), strict=True))


def check_same_images(first: Views, second: Views) -> None:
    """Refuse two view files of different configurations, training seeds or images.

    Raises
    ------
    RecordsError
        If they differ in one of these.
    """
    pairs = {
        "models": (first.metadata["model"], second.metadata["model"]),
        "numbers of training seeds": (len(first.logits), len(second.logits)),
        "classes": (first.classes, second.classes),
        "images": (first.image_ids, second.image_ids),
        "halves": (first.splits, second.splits),
        "labels": (first.labels.tolist(), second.labels.tolist()),
    }
    for name, (one, other) in pairs.items():
        if one != other:
            raise RecordsError(
                f"{first.metadata['model']}: the view files of kind {first.metadata['kind']} and "
                f"{second.metadata['kind']} have different {name}; run both for this configuration again"
            )
