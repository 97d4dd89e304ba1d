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
        Weight file: of a model that the study trained, or fetched for a published one; class vectors of a
        published image-text model lie beside it.
    classes
        Candidate classes of the study.
    templates
        Prompts with one ``{}``, for image-text models that the study trained.
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
    if weights is None:
        raise ModelError(f"{entry.model}: no weight file; train or fetch the model first")
    place = select_device(device)
    if entry.library == "open_clip":
        from pairedeval.models.open_clip import load_open_clip

        return load_open_clip(entry, Path(weights), classes, templates, place, precision)
    if entry.recipe is None:
        from pairedeval.models.classifiers import load_published

        return load_published(entry, Path(weights), place, precision)
    from pairedeval.models.small import load_classifier

    return load_classifier(entry, Path(weights), classes, place, precision)


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
