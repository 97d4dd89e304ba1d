"""Input batches in order, decoded and preprocessed ahead of the model by worker processes.

Processes rather than threads: a good tenth of the work on an image holds Python's lock, so that threads could not
feed a fast accelerator. They are forked, because a model's preprocessing need not be picklable; where the system does
not fork safely (anywhere but Linux), images are decoded between the forward passes.
"""

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from pairedeval.errors import PairedEvalError

Read = Callable[[str, str], np.ndarray]
Preprocess = Callable[[Sequence[np.ndarray]], torch.Tensor]
# Images that a worker hands over at once: few, because they pass through shared memory, which can be small.
PIECE = 16
# Decoded in advance: one batch waits while the next is made.
BATCHES_AHEAD = 2


class Decoder:
    """Turns stored images into input batches.

    Parameters
    ----------
    read
        From condition and image id to uint8 RGB pixels.
    preprocess
        From images to one input batch.
    workers
        Processes beside this one; with none, a batch is decoded when it is asked for.
    start
        Called first in each worker.
    pinned
        Whether batches lie in page-locked memory, from where they reach a CUDA device quickly.
    """

    def __init__(
        self,
        read: Read,
        preprocess: Preprocess,
        *,
        workers: int = 0,
        start: Callable[[], object] = lambda: None,
        pinned: bool = False,
    ) -> None:
        self._read = read
        self._preprocess = preprocess
        self._workers = workers if sys.platform == "linux" else 0
        self._start = start
        self._pinned = pinned

    def batches(self, conditions: Sequence[str], image_ids: Sequence[str], batch_size: int) -> Iterator[torch.Tensor]:
        """Yield the input batches of each condition in turn; no batch mixes conditions.

        Raises
        ------
        PairedEvalError
            If an image cannot be read; for a worker that was ended, see `lost_workers_explained`.
        """
        size = min(PIECE, math.ceil(batch_size / self._workers)) if self._workers else batch_size
        cut = [split(batch, size) for batch in split(image_ids, batch_size)]
        pieces = [(condition, piece) for condition in conditions for batch in cut for piece in batch]
        decoded = self._decoded(pieces, ahead=math.ceil(BATCHES_AHEAD * batch_size / size))
        for _ in conditions:
            for batch in cut:
                yield self._joined([_received(decoded) for _ in batch])

    def _decoded(
        self, pieces: Sequence[tuple[str, Sequence[str]]], ahead: int
    ) -> Iterator[torch.Tensor | PairedEvalError]:
        data = _Pieces(self._read, self._preprocess, pieces)
        if not self._workers:
            return map(data.__getitem__, range(len(pieces)))
        with warnings.catch_warnings():
            # Newer Pythons warn of any fork beside threads; the workers use none of this process's threads.
            warnings.filterwarnings("ignore", ".*multi-threaded, use of fork", DeprecationWarning)
            # The number of workers is what the job was given, which the loader cannot know.
            warnings.filterwarnings("ignore", "This DataLoader will create", UserWarning)
            loader = DataLoader(
                data,
                batch_size=None,
                num_workers=self._workers,
                prefetch_factor=max(2, math.ceil(ahead / self._workers)),
                multiprocessing_context="fork",
                worker_init_fn=self._start_worker,
            )
            return iter(loader)

    def _start_worker(self, worker: int) -> None:
        self._start()

    def _joined(self, pieces: list[torch.Tensor]) -> torch.Tensor:
        if len(pieces) == 1 and not self._pinned:
            return pieces[0]
        shape = (sum(map(len, pieces)), *pieces[0].shape[1:])
        return torch.cat(pieces, out=torch.empty(shape, dtype=pieces[0].dtype, pin_memory=self._pinned))


def split(values: Sequence[str], size: int) -> list[Sequence[str]]:
    """Cut a sequence into parts of `size`; the last may be smaller.

    Examples
    --------
    >>> split("abcde", 2)
    ['ab', 'cd', 'e']
    """
    return [values[start : start + size] for start in range(0, len(values), size)]


@contextmanager
def lost_workers_explained() -> Iterator[None]:
    """Turn the end of a worker, which the loader may report at any moment, into one sentence."""
    try:
        yield
    except RuntimeError as error:
        if not str(error).startswith("DataLoader worker (pid"):
            raise
        reason = str(error).splitlines()[0].rstrip(". ")
        raise PairedEvalError(
            f"a process that decodes images was ended from outside ({reason}); start the job again with more memory, "
            f"more shared memory, or fewer threads"
        ) from error


class _Pieces(Dataset[torch.Tensor | PairedEvalError]):
    """Preprocessed pieces of batches."""

    def __init__(self, read: Read, preprocess: Preprocess, pieces: Sequence[tuple[str, Sequence[str]]]) -> None:
        self._read = read
        self._preprocess = preprocess
        self._pieces = pieces

    def __len__(self) -> int:
        return len(self._pieces)

    def __getitem__(self, place: int) -> torch.Tensor | PairedEvalError:
        condition, image_ids = self._pieces[place]
        try:
            return self._preprocess([self._read(condition, image_id) for image_id in image_ids])
        except PairedEvalError as error:
            # Handed over and raised there: raised here, the loader would bury its sentence in a traceback.
            return error


def _received(decoded: Iterator[torch.Tensor | PairedEvalError]) -> torch.Tensor:
    """Return the next piece, or raise what kept it from being made."""
    piece = next(decoded)
    if isinstance(piece, PairedEvalError):
        raise piece
    return piece
