"""Prediction files of anyone: CSV or Parquet, one row per image (and model and condition, if there are several).

Needed columns are `PREDICTION_COLUMNS`, in any order; others are ignored, but for `CELL_COLUMNS`, which
divide a file into cells. Labels and ids may be text or numbers: they are compared as text.
"""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.files import read_table
from pairedeval.records import PROBABILITY_TOLERANCE

PREDICTION_COLUMNS = ("image_id", "label", "prediction", "confidence", "true_class_probability")
CELL_COLUMNS = ("model", "condition")
TEXT_COLUMNS = ("image_id", "label", "prediction", *CELL_COLUMNS)
SHARE_COLUMNS = ("confidence", "true_class_probability")


def read_predictions(path: str | Path) -> pd.DataFrame:
    """Read and check one prediction file.

    Parameters
    ----------
    path
        A CSV file (also compressed, for example ``.csv.gz``) or a Parquet file.

    Returns
    -------
    DataFrame
        As `check_predictions`; row order is kept.

    Raises
    ------
    RecordsError
        If the file is missing, empty or damaged, or a row cannot be used; the message names the row,
        counted from 1 below the header.
    """
    return check_predictions(read_plain(path), str(path))


def check_predictions(frame: pd.DataFrame, place: str = "predictions") -> pd.DataFrame:
    """Check predictions that are in memory already.

    Parameters
    ----------
    frame
        Columns `PREDICTION_COLUMNS`, and those of `CELL_COLUMNS` if there are several models or conditions.
    place
        What a message calls the predictions.

    Returns
    -------
    DataFrame
        These columns in a fixed order; ids and labels as text, probabilities as shares.

    Raises
    ------
    RecordsError
        If a column is missing or a row cannot be used.
    """
    require_columns(frame, PREDICTION_COLUMNS, place, "a prediction file has", "write one row per image")
    checked = as_text(frame, [column for column in TEXT_COLUMNS if column in frame.columns], place)
    for column in SHARE_COLUMNS:
        checked[column] = _as_shares(frame, column, place)
    checked = checked[[*cell_columns(frame), *PREDICTION_COLUMNS]]
    _check_rows(checked, place)
    return checked


def cell_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns that divide a prediction file into cells, in their fixed order."""
    return [column for column in CELL_COLUMNS if column in frame.columns]


def read_plain(path: str | Path) -> pd.DataFrame:
    """Read a Parquet file, or a CSV file as text in which nothing is taken for missing."""
    path = Path(path)
    if path.suffix in {".parquet", ".pq"}:
        return read_table(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # fields beyond the header would be dropped
            return pd.read_csv(path, dtype=str, keep_default_na=False, skipinitialspace=True, index_col=False)
    except FileNotFoundError:
        raise RecordsError(f"{path}: no such file; check the path") from None
    except pd.errors.EmptyDataError:
        raise RecordsError(f"{path}: empty file; write a header and its rows") from None
    except pd.errors.ParserWarning:
        raise RecordsError(f"{path}: rows have more fields than the header; name every column in the header") from None
    except (OSError, ValueError, EOFError, ImportError) as error:
        reason = str(error).splitlines()[0]
        raise RecordsError(f"{path}: not a readable CSV file ({reason}); write it again") from error


def require_columns(frame: pd.DataFrame, needed: tuple[str, ...], place: str, what: str, remedy: str) -> None:
    """Refuse a table without one of its columns, or without rows."""
    missing = [column for column in needed if column not in frame.columns]
    if missing:
        raise RecordsError(
            f"{place}: missing column {', '.join(missing)}; {what} {', '.join(needed)}, "
            f"and this one {', '.join(map(str, frame.columns))}"
        )
    if frame.empty:
        raise RecordsError(f"{place}: no rows; {remedy}")


def as_text(frame: pd.DataFrame, columns: list[str], place: str, key: str = "image_id") -> pd.DataFrame:
    """Return ids and labels as text; an empty one is refused."""
    text = {}
    for column in columns:
        values = frame[column]
        empty = (values.isna() | (values == "")).to_numpy()
        refuse_row(frame, empty, place, f"{column} is empty; every row needs one", key)
        if pd.api.types.is_float_dtype(values.dtype) and (values % 1 == 0).all():
            values = values.astype(np.int64)  # whole numbers that passed through a float column: 3.0 is class 3
        text[column] = values.astype(str)
    return pd.DataFrame(text).reset_index(drop=True)


def refuse_row(frame: pd.DataFrame, broken: np.ndarray, place: str, reason: str, key: str = "image_id") -> None:
    """Name the first broken row by its number and its `key`, and say how many more there are."""
    if broken.any():
        row = int(np.argmax(broken))
        more = int(broken.sum()) - 1
        others = f" (and {more} more row{'s' if more > 1 else ''})" if more else ""
        name = f"{key.removesuffix('_id')} {frame[key].iloc[row]}"
        raise RecordsError(f"{place}: row {row + 1} ({name}): {reason}{others}")


def as_numbers(values: pd.Series) -> np.ndarray:
    """Parse numbers exactly, because a last digit decides equality with a threshold; NaN for what is none."""
    try:
        return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
    except (ValueError, TypeError):
        return np.array([_number(value) for value in values])


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return np.nan


def _as_shares(frame: pd.DataFrame, column: str, place: str) -> np.ndarray:
    values = as_numbers(frame[column])
    refuse_row(frame, np.isnan(values), place, f"{column} is not a number; write the probability of that row")
    outside = (values < -PROBABILITY_TOLERANCE) | (values > 1 + PROBABILITY_TOLERANCE)
    reason = f"{column} lies outside [0, 1]; logits or similarities need a softmax over the candidate classes"
    refuse_row(frame, outside, place, reason)
    shares: np.ndarray = np.clip(values, 0.0, 1.0)
    return shares


def _check_rows(frame: pd.DataFrame, place: str) -> None:
    twice = frame.duplicated([*cell_columns(frame), "image_id"]).to_numpy()
    refuse_row(frame, twice, place, "the image id stands twice; keep one row, or tell repeats apart by 'condition'")
    excess = (frame["true_class_probability"] - frame["confidence"]).to_numpy()
    refuse_row(
        frame,
        excess > PROBABILITY_TOLERANCE,
        place,
        "true_class_probability exceeds confidence, which must be the largest probability of the row",
    )
    correct = (frame["prediction"] == frame["label"]).to_numpy()
    refuse_row(
        frame,
        correct & (np.abs(excess) > PROBABILITY_TOLERANCE),
        place,
        "the prediction is correct, so confidence and true_class_probability must be equal",
    )
