"""Making an image set: shards of one condition and up to a thousand images, then one ZIP.

Finished shards outlive a killed run. The name of a shard holds a digest of everything that decides its bytes
(condition, seed, source, images, code), so a shard of other settings or older code is never taken. While the shards
are joined, the set lies on disk twice.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from threading import Thread

import numpy as np

from pairedeval.code import code_digest
from pairedeval.errors import PairedEvalError
from pairedeval.files import file_digest, read_table
from pairedeval.images import ImageStore, merge_stores, write_store
from pairedeval.perturb.capture import capture
from pairedeval.perturb.conditions import Capture, Condition, Corruption, Transform, conditions_of_set
from pairedeval.perturb.corruptions import corrupt
from pairedeval.perturb.transforms import transform
from pairedeval.progress import progress_bar
from pairedeval.records import CLEAN
from pairedeval.seeds import digest
from pairedeval.splits import BASE, SYN

# Role of the images of a set, and the source whose seeds they take. The corrupted base images are the images
# of source syn_b and the corruption probes at once.
ROLES = {"syn": SYN, "base": BASE, "es": BASE, "diverse": BASE}
SEED_SOURCES = {"syn": "syn", "base": "syn_b", "es": "es", "diverse": "diverse"}
# A killed run loses the shards in the making, one a worker; small ones also keep all workers busy to the end.
SHARD_IMAGES = 1000


@dataclass(frozen=True)
class Shard:
    """Everything that decides the bytes of one shard, and where it is written."""

    condition: Condition
    clean: Path
    image_ids: tuple[str, ...]
    source: str
    seed: int
    path: Path


def perturb_set(
    image_set: str,
    *,
    index: str | Path,
    clean: str | Path,
    conditions: str | Path,
    target: str | Path,
    work: str | Path,
    seed: int,
    workers: int = 1,
) -> None:
    """Make one perturbed image set; a run that was killed goes on where it stopped.

    Parameters
    ----------
    image_set
        ``syn``, ``base``, ``es`` or ``diverse``.
    index
        ``index.parquet``: images and their roles.
    clean
        ``clean.zip``: the unperturbed images.
    conditions
        Folder of the tables of conditions.
    target
        ZIP to write.
    work
        Folder of the shards, removed at the end.
    seed
        Seed of the study.
    workers
        Processes; the pixels do not depend on their number.

    Raises
    ------
    PairedEvalError
        If the set is unknown, a table or image cannot be used, the index has no image of the set's role, or a worker
        was ended from outside.
    """
    shards = _plan(image_set, Path(index), Path(clean), Path(conditions), Path(work), seed)
    missing = [shard for shard in shards if not shard.path.exists()]
    with progress_bar(sum(len(shard.image_ids) for shard in missing), image_set, "img") as progress:
        for shard in _make_all(missing, workers):
            progress.set_postfix_str(shard.condition.condition, refresh=False)
            progress.update(len(shard.image_ids))
    # Joined in the folder of the shards: what a kill leaves behind there is removed with them.
    joined = Path(work) / f"{image_set}.zip"
    merge_stores([shard.path for shard in shards], joined)
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    joined.replace(target)
    shutil.rmtree(work)


def perturb(pixels: np.ndarray, condition: Condition, seed: int, source: str, image_id: str) -> np.ndarray:
    """Return one perturbed image, uint8 RGB.

    Parameters
    ----------
    pixels
        Unperturbed image, uint8 RGB, shape ``(height, width, 3)``.
    condition
        A corruption, a natural transformation or a simulated capture.
    seed, source, image_id
        What the randomness of the perturbation is derived from; transformations have none.
    """
    match condition:
        case Corruption():
            return corrupt(pixels, condition, seed, source, image_id)
        case Transform():
            return transform(pixels, condition)
        case Capture():
            return capture(pixels, condition, seed, image_id)


def _plan(image_set: str, index: Path, clean: Path, conditions: Path, work: Path, seed: int) -> list[Shard]:
    chosen = conditions_of_set(image_set, conditions)
    images = read_table(index, ["image_id", "role"])
    image_ids = tuple(sorted(images.loc[images["role"] == ROLES[image_set], "image_id"]))
    if not image_ids:
        raise PairedEvalError(f"{index}: no image of role {ROLES[image_set]}; prepare the images again")
    if not clean.exists():
        raise PairedEvalError(f"{clean}: no such image set; prepare the images first")
    common = (seed, SEED_SOURCES[image_set], file_digest(clean), code_digest(__file__))
    blocks = [image_ids[start : start + SHARD_IMAGES] for start in range(0, len(image_ids), SHARD_IMAGES)]
    return [
        Shard(
            condition=condition,
            clean=clean,
            image_ids=block,
            source=SEED_SOURCES[image_set],
            seed=seed,
            path=work / f"{condition.condition}-{number:03}-{digest(condition, *common, *block)[:16]}.zip",
        )
        for condition in chosen
        for number, block in enumerate(blocks)
    ]


def _make_all(shards: Sequence[Shard], workers: int) -> Iterator[Shard]:
    if workers == 1:
        yield from map(_make_shard, shards)
        return
    # Started afresh, not forked: a fork after OpenCV or torch has started threads can hang.
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent) as pool:
        try:
            yield from pool.map(_make_shard, shards)
        except BrokenProcessPool:
            raise PairedEvalError(
                f"{shards[0].path.parent}: a process that makes images was ended from outside, perhaps for lack of "
                f"memory; start again with more memory or fewer threads: finished parts are kept"
            ) from None


def _end_with_parent() -> None:
    """Let this process end when its parent does: a killed parent cannot tell its workers."""
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    Thread(target=wait, daemon=True).start()


def _make_shard(shard: Shard) -> Shard:
    import cv2

    # The workers share the cores among themselves; the pixels do not depend on it.
    cv2.setNumThreads(1)
    with ImageStore(shard.clean) as clean, _naming(shard):
        write_store(
            shard.path,
            (
                (
                    shard.condition.condition,
                    image_id,
                    perturb(clean.read(CLEAN, image_id), shard.condition, shard.seed, shard.source, image_id),
                )
                for image_id in shard.image_ids
            ),
        )
    return shard


@contextmanager
def _naming(shard: Shard) -> Iterator[None]:
    """Say which condition an unexpected error belongs to."""
    try:
        yield
    except Exception as error:
        error.add_note(f"while making condition {shard.condition.condition} of {shard.source}")
        raise
