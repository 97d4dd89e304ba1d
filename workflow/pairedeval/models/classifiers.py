"""Published ImageNet classifiers of timm and torchvision: one output for each of the 1,000 classes."""

from pathlib import Path
from typing import Any

import timm
import torch
import torchvision
from PIL import Image
from timm.data.config import resolve_data_config
from timm.data.constants import IMAGENET_DEFAULT_MEAN, IMAGENET_DEFAULT_STD
from timm.data.transforms_factory import create_transform
from torch import nn

from pairedeval.models.loaded import LoadedModel
from pairedeval.models.network import Network, Transform, build_network
from pairedeval.models.registry import ModelEntry
from pairedeval.models.weights import read_weights, readable

IMAGENET_CLASSES = 1000
# Crop as share of the resized side: 224 of 256, as the evaluations of MAE and DINO do.
CROP_SHARE = 0.875


def build_timm(entry: ModelEntry) -> Network:
    """Build a timm classifier; published files are those of timm's hub or a state dict under the key ``model``."""
    options: dict[str, Any] = dict(entry.options)
    module = timm.create_model(entry.architecture, num_classes=IMAGENET_CLASSES, **options)
    return Network(
        module=module,
        tower=module,
        forward=module,
        transform=standard_transform(entry) if entry.preprocessing else _tagged_transform(entry),
        adopt=lambda files: _adopt(module, *files),
    )


def build_torchvision(entry: ModelEntry) -> Network:
    """Build a torchvision classifier; `weights` names a member of the architecture's weights enumeration."""
    published = torchvision.models.get_model_weights(entry.architecture)[entry.weights]
    module = torchvision.models.get_model(entry.architecture, **dict(entry.options))
    return Network(
        module=module,
        tower=module,
        forward=module,
        transform=published.transforms(),
        adopt=lambda files: _adopt(module, *files),
    )


def load_published(entry: ModelEntry, weights: Path, device: torch.device, precision: str) -> LoadedModel:
    """Load a published classifier of any library; see `pairedeval.models.pool.load_model`."""
    from pairedeval.models.imagenet import imagenet_classes

    network = build_network(entry)
    with readable(weights):
        network.module.load_state_dict(read_weights(weights))
    network.tower.to(device)
    return LoadedModel(
        name=entry.model,
        scoring="logits",
        scale=float("nan"),
        bias=float("nan"),
        class_ids=imagenet_classes().ids,
        preprocess=lambda images: torch.stack([network.transform(Image.fromarray(image)) for image in images]),
        forward=network.forward,
        preprocessing=str(network.transform),
        device=device,
        precision=precision,
    )


def standard_transform(entry: ModelEntry) -> Transform:
    """Return the transform that the registry's column `preprocessing` names."""
    squash = entry.preprocessing == "squash"
    return _transform(
        input_size=(3, entry.input_size, entry.input_size),
        interpolation="bicubic",
        mean=IMAGENET_DEFAULT_MEAN,
        std=IMAGENET_DEFAULT_STD,
        crop_pct=1.0 if squash else CROP_SHARE,
        crop_mode="squash" if squash else "center",
    )


def _tagged_transform(entry: ModelEntry) -> Transform:
    """Return the transform that belongs to the weights by timm's own tables."""
    published: Any = timm.get_pretrained_cfg(f"{entry.architecture}.{entry.weights}", allow_unregistered=False)
    settings: Any = resolve_data_config
    return _transform(**settings(pretrained_cfg=published.to_dict()))


def _transform(**settings: Any) -> Transform:
    # Mean and standard deviation become tensors, which must not be on the device where the network is built.
    with torch.device("cpu"):
        transform: Transform = create_transform(**settings)
    return transform


def _adopt(module: nn.Module, file: Path) -> None:
    with readable(file):
        module.load_state_dict(read_weights(file), assign=True)
