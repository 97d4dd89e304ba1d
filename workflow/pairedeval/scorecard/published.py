"""The printed numbers of the paper as rows, each with its rounding and its interval.

They stand in ``resources/published``; the README there says where they come from and how they are written.
"""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from pairedeval.resampling import CLASS_DRAWS, DRAWS
from pairedeval.scorecard.results import read_csv

COLUMNS = (
    "group", "table", "row", "column", "kind", "published", "number", "half_unit", "lower", "upper", "part", "draws",
)  # fmt: skip
RESULT, COUNT, CONSTANT, TIMING = ("result", "count", "protocol constant", "timing")
TEXT = "text"
# Parts of a printed number: itself, or an end of a range or interval.
VALUE, LOWER, UPPER = ("value", "lower", "upper")
# Symbols, definitions, an example's input and feature sets in words: nothing of these is a result.
WITHOUT_RESULTS = ("table01", "table02", "table03", "table05", "table42")
# The text prints all rows of a table of which the first six are in its file.
COMPLETE = {"table41": "models44"}
# Ends of identified intervals: exact, not resampled.
NOT_RESAMPLED = ("table15",)
# Columns that the protocol decides, whatever the results are.
COUNT_COLUMNS = {
    "table04": ("cells_of",),
    "table06": ("cells",),
    "table07": ("cells", "narrower_cells_of"),
    "table10": ("cells",),
    "table12": ("cells",),
    "table13": ("cells",),
    "table28": ("n_subsets",),
    "table30": ("models", "within_tolerance_models_of"),
    "table32": ("n_subsets",),
    "table36": ("evaluations",),
    "table41": ("params_millions",),
    "table45": ("positive_deletion_refits_of",),
}
_END = re.compile(r"(?P<number>.*?)(?P<by>_group|_class)?_(?P<end>lo|hi)")
_ENDS = {"lo": LOWER, "hi": UPPER}


def read_published_tables(folder: str | Path) -> pd.DataFrame:
    """Read the numbers of the paper's tables.

    Parameters
    ----------
    folder
        ``resources/published``.

    Returns
    -------
    pandas.DataFrame
        A row for each printed number, with the columns `COLUMNS`: ``group`` (such as ``Table 6``), ``table``
        (``table_06``), ``row`` (entries of the key columns, with ``/`` between them), ``column``, ``kind`` (`RESULT` or
        `COUNT`), ``published`` (as printed), ``number``, ``half_unit`` (half of the last printed digit), ``lower`` and
        ``upper`` (of the printed resampling interval the number stands in or is an end of; NaN without one), ``part``
        (`VALUE`, `LOWER`, `UPPER`) and ``draws`` (of that interval; 0 without one).
    """
    index = read_csv(Path(folder) / "index.csv", text=True)
    found = [row for row in index.itertuples() if row.table not in WITHOUT_RESULTS]
    rows = [entry for row in found for entry in _table_rows(Path(folder), str(row.table), str(row.keys).split(";"))]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def read_published_text(folder: str | Path) -> pd.DataFrame:
    """Read the numbers of the running text and of captions.

    Returns
    -------
    pandas.DataFrame
        As `read_published_tables`, ``table`` is `TEXT` and ``row`` the number's id; a range has two rows, a number with
        an interval three. ``group`` names the part of the paper.
    """
    text = read_csv(Path(folder) / "text-figures.csv", text=True)
    return pd.DataFrame([entry for row in text.itertuples() for entry in _text_rows(row)], columns=list(COLUMNS))


def rounding(printed: str) -> tuple[float, float]:
    """Return a printed number and half of its last digit; fractions are exact.

    Raises
    ------
    ValueError
        If it is no number.

    Examples
    --------
    >>> rounding("+0.050"), rounding("2376"), rounding("5.6e-5"), rounding("1/2")
    ((0.05, 0.0005), (2376.0, 0.5), (5.6e-05, 5e-07), (0.5, 0.0))
    """
    if "/" in printed:
        return float(Fraction(printed)), 0.0
    try:
        number = Decimal(printed)
    except InvalidOperation:
        raise ValueError(f"{printed!r} is no number") from None
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):
        raise ValueError(f"{printed!r} is no finite number")
    return float(number), float(Decimal(5).scaleb(exponent - 1))


def _table_rows(folder: Path, table: str, keys: list[str]) -> Iterable[tuple[object, ...]]:
    frame = read_csv(folder / f"{COMPLETE.get(table, table)}.csv", text=True)
    number = table.removeprefix("table")
    counts = COUNT_COLUMNS.get(table, ())
    for entry in frame.to_dict("records"):
        row = "/".join(entry[key] for key in keys)
        for column in (name for name in frame.columns if name not in keys and _is_number(entry[name])):
            value, half = rounding(entry[column])
            part, lower, upper, draws = _interval(table, str(column), entry)
            kind = COUNT if column in counts else RESULT
            place = (f"Table {int(number)}", f"table_{number}", row, column, kind)
            yield (*place, entry[column], value, half, lower, upper, part, draws)


def _interval(table: str, column: str, entry: Mapping[Any, str]) -> tuple[str, float, float, int]:
    """Find the resampling interval of a number: which part of it the number is, its ends and its draws."""
    end = _END.fullmatch(column)
    if end:
        stem, part = column.removesuffix(f"_{end['end']}"), _ENDS[end["end"]]
    else:
        candidates = [column, f"{column}_group", f"{column}_class"]
        stem, part = next((name for name in candidates if f"{name}_lo" in entry), ""), VALUE
    if not stem or table in NOT_RESAMPLED or not _is_number(entry.get(f"{stem}_lo", "")):
        return VALUE, float("nan"), float("nan"), 0
    draws = CLASS_DRAWS if stem.endswith("_class") else DRAWS
    return part, float(entry[f"{stem}_lo"]), float(entry[f"{stem}_hi"]), draws


def _text_rows(row: object) -> Iterable[tuple[object, ...]]:
    printed = {VALUE: row.value, LOWER: row.lo, UPPER: row.hi}  # type: ignore[attr-defined]
    resampled = all(printed.values())
    ends = (float(printed[LOWER]), float(printed[UPPER])) if resampled else (float("nan"), float("nan"))
    for part, entry in printed.items():
        if entry:
            value, half = rounding(entry)
            place = (part_of_paper(row.section), TEXT, row.id, row.quantity, row.kind)  # type: ignore[attr-defined]
            yield (*place, entry, value, half, *ends, part, DRAWS if resampled else 0)


def part_of_paper(section: str) -> str:
    """Return the part of the paper that a section belongs to.

    Examples
    --------
    >>> part_of_paper("E.1: Scores and sets"), part_of_paper("C (opening)"), part_of_paper("5.3")
    ('Appendix E', 'Appendix C', 'Main text')
    """
    appendix = re.match(r"([A-J])(?=[.: (]|$)", section)
    return f"Appendix {appendix[1]}" if appendix else "Main text"


def _is_number(entry: str) -> bool:
    try:
        rounding(entry)
    except ValueError:
        return False
    return True
