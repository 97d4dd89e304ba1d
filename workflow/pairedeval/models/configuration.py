"""The networks of one configuration: one registry model, trained from several seeds on the same images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from pairedeval.errors import ModelError
from pairedeval.models.loaded import ClassSet, LoadedModel
from pairedeval.models.pool import load_model
from pairedeval.models.registry import ModelEntry
from pairedeval.models.variants import RARE, WITHHELD, refuse_unsuitable, without
from pairedeval.models.weights import REMEDY, read_facts


@dataclass(frozen=True)
class Configuration:
    """Networks that are ready for inference.

    Attributes
    ----------
    networks
        One for each training seed, in the order of the seeds; all have the same preprocessing.
    facts
        What they were trained on, for the metadata of results: ``class_shares``, and ``rare_classes`` or
        ``withheld_classes`` where there are any.
    """

    networks: tuple[LoadedModel, ...]
    facts: Mapping[str, Any]

    @property
    def class_ids(self) -> tuple[str, ...]:
        """Classes that the networks know."""
        return self.networks[0].class_ids

    def side_by_side(self) -> LoadedModel:
        """Return the networks as one model; its output holds the classes of the first seed, then of the next ones."""
        forwards = [network.forward for network in self.networks]
        return replace(
            self.networks[0],
            class_ids=self.class_ids * len(forwards),
            forward=lambda batch: torch.cat([forward(batch) for forward in forwards], dim=1),
        )


def load_configuration(
    entry: ModelEntry,
    weights: Sequence[str | Path],
    variant: str,
    classes: ClassSet,
    *,
    device: str = "auto",
    precision: str = "float32",
) -> Configuration:
    """Load the networks of all seeds.

    Parameters
    ----------
    entry
        Model of the registry.
    weights
        Files that `pairedeval.models.variants.train_seeds` wrote, in the order of the seeds.
    variant
        What the networks must have been trained on, one of `pairedeval.models.variants.VARIANTS`.
    classes
        Classes of the study; withheld ones are left out.
    device, precision
        See `pairedeval.models.pool.load_model`.

    Raises
    ------
    ModelError
        If a file is missing, damaged, of another model or variant, or stands at another seed's place.
    """
    refuse_unsuitable(entry)
    described = [read_facts(path) for path in weights]
    for place, (path, facts) in enumerate(zip(weights, described, strict=True), start=1):
        found = (facts.get("model"), facts.get("variant"), facts.get("seed_index"))
        if found != (entry.model, variant, place):
            raise ModelError(f"{path}: not seed {place} of {entry.model}, variant {variant}; {REMEDY}")
    known = without(classes, described[0].get(f"{WITHHELD}_classes", ()))
    networks = [load_model(entry, path, known, device=device, precision=precision) for path in weights]
    kept = ("class_shares", f"{RARE}_classes", f"{WITHHELD}_classes")
    return Configuration(tuple(networks), {name: described[0][name] for name in kept if name in described[0]})
