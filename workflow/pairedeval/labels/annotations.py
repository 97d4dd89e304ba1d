"""Accepted labels of images, as data: one row an image, whoever gave the labels (Appendix J.1).

An image may have no accepted label, and accepted labels may lie outside the candidates of the models.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.errors import PairedEvalError
from pairedeval.files import read_metadata, read_table, write_table

COLUMNS = ("image_id", "accepted")


@dataclass(frozen=True)
class Annotations:
    """Accepted labels and their origin.

    Attributes
    ----------
    table
        Columns ``image_id`` and ``accepted``: class ids parted by spaces, an empty text where no label is accepted.
    name
        Short printed name, such as ``ReaL``.
    description
        One sentence that says who gave the labels.
    place
        What messages call the annotations, usually their file.
    """

    table: pd.DataFrame
    name: str
    description: str
    place: str = "annotations"


@dataclass(frozen=True)
class Membership:
    """Accepted labels of some images among some candidates.

    Attributes
    ----------
    accepted
        Whether the image accepts the candidate, bool, shape ``(n, candidates)``.
    annotated
        Whether the image has any accepted label, also one outside the candidates, bool, shape ``(n,)``.
    """

    accepted: np.ndarray
    annotated: np.ndarray

    @property
    def compatible(self) -> np.ndarray:
        """Whether an accepted label is among the candidates, bool, shape ``(n,)``."""
        return np.asarray(self.accepted.any(axis=1))

    def accepts(self, prediction: np.ndarray) -> np.ndarray:
        """Tell whether each image accepts the candidate predicted for it, shape ``(..., n)``."""
        accepted: np.ndarray = self.accepted[np.arange(len(self.accepted)), prediction]
        return accepted


def annotation_table(accepted: Mapping[str, Iterable[str]]) -> pd.DataFrame:
    """Lay out accepted class ids by image id.

    Examples
    --------
    >>> annotation_table({"a": ["cat", "dog"], "b": []})["accepted"].tolist()
    ['cat dog', '']
    """
    columns = {"image_id": list(accepted), "accepted": [" ".join(ids) for ids in accepted.values()]}
    return pd.DataFrame(columns).astype(str)


def write_annotations(annotations: Annotations, path: str | Path) -> None:
    """Check annotations and write them as Parquet, name and description in its metadata."""
    _check(annotations.table, str(path))
    facts = {"name": annotations.name, "description": annotations.description}
    write_table(annotations.table[list(COLUMNS)], path, facts)


def read_annotations(path: str | Path) -> Annotations:
    """Read annotations that `write_annotations` wrote.

    Raises
    ------
    PairedEvalError
        If the file is missing or damaged, a column is missing, an image stands twice or has no text of labels, or
        the file does not say who gave the labels.
    """
    table, facts = read_table(path), read_metadata(path)
    _check(table, str(path))
    for key in ("name", "description"):
        if not facts.get(key):
            raise PairedEvalError(f"{path}: no {key} of the annotations in the metadata; write the file again with one")
    return Annotations(table, facts["name"], facts["description"], str(path))


def membership(annotations: Annotations, image_ids: Sequence[str], candidates: Sequence[str]) -> Membership:
    """Look up which candidates each image accepts.

    Parameters
    ----------
    annotations
        Accepted labels.
    image_ids
        Images, in the order of the result.
    candidates
        Class ids of the candidates, in the order of candidate indices.

    Raises
    ------
    PairedEvalError
        If an image has no row, or no accepted label of any image is a candidate.

    Examples
    --------
    >>> table = annotation_table({"a": ["cat", "fox"], "b": [], "c": ["fox"]})
    >>> found = membership(Annotations(table, "example", "Nobody's labels."), ["a", "b", "c"], ["cat", "dog"])
    >>> found.accepted.tolist(), found.annotated.tolist()
    ([[True, False], [False, False], [False, False]], [True, False, True])
    """
    texts = annotations.table.set_index("image_id")["accepted"].reindex(list(image_ids))
    if texts.isna().any():
        raise PairedEvalError(
            f"{annotations.place}: no row for image {texts.index[texts.isna()][0]}; "
            "annotate every evaluation image, with an empty text where no label is accepted"
        )
    labels = [text.split() for text in texts]
    number = np.array([len(words) for words in labels], dtype=np.int64)
    position = pd.Index(candidates).get_indexer(pd.Index([word for words in labels for word in words], dtype=object))
    image = np.repeat(np.arange(len(labels)), number)
    accepted = np.zeros((len(labels), len(candidates)), dtype=bool)
    accepted[image[position >= 0], position[position >= 0]] = True
    annotated = number > 0
    if annotated.any() and not accepted.any():
        raise PairedEvalError(
            f"{annotations.place}: no accepted label is one of the candidates {candidates[0]} to {candidates[-1]}; "
            "write the class ids that the records use"
        )
    return Membership(accepted, annotated)


def _check(table: pd.DataFrame, place: str) -> None:
    missing = [column for column in COLUMNS if column not in table]
    if missing:
        raise PairedEvalError(f"{place}: missing column {', '.join(missing)}; annotations have {' and '.join(COLUMNS)}")
    for column in COLUMNS:
        text = table[column].map(lambda value: isinstance(value, str)).astype(bool)
        if not text.all():
            raise PairedEvalError(f"{place}: row {int(np.argmin(text)) + 1}: {column} is no text; write one, if empty")
    twice = table["image_id"].duplicated()
    if twice.any():
        raise PairedEvalError(f"{place}: image {table['image_id'][twice].iloc[0]} stands twice; keep one row an image")
