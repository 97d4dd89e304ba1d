"""OpenCLIP models, public or trained here: image features against class vectors made from prompts."""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import open_clip
import torch
from PIL import Image
from torch import nn

from pairedeval.errors import ModelError
from pairedeval.models.heads import head_path, read_head
from pairedeval.models.loaded import ClassSet, LoadedModel, autocast
from pairedeval.models.network import Network, Transform, build_network
from pairedeval.models.registry import ModelEntry
from pairedeval.models.weights import read_facts, read_weights, readable

# Model (open_clip has no types), its evaluation transform of a PIL image, its tokenizer.
Parts = tuple[Any, Transform, Callable[[Sequence[str]], torch.Tensor]]


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


def build_open_clip(entry: ModelEntry) -> Network:
    """Build a public model by its name, computing as the name says and preprocessing as the tag of its weights says.

    Two tags of the paper's pool were trained with another activation than the names have under which they are
    published (``ViT-B-16`` with ``dfn2b``, ``ViT-B-32`` with ``laion400m_e32``); the option ``force_quick_gelu=1``
    gives the trained form.
    """
    name = architecture_name(entry)
    published = open_clip.get_pretrained_cfg(name, entry.weights)
    if not published and name == entry.architecture:
        raise ValueError("the library lists no such weights")
    overrides = {"interpolation": "image_interpolation", "resize_mode": "image_resize_mode"}
    overrides |= {"mean": "image_mean", "std": "image_std"}
    arguments = {argument: published[key] for key, argument in overrides.items() if key in published}
    # The library moves what it built to this device, which must be the one that tensors are made on.
    device = torch.empty(0).device
    with _unlogged():
        model, _, transform = open_clip.create_model_and_transforms(
            name, pretrained_text=False, device=device, **arguments, **dict(entry.options)
        )
    _check_bias(entry, model)
    return Network(
        module=model,
        tower=model.visual,
        forward=model.encode_image,
        transform=transform,
        adopt=lambda files: _adopt(model, *files),
    )


@contextmanager
def _unlogged() -> Iterator[None]:
    """Keep the library's warning out of the logs that a model without weights is random: they come next."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def architecture_name(entry: ModelEntry) -> str:
    """Return the library's name of an architecture; a configuration file is made known under the name of the file."""
    if not entry.architecture.endswith(".json"):
        return entry.architecture
    open_clip.add_model_config(entry.architecture)
    return Path(entry.architecture).stem


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
    weights: Path,
    classes: ClassSet,
    templates: Sequence[str],
    device: torch.device,
    precision: str,
) -> LoadedModel:
    """Load any OpenCLIP model as a zero-shot classifier; see `pairedeval.models.pool.load_model`.

    A public model has its class vectors in a file beside its weights; of a model trained here, which is small, they
    are made from the prompts.
    """
    if entry.recipe is None:
        network = build_network(entry)
        model, transform = network.module, network.transform
        with readable(weights):
            model.load_state_dict(read_weights(weights))
        network.tower.to(device)
        stored = read_head(head_path(weights), classes)
        origin = f"{list(classes.ids)} {stored.digest}"
        return _zero_shot(entry, model, transform, stored.vectors, classes, origin, device, precision)
    if not templates:
        raise ModelError(f"{entry.model}: no prompt templates; an image-text model needs at least one with '{{}}'")
    model, transform, tokenizer = _trained_here(weights)
    _check_bias(entry, model)
    model.eval().to(device)
    with autocast(device, precision):
        vectors = zero_shot_head(model, tokenizer, classes.names, templates, device).float()
    origin = f"{list(classes.names)} {list(templates)}"
    return _zero_shot(entry, model, transform, vectors, classes, origin, device, precision)


def _check_bias(entry: ModelEntry, model: Any) -> None:
    """Refuse a scoring rule that does not fit the model: ``sigmoid`` needs a logit bias, ``softmax`` none."""
    expected = "softmax" if model.logit_bias is None else "sigmoid"
    if entry.scoring != expected:
        raise ModelError(
            f"{entry.model}: scoring is '{entry.scoring}', but the model has {'no' if expected == 'softmax' else 'a'} "
            f"logit bias; write '{expected}' into the registry"
        )


def _zero_shot(
    entry: ModelEntry,
    model: Any,
    transform: Transform,
    vectors: torch.Tensor,
    classes: ClassSet,
    origin: str,
    device: torch.device,
    precision: str,
) -> LoadedModel:
    vectors = vectors.to(device)

    def cosines(batch: torch.Tensor) -> torch.Tensor:
        # Features may come in half precision; unit length and products are formed in float32.
        features = nn.functional.normalize(model.encode_image(batch).float(), dim=-1)
        with torch.autocast(device.type, enabled=False):
            return features @ vectors

    return LoadedModel(
        name=entry.model,
        scoring="cosine",
        scale=model.logit_scale.exp().item(),
        bias=float("nan") if model.logit_bias is None else model.logit_bias.item(),
        class_ids=classes.ids,
        preprocess=lambda images: torch.stack([transform(Image.fromarray(image)) for image in images]),
        forward=cosines,
        preprocessing=f"{transform} {origin}",
        device=device,
        precision=precision,
    )


def _trained_here(weights: Path) -> Parts:
    config = read_facts(weights).get("open_clip_config")
    if config is None:
        raise ModelError(f"{weights}: its JSON file has no open_clip_config; remove both and train the model again")
    if not weights.is_file():
        raise ModelError(f"{weights}: no such file; train or fetch the model first")
    with readable(weights):
        return open_clip_from_config(config, weights)


def _adopt(model: Any, file: Path) -> None:
    """Load a published file with the library's own conversions of older layouts."""
    model.load_state_dict = partial(model.load_state_dict, assign=True)
    with readable(file):
        open_clip.load_checkpoint(model, str(file), weights_only=True)
