"""Probe files: outputs of one model on every variant of the base images. No torch: scoring again needs no model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pairedeval.arrays import read_arrays, write_arrays
from pairedeval.errors import RecordsError
from pairedeval.scoring import COSINE, LOGITS


@dataclass(frozen=True)
class Probes:
    """Outputs of one model on every variant of the base images.

    Attributes
    ----------
    outputs
        Cosine similarities or logits over the candidates, float32, shape ``(variants, images, candidates)``.
    outside
        Log of the summed exponentials of the logits outside the candidate set, float64, shape
        ``(variants, images)``; minus infinity where there are none.
    variants
        Condition of each first index, ``clean`` first.
    image_ids, labels, splits
        Id, candidate index of the true class (int32) and split of each image.
    candidates
        Class ids of the candidates, sorted.
    scoring
        ``cosine`` or ``logits``.
    scale, bias
        Learned logit scale and bias; NaN if the model has none.
    metadata
        Study, model, group, versions and so on.
    """

    outputs: np.ndarray
    outside: np.ndarray
    variants: tuple[str, ...]
    image_ids: tuple[str, ...]
    labels: np.ndarray
    splits: tuple[str, ...]
    candidates: tuple[str, ...]
    scoring: str
    scale: float
    bias: float
    metadata: Mapping[str, Any]

    def of(self, conditions: Sequence[str]) -> np.ndarray:
        """Return the outputs of some variants, shape ``(conditions, images, candidates)``.

        Raises
        ------
        RecordsError
            If a condition is not among the variants.
        """
        absent = [condition for condition in conditions if condition not in self.variants]
        if absent:
            raise RecordsError(
                f"{self.metadata.get('model', 'probes')}: no outputs for condition {absent[0]}; "
                f"run the probes again with this condition"
            )
        return self.outputs[[self.variants.index(condition) for condition in conditions]]


def write_probes(probes: Probes, path: str | Path) -> None:
    """Write ``probes/<model>.npz``: atomically, without pickles, the same bytes for the same outputs."""
    _check(probes, str(path))
    write_arrays(probes, path)


def read_probes(path: str | Path) -> Probes:
    """Read a probe file and check it.

    Raises
    ------
    RecordsError
        If the file is missing, damaged, or its arrays do not fit each other.
    """
    probes = read_arrays(
        Probes,
        path,
        what="probe file",
        origin="run the probes of this model",
        remedy="remove it and run the probes again",
    )
    _check(probes, str(path))
    return probes


def _check(probes: Probes, place: str) -> None:
    variants, images, candidates = len(probes.variants), len(probes.image_ids), len(probes.candidates)
    shapes = {
        "outputs": (probes.outputs.shape, (variants, images, candidates)),
        "outside": (probes.outside.shape, (variants, images)),
        "labels": (probes.labels.shape, (images,)),
        "splits": ((len(probes.splits),), (images,)),
    }
    for name, (found, expected) in shapes.items():
        if found != expected:
            raise RecordsError(f"{place}: {name} has shape {found} instead of {expected}; run the probes again")
    if probes.scoring not in (COSINE, LOGITS):
        raise RecordsError(
            f"{place}: scoring is '{probes.scoring}' instead of {COSINE} or {LOGITS}; run the probes again"
        )
    for name in ("variants", "image_ids", "candidates"):
        values = getattr(probes, name)
        if len(set(values)) != len(values):
            raise RecordsError(f"{place}: {name} holds a value twice; run the probes again")
    if not np.isfinite(probes.outputs).all():
        variant, image, _ = np.argwhere(~np.isfinite(probes.outputs))[0]
        raise RecordsError(
            f"{place}: condition {probes.variants[variant]}, image {probes.image_ids[image]}: NaN or infinite output; "
            f"run the probes again"
        )
    if images and not 0 <= probes.labels.min() <= probes.labels.max() < candidates:
        raise RecordsError(f"{place}: a label is outside the {candidates} candidates; run the probes again")
