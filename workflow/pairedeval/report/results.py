"""How builders read tidy results."""

import math
from collections.abc import Callable, Sequence

import pandas as pd

from pairedeval.errors import PairedEvalError


def need_columns(frame: pd.DataFrame, columns: Sequence[str], table: str) -> None:
    """Raise a `PairedEvalError` that names the table and the columns which its results lack."""
    missing = [column for column in columns if column not in frame]
    if missing:
        raise PairedEvalError(f"{table}: the results lack the column {', '.join(missing)}; run the analysis again")


def lookup(frame: pd.DataFrame, keys: list[str]) -> Callable[..., float]:
    """Return a function from a column and the values of the keys to a number; an absent row is undefined.

    Examples
    --------
    >>> value = lookup(pd.DataFrame({"source": ["es"], "cells": [12]}), ["source"])
    >>> value("cells", "es"), value("cells", "syn")
    (12.0, nan)
    """
    rows = {tuple(row[key] for key in keys): row for row in frame.to_dict("records")}

    def value(column: str, *key: str) -> float:
        return float(rows[key][column]) if key in rows else math.nan

    return value
