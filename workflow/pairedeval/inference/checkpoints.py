"""Outputs of finished conditions, kept while a job runs, so that a killed job goes on where it stopped."""

import shutil
from pathlib import Path

import numpy as np

from pairedeval.files import atomic_path


class Checkpoints:
    """Outputs per condition in a folder that only this job uses.

    Parameters
    ----------
    work
        Folder of the job; it is not a declared output, because those are removed before a job starts.
    identity
        Digest of everything that determines the outputs; checkpoints of another identity are never read.
    shape
        Images and classes of each condition.
    """

    def __init__(self, work: str | Path, identity: str, shape: tuple[int, int]) -> None:
        self._work = Path(work)
        self._folder = self._work / identity[:16]
        self._shape = shape

    def load(self, condition: str, images: str) -> np.ndarray | None:
        """Return the stored outputs of a condition, or None if there are none, or only damaged ones.

        They stay in their file until they are used: the conditions of a source together may be large.

        Parameters
        ----------
        condition
            Condition.
        images
            Digest of the condition's stored images.
        """
        try:
            outputs: np.ndarray = np.load(self._file(condition, images), mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None
        return outputs if outputs.shape == self._shape and outputs.dtype == np.float32 else None

    def save(self, condition: str, images: str, outputs: np.ndarray) -> None:
        """Store the outputs of a finished condition."""
        with atomic_path(self._file(condition, images)) as temporary:
            np.save(temporary, outputs, allow_pickle=False)

    def remove(self) -> None:
        """Remove the folder of the job, once its result is in place."""
        shutil.rmtree(self._work, ignore_errors=True)

    def _file(self, condition: str, images: str) -> Path:
        return self._folder / f"{condition}-{images[:16]}.npy"
