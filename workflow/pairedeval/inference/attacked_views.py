"""Running one configuration on attacked images and on their mildly changed versions.

The network of each training seed is attacked by one who knows it, and sees its own attacked images alone. The changed
versions are the defender's: the operators make the same draws as on the clean images.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from pairedeval.consistency.views import LEVELS, Views, write_views
from pairedeval.errors import ImageError
from pairedeval.inference.attacks import STEPS, Attack, Forward, attack_images
from pairedeval.inference.execution import Execution, arranged, reproducible
from pairedeval.inference.inputs import ImageSet, read_image_set, read_pixels
from pairedeval.inference.view_sets import operators_at, run_facts, view_logits, view_names
from pairedeval.models.configuration import load_configuration
from pairedeval.models.loaded import LoadedModel
from pairedeval.models.pool import select_device
from pairedeval.models.registry import ModelEntry
from pairedeval.models.small import normalise
from pairedeval.models.variants import MAIN
from pairedeval.perturb.operator_table import Operator
from pairedeval.progress import progress_bar
from pairedeval.records import CLEAN, EVALUATION
from pairedeval.splits import SYN

KIND = "attacked"


@dataclass(frozen=True)
class _Target:
    """What every network is attacked on: images, their pixels, the operators of the views, the seed of the study."""

    images: ImageSet
    pixels: list[np.ndarray]
    operators: tuple[Operator, ...]
    seed: int


def run_attacked_views(
    entry: ModelEntry,
    weights: Sequence[str | Path],
    attacks: Sequence[Attack],
    *,
    index: str | Path,
    store: str | Path,
    operators: str | Path,
    output: str | Path,
    images: int,
    seed: int,
    facts: Mapping[str, Any],
    execution: Execution | None = None,
) -> None:
    """Attack the networks of one configuration and write their logits as a view file of kind ``attacked``.

    Parameters
    ----------
    entry
        Model of the registry.
    weights
        Weight file of each training seed, in the order of the seeds.
    attacks
        Each becomes a condition, after ``clean``, which holds the same images without an attack.
    index
        ``results/<study>/images/index.parquet``.
    store
        ``results/<study>/images/clean.zip``.
    operators
        ``resources/conditions/operators.csv``; level 1 is applied.
    output
        ``results/<study>/consistency/views/attacked/<model>.npz``.
    images
        How many images to attack: the first ones, by id, of the evaluation half of the ``syn`` images.
    seed
        Seed of the study, from which the draws of the attacker and of the operators are derived.
    facts
        Metadata of the study: study, config_digest, simulated.
    execution
        How the networks are run. Attacks run on one device as well, but always in float32.

    Raises
    ------
    PairedEvalError
        If there are not as many images, or weights, operators or images cannot be used.
    """
    import cv2

    # A job of one thread must not share its cores; the pixels do not depend on it.
    cv2.setNumThreads(1)
    execution = execution or Execution()
    chosen = first_evaluated(index, images)
    target = _Target(chosen, _pixels_of_one_size(store, chosen.image_ids), operators_at(operators, LEVELS[:1]), seed)
    progress = progress_bar(len(weights) * len(attacks), f"attack {entry.model}", "attack")
    with progress, reproducible(execution.computing_threads(select_device(execution.device))):
        configuration = load_configuration(
            entry, weights, MAIN, chosen.classes, device=execution.device, precision=execution.precision
        )
        logits = np.stack(
            [
                _logits(network, entry.input_size, attacks, target, execution, progress.update)
                for network in configuration.networks
            ]
        )
    views = Views(
        logits=logits,
        conditions=(CLEAN, *(attack.condition for attack in attacks)),
        views=view_names(target.operators),
        image_ids=chosen.image_ids,
        labels=chosen.labels,
        splits=chosen.splits,
        classes=configuration.class_ids,
        metadata={
            **facts,
            **configuration.facts,
            "attacks": [attack.facts() for attack in attacks],
            "attack_steps": STEPS,
            **run_facts(entry, KIND, len(weights), execution),
        },
    )
    write_views(views, output)


def first_evaluated(index: str | Path, count: int) -> ImageSet:
    """Return the first ``syn`` images of the evaluation half, by id; an `ImageError` if there are too few."""
    images = read_image_set(index, SYN)
    places = [place for place, split in enumerate(images.splits) if split == EVALUATION]
    if len(places) < count:
        raise ImageError(
            f"{index}: {len(places)} evaluation images, too few for {count} to attack; lower consistency.attack_images"
        )
    chosen = places[:count]
    return ImageSet(
        image_ids=tuple(images.image_ids[place] for place in chosen),
        labels=images.labels[chosen],
        splits=(EVALUATION,) * count,
        classes=images.classes,
    )


def from_pixels(network: LoadedModel, input_size: int) -> Forward:
    """Return a network with its preprocessing as one function of pixels in [0, 1], which has a slope.

    It does what `pairedeval.models.small.resize` and `pairedeval.models.small.normalise` do.
    """

    def forward(pixels: torch.Tensor) -> torch.Tensor:
        # Resizing is linear along each side: products with two small matrices take a third of the time.
        rows, columns = (_resizing(length, input_size).to(pixels) for length in pixels.shape[2:])
        return network.forward(normalise((rows @ pixels @ columns.mT).clamp(0, 1)))

    return forward


def _resizing(length: int, size: int) -> torch.Tensor:
    """Return what each place of a resized side takes from the places of the side, shape ``(size, length)``."""
    unit = torch.eye(length)[None, None]
    return functional.interpolate(unit, size=(size, length), mode="bicubic", antialias=True)[0, 0]


def _logits(
    network: LoadedModel,
    input_size: int,
    attacks: Sequence[Attack],
    target: _Target,
    execution: Execution,
    progress: Callable[[], object],
) -> np.ndarray:
    """Return the logits of one network, shape ``(1 + attacks, views, images, classes)``."""
    runner = arranged(network, execution)
    forward = from_pixels(runner, input_size)
    ids, labels = target.images.image_ids, target.images.labels
    logits = [view_logits(runner, target.pixels, ids, target.operators, target.seed, execution.batch_size)]
    for attack in attacks:
        attacked = attack_images(
            forward, target.pixels, ids, labels, attack, target.operators, target.seed, network.device
        )
        logits.append(view_logits(runner, attacked, ids, target.operators, target.seed, execution.batch_size))
        progress()
    return np.stack(logits)


def _pixels_of_one_size(store: str | Path, image_ids: Sequence[str]) -> list[np.ndarray]:
    pixels = read_pixels(store, CLEAN, image_ids)
    sizes = [f"{image.shape[1]} x {image.shape[0]} px" for image in pixels]
    for size, image_id in zip(sizes, image_ids, strict=True):
        if size != sizes[0]:
            raise ImageError(
                f"{store}: image {image_id} has {size} and {image_ids[0]} {sizes[0]}; attacks need images of one size"
            )
    return pixels
