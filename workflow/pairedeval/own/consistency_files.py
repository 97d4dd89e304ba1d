"""Predictions of the same images on several views, with or without logits: what ``pairedeval consistency`` reads.

Files are read and paired as by ``pairedeval screen``. Logits stand in one further column per class, `LOGIT` followed by
the label, in all files or in none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.consistency.margins import scaled_displacements
from pairedeval.consistency.quantities import margins
from pairedeval.errors import RecordsError
from pairedeval.own.checking import notes
from pairedeval.own.predictions import as_numbers, check_predictions, read_plain, refuse_row
from pairedeval.own.screening_files import pair_probes, split_conditions

LOGIT = "logit_"
# Squares of larger logits overflow.
LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class ViewedModel:
    """Predictions of one model on n clean images and on the same images under K probe conditions.

    Attributes
    ----------
    name
        The model, `pairedeval.own.screening_files.UNNAMED` if no file names it.
    clean
        Clean predictions, sorted by ``image_id``.
    conditions
        Probe conditions, in the order of the files.
    predictions
        Codes of the predicted classes, clean first, shape ``(1 + K, n)``.
    confidence
        Largest probability, clean first, shape ``(1 + K, n)``.
    margins
        Largest clean logit minus the second largest, shape ``(n,)``; None without logits.
    displacements
        The largest margin that each probe can overcome, see `pairedeval.consistency.margins.scaled_displacements`,
        shape ``(K, n)``; None without logits.
    place
        What a message calls the clean side.
    """

    name: str
    clean: pd.DataFrame
    conditions: tuple[str, ...]
    predictions: np.ndarray
    confidence: np.ndarray
    margins: np.ndarray | None
    displacements: np.ndarray | None
    place: str

    @property
    def correct(self) -> np.ndarray:
        """Whether the clean prediction is right, bool, shape ``(n,)``."""
        return (self.clean["prediction"] == self.clean["label"]).to_numpy(dtype=bool)

    @property
    def flips(self) -> np.ndarray:
        """Whether each probe changes the prediction, bool, shape ``(K, n)``."""
        return np.asarray(self.predictions[1:] != self.predictions[0])


@dataclass(frozen=True)
class _Side:
    """One file: checked rows that know their place in it (``row``), classes, and logits, shape ``(rows, classes)``."""

    place: str
    rows: pd.DataFrame
    classes: tuple[str, ...]
    logits: np.ndarray

    @classmethod
    def of(cls, frame: pd.DataFrame, place: str) -> "_Side":
        checked = check_predictions(frame, place)
        classes, logits = _read_logits(frame, checked, place)
        return cls(place, checked.assign(row=np.arange(len(checked))), classes, logits)

    def logits_of(self, rows: pd.DataFrame) -> np.ndarray:
        found: np.ndarray = self.logits[rows["row"].to_numpy()]
        return found


def read_viewed_models(clean: str | Path, probes: Sequence[str | Path]) -> tuple[list[ViewedModel], list[str]]:
    """Read a clean file and probe files; return their models, and notes on what deserves a second look."""
    frame = read_plain(clean)
    models = pair_views(frame, ((str(path), read_plain(path)) for path in probes), str(clean))
    return models, [f"{clean}: {note}" for note in notes(check_predictions(frame, str(clean)))]


def pair_views(
    clean: pd.DataFrame, probes: Iterable[tuple[str, pd.DataFrame]], place: str = "clean"
) -> list[ViewedModel]:
    """Pair probe predictions with the clean ones, model by model, in the order of the clean side.

    Parameters
    ----------
    clean
        Predictions as a file holds them, with or without logits.
    probes
        Names and predictions, at least one; see `pairedeval.own.screening_files.pair_probes` for conditions and models.
    place
        What a message calls the clean side.

    Raises
    ------
    RecordsError
        If `pair_probes` refuses the predictions, logits are not numbers or disagree with a prediction, or the sides
        have logits of different classes.
    """
    first = _Side.of(clean, place)
    others = [_Side.of(frame, name) for name, frame in probes]
    for side in others:
        _refuse_other_classes(first, side)
    paired = pair_probes(first.rows, [(side.place, side.rows) for side in others], place)
    names = tuple(model.name for model in paired)
    cells: dict[str, dict[str, tuple[_Side, pd.DataFrame]]] = {name: {} for name in names}
    for side in others:
        for name, condition, rows in split_conditions(side.rows, names, side.place):
            cells[name][condition] = (side, rows)
    return [_viewed_model(model.name, model.clean, first, cells[model.name], place) for model in paired]


def _viewed_model(
    name: str, clean: pd.DataFrame, first: _Side, cells: dict[str, tuple[_Side, pd.DataFrame]], place: str
) -> ViewedModel:
    images = pd.Index(clean["image_id"])
    ordered = [(side, rows.take(pd.Index(rows["image_id"]).get_indexer(images))) for side, rows in cells.values()]
    views = [clean, *(rows for _, rows in ordered)]
    codes, _ = pd.factorize(np.concatenate([rows["prediction"].to_numpy() for rows in views]))
    margin = displacement = None
    if first.classes:
        logits = first.logits_of(clean)
        margin = margins(logits)
        pairs = (np.stack([logits, side.logits_of(rows)]) for side, rows in ordered)
        displacement = np.concatenate([scaled_displacements(pair) for pair in pairs])
    return ViewedModel(
        name=name,
        clean=clean,
        conditions=tuple(cells),
        predictions=codes.reshape(len(views), -1),
        confidence=np.stack([rows["confidence"].to_numpy() for rows in views]),
        margins=margin,
        displacements=displacement,
        place=place,
    )


def _read_logits(frame: pd.DataFrame, checked: pd.DataFrame, place: str) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the classes, sorted, and their logits; both empty for a file without logits."""
    columns = sorted(column for column in map(str, frame.columns) if column.startswith(LOGIT))
    if not columns:
        return (), np.empty((len(frame), 0))
    if len(columns) == 1:
        raise RecordsError(f"{place}: a single logit column, {columns[0]}; write one for every class")
    logits = np.column_stack([as_numbers(frame[column]) for column in columns])
    unusable = ~(np.abs(logits) <= LARGEST)
    column = columns[int(unusable[int(unusable.any(axis=1).argmax())].argmax())]
    reason = f"{column} is not a number within the range of float32; write the logit of that class"
    refuse_row(frame, unusable.any(axis=1), place, reason)
    classes = tuple(column.removeprefix(LOGIT) for column in columns)
    _refuse_other_predictions(checked, classes, logits, place)
    return classes, logits


