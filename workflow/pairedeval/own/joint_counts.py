"""Joint counts per class that a user has instead of the pairing: overlaps, or all five states (Definition 1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.identification import ClassStates
from pairedeval.identification.class_states import check_states
from pairedeval.identification.classes import ClassCounts, Classes, class_counts
from pairedeval.own.cells import Cell
from pairedeval.own.predictions import as_numbers, as_text, cell_columns, read_plain, refuse_row, require_columns
from pairedeval.states import outcomes, response_states

OVERLAP_COUNTS = ("k",)
STATE_COUNTS = ("h", "r", "s", "w", "k")


@dataclass(frozen=True)
class JointCounts:
    """Checked joint counts, one row a class (and model and condition, if there are several).

    Attributes
    ----------
    table
        ``label`` and, where given, ``model`` and ``condition`` as text; counts as integers.
    columns
        `OVERLAP_COUNTS` or `STATE_COUNTS`.
    place
        What a message calls the counts.
    """

    table: pd.DataFrame
    columns: tuple[str, ...]
    place: str


def read_joint_counts(path: str | Path, columns: tuple[str, ...]) -> JointCounts:
    """Read a CSV or Parquet file with ``label`` and the count `columns`; see `check_joint_counts`."""
    return check_joint_counts(read_plain(path), columns, str(path))


def check_joint_counts(frame: pd.DataFrame, columns: tuple[str, ...], place: str = "joint counts") -> JointCounts:
    """Check joint counts by themselves; `class_states` checks them against the records.

    Raises
    ------
    RecordsError
        If a column is missing, a class stands twice, or a count is no integer from 0.
    """
    require_columns(frame, ("label", *columns), place, "joint counts have", "write one row per class")
    keys = cell_columns(frame)
    table = as_text(frame, ["label", *keys], place, "label")
    twice = table.duplicated(["label", *keys]).to_numpy()
    refuse_row(frame, twice, place, "the class stands twice; keep one row per class", "label")
    for column in columns:
        values = as_numbers(frame[column])
        whole = (values >= 0) & (values < np.inf) & (np.floor(values) == values)
        refuse_row(frame, ~whole, place, f"{column} is not a count; write an integer from 0", "label")
        table[column] = values.astype(np.int64)
    return JointCounts(table, columns, place)


def require_cell_columns(counts: JointCounts, cells: Sequence[Cell]) -> None:
    """Refuse counts that do not say to which of several cells they belong."""
    for column in cells[0].keys:
        if column not in counts.table.columns and len({cell.keys[column] for cell in cells}) > 1:
            raise RecordsError(
                f"{counts.place}: no column '{column}', but the prediction files hold several; "
                "give each cell its own rows"
            )


def class_states(counts: JointCounts, cell: Cell) -> ClassStates:
    """Return the joint counts of one cell, one entry a class of its block.

    Raises
    ------
    RecordsError
        If a class of the cell is missing or unknown, or the counts contradict the records: no correspondence has
        them, or the observed one has others. The message names the row.
    """
    rows = _rows_of_cell(counts, cell)
    classes = Classes.of(cell.block.labels)
    judged = outcomes(cell.block, threshold=0.0)  # feasibility is a matter of correctness, not of acceptance
    _refuse_infeasible(counts, rows, class_counts(classes, judged))
    known = ClassStates(*(_line(rows[name]) for name in ("k", "s") if name in counts.columns))
    named = replace(classes, labels=cell.class_names)
    try:
        check_states(cell.block, named, judged, known)
    except RecordsError as error:
        raise RecordsError(f"{counts.place}: {error}") from None
    if cell.paired:
        _refuse_contradiction(counts, rows, cell, classes)
    return known


def _line(values: pd.Series) -> np.ndarray:
    return values.to_numpy()[None]


def _rows_of_cell(counts: JointCounts, cell: Cell) -> pd.DataFrame:
    """Return the rows of a cell in the order of its classes; the index counts rows from 1 below the header."""
    table = counts.table.set_index(pd.RangeIndex(1, len(counts.table) + 1))
    for column in cell_columns(table):
        if column in cell.keys:
            table = table[(table[column] == cell.keys[column]).to_numpy()]
    twice = table["label"].duplicated()
    if twice.any():
        raise RecordsError(
            f"{counts.place}: several rows for class {table['label'][twice].iloc[0]}, but {cell.place} does not tell "
            "models or conditions apart; keep the rows of one"
        )
    known = table["label"].isin(cell.class_names)
    if not known.all():
        unknown = table[~known].iloc[0]
        raise RecordsError(
            f"{counts.place}: row {unknown.name} (label {unknown['label']}): no record of {cell.place} has this label; "
            "write each label as in the prediction files"
        )
    missing = set(cell.class_names) - set(table["label"])
    if missing:
        raise RecordsError(
            f"{counts.place}: no row for class {min(missing)} of {cell.place} ({len(missing)} of "
            f"{len(cell.class_names)} classes are missing); write one row per class"
        )
    return table.reset_index(names="row").set_index("label").loc[cell.class_names].reset_index()


def _refuse_infeasible(counts: JointCounts, rows: pd.DataFrame, sizes: ClassCounts) -> None:
    """Compare each count with the numbers of correct and wrong records of its class (Appendix A.1)."""
    low, high = (bound[0] for bound in sizes.overlap_range)
    n, a, b = sizes.size, sizes.clean_correct, sizes.perturbed_correct[0]
    facts = {"n": n, "a": a, "b": b, "low": low, "high": high}
    k = rows["k"].to_numpy()
    correct = "{a} of {n} clean and {b} of {n} perturbed records of this class are correct"
    _refuse_count(counts, rows, facts, (k < low) | (k > high), f"k is {{k}}, but {correct}: k must be {{range}}")
    if counts.columns != STATE_COUNTS:
        return
    h, r, s, w = (rows[name].to_numpy() for name in "hrsw")
    for broken, rule, value in (
        (h != a - k, "h + k = {a}, the correct clean records", "h + k is {hk}"),
        (r != b - k, "r + k = {b}, the correct perturbed records", "r + k is {rk}"),
        (h + r + s + w + k != n, "h + r + s + w + k = {n}, the records a side", "their sum is {total}"),
    ):
        more = {"hk": h + k, "rk": r + k, "total": h + r + s + w + k}
        _refuse_count(counts, rows, facts | more, broken, f"these records need {rule}, but {value}")


def _refuse_count(
    counts: JointCounts, rows: pd.DataFrame, facts: Mapping[str, np.ndarray], broken: np.ndarray, reason: str
) -> None:
    if broken.any():
        place = int(np.argmax(broken))
        values = {name: int(column[place]) for name, column in facts.items()}
        span = f"{values['low']}" if values["low"] == values["high"] else f"from {values['low']} to {values['high']}"
        row = rows.iloc[place]
        told = reason.format(**values, k=row["k"], range=span)
        raise RecordsError(f"{counts.place}: row {row['row']} (label {row['label']}): {told}; correct this row")


def _refuse_contradiction(counts: JointCounts, rows: pd.DataFrame, cell: Cell, classes: Classes) -> None:
    """Where the pairing is known, supplied counts can only repeat what it shows."""
    states = response_states(cell.block)
    for name, flags in zip(STATE_COUNTS, vars(states).values(), strict=True):
        if name in counts.columns:
            seen = classes.count(flags)[0]
            differing = rows[name].to_numpy() != seen
            if differing.any():
                place = int(np.argmax(differing))
                row = rows.iloc[place]
                raise RecordsError(
                    f"{counts.place}: row {row['row']} (label {row['label']}): {name} is {row[name]}, but the image "
                    f"ids of {cell.place} show {seen[place]}; correct the count, or leave it out since the ids tell it"
                )
