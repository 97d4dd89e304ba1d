"""Batches of images through one model: the device is kept busy, and batches shrink when memory runs out."""

import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice

import numpy as np
import torch

from pairedeval.errors import ModelError
from pairedeval.inference.decoding import Decoder
from pairedeval.models.loaded import LoadedModel, autocast

# Besides torch's own error: what the libraries below it, and memory on the CPU, say when there is no more.
OUT_OF_MEMORY = ("CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED", "can't allocate memory")


class Batches:
    """Runs images through a model; a batch size that proved too large stays reduced.

    Parameters
    ----------
    model
        Model ready for inference.
    batch_size
        Images a forward pass.
    decoder
        Makes the input batches of this model.

    Attributes
    ----------
    waited
        Seconds spent waiting for decoded images.
    """

    def __init__(self, model: LoadedModel, batch_size: int, decoder: Decoder) -> None:
        self._model = model
        self._size = batch_size
        self._limit = batch_size
        self._decoder = decoder
        self.waited = 0.0

    def run(
        self,
        conditions: Sequence[str],
        image_ids: Sequence[str],
        progress: Callable[[int], object] = lambda images: None,
    ) -> Generator[np.ndarray]:
        """Yield the float32 outputs of each condition in turn, shape ``(images, classes)``.

        Parameters
        ----------
        conditions
            Conditions, all with the same images. Those to come are decoded meanwhile.
        image_ids
            Images.
        progress
            Called with the number of images done since the last call.

        Raises
        ------
        PairedEvalError
            If an image cannot be read, or even a single image does not fit into memory.
        """
        batches = self._timed(self._decoder.batches(conditions, image_ids, self._size))
        outputs = in_flight(batches, self._launch, ahead=int(self._model.device.type == "cuda"))
        a_condition = -(-len(image_ids) // self._size)
        for _ in conditions:
            parts = []
            for part in islice(outputs, a_condition):
                parts.append(part)
                progress(len(part))
            yield np.concatenate(parts)

    def _timed(self, batches: Iterator[torch.Tensor]) -> Iterator[torch.Tensor]:
        start = time.perf_counter()
        for batch in batches:
            self.waited += time.perf_counter() - start
            yield batch
            start = time.perf_counter()

    def _launch(self, batch: torch.Tensor) -> torch.Tensor:
        while True:
            try:
                return torch.cat([self._forward(part) for part in torch.split(batch, self._limit)])
            except RuntimeError as error:
                if not _is_out_of_memory(error):
                    raise
                if self._limit == 1:
                    raise ModelError(
                        f"{self._model.name}: one image does not fit into the memory of {self._model.device}; "
                        f"use precision bfloat16 or float16, or a larger device"
                    ) from None
                self._limit = max(1, min(self._limit, len(batch)) // 2)
            # Outside the handler, where the failed pass no longer holds its tensors.
            torch.cuda.empty_cache()
            logging.getLogger(__name__).warning(
                "%s: memory ran out; going on with batches of %d", self._model.name, self._limit
            )

    def _forward(self, part: torch.Tensor) -> torch.Tensor:
        model = self._model
        with torch.inference_mode(), autocast(model.device, model.precision):
            return model.forward(part.to(model.device, non_blocking=True)).float()


def in_flight(
    batches: Iterator[torch.Tensor], launch: Callable[[torch.Tensor], torch.Tensor], ahead: int
) -> Iterator[np.ndarray]:
    """Yield the outputs of batches in order, while the device already works on the next ones.

    Parameters
    ----------
    batches
        Input batches.
    launch
        Starts a forward pass; the values of its result need not be there when it returns.
    ahead
        Batches that are launched before an earlier one is waited for.
    """
    launched: deque[torch.Tensor] = deque()
    for batch in batches:
        launched.append(launch(batch))
        if len(launched) > ahead:
            yield launched.popleft().cpu().numpy()
    while launched:
        yield launched.popleft().cpu().numpy()


def _is_out_of_memory(error: RuntimeError) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or any(sign in str(error) for sign in OUT_OF_MEMORY)
