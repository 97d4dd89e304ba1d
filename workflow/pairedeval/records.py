"""The record contract: one row per condition and image, one Parquet file per source and model.

Columns are listed in `RECORD_COLUMNS`. Rows are sorted by condition, then image. Everything right of this
module (identification, policies, screening, prediction, report) reads records and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.files import read_metadata, read_table, write_table

CLEAN = "clean"
DEVELOPMENT = "development"
EVALUATION = "evaluation"
RECORD_COLUMNS = (
    "condition",
    "image_id",
    "label",
    "prediction",
    "split",
    "confidence",
    "true_class_probability",
)
# Probabilities come from sums of exponentials; a stored 1.0000000000000002 is rounding, 1.001 is a mistake.
PROBABILITY_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Predictions:
    """Prediction records of one side.

    Attributes
    ----------
    prediction
        Predicted class, shape ``(n,)`` or ``(conditions, n)``.
    confidence
        Largest candidate probability S, a share, same shape.
    true_class_probability
        Probability M of the true class, a share, same shape.
    """

    prediction: np.ndarray
    confidence: np.ndarray
    true_class_probability: np.ndarray


@dataclass(frozen=True)
class RecordBlock:
    """Clean and perturbed records of one model and source, for one split.

    Position i of every array belongs to the same image, so the block holds the observed correspondence.

    Attributes
    ----------
    labels
        True class per position, ascending, shape ``(n,)``.
    image_ids
        Image per position, shape ``(n,)``.
    conditions
        Ids of the perturbed conditions, one per row of `perturbed`.
    clean
        Records of the clean side, arrays of shape ``(n,)``.
    perturbed
        Records of the perturbed side, arrays of shape ``(conditions, n)``.
    """

    labels: np.ndarray
    image_ids: np.ndarray
    conditions: tuple[str, ...]
    clean: Predictions
    perturbed: Predictions


def write_records(frame: pd.DataFrame, path: str | Path, metadata: Mapping[str, Any]) -> None:
    """Check and sort records, then write them by the contract.

    Parameters
    ----------
    frame
        Columns `RECORD_COLUMNS`, in any order; candidate indices in `label` and `prediction`.
    path
        ``results/<study>/records/<source>/<model>.parquet``.
    metadata
        At least study, source, model and group; see the design of the study.

    Raises
    ------
    RecordsError
        If a row breaks the contract; the message names file, condition and image.
    """
    ordered = frame.loc[:, list(RECORD_COLUMNS)].sort_values(["condition", "image_id"], ignore_index=True)
    ordered = ordered.astype(
        {"condition": str, "image_id": str, "label": np.int32, "prediction": np.int32, "split": str}
    )
    check_records(ordered, str(path))
    write_table(ordered, path, metadata)


def read_records(path: str | Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read one record file and its metadata; the rows are checked again.

    Raises
    ------
    PairedEvalError
        If the file is missing or damaged.
    RecordsError
        If a column is missing or a row breaks the contract.
    """
    frame = read_table(path)
    check_records(frame, str(path))
    return frame, read_metadata(path)


def check_records(frame: pd.DataFrame, place: str) -> None:
    """Raise a `RecordsError` for the first row that breaks the record contract.

    Parameters
    ----------
    frame
        Records with at least the columns `RECORD_COLUMNS`.
    place
        What the message calls the records, usually the file's path.
    """
    missing = [column for column in RECORD_COLUMNS if column not in frame.columns]
    if missing:
        raise RecordsError(
            f"{place}: missing column {', '.join(missing)}; a record file has {', '.join(RECORD_COLUMNS)}"
        )
    if frame.empty:
        raise RecordsError(f"{place}: no records; infer at least the clean condition")
    _refuse(
        frame,
        ~frame["split"].isin([DEVELOPMENT, EVALUATION]),
        place,
        f"split is neither {DEVELOPMENT} nor {EVALUATION}",
    )
    for column in ("confidence", "true_class_probability"):
        values = frame[column]
        inside = (values >= -PROBABILITY_TOLERANCE) & (values <= 1 + PROBABILITY_TOLERANCE)
        _refuse(frame, ~inside, place, f"{column} is not a probability; scores need a softmax over the candidates")
    excess = frame["true_class_probability"] - frame["confidence"]
    _refuse(frame, excess > PROBABILITY_TOLERANCE, place, "true_class_probability exceeds confidence, the largest one")
    correct = frame["prediction"] == frame["label"]
    _refuse(
        frame,
        correct & (excess.abs() > PROBABILITY_TOLERANCE),
        place,
        "the prediction is correct, so confidence and true_class_probability must be equal",
    )
    _check_grid(frame, place)


def block(frame: pd.DataFrame, split: str, place: str = "records") -> RecordBlock:
    """Arrange the records of one split as arrays over conditions and images.

    Parameters
    ----------
    frame
        Records of one model and source, checked.
    split
        `DEVELOPMENT` or `EVALUATION`.
    place
        What a message calls the records.

    Raises
    ------
    RecordsError
        If the split is empty or there is no clean condition.
    """
    rows = frame[frame["split"] == split].sort_values(["condition", "label", "image_id"], kind="stable")
    conditions = tuple(rows["condition"].unique())
    if CLEAN not in conditions:
        raise RecordsError(f"{place}: no clean records in the {split} split; infer the condition 'clean' first")
    side = {
        column: rows[column].to_numpy().reshape(len(conditions), -1)
        for column in ("label", "image_id", "prediction", "confidence", "true_class_probability")
    }
    first = conditions.index(CLEAN)
    others = [row for row, condition in enumerate(conditions) if condition != CLEAN]
    names = ("prediction", "confidence", "true_class_probability")
    return RecordBlock(
        labels=side["label"][first],
        image_ids=side["image_id"][first],
        conditions=tuple(conditions[row] for row in others),
        clean=Predictions(*(side[name][first] for name in names)),
        perturbed=Predictions(*(side[name][others] for name in names)),
    )


def keep_images(block: RecordBlock, kept: np.ndarray) -> RecordBlock:
    """Keep the marked images of a block, bool, shape ``(n,)``."""
    clean, perturbed = (
        Predictions(side.prediction[..., kept], side.confidence[..., kept], side.true_class_probability[..., kept])
        for side in (block.clean, block.perturbed)
    )
    return RecordBlock(block.labels[kept], block.image_ids[kept], block.conditions, clean=clean, perturbed=perturbed)


def _refuse(frame: pd.DataFrame, broken: "pd.Series[bool] | np.ndarray", place: str, reason: str) -> None:
    if broken.any():
        row = frame.iloc[int(np.argmax(broken))]
        raise RecordsError(f"{place}: condition {row['condition']}, image {row['image_id']}: {reason}")


def _check_grid(frame: pd.DataFrame, place: str) -> None:
    """Each condition holds each image once, each image one label and one split; compared as codes, not as text."""
    condition, conditions = pd.factorize(frame["condition"])
    image, images = pd.factorize(frame["image_id"])
    twice = pd.Series(condition * len(images) + image).duplicated().to_numpy()
    _refuse(frame, twice, place, "the image stands twice in its condition; keep one")
    first = np.unique(image, return_index=True)[1]
    for column in ("label", "split"):
        value = pd.factorize(frame[column])[0]
        changed = value != value[first][image]
        _refuse(frame, changed, place, f"{column} differs from that in another condition; an image keeps its {column}")
    counts = np.bincount(condition)
    if (counts != len(images)).any():
        short = int(np.argmax(counts != len(images)))
        raise RecordsError(
            f"{place}: condition {conditions[short]} has {counts[short]} of {len(images)} images; "
            "infer it again for all images"
        )
