"""Small classifiers on tensors: timm architectures and a linear softmax model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from pairedeval.errors import ModelError
from pairedeval.models.loaded import ClassSet, LoadedModel
from pairedeval.models.registry import ModelEntry
from pairedeval.models.weights import read_facts, read_weights, readable


def build_classifier(entry: ModelEntry, classes: int) -> nn.Module:
    """Build the untrained network of a registry entry, from torch's current random state.

    Raises
    ------
    ModelError
        If the library has no such architecture or does not accept the options.
    """
    if entry.library == "linear":
        return nn.Sequential(nn.Flatten(), nn.Linear(3 * entry.input_size**2, classes))
    import timm

    options: dict[str, Any] = dict(entry.options)
    try:
        return timm.create_model(entry.architecture, num_classes=classes, **options)
    except (RuntimeError, TypeError, ValueError, AssertionError) as error:
        raise ModelError(
            f"{entry.model}: timm cannot build '{entry.architecture}' with options {options} ({error}); "
            f"correct the registry"
        ) from error


def resize(images: Sequence[np.ndarray], size: int) -> torch.Tensor:
    """Return uint8 RGB images as float32 in [0, 1], shape ``(n, 3, size, size)``: bicubic, antialiased, not cropped."""
    if len({image.shape for image in images}) > 1:
        return torch.cat([resize([image], size) for image in images])
    pixels = torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).float().div_(255)
    resized = functional.interpolate(pixels, size=(size, size), mode="bicubic", antialias=True)
    return resized.clamp_(0, 1)


def normalise(pixels: torch.Tensor) -> torch.Tensor:
    """Map [0, 1] to [-1, 1]."""
    return (pixels - 0.5) / 0.5


def load_classifier(
    entry: ModelEntry, weights: Path, classes: ClassSet, device: torch.device, precision: str
) -> LoadedModel:
    """Load a classifier that the study trained; see `pairedeval.models.pool.load_model`."""
    trained = tuple(read_facts(weights).get("class_ids", ()))
    if trained != classes.ids:
        raise ModelError(f"{weights}: trained on other classes than the study's; remove it and train the model again")
    network = build_classifier(entry, len(classes.ids))
    with readable(weights):
        network.load_state_dict(read_weights(weights))
    network.eval().to(device)
    return LoadedModel(
        name=entry.model,
        scoring="logits",
        scale=float("nan"),
        bias=float("nan"),
        class_ids=classes.ids,
        preprocess=lambda images: normalise(resize(images, entry.input_size)),
        forward=network,
        preprocessing=f"bicubic antialiased resize to {entry.input_size}, (x - 0.5) / 0.5",
        device=device,
        precision=precision,
    )
