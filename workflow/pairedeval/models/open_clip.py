"""OpenCLIP models, public or trained here: image features against class vectors made from prompts."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import open_clip
import torch
from PIL import Image
from torch import nn

from pairedeval.errors import ModelError
from pairedeval.models.loaded import ClassSet, LoadedModel, autocast
from pairedeval.models.registry import ModelEntry
from pairedeval.models.weights import read_facts, readable

# Model (open_clip has no types), its evaluation transform of a PIL image, its tokenizer.
Parts = tuple[Any, Callable[[Image.Image], torch.Tensor], Callable[[Sequence[str]], torch.Tensor]]


def open_clip_from_config(config: dict[str, Any], weights: Path | None = None) -> Parts:
    """Build a model from the content of ``open_clip_config.json``, with random weights if there are none.

    Raises
    ------
    ModelError
        If the weight file is damaged or belongs to another architecture.
    """
    with TemporaryDirectory() as folder:
        (Path(folder) / "open_clip_config.json").write_text(json.dumps(config), encoding="utf-8")
        if weights is not None:
            (Path(folder) / "open_clip_model.safetensors").symlink_to(weights.resolve())
        name = f"local-dir:{folder}"
        model, _, transform = open_clip.create_model_and_transforms(name, load_weights=weights is not None)
        return model, transform, open_clip.get_tokenizer(name)


def zero_shot_head(
    model: nn.Module,
    tokenizer: Callable[[Sequence[str]], torch.Tensor],
    class_names: Sequence[str],
    templates: Sequence[str],
    device: torch.device | str = "cpu",
) -> torch.Tensor:
    """Return class vectors, shape ``(embedding, classes)``.

    A vector is the mean of the unit vectors of the class's prompts, scaled to unit length.
    """
    head: torch.Tensor = open_clip.build_zero_shot_classifier(
        model, tokenizer, list(class_names), list(templates), device=device
    )
    return head


def load_open_clip(
    entry: ModelEntry,
    weights: Path | None,
    classes: ClassSet,
    templates: Sequence[str],
    device: torch.device,
    precision: str,
) -> LoadedModel:
    """Load any OpenCLIP model as a zero-shot classifier; see `pairedeval.models.pool.load_model`."""
    if not templates:
        raise ModelError(f"{entry.model}: no prompt templates; an image-text model needs at least one with '{{}}'")
    if entry.recipe is None:
        model, transform, tokenizer = _published(entry, weights)
    else:
        model, transform, tokenizer = _trained_here(weights)
    _check_bias(entry, model)
    model.eval().to(device)
    with autocast(device, precision):
        head = zero_shot_head(model, tokenizer, classes.names, templates, device).float()

    def cosines(batch: torch.Tensor) -> torch.Tensor:
        # Features may come in half precision; unit length and products are formed in float32.
        features = nn.functional.normalize(model.encode_image(batch).float(), dim=-1)
        with torch.autocast(device.type, enabled=False):
            return features @ head

    return LoadedModel(
        name=entry.model,
        scoring="cosine",
        scale=model.logit_scale.exp().item(),
        bias=float("nan") if model.logit_bias is None else model.logit_bias.item(),
        class_ids=classes.ids,
        preprocess=lambda images: torch.stack([transform(Image.fromarray(image)) for image in images]),
        forward=cosines,
        preprocessing=f"{transform} {list(classes.names)} {list(templates)}",
        device=device,
        precision=precision,
    )


def _trained_here(weights: Path | None) -> Parts:
    if weights is None:
        raise ValueError("a model that the study trains has a weight file")
    config = read_facts(weights).get("open_clip_config")
    if config is None:
        raise ModelError(f"{weights}: its JSON file has no open_clip_config; remove both and train the model again")
    if not weights.is_file():
        raise ModelError(f"{weights}: no such file; train or fetch the model first")
    with readable(weights):
        return open_clip_from_config(config, weights)


def _published(entry: ModelEntry, weights: Path | None) -> Parts:
    """Build a model by its public name; a weight file is preprocessed as the tag says, if the library knows the tag."""
    published = open_clip.get_pretrained_cfg(entry.architecture, entry.weights) or {}
    overrides = {"interpolation": "image_interpolation", "resize_mode": "image_resize_mode"}
    overrides |= {"mean": "image_mean", "std": "image_std"}
    arguments = {argument: published[key] for key, argument in overrides.items() if weights and key in published}
    source = str(weights or entry.weights)
    try:
        model, _, transform = open_clip.create_model_and_transforms(
            entry.architecture, pretrained=source, weights_only=True, **arguments
        )
        return model, transform, open_clip.get_tokenizer(entry.architecture)
    except Exception as error:  # The library, its hub client and its readers raise nearly anything.
        reason = str(error).splitlines()[0].rstrip(" .:") if str(error) else type(error).__name__
        raise ModelError(
            f"{entry.model}: open_clip cannot load '{entry.architecture}' with weights '{source}' ({reason}); "
            f"correct the registry, or fetch the weights and the tokenizer first"
        ) from error


def _check_bias(entry: ModelEntry, model: Any) -> None:
    expected = "softmax" if model.logit_bias is None else "sigmoid"
    if entry.scoring != expected:
        raise ModelError(
            f"{entry.model}: scoring is '{entry.scoring}', but the model has {'no' if expected == 'softmax' else 'a'} "
            f"logit bias; write '{expected}' into the registry"
        )
