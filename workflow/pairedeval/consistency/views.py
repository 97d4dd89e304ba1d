"""View files: logits of one configuration on images and on each mild operator's version of them. No torch.

A configuration is one row of the registry, trained from several seeds. The first view of an image is the image itself;
the others are named ``<operator>-<level>``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pairedeval.arrays import read_arrays, write_arrays
from pairedeval.errors import RecordsError

ORIGINAL = "original"
OPERATORS = ("noise", "blur", "brightness", "contrast", "rotation", "jpeg")
LEVELS = (1, 2, 3, 4, 5)
# Label of an image whose class the models were not trained on.
WITHHELD = -1
REMEDY = "remove it and run the views of this configuration again"


@dataclass(frozen=True)
class Views:
    """Logits of one configuration on every view of some images.

    Attributes
    ----------
    logits
        float32, shape ``(seeds, conditions, views, images, classes)``.
    conditions
        What happened to the images before the operators: ``clean``, a corruption or an attack.
    views
        `ORIGINAL` first, then ``<operator>-<level>``.
    image_ids, labels, splits
        Id, index of the true class (int32, `WITHHELD` for a class that is not among `classes`) and half of each image.
        The development half calibrates, the evaluation half is judged.
    classes
        Class ids, sorted.
    metadata
        JSON-serialisable facts: study, model, group and so on.
    """

    logits: np.ndarray
    conditions: tuple[str, ...]
    views: tuple[str, ...]
    image_ids: tuple[str, ...]
    labels: np.ndarray
    splits: tuple[str, ...]
    classes: tuple[str, ...]
    metadata: Mapping[str, Any]

    def at_level(self, level: int, condition: str, split: str | None = None) -> np.ndarray:
        """Return the logits of the original and its six versions at one level of one condition.

        Parameters
        ----------
        level
            Strength of the operators, one of `LEVELS`.
        condition
            One of `conditions`.
        split
            Keep the images of this half alone; None keeps all.

        Returns
        -------
        numpy.ndarray
            float32, shape ``(seeds, 1 + len(OPERATORS), images, classes)``, in the order of `OPERATORS`.

        Raises
        ------
        RecordsError
            If the file has no such condition or view.
        """
        names = [ORIGINAL, *(f"{operator}-{level}" for operator in OPERATORS)]
        chosen = self.logits[:, self._position(self.conditions, condition)]
        found = chosen[:, [self._position(self.views, name) for name in names]]
        return found if split is None else found[:, :, self.in_split(split)]

    def in_split(self, split: str) -> np.ndarray:
        """Return which images belong to a half, bool, shape ``(images,)``."""
        return np.array([name == split for name in self.splits])

    def _position(self, names: Sequence[str], name: str) -> int:
        if name not in names:
            raise RecordsError(f"{self.metadata.get('model', 'views')}: no logits for {name}; {REMEDY}")
        return names.index(name)


def write_views(views: Views, path: str | Path) -> None:
    """Write a view file: atomically, without pickles, the same bytes for the same logits."""
    _check(views, str(path))
    write_arrays(views, path)


def read_views(path: str | Path) -> Views:
    """Read a view file and check it.

    Raises
    ------
    RecordsError
        If the file is missing, damaged, or its arrays do not fit each other.
    """
    views = read_arrays(Views, path, what="view file", origin="run the views of this configuration", remedy=REMEDY)
    _check(views, str(path))
    return views


def _check(views: Views, place: str) -> None:
    conditions, names, images, classes = map(len, (views.conditions, views.views, views.image_ids, views.classes))
    shapes = {
        "logits": (views.logits.shape[1:], (conditions, names, images, classes)),
        "labels": (views.labels.shape, (images,)),
        "splits": ((len(views.splits),), (images,)),
    }
    for name, (found, expected) in shapes.items():
        if found != expected:
            raise RecordsError(f"{place}: {name} has shape {found} instead of {expected}; {REMEDY}")
    for name in ("conditions", "views", "image_ids", "classes"):
        if len(set(getattr(views, name))) != len(getattr(views, name)):
            raise RecordsError(f"{place}: {name} holds a value twice; {REMEDY}")
    if views.views[:1] != (ORIGINAL,):
        raise RecordsError(f"{place}: the first view is not {ORIGINAL}; {REMEDY}")
    if not np.isfinite(views.logits).all():
        _, condition, view, image, _ = np.argwhere(~np.isfinite(views.logits))[0]
        raise RecordsError(
            f"{place}: condition {views.conditions[condition]}, view {views.views[view]}, image "
            f"{views.image_ids[image]}: NaN or infinite logit; {REMEDY}"
        )
    if images and not WITHHELD <= views.labels.min() <= views.labels.max() < classes:
        raise RecordsError(f"{place}: a label is outside the {classes} classes; {REMEDY}")
