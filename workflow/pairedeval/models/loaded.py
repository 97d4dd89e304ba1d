"""A model ready for inference: what the engine needs to know, whatever library the model comes from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True)
class ClassSet:
    """The classes of a study, in the order of their indices.

    Attributes
    ----------
    ids
        Unique ids, sorted; the position is the candidate index.
    names
        What prompts call the classes; names may repeat.
    """

    ids: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class LoadedModel:
    """A model with its own preprocessing, behind one interface.

    Attributes
    ----------
    name
        Name in the registry.
    scoring
        ``cosine`` or ``logits``: what `outputs` returns.
    scale, bias
        Learned logit scale and bias; NaN if the model has none.
    class_ids
        Class of each output column.
    preprocess
        From uint8 RGB images, shape ``(H, W, 3)`` each, to one input batch on the CPU.
    forward
        From an input batch on `device` to outputs, shape ``(batch, classes)``.
    preprocessing
        What `preprocess` does, in words that change whenever it does.
    device, precision
        Where and in which of `PRECISIONS` the model runs.
    """

    name: str
    scoring: str
    scale: float
    bias: float
    class_ids: tuple[str, ...]
    preprocess: Callable[[Sequence[np.ndarray]], torch.Tensor]
    forward: Callable[[torch.Tensor], torch.Tensor]
    preprocessing: str
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    precision: str = "float32"

    def outputs(self, batch: torch.Tensor) -> np.ndarray:
        """Return the float32 outputs of one input batch, shape ``(batch, classes)``."""
        with torch.inference_mode(), autocast(self.device, self.precision):
            outputs = self.forward(batch.to(self.device))
        return np.asarray(outputs.float().cpu().numpy())


def autocast(device: torch.device, precision: str) -> "AbstractContextManager[Any]":
    """Return the context in which a model runs in one of `PRECISIONS`; in float32 it changes nothing."""
    return torch.autocast(device.type, dtype=PRECISIONS[precision], enabled=precision != "float32")
