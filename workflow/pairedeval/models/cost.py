"""What a published model costs to run: parameters, operations and memory, counted on its architecture alone."""

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log2
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from pairedeval.models.needs import Needs
from pairedeval.models.network import build_network
from pairedeval.models.registry import ModelEntry

LARGEST_BATCH = 256
# Float32 weights, and the half-precision copies that automatic mixed precision keeps of them.
BYTES_A_PARAMETER = 4 + 2
# Tensors of a batch may take up to so much, workspaces of the matrix library and fragmentation included.
BATCH_BYTES = 4e9
WORKSPACE = 1.25
# What the runtime of the accelerator itself takes.
RUNTIME_BYTES = 2e9
STEP_MB = 1000


@dataclass(frozen=True)
class Cost:
    """Counts of one model.

    Attributes
    ----------
    parameters
        Of the whole model.
    tower_parameters
        Of the part that images run through.
    operations
        Floating-point operations for one image; a multiplication and an addition count as two.
    prompt_operations
        The same for one prompt; 0 for models without text.
    activation_bytes
        Most bytes that the tensors of one image take at the same time, in float32, without the parameters.
    """

    parameters: int
    tower_parameters: int
    operations: int
    prompt_operations: int
    activation_bytes: int


def count_cost(entry: ModelEntry) -> Cost:
    """Count what one image and one prompt cost, from shapes alone: seconds a model, whatever its size.

    Examples
    --------
    >>> entry = ModelEntry("a", "a", "torchvision", "alexnet", (), 224, "softmax", "IMAGENET1K_V1", None)
    >>> cost = count_cost(entry)
    >>> cost.parameters, round(cost.operations / 1e9, 2)
    (61100840, 1.43)
    """
    network = build_network(entry, "meta")
    image = torch.empty(1, 3, entry.input_size, entry.input_size, device="meta")
    operations, memory = _count(network.module, network.forward, image)
    return Cost(
        parameters=network.parameters,
        tower_parameters=sum(parameter.numel() for parameter in network.tower.parameters()),
        operations=operations,
        prompt_operations=_prompt_operations(network.module) if entry.library == "open_clip" else 0,
        activation_bytes=memory,
    )


def needs_of(cost: Cost) -> Needs:
    """Return what the registry should say: the largest batch, a power of two, that stays below `BATCH_BYTES`."""
    image = cost.activation_bytes * WORKSPACE
    batch = 2 ** floor(log2(min(LARGEST_BATCH, BATCH_BYTES / image)))
    needed = cost.tower_parameters * BYTES_A_PARAMETER + batch * image + RUNTIME_BYTES
    return Needs(
        gpu_memory_mb=ceil(needed / 1e6 / STEP_MB) * STEP_MB,
        batch_size=batch,
        gigaflops=ceil(cost.operations / 1e9),
    )


def _prompt_operations(model: Any) -> int:
    context = model.context_length if hasattr(model, "context_length") else model.text.context_length
    return _count(model, model.encode_text, torch.zeros(1, context, dtype=torch.long, device="meta"))[0]


def _count(module: nn.Module, forward: Callable[[torch.Tensor], torch.Tensor], batch: torch.Tensor) -> tuple[int, int]:
    """Return the operations and the peak of bytes of a forward pass."""
    counter = _Counter([*module.parameters(), *module.buffers()])
    with torch.no_grad(), counter:
        forward(batch)
    return counter.operations, counter.peak


class _Counter(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Adds up floating-point operations, and the storages that live at the same time except those of some tensors.

    Torch's own counter of operations also keeps them per module, which takes three times as long.
    """

    def __init__(self, known: Iterable[torch.Tensor]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.operations = 0
        self.peak = 0
        self._now = 0
        self._seen = weakref.WeakSet[Any](tensor.untyped_storage() for tensor in known)

    def __torch_dispatch__(
        self,
        operation: Any,
        types: Sequence[type],
        arguments: Sequence[Any] = (),
        keywords: Mapping[str, Any] | None = None,
    ) -> Any:
        result = operation(*arguments, **(keywords or {}))
        count = flop_registry.get(operation.overloadpacket)
        if count is not None:
            self.operations += count(*arguments, **(keywords or {}), out_val=result)
        for tensor in tree_leaves(result):
            if isinstance(tensor, torch.Tensor) and tensor.untyped_storage() not in self._seen:
                storage = tensor.untyped_storage()
                self._seen.add(storage)
                self._now += storage.nbytes()
                self.peak = max(self.peak, self._now)
                weakref.finalize(storage, self._free, storage.nbytes())
        return result

    def _free(self, size: int) -> None:
        self._now -= size
