"""Views of images, made while they are read: the engine sees them as images with names of their own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pairedeval.consistency.views import OPERATORS, ORIGINAL
from pairedeval.errors import PairedEvalError
from pairedeval.inference.execution import Execution
from pairedeval.inference.sets import ImageSets
from pairedeval.models.loaded import LoadedModel
from pairedeval.models.registry import ModelEntry
from pairedeval.models.versions import software_versions
from pairedeval.perturb.operator_table import Operator, read_operators
from pairedeval.perturb.operators import apply_operator


def operators_at(table: str | Path, levels: Sequence[int]) -> tuple[Operator, ...]:
    """Return all operators at some levels, level by level, in the order of view files.

    Parameters
    ----------
    table
        ``resources/conditions/operators.csv``.
    levels
        Levels of the operators.

    Raises
    ------
    PairedEvalError
        If the table cannot be used or lacks one of them.
    """
    listed = {operator.view: operator for operator in read_operators(table)}
    wanted = [f"{operator}-{level}" for level in levels for operator in OPERATORS]
    absent = [view for view in wanted if view not in listed]
    if absent:
        raise PairedEvalError(f"{table}: no operator {absent[0]}; restore the table from the repository")
    return tuple(listed[view] for view in wanted)


def view_names(operators: Sequence[Operator]) -> tuple[str, ...]:
    """Return the names of the views that operators make, the original first."""
    return (ORIGINAL, *(operator.view for operator in operators))


def view_ids(image_ids: Sequence[str], operators: Sequence[Operator]) -> tuple[str, ...]:
    """Return the ids of all views, ``<image id> <view>``: those of the first image, then of the next ones.

    Examples
    --------
    >>> view_ids(["a", "b"], [Operator("blur", 1, 0.01)])
    ('a original', 'a blur-1', 'b original', 'b blur-1')
    """
    return tuple(f"{image_id} {view}" for image_id in image_ids for view in view_names(operators))


def run_facts(entry: ModelEntry, kind: str, seeds: int, execution: Execution) -> dict[str, Any]:
    """Return the metadata that view files of every kind hold of how they were made."""
    return {
        "model": entry.model,
        "group": entry.group,
        "kind": kind,
        "seeds": seeds,
        "precision": execution.precision,
        "versions": software_versions(),
    }


def view_logits(
    network: LoadedModel,
    images: Sequence[np.ndarray],
    image_ids: Sequence[str],
    operators: Sequence[Operator],
    seed: int,
    batch_size: int,
) -> np.ndarray:
    """Return the logits of decoded images and of what the operators make of them.

    Parameters
    ----------
    network
        Network of one training seed.
    images, image_ids
        uint8 RGB images and their ids.
    operators
        Operators of the views; with none, the images alone are passed.
    seed
        Seed of the study.
    batch_size
        Largest number of views of one forward pass, unless one image has more.

    Returns
    -------
    numpy.ndarray
        float32, shape ``(1 + operators, images, classes)``, the originals first.
    """
    step = max(1, batch_size // (1 + len(operators)))
    parts = []
    for start in range(0, len(images), step):
        shown = zip(images[start : start + step], image_ids[start : start + step], strict=True)
        views = [
            view
            for image, image_id in shown
            for view in (image, *(apply_operator(image, operator, seed, image_id) for operator in operators))
        ]
        parts.append(network.outputs(network.preprocess(views)))
    logits = np.concatenate(parts)
    return np.ascontiguousarray(logits.reshape(len(images), 1 + len(operators), -1).swapaxes(0, 1))


class ViewSets(ImageSets):
    """Image sets of which every view can be read; use it as a context manager.

    An image stays decoded until another one is asked for.

    Parameters
    ----------
    paths
        See `pairedeval.inference.sets.ImageSets`.
    operators
        Operators whose views can be read.
    seed
        Seed of the study, from which the randomness of the operators is derived.
    """

    def __init__(self, paths: Sequence[str | Path], operators: Sequence[Operator], seed: int) -> None:
        super().__init__(paths)
        self._operators = {operator.view: operator for operator in operators}
        self._seed = seed
        self._decoded: tuple[tuple[str, str], np.ndarray] | None = None

    def read(self, condition: str, view_id: str) -> np.ndarray:
        """Return one view of one image of a condition, uint8 RGB."""
        image_id, _, view = view_id.rpartition(" ")
        pixels = self._image(condition, image_id)
        return pixels if view == ORIGINAL else apply_operator(pixels, self._operators[view], self._seed, image_id)

    def fingerprint(self, condition: str, view_ids: Sequence[str]) -> str:
        """Return a digest of the images behind the views."""
        image_ids = dict.fromkeys(view_id.rpartition(" ")[0] for view_id in view_ids)
        return super().fingerprint(condition, list(image_ids))

    def _image(self, condition: str, image_id: str) -> np.ndarray:
        place = (condition, image_id)
        if self._decoded is None or self._decoded[0] != place:
            self._decoded = (place, super().read(condition, image_id))
        return self._decoded[1]
