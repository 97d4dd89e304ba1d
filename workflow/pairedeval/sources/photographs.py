"""Copying published photographs into an image set: their bytes stay as they are, and each is decoded once before.

A damaged file is thereby found when the set is made, and not by a model hours later.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pairedeval.images import Original, decode_image, write_originals
from pairedeval.progress import progress_bar

# Images that are read before the first of them is decoded, per thread.
AHEAD = 32


@dataclass(frozen=True)
class Copy:
    """One photograph on its way into a set.

    Attributes
    ----------
    condition, image_id
        Its place in the set.
    data
        The bytes of its file.
    place
        Where it comes from, for messages.
    """

    condition: str
    image_id: str
    data: bytes
    place: str


def copy_photographs(copies: Iterable[Copy], path: str | Path, *, total: int, workers: int = 1) -> None:
    """Write an image set of photographs, atomically.

    Parameters
    ----------
    copies
        Photographs in the order of the set; they are read as they are needed.
    path
        Target ZIP.
    total
        Number of photographs, for the progress.
    workers
        Threads that decode.

    Raises
    ------
    ImageError
        If a photograph is empty, truncated or damaged, or out of order.
    """
    with progress_bar(total, Path(path).stem, "img") as progress:
        write_originals(path, _counted(_decoded(copies, workers), progress.update))


def _decoded(copies: Iterable[Copy], workers: int) -> Iterator[Original]:
    waiting: deque[tuple[Copy, Future[object]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for copy in copies:
            waiting.append((copy, pool.submit(decode_image, copy.data, copy.place)))
            if len(waiting) > AHEAD * workers:
                yield _finished(*waiting.popleft())
        while waiting:
            yield _finished(*waiting.popleft())


def _finished(copy: Copy, decoding: Future[object]) -> Original:
    decoding.result()
    return copy.condition, copy.image_id, copy.data


def _counted(originals: Iterable[Original], count: Callable[[int], object]) -> Iterator[Original]:
    for original in originals:
        yield original
        count(1)
