"""Training of the study's own models: seeded, on one CPU thread, the same bits on every run."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from pairedeval.models.augmentation import augment
from pairedeval.models.loaded import ClassSet
from pairedeval.models.registry import ModelEntry, TrainingRecipe
from pairedeval.models.small import build_classifier, normalise, resize
from pairedeval.models.versions import software_versions
from pairedeval.models.weights import write_weights
from pairedeval.progress import progress_bar
from pairedeval.seeds import derive_seed

BATCH_SIZE = 64
WEIGHT_DECAY = 0.05
Step = Callable[[torch.Tensor], torch.Tensor]


def train(
    entry: ModelEntry,
    images: Sequence[np.ndarray],
    labels: np.ndarray,
    classes: ClassSet,
    output: str | Path,
    *,
    seed: int,
    templates: Sequence[str] = (),
    threads: int = 1,
) -> None:
    """Train one model of the registry and write its weights, with a JSON file of facts beside them.

    Parameters
    ----------
    entry
        Model with a training recipe.
    images
        Training images, uint8 RGB.
    labels
        Class index of each image.
    classes
        The study's classes; their names fill the templates.
    output
        ``results/<study>/models/<model>.safetensors``.
    seed
        Seed of the study; the model's own seed is derived from it and the model's name.
    templates
        Prompts with one ``{}``, for image-text models.
    threads
        CPU threads; results are the same bits for the same number.

    Raises
    ------
    ModelError
        If the architecture cannot be built.
    """
    if entry.recipe is None:
        raise ValueError(f"{entry.model} has published weights and is not trained here")
    torch.set_num_threads(threads)
    model_seed = derive_seed(seed, "train", entry.model)
    pixels = resize(images, entry.input_size)
    targets = torch.from_numpy(np.asarray(labels, dtype=np.int64))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(model_seed)
        if entry.library == "open_clip":
            from pairedeval.models.two_tower import train_two_tower

            model, facts = train_two_tower(entry, entry.recipe, pixels, targets, classes, templates)
        else:
            model, facts = _train_classifier(entry, entry.recipe, pixels, targets, len(classes.ids))
    parameters = sum(parameter.numel() for parameter in model.parameters())
    described = _facts(entry, entry.recipe, classes)
    write_weights(model, output, {**described, "seed": model_seed, "parameters": parameters, **facts})


def _train_classifier(
    entry: ModelEntry, recipe: TrainingRecipe, pixels: torch.Tensor, targets: torch.Tensor, classes: int
) -> tuple[nn.Module, dict[str, Any]]:
    """Train by cross-entropy on shuffled batches."""
    network = build_classifier(entry, classes)

    def loss(chosen: torch.Tensor) -> torch.Tensor:
        inputs = normalise(augment(pixels[chosen], recipe.augmentation))
        return functional.cross_entropy(network(inputs), targets[chosen])

    losses = fit(network, recipe, lambda: shuffled_batches(len(targets)), loss, entry.model)
    network.eval()
    with torch.inference_mode():
        predicted = torch.cat([network(normalise(part)).argmax(1) for part in torch.split(pixels, BATCH_SIZE)])
    return network, {"loss_per_epoch": losses, "training_accuracy": share_equal(predicted, targets)}


def fit(
    network: nn.Module,
    recipe: TrainingRecipe,
    batches: Callable[[], Sequence[torch.Tensor]],
    loss: Step,
    name: str,
) -> list[float]:
    """Minimise a loss with AdamW and a one-cycle schedule.

    Parameters
    ----------
    network
        Module in training; parameters that do not require gradients are left alone.
    recipe
        Epochs and largest learning rate.
    batches
        Called once an epoch: index tensors of the batches, as many in every epoch.
    loss
        From the indices of a batch to its mean loss.
    name
        What the progress bar shows.

    Returns
    -------
    list of float
        Mean loss of each epoch.
    """
    parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=recipe.learning_rate, weight_decay=WEIGHT_DECAY)
    schedule: torch.optim.lr_scheduler.OneCycleLR | None = None
    losses = []
    network.train()
    progress = progress_bar(recipe.epochs, f"train {name}", "epoch")
    for _ in range(recipe.epochs):
        epoch = batches()
        if schedule is None:
            steps = recipe.epochs * len(epoch)
            schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.learning_rate, total_steps=steps)
        total = 0.0
        for chosen in epoch:
            optimiser.zero_grad(set_to_none=True)
            value = loss(chosen)
            torch.autograd.backward(value)
            optimiser.step()
            schedule.step()
            total += value.item()
        losses.append(total / len(epoch))
        progress.update()
    progress.close()
    return losses


def shuffled_batches(images: int) -> list[torch.Tensor]:
    """Return a random order cut into batches of equal or nearly equal size, at most `BATCH_SIZE`."""
    return list(torch.randperm(images).chunk(-(-images // BATCH_SIZE)))


def share_equal(predicted: torch.Tensor, targets: torch.Tensor) -> float:
    """Return the share of correct predictions."""
    return float((predicted == targets).double().mean())


def _facts(entry: ModelEntry, recipe: TrainingRecipe, classes: ClassSet) -> dict[str, Any]:
    return {
        "model": entry.model,
        "library": entry.library,
        "architecture": entry.architecture,
        "options": dict(entry.options),
        "input_size": entry.input_size,
        "recipe": {
            "augmentation": recipe.augmentation,
            "epochs": recipe.epochs,
            "learning_rate": recipe.learning_rate,
            "optimiser": f"AdamW, one-cycle, weight decay {WEIGHT_DECAY}",
        },
        "class_ids": list(classes.ids),
        "versions": software_versions(),
    }
