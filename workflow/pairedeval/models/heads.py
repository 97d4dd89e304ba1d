"""Class vectors of image-text models: prompts become tokens, tokens become vectors, each in a file of its own.

Tokens are made where the tokenizers of six models can be fetched, vectors where there is an accelerator.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import safe_open

from pairedeval.errors import ModelError
from pairedeval.models.loaded import ClassSet
from pairedeval.models.weights import readable, write_tensors


@dataclass(frozen=True)
class Head:
    """Class vectors.

    Attributes
    ----------
    vectors
        Unit vectors, float32, shape ``(embedding, classes)``.
    digest
        SHA-256 of the file they come from.
    """

    vectors: torch.Tensor
    digest: str


def head_path(weights: str | Path) -> Path:
    """Return the file of the class vectors that belong to a weight file.

    Examples
    --------
    >>> str(head_path("models/a.b.safetensors"))
    'models/a.b.head.safetensors'
    """
    return Path(weights).with_suffix(".head.safetensors")


def write_head(vectors: torch.Tensor, classes: ClassSet, path: str | Path) -> None:
    """Write class vectors, shape ``(embedding, classes)``, with the ids of their classes."""
    write_tensors({"vectors": vectors.float().cpu()}, path, {"class_ids": json.dumps(classes.ids)})


def read_head(path: str | Path, classes: ClassSet) -> Head:
    """Read the vectors of some classes, in their order.

    Raises
    ------
    ModelError
        If the file is missing or damaged, or lacks a class.
    """
    with readable(path), safe_open(path, framework="pt") as file:
        vectors = file.get_tensor("vectors")
        stored = {class_id: column for column, class_id in enumerate(json.loads(file.metadata()["class_ids"]))}
    absent = [class_id for class_id in classes.ids if class_id not in stored]
    if absent:
        raise ModelError(f"{path}: no vector of class {absent[0]}; remove it and make it with all classes of the study")
    with Path(path).open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return Head(vectors[:, [stored[class_id] for class_id in classes.ids]].contiguous(), digest)


def write_tokens(tokens: torch.Tensor, classes: ClassSet, templates: Sequence[str], path: str | Path) -> None:
    """Write the tokens of all prompts, shape ``(classes, templates, context)``, with what they stand for."""
    facts = {"class_ids": classes.ids, "class_names": classes.names, "templates": tuple(templates)}
    write_tensors({"tokens": tokens.int()}, path, {key: json.dumps(value) for key, value in facts.items()})


def read_tokens(path: str | Path) -> tuple[torch.Tensor, ClassSet]:
    """Read the tokens of all prompts and their classes.

    Raises
    ------
    ModelError
        If the file is missing or damaged.
    """
    with readable(path), safe_open(path, framework="pt") as file:
        facts = file.metadata()
        classes = ClassSet(tuple(json.loads(facts["class_ids"])), tuple(json.loads(facts["class_names"])))
        return file.get_tensor("tokens").long(), classes
