"""One way to load any model of the registry."""

from collections.abc import Sequence
from pathlib import Path

import torch

from pairedeval.errors import ModelError
from pairedeval.models.loaded import PRECISIONS, ClassSet, LoadedModel
from pairedeval.models.registry import ModelEntry


def load_model(
    entry: ModelEntry,
    weights: str | Path | None,
    classes: ClassSet,
    *,
    templates: Sequence[str] = (),
    device: str = "auto",
    precision: str = "float32",
) -> LoadedModel:
    """Load a model with its weights, ready for inference.

    Parameters
    ----------
    entry
        Model of the registry.
    weights
        Weight file: of a model that the study trains, or fetched for a published one; None lets the library
        find published weights by their tag.
    classes
        Candidate classes of the study.
    templates
        Prompts with one ``{}``, for image-text models.
    device
        ``auto`` (CUDA if there is one, else CPU) or a device of torch.
    precision
        ``float32``, or ``bfloat16`` or ``float16`` for automatic mixed precision.

    Returns
    -------
    LoadedModel
        Its outputs are float32 whatever the precision.

    Raises
    ------
    ModelError
        If weights are missing, damaged or of another model; the message names the file and the remedy.
    """
    if precision not in PRECISIONS:
        raise ModelError(f"precision '{precision}' is unknown; choose {', '.join(PRECISIONS)}")
    place = select_device(device)
    path = None if weights is None else Path(weights)
    if entry.library == "open_clip":
        from pairedeval.models.open_clip import load_open_clip

        return load_open_clip(entry, path, classes, templates, place, precision)
    from pairedeval.models.small import load_classifier

    if path is None:
        raise ModelError(
            f"{entry.model}: no weight file; library {entry.library} has only models that the study trains"
        )
    return load_classifier(entry, path, classes, place, precision)


def select_device(device: str) -> torch.device:
    """Return the device for ``auto`` or a name; one that torch does not have is a `ModelError`."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ModelError(
            f"device '{device}' is not available; use auto, cpu or a CUDA device of this machine"
        ) from error
    return torch.device(device)
