"""Weight files: read without executing code, written whole, with their facts beside them."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from pairedeval.errors import ModelError
from pairedeval.files import atomic_path, write_json

REMEDY = "remove it and train or fetch the model again"


def facts_path(weights: str | Path) -> Path:
    """Return the JSON file beside a weight file."""
    return Path(weights).with_suffix(".json")


def write_weights(model: torch.nn.Module, path: str | Path, facts: Mapping[str, Any]) -> None:
    """Write a model's tensors as safetensors and its facts (architecture, recipe, training log) beside them."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
    with atomic_path(path) as temporary:
        # Not save_file, which makes a file that only its owner can read.
        temporary.write_bytes(save(tensors))
    write_json(facts, facts_path(path))


def read_weights(path: str | Path) -> dict[str, torch.Tensor]:
    """Read a state dict from ``.safetensors``, or from a torch file that holds nothing but tensors.

    Raises
    ------
    ModelError
        If the file is missing or damaged, or would need code to be executed.
    """
    with readable(path):
        if Path(path).suffix == ".safetensors":
            return load_file(path)
        state: dict[str, torch.Tensor] = torch.load(path, map_location="cpu", weights_only=True)
        return state


def read_facts(weights: str | Path) -> dict[str, Any]:
    """Read the facts that `write_weights` stored.

    Raises
    ------
    ModelError
        If the JSON file is missing or damaged.
    """
    path = facts_path(weights)
    with readable(path):
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return facts


@contextmanager
def readable(path: str | Path) -> Iterator[None]:
    """Turn the readers' own errors, and tensors that do not fit the model, into one sentence."""
    # Unpickling raises nearly anything; torch wraps a refusal in UnpicklingError, a ValueError's cousin.
    from pickle import UnpicklingError

    try:
        yield
    except FileNotFoundError:
        raise ModelError(f"{path}: no such file; train or fetch the model first") from None
    except (SafetensorError, UnpicklingError, RuntimeError, OSError, EOFError, KeyError, ValueError) as error:
        raise ModelError(f"{path}: damaged or of another model ({_first_line(error)}); {REMEDY}") from error


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(" .:")
