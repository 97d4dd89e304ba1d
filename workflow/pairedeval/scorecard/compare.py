"""Verdicts on pairs of a printed number and ours, and deviations that are accepted for a stated reason.

Rounding: a number agrees if ours lies within half of the last printed digit. Resampling: a printed 95% interval says
how far a number moves with the models or classes that are drawn; ours agrees if it lies inside. The ends of an interval
are themselves percentiles of a finite number of draws, in the paper and here, and agree if they differ by at most three
standard errors of such a difference, computed for normal draws.
"""

import math
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

from pairedeval.errors import PairedEvalError
from pairedeval.resampling import PERCENTILES
from pairedeval.scorecard.published import VALUE
from pairedeval.scorecard.results import read_csv

WITHIN_ROUNDING, WITHIN_RESAMPLING, DIFFERS, NOT_COMPUTED = VERDICTS = (
    "within rounding",
    "within resampling interval",
    "differs",
    "not computed",
)
# How a printed number relates to the quantity: equal; about; at most; at least; rounding noise of a computer.
EQUAL, ABOUT, AT_MOST, AT_LEAST, NOISE = RELATIONS = ("=", "~", "<=", ">=", "noise")
# What "about" and "roughly" allow, as a share of the number.
ABOUT_SHARE = 0.1
# Residuals below this are those of floating-point sums.
NOISE_SIZE = 1e-9
STANDARD_ERRORS = 3.0
# Slack for decimal fractions that are no binary ones.
SLACK = 1e-9
TOLERANCE_COLUMNS = ("table", "row", "column", "allowed", "reason")
ANY = "any"


def judge(pairs: pd.DataFrame) -> pd.DataFrame:
    """Compare our numbers with the printed ones.

    Parameters
    ----------
    pairs
        Rows with the columns of `published.read_published_tables`, ``value`` (ours, NaN without one) and, if numbers of
        the text are among them, ``relation`` (of `RELATIONS`).

    Returns
    -------
    pandas.DataFrame
        `pairs` with ``difference`` (ours minus printed) and ``verdict`` (of `VERDICTS`).
    """
    value, number = (pairs[column].to_numpy(dtype=float) for column in ("value", "number"))
    reach = pairs["half_unit"].to_numpy(dtype=float) * (1 + SLACK) + SLACK * np.abs(number)
    relation = pairs["relation"].to_numpy() if "relation" in pairs else np.full(len(pairs), EQUAL, dtype=object)
    difference = value - number
    size = np.abs(difference)
    rounded = np.select(
        [relation == ABOUT, relation == AT_MOST, relation == AT_LEAST, relation == NOISE],
        [
            size <= np.maximum(reach, ABOUT_SHARE * np.abs(number)),
            difference <= reach,
            difference >= -reach,
            np.abs(value) <= NOISE_SIZE,
        ],
        size <= reach,
    ).astype(bool)
    verdict = np.select(
        [np.isnan(value), rounded, _within_resampling(pairs, size, reach)],
        [NOT_COMPUTED, WITHIN_ROUNDING, WITHIN_RESAMPLING],
        DIFFERS,
    )
    return pairs.assign(difference=difference, verdict=verdict)


def end_reach(width: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return how far an end of a percentile interval may differ between two sets of draws.

    The standard error of the p-quantile of m normal draws is sqrt(p (1 - p) / m) divided by the density at the
    quantile; the difference of two ends has sqrt(2) times that.

    Parameters
    ----------
    width
        Widths of the intervals, any shape.
    draws
        Draws behind each interval; NaN results where there are none.

    Examples
    --------
    >>> end_reach(np.array([1.0, 1.0]), np.array([2000, 200])).round(3).tolist()
    [0.065, 0.204]
    """
    tail = PERCENTILES[0] / 100
    quantile = float(norm.ppf(1 - tail))
    deviation = width / (2 * quantile)
    error = deviation * math.sqrt(tail * (1 - tail)) / float(norm.pdf(quantile))
    with np.errstate(divide="ignore", invalid="ignore"):
        reach: np.ndarray = STANDARD_ERRORS * math.sqrt(2) * error / np.sqrt(np.where(draws > 0, draws, np.nan))
    return reach


def _within_resampling(pairs: pd.DataFrame, size: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Tell which numbers lie inside the printed interval, or at its end but for the draws; bool, shape ``(rows,)``."""
    lower, upper, value = (pairs[column].to_numpy(dtype=float) for column in ("lower", "upper", "value"))
    inside = (value >= lower - reach) & (value <= upper + reach)
    near = size <= reach + end_reach(upper - lower, pairs["draws"].to_numpy(dtype=float))
    within: np.ndarray = np.where(pairs["part"].to_numpy() == VALUE, inside, near) & ~np.isnan(lower)
    return within


def read_tolerances(path: str | Path) -> pd.DataFrame:
    """Read accepted deviations.

    Parameters
    ----------
    path
        CSV file with the columns `TOLERANCE_COLUMNS`: ``table``, ``row`` and ``column`` of the numbers meant, with the
        wildcards ``*``, ``?`` and ``[...]``; ``allowed``, the largest difference in the printed unit, or `ANY`; and
        ``reason``.

    Returns
    -------
    pandas.DataFrame
        The same with ``allowed`` as a number, infinite for `ANY`.

    Raises
    ------
    PairedEvalError
        If a column or a reason is missing, or a difference is neither a positive number nor `ANY`.
    """
    table = read_csv(path, text=True)
    missing = [column for column in TOLERANCE_COLUMNS if column not in table]
    if missing:
        raise PairedEvalError(f"{path}: no column {missing[0]}; tolerances have {', '.join(TOLERANCE_COLUMNS)}")
    for line, row in enumerate(table.itertuples(), start=2):
        if not row.reason:
            raise PairedEvalError(f"{path}: line {line}: no reason; say why the deviation is accepted")
        if row.allowed != ANY and not _is_positive(str(row.allowed)):
            raise PairedEvalError(f"{path}: line {line}: '{row.allowed}' is neither a positive number nor '{ANY}'")
    return table.assign(allowed=table["allowed"].replace(ANY, "inf").astype(float))


def tolerate(judged: pd.DataFrame, tolerances: pd.DataFrame) -> pd.DataFrame:
    """Mark the differing numbers that are accepted.

    Parameters
    ----------
    judged
        Result of `judge`.
    tolerances
        Result of `read_tolerances`; the first row that fits a number decides.

    Returns
    -------
    pandas.DataFrame
        `judged` with ``tolerated`` (bool) and ``explanation`` (the reason, empty where nothing is accepted).
    """
    explanations = [
        _explanation(row, tolerances) if row.verdict == DIFFERS else ""
        for row in judged[["table", "row", "column", "difference", "verdict"]].itertuples(index=False)
    ]
    return judged.assign(tolerated=[bool(text) for text in explanations], explanation=explanations)


def _explanation(number: object, tolerances: pd.DataFrame) -> str:
    for rule in tolerances.itertuples():
        if all(fnmatchcase(str(getattr(number, part)), str(getattr(rule, part))) for part in TOLERANCE_COLUMNS[:3]):
            accepted = abs(number.difference) <= rule.allowed * (1 + SLACK)  # type: ignore[attr-defined, operator]
            return str(rule.reason) if accepted else ""
    return ""


def _is_positive(text: str) -> bool:
    try:
        return float(text) > 0
    except ValueError:
        return False