def _refuse_other_predictions(checked: pd.DataFrame, classes: tuple[str, ...], logits: np.ndarray, place: str) -> None:
    """Refuse predictions that are not a class of the largest logit; of tied classes, any may be predicted."""
    predictions = checked["prediction"]
    codes = pd.Index(classes).get_indexer(pd.Index(predictions))
    prediction = predictions.iloc[int((codes < 0).argmax())]
    reason = f"there is no column {LOGIT}{prediction} for the prediction; write one logit column for every class"
    refuse_row(checked, codes < 0, place, reason)
    smaller = logits[np.arange(len(logits)), codes] < logits.max(axis=1)
    row = int(smaller.argmax())
    reason = (
        f"the prediction is {predictions.iloc[row]}, but the largest logit is that of {classes[logits[row].argmax()]}; "
        "write the logits that the prediction was made from"
    )
    refuse_row(checked, smaller, place, reason)


def _refuse_other_classes(first: _Side, side: _Side) -> None:
    remedy = "give all files the logits of the same classes, or none"
    for one, other in ((first, side), (side, first)):
        alone = sorted(set(one.classes) - set(other.classes))
        if alone and not other.classes:
            raise RecordsError(f"{other.place}: no logit columns, but {one.place} has them; {remedy}")
        if alone:
            raise RecordsError(
                f"{other.place}: no column {LOGIT}{alone[0]}, which {one.place} has (classes missing: {len(alone)}); "
                f"{remedy}"
            )
