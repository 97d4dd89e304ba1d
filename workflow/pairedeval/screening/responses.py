"""Image-specific responses to probes: what a model predicts for every base image under every probe (Section 5.1).

They are scored once per model from the probe file and kept as two tables, one row per condition and image and one
row per image. Screening scores are computed from these tables and from the records of the real captures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import entr

from pairedeval.errors import RecordsError
from pairedeval.files import read_metadata, read_table
from pairedeval.probes import Probes
from pairedeval.records import CLEAN, Predictions, RecordBlock
from pairedeval.scoring import common_probabilities, score_common, score_native
from pairedeval.screening.a3rank import alignment
from pairedeval.screening.probe_sets import ProbeSets

# Image-level quantities as the paper defines them, not yet turned into risks.
IMAGE_SCORES = ("margin", "entropy", "alignment_corruption", "alignment_natural")
_SCORED = ("prediction", "confidence", "true_class_probability")
_NATIVE = ("prediction", "native_confidence", "native_true_class_probability")


@dataclass(frozen=True)
class Responses:
    """Scored probe outputs of one model.

    Position i of the image axis belongs to the same image in every array.

    Attributes
    ----------
    model, group
        Names of the model and of its group.
    image_ids
        Image per position, shape ``(n,)``.
    labels
        True class per position, shape ``(n,)``.
    splits
        Split per position, shape ``(n,)``.
    conditions
        Ids of the probes, without ``clean``; one per row of `perturbed`.
    clean, native_clean
        Predictions of the clean images under the common protocol and under the model's own rule, shape ``(n,)``.
    perturbed, native_perturbed
        The same under each probe, shape ``(conditions, n)``. A prediction is the same under both rules.
    image_scores
        Columns `IMAGE_SCORES`, one row per position.
    """

    model: str
    group: str
    image_ids: np.ndarray
    labels: np.ndarray
    splits: np.ndarray
    conditions: tuple[str, ...]
    clean: Predictions
    perturbed: Predictions
    native_clean: Predictions
    native_perturbed: Predictions
    image_scores: pd.DataFrame

    def at(self, images: np.ndarray) -> "Responses":
        """Return the responses of some images, given by their positions, in that order."""
        return replace(
            self,
            image_ids=self.image_ids[images],
            labels=self.labels[images],
            splits=self.splits[images],
            clean=_images_of(self.clean, images),
            perturbed=_images_of(self.perturbed, images),
            native_clean=_images_of(self.native_clean, images),
            native_perturbed=_images_of(self.native_perturbed, images),
            image_scores=self.image_scores.iloc[images].reset_index(drop=True),
        )

    def positions(self, conditions: Sequence[str]) -> np.ndarray:
        """Return the rows of some probes, int, shape ``(conditions,)``.

        Raises
        ------
        RecordsError
            If the model has no responses to a probe.
        """
        row = {condition: place for place, condition in enumerate(self.conditions)}
        absent = [condition for condition in conditions if condition not in row]
        if absent:
            raise RecordsError(
                f"{self.model}: no responses to probe {absent[0]}; run the probes again with this condition"
            )
        return np.array([row[condition] for condition in conditions], dtype=np.int64)


@dataclass(frozen=True)
class Half:
    """One half of the images of one model and source: responses to probes beside outcomes under real conditions.

    Attributes
    ----------
    responses
        Responses at the images of the half, in the order of the records.
    conditions
        Ids of the real conditions, one per row of `failures`.
    clean_correct
        Images whose clean record is correct, bool, shape ``(n,)``.
    failures
        Images whose record under each real condition is wrong, bool, shape ``(conditions, n)``.
    """

    responses: Responses
    conditions: tuple[str, ...]
    clean_correct: np.ndarray
    failures: np.ndarray

    def eligible(self) -> "Half":
        """Return the half reduced to its clean-correct images, the ones that screening ranks."""
        images = np.flatnonzero(self.clean_correct)
        return replace(
            self,
            responses=self.responses.at(images),
            clean_correct=self.clean_correct[images],
            failures=self.failures[:, images],
        )


def align(responses: Responses, block: RecordBlock) -> Half:
    """Set the responses of one model beside its records of one split.

    Parameters
    ----------
    responses
        Responses of the whole pool of images.
    block
        Records of the same model and of one source and split.

    Raises
    ------
    RecordsError
        If an image of the records has no responses, or another label.
    """
    place = pd.Index(responses.image_ids).get_indexer(pd.Index(block.image_ids))
    absent = place < 0
    if absent.any():
        raise RecordsError(
            f"{responses.model}: image {block.image_ids[np.argmax(absent)]} of the records has no probe responses; "
            "run the probes on the same base images"
        )
    found = responses.at(place)
    other = found.labels != block.labels
    if other.any():
        first = int(np.argmax(other))
        raise RecordsError(
            f"{responses.model}: image {block.image_ids[first]} has label {block.labels[first]} in the records and "
            f"{found.labels[first]} in the probe responses; use one table of images for both"
        )
    return Half(
        responses=found,
        conditions=block.conditions,
        clean_correct=block.clean.prediction == block.labels,
        failures=block.perturbed.prediction != block.labels,
    )


def respond(probes: Probes) -> pd.DataFrame:
    """Score the probe outputs of one model.

    Parameters
    ----------
    probes
        Outputs on every variant of the base images.

    Returns
    -------
    pandas.DataFrame
        One row per condition and image, conditions and images in the order of the probe file (``clean`` first):
        ``condition``, ``image_id``, ``label``, ``split``, ``prediction``, ``confidence``, ``true_class_probability``
        (common protocol of all models), ``native_confidence`` and ``native_true_class_probability`` (the model's own
        rule, Appendix E.1).
    """
    frames = []
    for variant, condition in enumerate(probes.variants):
        outputs = probes.outputs[variant]
        common = score_common(outputs, probes.labels, probes.scoring)
        native = score_native(
            outputs, probes.labels, probes.scoring, probes.scale, probes.bias, probes.outside[variant]
        )
        columns = {
            "condition": condition,
            **_images_frame(probes),
            "prediction": common.prediction.astype(np.int32),
            "confidence": common.confidence,
            "true_class_probability": common.true_class_probability,
            "native_confidence": native.confidence,
            "native_true_class_probability": native.true_class_probability,
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def score_images(probes: Probes, sets: ProbeSets) -> pd.DataFrame:
    """Compute the scores that need all candidate probabilities (common protocol).

    Parameters
    ----------
    probes
        Outputs on every variant of the base images.
    sets
        Probe sets of the study.

    Returns
    -------
    pandas.DataFrame
        One row per image: ``image_id``, ``label``, ``split``, ``margin`` (largest less second-largest clean
        probability), ``entropy`` (of the clean probabilities, natural logarithm; Appendix E.4),
        ``alignment_corruption`` and ``alignment_natural`` (adapted A3Rank over the primary corruptions and over the
        fixed transformations, Eq. 12).

    Raises
    ------
    RecordsError
        If a probe of the sets was not run.
    """
    clean = probes.of([CLEAN])[0]
    probabilities = common_probabilities(clean, probes.scoring)
    second, first = np.partition(probabilities, probabilities.shape[1] - 2, axis=1)[:, -2:].T
    columns = {"margin": first - second, "entropy": entr(probabilities).sum(axis=1)}
    for name, conditions in (("alignment_corruption", sets.primary), ("alignment_natural", sets.fixed)):
        outputs = probes.of(conditions)
        columns[name] = alignment(
            probabilities,
            common_probabilities(outputs, probes.scoring),
            clean.argmax(axis=-1),
            outputs.argmax(axis=-1),
        )
    return pd.DataFrame({**_images_frame(probes), **columns})


def read_responses(responses: str | Path, image_scores: str | Path) -> Responses:
    """Read the two tables of one model.

    Parameters
    ----------
    responses
        ``responses/<model>.parquet``, made by `respond`.
    image_scores
        ``image_scores/<model>.parquet``, made by `score_images`.

    Raises
    ------
    PairedEvalError
        If a file is missing or damaged.
    RecordsError
        If a table is incomplete, or the two do not hold the same images.
    """
    return arrange(read_table(responses), read_table(image_scores), read_metadata(responses), str(responses))


def arrange(
    frame: pd.DataFrame, image_scores: pd.DataFrame, metadata: Mapping[str, Any], place: str = "responses"
) -> Responses:
    """Arrange the two tables of one model as arrays over conditions and images.

    Parameters
    ----------
    frame
        Result of `respond`.
    image_scores
        Result of `score_images` for the same probes.
    metadata
        ``model`` and ``group``.
    place
        What a message calls the responses.

    Raises
    ------
    RecordsError
        If there is no clean condition, a condition lacks an image, or the tables differ in images.
    """
    conditions, images = tuple(frame["condition"].unique()), image_scores["image_id"].to_numpy()
    _check_grid(frame, conditions, images, place)
    shape = (len(conditions), len(images))
    side = {name: frame[name].to_numpy().reshape(shape) for name in (*_SCORED, *_NATIVE)}
    return Responses(
        model=metadata["model"],
        group=metadata["group"],
        image_ids=images,
        labels=image_scores["label"].to_numpy(),
        splits=image_scores["split"].to_numpy(),
        conditions=conditions[1:],
        clean=Predictions(*(side[name][0] for name in _SCORED)),
        perturbed=Predictions(*(side[name][1:] for name in _SCORED)),
        native_clean=Predictions(*(side[name][0] for name in _NATIVE)),
        native_perturbed=Predictions(*(side[name][1:] for name in _NATIVE)),
        image_scores=image_scores[list(IMAGE_SCORES)],
    )


def _check_grid(frame: pd.DataFrame, conditions: tuple[str, ...], images: np.ndarray, place: str) -> None:
    """Conditions stand one after the other, clean first, each with the same images in the same order."""
    expected = pd.DataFrame(
        {"condition": np.repeat(conditions, len(images)), "image_id": np.tile(images, len(conditions))}
    )
    remedy = "summarise the probes of this model again"
    if conditions[:1] != (CLEAN,):
        raise RecordsError(f"{place}: the first condition is not {CLEAN}; {remedy}")
    if len(frame) != len(expected):
        raise RecordsError(
            f"{place}: {len(frame)} rows for {len(conditions)} conditions of {len(images)} images; {remedy}"
        )
    differs = (frame[["condition", "image_id"]].to_numpy() != expected.to_numpy()).any(axis=1)
    if differs.any():
        row = frame.iloc[int(np.argmax(differs))]
        raise RecordsError(
            f"{place}: condition {row['condition']}, image {row['image_id']}: the image scores differ here; {remedy}"
        )


def _images_frame(probes: Probes) -> dict[str, Any]:
    return {"image_id": list(probes.image_ids), "label": probes.labels, "split": list(probes.splits)}


def _images_of(predictions: Predictions, images: np.ndarray) -> Predictions:
    """Return the predictions of some images, the image axis being the last."""
    return Predictions(*(getattr(predictions, name)[..., images] for name in _SCORED))
