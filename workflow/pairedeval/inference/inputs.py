"""What a model is run on: images of one role, their labels, and the candidate classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pairedeval.errors import ImageError
from pairedeval.files import read_table
from pairedeval.images import ImageStore
from pairedeval.models.loaded import ClassSet


@dataclass(frozen=True)
class ImageSet:
    """Images of one role, in ascending order of their ids.

    Attributes
    ----------
    image_ids
        Unique ids.
    labels
        Candidate index of the true class per image, int32.
    splits
        ``development`` or ``evaluation`` per image; empty for training images.
    classes
        The candidate classes.
    """

    image_ids: tuple[str, ...]
    labels: np.ndarray
    splits: tuple[str, ...]
    classes: ClassSet


def read_image_set(index: str | Path, role: str) -> ImageSet:
    """Read the images of one role from the index of a study.

    Parameters
    ----------
    index
        ``results/<study>/images/index.parquet``.
    role
        ``train``, ``syn`` or ``base``.

    Raises
    ------
    ImageError
        If no image has the role, or a label is not the position of its class among the sorted class ids.
    """
    frame = read_table(index)
    names = frame.drop_duplicates("class_id").sort_values("class_id").set_index("class_id")["class_name"]
    classes = ClassSet(ids=tuple(names.index), names=tuple(names))
    chosen = frame[frame["role"] == role].sort_values("image_id", ignore_index=True)
    if chosen.empty:
        raise ImageError(f"{index}: no image has role {role}; make the images again with at least one per class")
    misplaced = chosen[chosen["label"] != chosen["class_id"].map(classes.ids.index)]
    if len(misplaced):
        row = misplaced.iloc[0]
        raise ImageError(
            f"{index}: image {row['image_id']}: label {row['label']} is not the position of {row['class_id']} "
            f"among the sorted class ids; make the index again"
        )
    return ImageSet(
        image_ids=tuple(chosen["image_id"]),
        labels=chosen["label"].to_numpy(np.int32),
        splits=tuple(chosen["split"]),
        classes=classes,
    )


def read_pixels(store: str | Path, condition: str, image_ids: Sequence[str]) -> list[np.ndarray]:
    """Return images of one condition, uint8 RGB, in the given order."""
    with ImageStore(store) as images:
        return [images.read(condition, image_id) for image_id in image_ids]
