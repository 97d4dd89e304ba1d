"""The clean images of one half of a view file (Section 4.1)."""

import numpy as np

from pairedeval.consistency.views import LEVELS, Views
from pairedeval.errors import RecordsError
from pairedeval.records import CLEAN


def clean_half(views: Views, split: str) -> np.ndarray:
    """Return the logits of the clean images of a half under the operators of the default level.

    Parameters
    ----------
    views
        View file with clean images of both halves.
    split
        `records.DEVELOPMENT`, which calibrates, or `records.EVALUATION`, which is judged.

    Returns
    -------
    numpy.ndarray
        float32, shape ``(seeds, 1 + K, n, classes)``, original first.

    Raises
    ------
    RecordsError
        If the half has no image, or the file no clean images at this level.
    """
    logits = views.at_level(LEVELS[0], CLEAN, split)
    if not logits.shape[2]:
        raise RecordsError(
            f"{views.metadata['model']}: no image of the {split} half in the views of kind {views.metadata['kind']}; "
            "use a view file with both halves"
        )
    return logits
