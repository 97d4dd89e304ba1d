"""The scorecard of a study: every printed number that can be compared with it, and the counts of its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd

from pairedeval.files import write_text
from pairedeval.scorecard.compare import DIFFERS, EQUAL, judge, read_tolerances, tolerate
from pairedeval.scorecard.constants import protocol_constants
from pairedeval.scorecard.counts import count_study
from pairedeval.scorecard.matching import key_columns, match_tables
from pairedeval.scorecard.places import (
    CONSTANTS,
    COUNTS,
    KIND_SCOPES,
    PROTOCOL,
    SCOPES,
    match_text,
    read_places,
    with_places,
)
from pairedeval.scorecard.published import read_published_tables, read_published_text
from pairedeval.scorecard.results import StudyResults, read_csv
from pairedeval.scorecard.shape import study_shape

NUMBER_COLUMNS = (
    "group", "table", "row", "column", "part", "kind", "published", "value", "printed", "difference", "verdict",
    "tolerated", "reason", "relation", "lower", "upper", "half_unit", "place",
)  # fmt: skip
PUBLISHED, PLACES, TOLERANCES = ("published", "scorecard/places.csv", "scorecard/tolerances.csv")
# Exponents from which on a printed number stays in powers of ten.
SMALLEST_PLAIN_DIGIT = -6


@dataclass(frozen=True)
class Scorecard:
    """Comparison of a study with the paper.

    Attributes
    ----------
    numbers
        Rows per compared number, with the columns `NUMBER_COLUMNS`.
    counts
        Result of `counts.count_study`.
    published
        Printed numbers in all, those that are not compared included.
    """

    numbers: pd.DataFrame
    counts: pd.DataFrame
    published: int


def score_study(results: StudyResults, settings: Mapping[str, Any], scope: str) -> Scorecard:
    """Compare a study with the printed numbers.

    Parameters
    ----------
    results
        Results of the study; its resources hold `PUBLISHED`, `PLACES` and `TOLERANCES`.
    settings
        Complete configuration of the study.
    scope
        What can be compared, of `places.SCOPES`: in the paper's own study everything; in one of the paper's shape what
        shape and protocol decide; else what the protocol decides.

    Raises
    ------
    PairedEvalError
        If a file of the resources, the models, the tiers or the index of the images cannot be read.
    """
    resources = results.resources
    places = read_places(resources / PLACES)
    tables, text = (read(resources / PUBLISHED) for read in (read_published_tables, read_published_text))
    tables = tables.assign(relation=EQUAL, scope=tables["kind"].map(KIND_SCOPES))
    text = with_places(text, places)
    counts = count_study(results, study_shape(results, settings, paper=scope != PROTOCOL))
    made = {COUNTS: counts, CONSTANTS: protocol_constants(settings)}
    keys = key_columns(read_csv(resources / PUBLISHED / "index.csv", text=True))
    found = [
        match_tables(_comparable(tables, scope), keys, results),
        match_text(_comparable(text, scope), places, results, made),
    ]
    numbers = tolerate(judge(pd.concat(found, ignore_index=True)), read_tolerances(resources / TOLERANCES))
    return Scorecard(_laid_out(numbers), counts, len(tables) + len(text))


def _comparable(numbers: pd.DataFrame, scope: str) -> pd.DataFrame:
    return numbers[numbers["scope"].isin(SCOPES[: SCOPES.index(scope) + 1])]


def _laid_out(numbers: pd.DataFrame) -> pd.DataFrame:
    printed = [printed_like(*pair) for pair in zip(numbers["value"], numbers["published"], strict=True)]
    reasons = numbers["reason"].where(numbers["verdict"] != DIFFERS, numbers["explanation"])
    return numbers.assign(printed=printed, reason=reasons)[list(NUMBER_COLUMNS)]


def printed_like(value: float, published: str) -> str:
    """Print our number with the digits and the sign of a printed one; empty if there is none.

    Examples
    --------
    >>> printed_like(0.6719, "0.67"), printed_like(0.0004, "+0.050"), printed_like(11088.0, "11088")
    ('0.67', '+0.000', '11088')
    >>> printed_like(0.25, "1/3"), printed_like(2.5e-16, "1.39e-15"), printed_like(float("nan"), "3")
    ('0.25', '2.5e-16', '')
    """
    if pd.isna(value):
        return ""
    exponent = Decimal(published).as_tuple().exponent if "/" not in published else None
    if not isinstance(exponent, int) or exponent < SMALLEST_PLAIN_DIGIT:
        return f"{value:.3g}"
    return f"{value:{'+' if published[0] in '+-' else ''}.{max(-exponent, 0)}f}"


def write_csv(numbers: pd.DataFrame, path: str | Path) -> None:
    """Write the numbers as CSV, atomically, every digit kept."""
    write_text(numbers.to_csv(index=False, lineterminator="\n"), path)
