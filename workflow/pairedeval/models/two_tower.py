"""Tiny image-text models trained here: a timm image tower and a small text transformer, in open_clip's form."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from open_clip.loss import ClipLoss, SigLipLoss
from torch import nn

from pairedeval.errors import ModelError
from pairedeval.models.augmentation import augment
from pairedeval.models.loaded import ClassSet
from pairedeval.models.open_clip import open_clip_from_config, zero_shot_head
from pairedeval.models.registry import ModelEntry, TrainingRecipe
from pairedeval.models.small import normalise
from pairedeval.models.training import BATCH_SIZE, fit, share_equal

EMBEDDING = 64
CONTEXT = 16
# Starting points for batches of ten pairs: one pair in ten matches, so the sigmoid loss starts at its odds.
SIGMOID_LOGIT_SCALE = float(np.log(10.0))
SIGMOID_LOGIT_BIAS = float(np.log(1.0 / 9.0))


def two_tower_config(entry: ModelEntry) -> dict[str, Any]:
    """Return the content of ``open_clip_config.json`` for a registry entry."""
    model: dict[str, Any] = {
        "embed_dim": EMBEDDING,
        "vision_cfg": {
            "timm_model_name": entry.architecture,
            "timm_model_pretrained": False,
            "timm_pool": "avg",
            "timm_proj": "linear",
            "image_size": entry.input_size,
            **dict(entry.options),
        },
        # The vocabulary of the byte-pair encoding that open_clip ships.
        "text_cfg": {"context_length": CONTEXT, "vocab_size": 49408, "width": EMBEDDING, "heads": 2, "layers": 2},
    }
    if entry.scoring == "sigmoid":
        model |= {"init_logit_scale": SIGMOID_LOGIT_SCALE, "init_logit_bias": SIGMOID_LOGIT_BIAS}
    half = [0.5, 0.5, 0.5]
    preprocessing = {"mean": half, "std": half, "interpolation": "bicubic", "resize_mode": "squash"}
    return {"model_cfg": model, "preprocess_cfg": preprocessing}


def train_two_tower(
    entry: ModelEntry,
    recipe: TrainingRecipe,
    pixels: torch.Tensor,
    targets: torch.Tensor,
    classes: ClassSet,
    templates: Sequence[str],
) -> tuple[nn.Module, dict[str, Any]]:
    """Train both towers on pairs of an image and a prompt for its class.

    A batch holds one image of each class, so that no pair but the diagonal matches, as both losses assume.

    Returns
    -------
    model, facts
        The trained model and what belongs into its JSON file.
    """
    if not templates:
        raise ModelError(f"{entry.model}: no prompt templates; an image-text model needs at least one with '{{}}'")
    config = two_tower_config(entry)
    model, _, tokenizer = open_clip_from_config(config)
    # The token table holds nine tenths of the parameters; a random one serves a dozen words as well.
    model.token_embedding.requires_grad_(False)
    prompts = torch.stack([tokenizer([template.format(name) for name in classes.names]) for template in templates])
    pair_loss = _pair_loss(entry.scoring)

    def loss(chosen: torch.Tensor) -> torch.Tensor:
        texts = prompts[torch.randint(len(prompts), (len(chosen),)), targets[chosen]]
        images = normalise(augment(pixels[chosen], recipe.augmentation))
        value: torch.Tensor = pair_loss(*model(images, texts))
        return value

    losses = fit(model, recipe, lambda: one_image_a_class(targets), loss, entry.model)
    model.eval()
    head = zero_shot_head(model, tokenizer, classes.names, templates)
    with torch.inference_mode():
        cosines = [
            model.encode_image(normalise(part), normalize=True) @ head for part in torch.split(pixels, BATCH_SIZE)
        ]
    accuracy = share_equal(torch.cat(cosines).argmax(1), targets)
    facts = {
        "loss_per_epoch": losses,
        "training_accuracy": accuracy,
        "open_clip_config": config,
        "templates": list(templates),
    }
    return model, facts


def one_image_a_class(targets: torch.Tensor) -> list[torch.Tensor]:
    """Return batches with one image of each class, in random order; images beyond the smallest class wait."""
    per_class = [torch.nonzero(targets == label)[:, 0] for label in torch.unique(targets)]
    smallest = min(len(images) for images in per_class)
    columns = [images[torch.randperm(len(images))[:smallest]] for images in per_class]
    return list(torch.stack(columns, dim=1))


def _pair_loss(scoring: str) -> nn.Module:
    loss: nn.Module = SigLipLoss() if scoring == "sigmoid" else ClipLoss()
    return loss
