"""Configurations of the second study: one classifier trained from several seeds, on all, fewer or other classes.

Three variants of the training images (our reading of arXiv 2610.36640, Sections 5.8 and 5.9): ``main`` keeps them all;
``rare`` thins some classes out, a shift of the class prior at test time; ``withheld`` leaves some classes out, whose
images are then strange to the model.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.consistency.views import WITHHELD as UNKNOWN
from pairedeval.errors import ModelError
from pairedeval.files import write_json
from pairedeval.models.loaded import ClassSet
from pairedeval.models.registry import ModelEntry
from pairedeval.models.training import train
from pairedeval.models.weights import facts_path, read_facts
from pairedeval.seeds import derive_seed
from pairedeval.splits import rank_within_class

MAIN, RARE, WITHHELD = VARIANTS = ("main", "rare", "withheld")
# Classifiers that take pixels and nothing else.
LIBRARIES = ("linear", "timm")


@dataclass(frozen=True)
class TrainingSet:
    """Training images of one variant.

    Attributes
    ----------
    variant
        One of `VARIANTS`.
    affected
        Ids of the classes that are rare or withheld, sorted; none in the main variant.
    image_ids
        Images that are kept, in their given order.
    labels
        Index into `classes` of each kept image, int32.
    classes
        Classes that the model learns.
    """

    variant: str
    affected: tuple[str, ...]
    image_ids: tuple[str, ...]
    labels: np.ndarray
    classes: ClassSet

    def facts(self) -> dict[str, Any]:
        """Return what is kept beside the weights: variant, classes concerned, share of each class among the images."""
        counts = np.bincount(self.labels, minlength=len(self.classes.ids))
        return {
            "variant": self.variant,
            "class_shares": (counts / len(self.labels)).tolist(),
            **({f"{self.variant}_classes": list(self.affected)} if self.affected else {}),
        }


def training_set(
    variant: str,
    image_ids: Sequence[str],
    labels: np.ndarray,
    classes: ClassSet,
    *,
    affected: Sequence[str],
    share: float,
    seed: int,
) -> TrainingSet:
    """Choose the training images of a variant.

    Parameters
    ----------
    variant
        One of `VARIANTS`.
    image_ids, labels, classes
        All training images, the class index of each, and the classes of the study.
    affected
        Ids of the rare or the withheld classes; none in the main variant.
    share
        Share of the kept training images that each rare class has, up to rounding.
    seed
        Seed of the study: the first images of a rare class in the SHA-256 order are kept.

    Raises
    ------
    ModelError
        If there is no such variant, the classes do not suit it, or there are too few images.
    """
    _check_classes(variant, affected, classes)
    chosen = tuple(sorted(affected))
    places = [classes.ids.index(class_id) for class_id in chosen]
    kept = ~np.isin(labels, places)
    if variant == RARE:
        count = _images_of_a_rare_class(labels, places, share)
        class_ids = pd.Series([classes.ids[label] for label in labels])
        rank = rank_within_class(class_ids, pd.Series(list(image_ids)), seed, "consistency rare")
        kept |= rank.to_numpy() < count
    learned = without(classes, chosen) if variant == WITHHELD else classes
    return TrainingSet(
        variant=variant,
        affected=chosen,
        image_ids=tuple(image_id for image_id, stays in zip(image_ids, kept, strict=True) if stays),
        labels=labels_among(learned.ids, classes.ids, labels[kept]),
        classes=learned,
    )


def without(classes: ClassSet, withheld: Sequence[str]) -> ClassSet:
    """Return the classes that are not withheld, in their order.

    Examples
    --------
    >>> without(ClassSet(ids=("a", "b", "c"), names=("ant", "bee", "cat")), ["b"])
    ClassSet(ids=('a', 'c'), names=('ant', 'cat'))
    """
    kept = [place for place, class_id in enumerate(classes.ids) if class_id not in withheld]
    return ClassSet(
        ids=tuple(classes.ids[place] for place in kept), names=tuple(classes.names[place] for place in kept)
    )


def labels_among(learned: Sequence[str], class_ids: Sequence[str], labels: np.ndarray) -> np.ndarray:
    """Return labels as indices into the learned classes, int32; `UNKNOWN` for a class that is not learned.

    Examples
    --------
    >>> labels_among(["a", "c"], ["a", "b", "c"], np.array([2, 1, 0]))
    array([ 1, -1,  0], dtype=int32)
    """
    place = {class_id: position for position, class_id in enumerate(learned)}
    codes: np.ndarray = np.array([place.get(class_id, UNKNOWN) for class_id in class_ids], np.int32)
    return np.take(codes, labels)


def train_seeds(
    entry: ModelEntry, images: Sequence[np.ndarray], chosen: TrainingSet, outputs: Sequence[str | Path], seed: int
) -> None:
    """Train one model once per output file, each time from another seed, on one CPU thread.

    Parameters
    ----------
    entry
        Model of the registry.
    images
        The images of `chosen`, uint8 RGB.
    chosen
        Training images of the variant.
    outputs
        ``results/<study>/consistency/models/<variant>/<model>/<seed index>.safetensors``, by seed index from 1.
    seed
        Seed of the study.

    Raises
    ------
    ModelError
        If the study does not train such a model, or its architecture cannot be built.
    """
    refuse_unsuitable(entry)
    for number, output in enumerate(outputs, start=1):
        own_seed = derive_seed(seed, "consistency", chosen.variant, number)
        train(entry, images, chosen.labels, chosen.classes, output, seed=own_seed)
        write_json({**read_facts(output), **chosen.facts(), "seed_index": number}, facts_path(output))


def refuse_unsuitable(entry: ModelEntry) -> None:
    """Refuse a model that the study does not train on pixels alone; a `ModelError` that names it."""
    if entry.recipe is None or entry.library not in LIBRARIES:
        raise ModelError(
            f"{entry.model}: not a classifier of pixels that the study trains (library {' or '.join(LIBRARIES)}, no "
            f"published weights); take it out of consistency.models"
        )


def _check_classes(variant: str, affected: Sequence[str], classes: ClassSet) -> None:
    if variant not in VARIANTS:
        raise ModelError(f"training variant '{variant}' is unknown; choose {', '.join(VARIANTS)}")
    unknown = [class_id for class_id in affected if class_id not in classes.ids]
    if unknown:
        raise ModelError(
            f"training variant {variant}: class {unknown[0]} has no training images; "
            f"correct consistency.{variant}_classes"
        )
    if (variant == MAIN) != (not affected):
        raise ModelError(f"training variant {variant}: name classes for {RARE} and {WITHHELD}, none for {MAIN}")
    if len(classes.ids) - len(affected) < 2:
        raise ModelError(
            f"training variant {variant}: fewer than two of {len(classes.ids)} classes stay as they are; "
            f"shorten consistency.{variant}_classes"
        )


def _images_of_a_rare_class(labels: np.ndarray, rare: Sequence[int], share: float) -> int:
    """Return how many images make each rare class a share of what is kept; the others keep all of theirs."""
    others = np.count_nonzero(~np.isin(labels, rare))
    left = 1 - len(rare) * share
    count = math.floor(share * others / left + 0.5) if left > 0 else len(labels)
    available = min(np.count_nonzero(labels == label) for label in rare)
    if not 1 <= count <= available:
        raise ModelError(
            f"training variant {RARE}: a share of {share:g} takes {count} images of each rare class, and the smallest "
            f"has {available}; change consistency.rare_share"
        )
    return count
