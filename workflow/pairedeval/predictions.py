"""Prediction files of anyone: CSV or Parquet, one row per image (and model and condition, if there are several).

Needed columns are `PREDICTION_COLUMNS`, in any order; others are ignored, but for `CELL_COLUMNS`, which
divide a file into cells. Labels and ids may be text or numbers: they are compared as text.
"""

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
        `PREDICTION_COLUMNS` and those of `CELL_COLUMNS` that the file has; text columns as text,
        probabilities as shares. Row order is kept.

    Raises
    ------
    RecordsError
        If the file is missing, empty or damaged, or a row cannot be used; the message names the row,
        counted from 1 below the header.
    """
    frame = _read(Path(path))
    missing = [column for column in PREDICTION_COLUMNS if column not in frame.columns]
    if missing:
        raise RecordsError(
            f"{path}: missing column {', '.join(missing)}; a prediction file has {', '.join(PREDICTION_COLUMNS)}"
        )
    if frame.empty:
        raise RecordsError(f"{path}: no rows; write one row per image")
    frame = frame[[*(column for column in CELL_COLUMNS if column in frame.columns), *PREDICTION_COLUMNS]]
    checked = _as_text(frame, path)
    for column in SHARE_COLUMNS:
        checked[column] = _as_shares(frame, column, path)
    _check_rows(checked, path)
    return checked


def cell_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns that divide a prediction file into cells, in their fixed order."""
    return [column for column in CELL_COLUMNS if column in frame.columns]


def _read(path: Path) -> pd.DataFrame:
    if path.suffix == ".parquet":
        return read_table(path)
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False, skipinitialspace=True)
    except FileNotFoundError:
        raise RecordsError(f"{path}: no such file; check the path") from None
    except pd.errors.EmptyDataError:
        raise RecordsError(f"{path}: empty file; write a header and one row per image") from None
    except (OSError, ValueError, EOFError) as error:
        reason = str(error).splitlines()[0]
        raise RecordsError(f"{path}: not a readable CSV file ({reason}); write it again") from error


def _as_text(frame: pd.DataFrame, path: str | Path) -> pd.DataFrame:
    """Ids and labels as text; an empty one is refused."""
    text = {}
    for column in (name for name in TEXT_COLUMNS if name in frame.columns):
        values = frame[column]
        _refuse(frame, (values.isna() | (values == "")).to_numpy(), path, f"{column} is empty; every row needs one")
        text[column] = values.astype(str)
    return pd.DataFrame(text)


def _as_shares(frame: pd.DataFrame, column: str, path: str | Path) -> pd.Series:
    values = pd.to_numeric(frame[column], errors="coerce").astype(np.float64)
    _refuse(frame, values.isna().to_numpy(), path, f"{column} is not a number; write the probability of that row")
    outside = (values < -PROBABILITY_TOLERANCE) | (values > 1 + PROBABILITY_TOLERANCE)
    _refuse(
        frame,
        outside.to_numpy(),
        path,
        f"{column} lies outside [0, 1]; logits or similarities need a softmax over the candidate classes",
    )
    return values.clip(0.0, 1.0)


def _check_rows(frame: pd.DataFrame, path: str | Path) -> None:
    twice = frame.duplicated([*cell_columns(frame), "image_id"]).to_numpy()
    _refuse(frame, twice, path, "the image id stands twice; keep one row, or tell repeats apart by 'condition'")
    excess = (frame["true_class_probability"] - frame["confidence"]).to_numpy()
    _refuse(
        frame,
        excess > PROBABILITY_TOLERANCE,
        path,
        "true_class_probability exceeds confidence, which must be the largest probability of the row",
    )
    correct = (frame["prediction"] == frame["label"]).to_numpy()
    _refuse(
        frame,
        correct & (np.abs(excess) > PROBABILITY_TOLERANCE),
        path,
        "the prediction is correct, so confidence and true_class_probability must be equal",
    )


def _refuse(frame: pd.DataFrame, broken: np.ndarray, path: str | Path, reason: str) -> None:
    """Name the first broken row, and how many there are."""
    if broken.any():
        row = int(np.argmax(broken))
        more = int(broken.sum()) - 1
        others = f" (and {more} more row{'s' if more > 1 else ''})" if more else ""
        raise RecordsError(f"{path}: row {row + 1} (image {frame['image_id'].iloc[row]}): {reason}{others}")
