"""How a model is run: device and arithmetic, and what keeps the same input at the same bits."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch

from pairedeval.models.loaded import LoadedModel

# Choices by measured time rather than by input; products of 10 bits in place of float32; memory filled for debugging.
SWITCHED_OFF: tuple[tuple[Any, str], ...] = (
    (torch.backends.cudnn, "benchmark"),
    (torch.backends.cudnn, "allow_tf32"),
    (torch.backends.cuda.matmul, "allow_tf32"),
    (torch.utils.deterministic, "fill_uninitialized_memory"),
)


@dataclass(frozen=True)
class Execution:
    """How a model is run; see `pairedeval.models.pool.load_model` for device and precision.

    Attributes
    ----------
    device, precision
        Where, and in which arithmetic.
    batch_size
        Images a forward pass; batches never mix conditions.
    channels_last
        Whether input batches lie in memory pixel by pixel instead of channel by channel, which suits convolutions.
    compile
        Whether the forward pass is compiled first, which takes up to minutes for each size of batch.
    threads
        CPU threads of the job. Beside a CUDA device all of them decode images. Without one, a quarter decodes and the
        rest computes: more processes than cores would slow each other down.
    """

    device: str = "auto"
    precision: str = "float32"
    batch_size: int = 256
    channels_last: bool = False
    compile: bool = False
    threads: int = 1

    def decoders(self, device: torch.device) -> int:
        """Return how many processes decode images; with a single thread on the CPU none, it does all."""
        if device.type == "cuda":
            return self.threads
        return 0 if self.threads == 1 else max(1, self.threads // 4)

    def computing_threads(self, device: torch.device) -> int:
        """Return how many CPU threads the model has."""
        return self.threads if device.type == "cuda" else self.threads - self.decoders(device)

    def origin(self, device: torch.device) -> tuple[object, ...]:
        """Return what decides the bits of outputs, given model and images."""
        arithmetic = (self.precision, self.batch_size, self.channels_last, self.compile)
        if device.type == "cuda":
            return (*arithmetic, torch.cuda.get_device_name(device))
        return (*arithmetic, device.type, torch.backends.cpu.get_cpu_capability(), self.computing_threads(device))


@contextmanager
def reproducible(threads: int) -> Iterator[None]:
    """Let torch choose algorithms by the input alone, and keep float32 products in float32.

    Operations that know no such algorithm are named in a warning.

    Parameters
    ----------
    threads
        CPU threads of an operation; sums depend on their number.
    """
    # Read when CUDA's matrix library starts, with the first model.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    settings = [getattr(place, name) for place, name in SWITCHED_OFF]
    deterministic = torch.are_deterministic_algorithms_enabled()
    warning = torch.is_deterministic_algorithms_warn_only_enabled()
    earlier_threads = torch.get_num_threads()
    try:
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.set_num_threads(threads)
        for place, name in SWITCHED_OFF:
            setattr(place, name, False)
        yield
    finally:
        torch.use_deterministic_algorithms(deterministic, warn_only=warning)
        torch.set_num_threads(earlier_threads)
        for (place, name), value in zip(SWITCHED_OFF, settings, strict=True):
            setattr(place, name, value)


def arranged(model: LoadedModel, execution: Execution) -> LoadedModel:
    """Return the model with the memory format and the compilation that are asked for."""
    forward = torch.compile(model.forward, dynamic=False) if execution.compile else model.forward
    if not execution.channels_last:
        return replace(model, forward=forward)
    # Convolutions take over the format of their input: the weights need not be rearranged as well.
    return replace(model, forward=lambda batch: forward(batch.contiguous(memory_format=torch.channels_last)))
