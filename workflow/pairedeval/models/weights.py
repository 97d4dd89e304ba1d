"""Weight files: read without executing code, written whole, with their facts beside them."""

import json
import os
import zipfile
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from pairedeval.errors import ModelError
from pairedeval.files import atomic_path, write_json

REMEDY = "remove it and train or fetch the model again"


def facts_path(weights: str | Path) -> Path:
    """Return the JSON file beside a weight file."""
    return Path(weights).with_suffix(".json")


def write_weights(model: torch.nn.Module, path: str | Path, facts: Mapping[str, Any]) -> None:
    """Write a model's tensors as safetensors and its facts (architecture, recipe, training log) beside them."""
    write_tensors(model.state_dict(), path)
    write_json(facts, facts_path(path))


def write_tensors(
    tensors: Mapping[str, torch.Tensor], path: str | Path, metadata: Mapping[str, str] | None = None
) -> None:
    """Write named tensors as safetensors, atomically, with facts as text in the file's header."""
    stored = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with atomic_path(path) as temporary:
        save_file(stored, temporary, dict(metadata or {}))
        # The library makes a file that only its owner can read.
        temporary.chmod(0o666 & ~_umask())


def read_weights(path: str | Path) -> dict[str, torch.Tensor]:
    """Read a state dict from ``.safetensors``, or from a torch file that holds it, alone or under the key ``model``.

    Raises
    ------
    ModelError
        If the file is missing or damaged, or would need code to be executed.
    """
    with readable(path):
        if Path(path).suffix == ".safetensors":
            return load_file(path)
        # Newer torch files are archives, which can stay on disk until a tensor is used. Training scripts keep their
        # arguments in the file; a Namespace of them holds no code.
        with torch.serialization.safe_globals([Namespace]):
            stored = torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
        state: dict[str, torch.Tensor] = stored.get("model", stored)
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
        raise ModelError(f"{path}: damaged or of another model ({first_line(error)}); {REMEDY}") from error


def _umask() -> int:
    # It can only be read by being set.
    mask = os.umask(0)
    os.umask(mask)
    return mask


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text that says something, or the error's kind if there is none."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    # Torch heads its list of tensors that do not fit with a line of its own.
    return lines[1 if lines[0].endswith(":") and len(lines) > 1 else 0].rstrip(" .:")
