"""Batches of images through one model: decoding ahead of the model, and smaller batches when memory runs out."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import torch

from pairedeval.errors import ModelError
from pairedeval.models.loaded import LoadedModel


class Batches:
    """Runs images through a model; a batch size that proved too large stays reduced.

    Parameters
    ----------
    model
        Model ready for inference.
    batch_size
        Images a forward pass.
    workers
        Threads that decode and preprocess; with one, nothing runs beside the model.
    """

    def __init__(self, model: LoadedModel, batch_size: int, workers: int) -> None:
        self._model = model
        self._size = batch_size
        self._limit = batch_size
        self._workers = workers

    def run(
        self,
        read: Callable[[str], np.ndarray],
        image_ids: Sequence[str],
        progress: Callable[[int], object] = lambda images: None,
    ) -> np.ndarray:
        """Return the float32 outputs of some images, shape ``(images, classes)``.

        Parameters
        ----------
        read
            From an image id to its uint8 RGB pixels.
        image_ids
            Images, all of one condition.
        progress
            Called with the number of images done since the last call.

        Raises
        ------
        ModelError
            If even a single image does not fit into memory.
        """
        parts = [image_ids[start : start + self._size] for start in range(0, len(image_ids), self._size)]
        outputs = []
        for batch in self._prepared(read, parts):
            outputs.append(self._forward(batch))
            progress(len(batch))
        return np.concatenate(outputs)

    def _forward(self, batch: torch.Tensor) -> np.ndarray:
        while True:
            try:
                return np.concatenate([self._model.outputs(part) for part in torch.split(batch, self._limit)])
            except torch.OutOfMemoryError:
                if self._limit == 1:
                    raise ModelError(
                        f"{self._model.name}: one image does not fit into the memory of {self._model.device}; "
                        f"use precision bfloat16 or float16, or a larger device"
                    ) from None
                self._limit = max(1, min(self._limit, len(batch)) // 2)
            # Outside the handler, where the failed pass no longer holds its tensors.
            torch.cuda.empty_cache()

    def _prepared(self, read: Callable[[str], np.ndarray], parts: list[Sequence[str]]) -> Iterator[torch.Tensor]:
        def prepare(part: Sequence[str]) -> torch.Tensor:
            return self._model.preprocess([read(image_id) for image_id in part])

        if self._workers == 1:
            yield from map(prepare, parts)
            return
        waiting: deque[Future[torch.Tensor]] = deque()
        with ThreadPoolExecutor(self._workers) as pool:
            for part in parts:
                waiting.append(pool.submit(prepare, part))
                if len(waiting) > self._workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
