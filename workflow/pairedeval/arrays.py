"""Array files: a dataclass of arrays, names and metadata as ``.npz``, without pickles, whole or absent."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar
from zipfile import BadZipFile

import numpy as np

from pairedeval.errors import RecordsError
from pairedeval.files import atomic_path

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Held = TypeVar("Held", bound="DataclassInstance")
METADATA = "metadata"
# How a stored array becomes a field of a declared type.
_AS: Mapping[object, Callable[[np.ndarray], Any]] = MappingProxyType(
    {
        np.ndarray: np.asarray,
        tuple[str, ...]: lambda stored: tuple(stored.tolist()),
        str: str,
        float: float,
        Mapping[str, Any]: lambda stored: json.loads(str(stored)),
    }
)


def write_arrays(held: "DataclassInstance", path: str | Path) -> None:
    """Write a dataclass atomically, the same bytes for the same values.

    Parameters
    ----------
    held
        Fields are arrays, tuples of str, str, float, and JSON-serialisable ``metadata``.
    path
        Target with the suffix ``.npz``.
    """
    values = {field.name: getattr(held, field.name) for field in fields(held)}
    facts = json.dumps(dict(values.pop(METADATA)), sort_keys=True, allow_nan=False)
    arrays = {name: np.asarray(value) for name, value in values.items()}
    with atomic_path(path) as temporary:
        np.savez(temporary, allow_pickle=False, **arrays, metadata=np.asarray(facts))


def read_arrays(kind: type[Held], path: str | Path, *, what: str, origin: str, remedy: str) -> Held:
    """Read what `write_arrays` wrote; whether the values fit each other is for the caller to check.

    Parameters
    ----------
    kind
        The dataclass.
    path
        File to read.
    what
        What such a file is called in a message.
    origin
        What makes a file that is missing.
    remedy
        What to do about a damaged one.

    Raises
    ------
    RecordsError
        If the file is missing or damaged, or lacks a field.
    """
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as archive:
            stored = {field.name: archive[field.name] for field in fields(kind)}
        return kind(**{field.name: _AS[field.type](stored[field.name]) for field in fields(kind)})
    except FileNotFoundError:
        raise RecordsError(f"{path}: no such file; {origin} first") from None
    except (OSError, ValueError, TypeError, KeyError, EOFError, BadZipFile) as error:
        raise RecordsError(f"{path}: not a readable {what} ({error}); {remedy}") from error
