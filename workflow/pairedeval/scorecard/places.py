"""Where the numbers of the running text stand in the results of a study.

``resources/scorecard/places.csv`` names a place for every id of ``resources/published/text-figures.csv``, or says why
there is none. A place is a result, the rows of it that are meant, and an expression of its columns: `pandas` evaluates
both, so that ``100 * recall_q20_u`` of the row ``source == 'ES' and tier == 'mild'`` is the 67% of the abstract.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd

from pairedeval.errors import PairedEvalError
from pairedeval.scorecard.compare import EQUAL, RELATIONS
from pairedeval.scorecard.derived import PREFIX, RULES, derive
from pairedeval.scorecard.matching import NO_ROW, NO_TABLE, UNDEFINED
from pairedeval.scorecard.published import CONSTANT, COUNT, LOWER, RESULT, TIMING, UPPER, VALUE
from pairedeval.scorecard.results import StudyResults, read_csv

COLUMNS = ("id", "scope", "relation", "place", "rows", "value", "over", "reason")
# What a number can be compared in: any study, one of the paper's shape, or the paper's own study.
PROTOCOL, SHAPE, RESULTS = SCOPES = ("protocol", "shape", "results")
KIND_SCOPES = {CONSTANT: PROTOCOL, COUNT: SHAPE, RESULT: RESULTS, TIMING: RESULTS}
# How rows become a number: there is one row; how many rows, how many different entries; each row has to agree; the
# range of the rows; and what pandas calls sum, mean, min and max.
ONE, ROWS, DISTINCT, EACH, RANGE = ("", "rows", "distinct", "each", "range")
REDUCTIONS = (ONE, ROWS, DISTINCT, EACH, RANGE, "sum", "mean", "min", "max")
SEVERAL_ROWS = "more than one row"
MISFIT = "the place does not fit the result"
# Results that stand in no file.
COUNTS, CONSTANTS = MADE = ("counts", "constants")


@dataclass(frozen=True)
class Place:
    """Where a number stands.

    Attributes
    ----------
    ids
        Id of the number, or a pattern of ids.
    scope
        One of `SCOPES`, empty for the usual one of the number's kind.
    relation
        How the printed number relates to the quantity; see `compare.RELATIONS`.
    place
        Name of a result (see `StudyResults.frame`), ``derived/`` and a rule of `derived.RULES`, ``counts``,
        ``constants``, or empty if no result holds the number.
    rows
        Query that chooses rows; empty for all.
    value
        Expressions of columns, separated by ``;``: of the number, of both ends of a range, or of number and ends.
    over
        One of `REDUCTIONS`.
    reason
        Why there is no place.
    """

    ids: str
    scope: str
    relation: str
    place: str
    rows: str
    value: str
    over: str
    reason: str


def read_places(path: str | Path) -> tuple[Place, ...]:
    """Read ``places.csv``.

    Raises
    ------
    PairedEvalError
        If a column is missing, or an entry is not one of those that are known; the message names the line.
    """
    table = read_csv(path, text=True)
    missing = [column for column in COLUMNS if column not in table]
    if missing:
        raise PairedEvalError(f"{path}: no column {missing[0]}; places have {', '.join(COLUMNS)}")
    places = []
    for line, row in enumerate(table[list(COLUMNS)].itertuples(index=False, name=None), start=2):
        place = Place(*row)
        _check(place, f"{path}: line {line}")
        places.append(place)
    return tuple(places)


def _check(place: Place, where: str) -> None:
    known = {"scope": ("", *SCOPES), "relation": ("", *RELATIONS), "over": REDUCTIONS}
    for name, values in known.items():
        if getattr(place, name) not in values:
            raise PairedEvalError(
                f"{where}: {name} '{getattr(place, name)}' is none of {', '.join(filter(None, values))}"
            )
    if bool(place.place) == bool(place.reason):
        raise PairedEvalError(f"{where}: give either a place or a reason why there is none")
    if place.place.startswith(PREFIX) and place.place.removeprefix(PREFIX) not in RULES:
        raise PairedEvalError(f"{where}: no rule '{place.place}'; known rules: {', '.join(RULES)}")


def resolve(rows: Iterable[str], places: Sequence[Place]) -> dict[str, Place]:
    """Return the place of each id.

    Raises
    ------
    PairedEvalError
        If no line, or more than one, fits an id.
    """
    patterns = [place for place in places if any(mark in place.ids for mark in "*?[")]
    exact: dict[str, list[Place]] = {}
    for place in places:
        exact.setdefault(place.ids, []).append(place)
    found = {}
    for row in dict.fromkeys(rows):
        fitting = exact.get(row, []) + [place for place in patterns if fnmatchcase(row, place.ids)]
        if len(fitting) != 1:
            raise PairedEvalError(f"text-figures.csv: {row} has {len(fitting)} places; name it once in places.csv")
        found[row] = fitting[0]
    return found


def with_places(published: pd.DataFrame, places: Sequence[Place]) -> pd.DataFrame:
    """Say of each number of the text what it can be compared in.

    Parameters
    ----------
    published
        Result of `published.read_published_text`.
    places
        Result of `read_places`.

    Returns
    -------
    pandas.DataFrame
        `published` with ``relation`` (of `compare.RELATIONS`) and ``scope`` (of `SCOPES`).
    """
    found = resolve(published["row"], places)
    scopes = [
        found[row].scope or KIND_SCOPES[kind] for row, kind in zip(published["row"], published["kind"], strict=True)
    ]
    return published.assign(relation=[found[row].relation or EQUAL for row in published["row"]], scope=scopes)


def match_text(
    published: pd.DataFrame, places: Sequence[Place], results: StudyResults, made: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """Find our number for each number of the text.

    Parameters
    ----------
    published
        Result of `with_places`, or some of its rows; the parts of a number stand together.
    places
        Result of `read_places`.
    results
        Results of the study.
    made
        The frames `COUNTS` and `CONSTANTS`.

    Returns
    -------
    pandas.DataFrame
        `published` with ``value``, ``place`` and ``reason``, as in `matching.match_tables`.
    """
    found = resolve(published["row"], places)
    entries: list[tuple[float, str, str]] = []
    for row, parts in published.groupby("row", sort=False):
        place = found[str(row)]
        values, reason = _values(place, parts, results, made)
        where = " where ".join(filter(None, [place.place, place.rows]))
        entries += [(value, where, reason or (UNDEFINED if math.isnan(value) else "")) for value in values]
    columns = zip(*entries, strict=True) if entries else ([], [], [])
    return published.assign(**dict(zip(("value", "place", "reason"), map(list, columns), strict=True)))


def _values(
    place: Place, parts: pd.DataFrame, results: StudyResults, made: Mapping[str, pd.DataFrame]
) -> tuple[list[float], str]:
    """Return a number for each printed part, or why there is none."""
    nothing = [math.nan] * len(parts)
    if not place.place:
        return nothing, place.reason
    frame = _frame(place.place, results, made)
    if frame is None:
        return nothing, NO_TABLE
    try:
        rows = frame.query(place.rows, engine="python") if place.rows else frame
        if place.over == ROWS:
            return [float(len(rows))], ""
        if rows.empty or (place.over == ONE and len(rows) > 1):
            return nothing, NO_ROW if rows.empty else SEVERAL_ROWS
        columns = [pd.Series(rows.eval(part.strip(), engine="python")) for part in place.value.split(";")]
    except (KeyError, TypeError, ValueError, pd.errors.UndefinedVariableError) as error:
        return nothing, f"{MISFIT} ({str(error).splitlines()[0]})"
    return [
        _reduced(_column(columns, part, parts), place.over, part, number)
        for part, number in zip(parts["part"], parts["number"], strict=True)
    ], ""


def _frame(place: str, results: StudyResults, made: Mapping[str, pd.DataFrame]) -> pd.DataFrame | None:
    if place in made:
        return made[place]
    if place.startswith(PREFIX):
        return derive(place.removeprefix(PREFIX), results)
    return results.frame(place)


def _column(columns: list[pd.Series], part: str, parts: pd.DataFrame) -> pd.Series:
    """Return the expression of a part: a single one serves all, else they stand in the order of the parts."""
    if len(columns) == 1:
        return columns[0]
    return columns[[name for name in (VALUE, LOWER, UPPER) if name in set(parts["part"])].index(part)]


def _reduced(values: pd.Series, over: str, part: str, number: float) -> float:
    """Reduce the rows to one number; `EACH` returns the one that is farthest from the printed number."""
    if over == DISTINCT:
        return float(values.nunique())
    defined = values.astype(float).dropna()
    if defined.empty:
        return math.nan
    if over == EACH:
        return float(defined.iloc[(defined - number).abs().argmax()])
    if over == RANGE:
        return float(defined.min() if part == LOWER else defined.max())
    return float(defined.iloc[0] if over == ONE else defined.agg(over))
