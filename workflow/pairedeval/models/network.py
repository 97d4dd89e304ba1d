"""Published architectures behind one interface, with or without their weights."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from PIL import Image
from torch import nn

from pairedeval.errors import ModelError
from pairedeval.models.registry import ModelEntry
from pairedeval.models.weights import first_line

Transform = Callable[[Image.Image], torch.Tensor]


@dataclass(frozen=True)
class Network:
    """A published architecture.

    Attributes
    ----------
    module
        The whole model; its state dict is what a weight file of a study holds.
    tower
        The part of it that images run through.
    forward
        From a batch of images to image features (OpenCLIP) or logits of the 1,000 ImageNet classes.
    transform
        The model's own evaluation transform of an RGB image.
    adopt
        Puts files, as they are published, into `module`. The tensors replace those of `module`, which may be on the
        meta device, and keep their precision.
    """

    module: nn.Module
    tower: nn.Module
    forward: Callable[[torch.Tensor], torch.Tensor]
    transform: Transform
    adopt: Callable[[Sequence[Path]], None]

    @property
    def parameters(self) -> int:
        """Number of parameters of the whole model."""
        return sum(parameter.numel() for parameter in self.module.parameters())


def build_network(entry: ModelEntry, device: str = "cpu") -> Network:
    """Build a published architecture in evaluation mode, without published weights.

    Parameters
    ----------
    entry
        Model with published weights.
    device
        ``cpu``, with random weights, or ``meta``, with shapes but no numbers, at hardly any cost.

    Raises
    ------
    ModelError
        If the library knows no such architecture, weights or options, or the input size is not the model's.
    """
    try:
        with torch.device(device):
            network = _build(entry)
    except (RuntimeError, TypeError, ValueError, AssertionError, KeyError, OSError) as error:
        raise ModelError(
            f"{entry.model}: {entry.library} cannot build '{entry.architecture}' with weights '{entry.weights}' and "
            f"options {dict(entry.options)} ({first_line(error)}); correct the registry"
        ) from error
    network.module.eval().requires_grad_(False)
    shape = tuple(network.transform(Image.new("RGB", (entry.input_size + 9, entry.input_size + 4))).shape)
    if shape != (3, entry.input_size, entry.input_size):
        raise ModelError(
            f"{entry.model}: input_size is {entry.input_size}, but the model's own preprocessing gives "
            f"{shape[1]} x {shape[2]} pixels; correct the registry"
        )
    return network


def _build(entry: ModelEntry) -> Network:
    if entry.library == "open_clip":
        from pairedeval.models.open_clip import build_open_clip

        return build_open_clip(entry)
    if entry.library == "torchvision":
        from pairedeval.models.classifiers import build_torchvision

        return build_torchvision(entry)
    if entry.library == "timm":
        from pairedeval.models.classifiers import build_timm

        return build_timm(entry)
    from pairedeval.models.dino import build_dino

    return build_dino(entry)
