"""Which number of our tables a printed number of the paper's tables is.

Tables, key columns and columns mostly share their names with the published ones, and rows are found by their keys. What
differs stands in the tables of exceptions below, by published name.
"""

import math
import re
from dataclasses import dataclass, field

import pandas as pd

from pairedeval.scorecard.results import StudyResults

NO_TABLE, NO_ROW, NO_COLUMN, UNDEFINED = "no such table", "no such row", "no such column", "undefined here"


@dataclass(frozen=True)
class Exceptions:
    """How a table of ours differs from the published one.

    Attributes
    ----------
    table
        Our table, if it has another name.
    columns
        Our column by published column.
    factors
        What our column is multiplied with, by published column.
    keys
        Our entry of a key column by key column and published entry.
    fixed
        Key columns that the published table lacks, with the entry it stands for.
    """

    table: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    factors: dict[str, float] = field(default_factory=dict)
    keys: dict[str, dict[str, str]] = field(default_factory=dict)
    fixed: dict[str, str] = field(default_factory=dict)


def _ending(by: str, *columns: str) -> Exceptions:
    """Differences whose interval our column names: by resampled groups or by resampled classes."""
    return Exceptions(columns={column: f"{column}_{by}" for column in columns})


EXCEPTIONS = {
    "table_17": _ending("class", "auroc_u_minus_s", "auroc_delta_minus_u", "auroc_g_s_u_minus_s"),
    "table_31": _ending("group", "recall_q20_u18_minus_tta18", "auroc_u18_minus_tta18", "recall_q20_u18_minus_tta_sel"),
    "table_33": Exceptions(keys={"metric": {"recall_q20": "Recall@.2"}}),
    "table_34": _ending("group", "u_minus_a3_pp"),
    "table_35": _ending("group", "recall_u_minus_a3_pp"),
    "table_37": _ending("group", "recall_q20_u18_minus_tta18", "auroc_u18_minus_tta18"),
    "table_38": _ending("group", "recall_q20_u_minus_score"),
    "table_41": Exceptions(
        table="table_models", columns={"params_millions": "parameters"}, factors={"params_millions": 1e-6}
    ),
    "table_49": Exceptions(fixed={"other_models": "other groups"}),
}


def match_tables(published: pd.DataFrame, keys: dict[str, list[str]], results: StudyResults) -> pd.DataFrame:
    """Find our number for each published one.

    Parameters
    ----------
    published
        Result of `published.read_published_tables`.
    keys
        Key columns by table; see `key_columns`.
    results
        Results of the study.

    Returns
    -------
    pandas.DataFrame
        `published` with ``value`` (in the published unit, unrounded; NaN without one), ``place`` (our table) and
        ``reason`` (why there is no value, else empty).
    """
    tables = [_match(rows, keys[str(name)], results) for name, rows in published.groupby("table", sort=False)]
    return pd.concat(tables) if tables else published.assign(value=math.nan, place="", reason="")


def key_columns(index: pd.DataFrame) -> dict[str, list[str]]:
    """Return the key columns of each table.

    Parameters
    ----------
    index
        ``index.csv`` of the published numbers, as text.
    """
    names = index["table"].str.replace("table", "table_")
    return {name: keys.split(";") for name, keys in zip(names, index["keys"], strict=True)}


def normalised(entry: object) -> str:
    """Return an entry of a key column without what only its print decides.

    Examples
    --------
    >>> normalised("Five-state extra orderings") == normalised("five_state_extra_orderings")
    True
    >>> normalised("0.0"), normalised(0.1 + 0.2), normalised(10.0), normalised("Syn-B")
    ('0', '0.3', '10', 'synb')
    """
    try:
        return f"{float(entry):g}"  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return re.sub(r"[^a-z0-9.]", "", str(entry).lower())


def _match(published: pd.DataFrame, keys: list[str], results: StudyResults) -> pd.DataFrame:
    name = str(published["table"].iloc[0])
    exceptions = EXCEPTIONS.get(name, Exceptions())
    place = exceptions.table or name
    ours = results.frame(place)
    if ours is None:
        return published.assign(value=math.nan, place=place, reason=NO_TABLE)
    for column, entry in exceptions.fixed.items():
        ours = ours[ours[column] == entry]
    rows = {tuple(map(normalised, row)): place for place, row in enumerate(ours[keys].itertuples(index=False))}
    found = [
        _value(ours, rows.get(_key(str(entry.row), keys, exceptions)), str(entry.column), exceptions)
        for entry in published.itertuples()
    ]
    values, reasons = zip(*found, strict=True)
    return published.assign(value=values, place=place, reason=reasons)


def _key(row: str, keys: list[str], exceptions: Exceptions) -> tuple[str, ...]:
    entries = row.split("/", len(keys) - 1)
    return tuple(
        normalised(exceptions.keys.get(key, {}).get(entry, entry)) for key, entry in zip(keys, entries, strict=True)
    )


def _value(ours: pd.DataFrame, row: int | None, column: str, exceptions: Exceptions) -> tuple[float, str]:
    name = exceptions.columns.get(column, column)
    if name not in ours:
        return math.nan, NO_COLUMN
    if row is None:
        return math.nan, NO_ROW
    value = float(ours[name].iloc[row]) * exceptions.factors.get(column, 1.0)
    return value, UNDEFINED if math.isnan(value) else ""
