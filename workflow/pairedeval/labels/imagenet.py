"""Ids that published annotations of the ImageNet validation set share.

Their files number the classes by sorted WordNet id, and name or count the images as ILSVRC2012 does.
"""

import json
from pathlib import Path
from typing import Any

from pairedeval.errors import PairedEvalError

CLASSES = 1000


def validation_image(number: int) -> str:
    """Return the id of a validation image: its file name without the suffix.

    Parameters
    ----------
    number
        Position in the validation set, from 1.

    Examples
    --------
    >>> validation_image(994)
    'ILSVRC2012_val_00000994'
    """
    return f"ILSVRC2012_val_{number:08d}"


def read_synsets(path: str | Path) -> tuple[str, ...]:
    """Read the WordNet ids of the 1,000 classes, one a line, in the order of class indices.

    Raises
    ------
    PairedEvalError
        If they are not 1,000 distinct ids in ascending order.
    """
    try:
        synsets = tuple(Path(path).read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError) as error:
        raise PairedEvalError(f"{path}: not a readable list of classes ({error}); fetch it again") from error
    if len(synsets) != CLASSES or list(synsets) != sorted(set(synsets)):
        raise PairedEvalError(
            f"{path}: not the {CLASSES:,} WordNet ids in ascending order, which class indices refer to; "
            "use the list that is sorted by id"
        )
    return synsets


def read_json(path: str | Path) -> Any:
    """Read a JSON file; a missing or damaged one is a `PairedEvalError` that names it."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PairedEvalError(f"{path}: not a readable JSON file ({error}); fetch it again") from error


def is_class(index: object) -> bool:
    """Tell whether a JSON value is a class index."""
    return isinstance(index, int) and not isinstance(index, bool) and 0 <= index < CLASSES
