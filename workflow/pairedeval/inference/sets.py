"""The image sets of one job, read as one."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from pairedeval.errors import ImageError
from pairedeval.images import ImageStore


class ImageSets:
    """Image sets whose conditions together are those of a source; use it as a context manager.

    Parameters
    ----------
    paths
        Image sets; no condition may stand in two of them.

    Raises
    ------
    ImageError
        If a set cannot be read or a condition stands in two of them.
    """

    def __init__(self, paths: Sequence[str | Path]) -> None:
        self._paths = tuple(paths)
        self._stack, self._stores = self._opened()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def reopen(self) -> None:
        """Open the files afresh: a forked process would share its position in them with its parent."""
        self._stack, self._stores = self._opened()

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions in the order of the sets."""
        return tuple(self._stores)

    def read(self, condition: str, image_id: str) -> np.ndarray:
        """Return one image, uint8 RGB; see `pairedeval.images.ImageStore.read`."""
        return self._stores[condition].read(condition, image_id)

    def fingerprint(self, condition: str, image_ids: Sequence[str]) -> str:
        """Return a digest of images of one condition; see `pairedeval.images.ImageStore.fingerprint`."""
        return self._stores[condition].fingerprint(condition, image_ids)

    def _opened(self) -> tuple[ExitStack, dict[str, ImageStore]]:
        stores: dict[str, ImageStore] = {}
        with ExitStack() as stack:
            for path in self._paths:
                store = stack.enter_context(ImageStore(path))
                for condition in store.conditions:
                    if condition in stores:
                        raise ImageError(
                            f"{path}: condition {condition} also stands in {stores[condition].path}; keep it in one set"
                        )
                    stores[condition] = store
            return stack.pop_all(), stores
