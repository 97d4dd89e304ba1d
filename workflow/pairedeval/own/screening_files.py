"""Clean and probe predictions of the same images, paired by image id: what ``pairedeval screen`` ranks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.own.checking import notes
from pairedeval.own.predictions import read_predictions
from pairedeval.records import CLEAN, Predictions

# Name of the only model of files that name none; no file can hold it, because an empty name is refused.
UNNAMED = ""
_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zip", ".csv", ".parquet", ".pq")


@dataclass(frozen=True)
class ProbedModel:
    """Predictions of one model on clean images and on the same images under each probe condition.

    Attributes
    ----------
    name
        The model, `UNNAMED` if no file names it.
    clean
        Clean predictions of all images, sorted by ``image_id``.
    right
        Rows of `clean` that are predicted correctly: the images to rank, shape ``(n,)``.
    conditions
        Probe conditions, in the order of the files.
    probes
        Predictions of the images to rank, arrays of shape ``(conditions, n)``; ``prediction`` holds only whether the
        prediction is still correct, bool.
    place
        What a message calls the clean side.
    """

    name: str
    clean: pd.DataFrame
    right: np.ndarray
    conditions: tuple[str, ...]
    probes: Predictions
    place: str

    def of_ranked(self, column: str) -> np.ndarray:
        """Return a clean column of the images to rank, shape ``(n,)``."""
        values: np.ndarray = self.clean[column].to_numpy()[self.right]
        return values


def read_probed_models(clean: str | Path, probes: Sequence[str | Path]) -> tuple[list[ProbedModel], list[str]]:
    """Read a clean file and probe files; return their models, and notes on what deserves a second look."""
    side = read_predictions(clean)
    frames = ((str(path), read_predictions(path)) for path in probes)
    return pair_probes(side, frames, str(clean)), [f"{clean}: {note}" for note in notes(side)]


def pair_probes(
    clean: pd.DataFrame, probes: Iterable[tuple[str, pd.DataFrame]], place: str = "clean"
) -> list[ProbedModel]:
    """Pair probe predictions with the clean ones, model by model, in the order of the clean side.

    Parameters
    ----------
    clean
        Checked predictions, see `pairedeval.own.predictions.check_predictions`. If there are several conditions, one
        must be ``clean``; its rows count.
    probes
        Names and checked predictions, at least one. Without a column ``condition``, the condition is the name of the
        file. Rows of condition ``clean`` are left out, so that a record file of a study serves as both sides.
    place
        What a message calls the clean side.

    Raises
    ------
    RecordsError
        If images or labels differ, a condition is repeated, a condition lacks a model, or a model predicts no clean
        image correctly.
    """
    sides = {name: _sorted_side(rows) for name, rows in split_models(_clean_rows(clean, place), (), place)}
    found: dict[str, dict[str, tuple[np.ndarray, ...]]] = {name: {} for name in sides}
    origin: dict[str, str] = {}
    named: dict[str, str] = {}
    names: dict[str, str] = {}
    for path, frame in probes:
        for name, condition, rows in split_conditions(frame, tuple(sides), path):
            named.setdefault(name, path)
            names = _settled_names(tuple(sides), named, place)
            model = name if name in sides else UNNAMED
            where = f"{path}: {_cell_name(name, condition)}"
            if condition in found[model]:
                raise RecordsError(f"{where} stands in {origin[condition]} already; keep one, or rename it")
            origin.setdefault(condition, path)
            found[model][condition] = _paired_columns(sides[model], rows, where, place)
    _refuse_gaps(found, origin, place)
    return [_probed_model(names[model], side, found[model], place) for model, side in sides.items()]


def split_conditions(
    frame: pd.DataFrame, models: tuple[str, ...], path: str
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield model, condition and rows of each cell of a probe or outcome file; rows of ``clean`` are left out.

    Parameters
    ----------
    frame
        Checked predictions.
    models
        Models of the clean side, `UNNAMED` if it names none.
    path
        File of the predictions; its name is the condition if there is no such column.

    Raises
    ------
    RecordsError
        If nothing is left, or the models are not those of the clean side.
    """
    if "condition" not in frame.columns:
        frame = frame.assign(condition=_stem(path))
    perturbed = (frame["condition"] != CLEAN).to_numpy()
    if not perturbed.any():
        raise RecordsError(f"{path}: every row has condition '{CLEAN}'; name what was perturbed")
    for model, rows in split_models(frame[perturbed], models, path):
        for condition, cell in rows.groupby("condition", sort=False):
            yield model, str(condition), cell


