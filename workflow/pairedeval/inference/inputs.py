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
        The candidate classes of the role: those of its images.
    """

    image_ids: tuple[str, ...]
    labels: np.ndarray
    splits: tuple[str, ...]
    classes: ClassSet


def read_image_set(index: str | Path, role: str) -> ImageSet:
    """Read the images of one role from the index of a study.

    An image that has two roles stands in two rows, and its label may differ between them: roles need not have the same
    candidates (Section 3.3: 1,000 classes for Syn, 200 for the base images).

    Parameters
    ----------
    index
        ``results/<study>/images/index.parquet``.
    role
        ``train``, ``syn`` or ``base``.

    Raises
    ------
    ImageError
        If no image has the role, one has it twice, or a label is not the position of its class among the sorted class
        ids of the role.
    """
    frame = read_table(index)
    chosen = frame[frame["role"] == role].sort_values("image_id", ignore_index=True)
    if chosen.empty:
        raise ImageError(f"{index}: no image has role {role}; make the images again with at least one per class")
    repeated = chosen.loc[chosen["image_id"].duplicated(), "image_id"]
    if len(repeated):
        raise ImageError(f"{index}: image {repeated.iloc[0]} has role {role} twice; make the index again")
    names = chosen.drop_duplicates("class_id").sort_values("class_id").set_index("class_id")["class_name"]
    classes = ClassSet(ids=tuple(names.index), names=tuple(names))
    misplaced = chosen[chosen["label"] != chosen["class_id"].map(classes.ids.index)]
    if len(misplaced):
        row = misplaced.iloc[0]
        raise ImageError(
            f"{index}: image {row['image_id']}: label {row['label']} is not the position of {row['class_id']} "
            f"among the sorted class ids of role {role}; make the index again"
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
