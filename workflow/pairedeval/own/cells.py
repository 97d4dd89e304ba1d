"""Cells of two prediction files: one model under one condition, as arrays that the analyses take."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.own.pairing import Sides, join_sides
from pairedeval.own.predictions import cell_columns
from pairedeval.records import CLEAN, Predictions, RecordBlock


@dataclass(frozen=True)
class Cell:
    """One model under one condition.

    Attributes
    ----------
    keys
        ``model`` and ``condition``, as far as the perturbed side names them.
    block
        Records of both sides under this one condition, classes coded by integers from 0.
    class_names
        Text of each class that has records, in the order of the block.
    paired
        Whether equal positions of both sides are known to be the same image.
    place
        What a message calls the cell.
    """

    keys: Mapping[str, str]
    block: RecordBlock
    class_names: np.ndarray
    paired: bool
    place: str


def split_cells(clean: pd.DataFrame, perturbed: pd.DataFrame, place: str = "clean, perturbed") -> Iterator[Cell]:
    """Yield the cells of two sides, in the order in which they appear on the perturbed side.

    Each perturbed condition is compared with the clean rows whose condition is ``clean``, or with all clean rows if
    they have no or one condition. If the clean side has several conditions and none is called ``clean``, equal
    conditions are compared. Models are compared with themselves. Rows of condition ``clean`` on the perturbed side are
    left out, so that one file can hold both sides, as the record files of a study do.

    Parameters
    ----------
    clean, perturbed
        Checked predictions, see `pairedeval.own.predictions.check_predictions`.
    place
        What a message calls the two sides.

    Raises
    ------
    RecordsError
        If a cell has no clean side, or its sides cannot be matched.
    """
    perturbed = _perturbed_rows(perturbed, place)
    clean, matched = _clean_rows(clean, perturbed, place)
    columns = cell_columns(perturbed)
    sides = dict(_groups(clean, matched))
    for values, rows in _groups(perturbed, columns):
        keys = dict(zip(columns, values, strict=True))
        name = ", ".join([place, *(f"{column} {value}" for column, value in keys.items())])
        wanted = tuple(keys[column] for column in matched)
        if wanted not in sides:
            raise RecordsError(f"{name}: no clean records of this {matched[0]}; add them to the clean side")
        joined = join_sides(sides[wanted], rows, name)
        yield _coded(joined, keys, name)


def _groups(frame: pd.DataFrame, columns: list[str]) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """Yield the rows of each combination of values, in order of appearance."""
    if not columns:
        yield (), frame
        return
    for values, rows in frame.groupby(columns, sort=False):
        yield tuple(map(str, values)), rows


def _perturbed_rows(perturbed: pd.DataFrame, place: str) -> pd.DataFrame:
    if "condition" not in perturbed.columns:
        return perturbed
    unperturbed = (perturbed["condition"] == CLEAN).to_numpy()
    if unperturbed.all():
        raise RecordsError(f"{place}: every row of the perturbed side has condition '{CLEAN}'; name what was perturbed")
    return perturbed[~unperturbed] if unperturbed.any() else perturbed


def _clean_rows(clean: pd.DataFrame, perturbed: pd.DataFrame, place: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the clean records and the columns by which they are matched with the perturbed ones."""
    matched = ["model"] if _models_match(clean, perturbed, place) else []
    if "condition" not in clean.columns:
        return clean, matched
    conditions = set(clean["condition"].unique())
    if CLEAN in conditions:
        return clean[(clean["condition"] == CLEAN).to_numpy()], matched
    if len(conditions) == 1:
        return clean, matched
    if "condition" in perturbed.columns and set(perturbed["condition"].unique()) <= conditions:
        return clean, [*matched, "condition"]
    some = ", ".join(sorted(conditions)[:3])
    raise RecordsError(
        f"{place}: the clean side has the conditions {some}{', ...' if len(conditions) > 3 else ''}, none of them "
        f"'{CLEAN}'; give its rows the condition '{CLEAN}'"
    )


def _models_match(clean: pd.DataFrame, perturbed: pd.DataFrame, place: str) -> bool:
    """Tell whether both sides name their models; a side without names can hold only one."""
    named = {"clean": "model" in clean.columns, "perturbed": "model" in perturbed.columns}
    for side, other, frame in (("clean", "perturbed", clean), ("perturbed", "clean", perturbed)):
        if named[side] and not named[other] and len(frame["model"].unique()) > 1:
            raise RecordsError(f"{place}: only the {side} side has a column 'model'; add it to the {other} side")
    return all(named.values())


def _coded(sides: Sides, keys: Mapping[str, str], place: str) -> Cell:
    """Code the classes of both sides alike, predicted ones included, in the order of the sorted records."""
    clean, perturbed = sides.clean, sides.perturbed
    labels = pd.concat([clean["label"], clean["prediction"], perturbed["prediction"]], ignore_index=True)
    codes, names = pd.factorize(labels, sort=True)
    label, before, after = codes.reshape(3, -1)
    block = RecordBlock(
        labels=label,
        image_ids=clean["image_id"].to_numpy(),
        conditions=(keys.get("condition", "perturbed"),),
        clean=Predictions(before, *_probabilities(clean)),
        perturbed=Predictions(after[None], *(values[None] for values in _probabilities(perturbed))),
    )
    return Cell(keys, block, np.asarray(names)[np.unique(label)], sides.paired, place)


def _probabilities(side: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    return side["confidence"].to_numpy(), side["true_class_probability"].to_numpy()