def split_models(frame: pd.DataFrame, models: tuple[str, ...], place: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each model; `models`, unless empty, are those of the clean side, which must know them."""
    if "model" not in frame.columns:
        if len(models) > 1:
            raise RecordsError(f"{place}: no column 'model', but the clean side has {len(models)}; add it")
        yield (models[0] if models else UNNAMED), frame
        return
    if models == (UNNAMED,) and len(frame["model"].unique()) > 1:
        raise RecordsError(f"{place}: several models, but the clean side has no column 'model'; add it there")
    for name, rows in frame.groupby("model", sort=False):
        if models and models != (UNNAMED,) and name not in models:
            raise RecordsError(f"{place}: model {name} has no clean records; add them to the clean side")
        yield str(name), rows


def match_images(side: pd.DataFrame, rows: pd.DataFrame, where: str, place: str) -> np.ndarray:
    """Return the place of each row's image on the clean side; -1 for unknown images.

    Raises
    ------
    RecordsError
        If a label differs.
    """
    places: np.ndarray = pd.Index(side["image_id"]).get_indexer(pd.Index(rows["image_id"]))
    known = places >= 0
    before, after = side["label"].to_numpy()[places[known]], rows["label"].to_numpy()[known]
    differing = np.flatnonzero(before != after)
    if len(differing):
        first = differing[0]
        image = rows["image_id"].to_numpy()[known][first]
        raise RecordsError(
            f"{where}: image {image} has label {after[first]}, and {before[first]} in {place} ({len(differing)} such "
            f"image{'s' if len(differing) > 1 else ''}); an image keeps its label"
        )
    return places


def _stem(path: str) -> str:
    name = Path(path).name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def _cell_name(model: str, condition: str) -> str:
    return f"condition {condition}" if model == UNNAMED else f"condition {condition}, model {model}"


def _clean_rows(clean: pd.DataFrame, place: str) -> pd.DataFrame:
    if "condition" not in clean.columns or len(clean["condition"].unique()) == 1:
        return clean
    unperturbed = (clean["condition"] == CLEAN).to_numpy()
    if not unperturbed.any():
        raise RecordsError(f"{place}: several conditions, none of them '{CLEAN}'; give the clean rows that condition")
    return clean[unperturbed]


def _sorted_side(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.sort_values("image_id", kind="stable", ignore_index=True)


def _paired_columns(side: pd.DataFrame, rows: pd.DataFrame, where: str, place: str) -> tuple[np.ndarray, ...]:
    """Return correctness and probabilities of the clean-correct images under one condition, shape ``(n,)`` each."""
    places = match_images(side, rows, where, place)
    images = rows["image_id"].to_numpy()
    missing = np.setdiff1d(np.arange(len(side)), places)
    alone = {
        f"not in {place}": images[places < 0],
        f"of {place} that are missing": side["image_id"].to_numpy()[missing],
    }
    for relation, ids in alone.items():
        if len(ids):
            raise RecordsError(
                f"{where}: images {relation}: {len(ids)}, for example {ids[0]}; give every probe the images of {place}"
            )
    order = np.argsort(places)[_right(side)]
    correct = (rows["prediction"] == rows["label"]).to_numpy()
    columns = (correct, rows["confidence"].to_numpy(), rows["true_class_probability"].to_numpy())
    return tuple(values[order] for values in columns)


def _right(side: pd.DataFrame) -> np.ndarray:
    return np.flatnonzero((side["prediction"] == side["label"]).to_numpy())


def _refuse_gaps(found: dict[str, dict[str, tuple[np.ndarray, ...]]], origin: dict[str, str], place: str) -> None:
    for condition, path in origin.items():
        for model, probes in found.items():
            if condition not in probes:
                raise RecordsError(
                    f"{path}: condition {condition} has no rows of model {model}; add them, or leave the model out of "
                    f"{place}"
                )


def _settled_names(models: tuple[str, ...], named: dict[str, str], place: str) -> dict[str, str]:
    """Name the model of a clean side without names as the probes do, if they all name the same one."""
    if models != (UNNAMED,):
        return {model: model for model in models}
    names = [name for name in named if name != UNNAMED]
    if len(names) > 1:
        raise RecordsError(
            f"{named[names[1]]}: model {names[1]}, but {names[0]} in {named[names[0]]}, and {place} names none; add a "
            f"column 'model' to {place}"
        )
    return {UNNAMED: names[0] if names else UNNAMED}


def _probed_model(name: str, side: pd.DataFrame, probes: dict[str, tuple[np.ndarray, ...]], place: str) -> ProbedModel:
    right = _right(side)
    if not len(right):
        of_model = "" if name == UNNAMED else f" of model {name}"
        raise RecordsError(
            f"{place}: no prediction{of_model} is correct, so there is no image to rank; do labels and predictions "
            "name the classes alike?"
        )
    columns = (np.stack(values) for values in zip(*probes.values(), strict=True))
    return ProbedModel(name, side, right, tuple(probes), Predictions(*columns), place)
