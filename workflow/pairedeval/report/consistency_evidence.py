"""What findings on decision consistency rest on: means with intervals, and where these lie."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from pairedeval.report.consistency_words import SCORE_NAMES, auroc_column
from pairedeval.report.findings import Finding
from pairedeval.report.names import MINUS, listed
from pairedeval.report.render import format_value

Verdict = Literal["above", "open", "below", "undefined"]
VERDICTS: tuple[Verdict, ...] = ("above", "open", "below", "undefined")
UNDEFINED = "undefined"
SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Evidence:
    """A mean over configurations with its 95% interval.

    Attributes
    ----------
    mean, lower, upper
        The mean and the ends of its interval; NaN if undefined.
    configurations, runs
        How many have a value.
    wins
        Share of the runs whose value is above zero; NaN if that was not counted.
    chance
        Value that stands for no information: 0 for differences, 0.5 for an AUROC.
    """

    mean: float
    lower: float
    upper: float
    configurations: int = 0
    runs: int = 0
    wins: float = math.nan
    chance: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """Where the whole interval lies, seen from `chance`; open if it holds that value."""
        if math.isnan(self.mean + self.lower + self.upper):
            return "undefined"
        return "above" if self.lower > self.chance else "below" if self.upper < self.chance else "open"

    @property
    def words(self) -> str:
        """The mean with its interval; a difference carries its sign.

        Examples
        --------
        >>> Evidence(-0.0571, -0.0732, -0.0428).words, Evidence(0.515, 0.5, 0.53, chance=0.5).words
        ('−0.057 [−0.073, −0.043]', '0.515 [0.500, 0.530]')
        """
        return self._written(signed=self.chance == 0)

    @property
    def level(self) -> str:
        """The same without a sign, for a mean that is no difference."""
        return self._written(signed=False)

    def _written(self, signed: bool) -> str:
        if math.isnan(self.mean):
            return UNDEFINED
        column = auroc_column("", "", interval=True, difference=signed)
        return format_value((self.mean, self.lower, self.upper), column)


def evidence_of(frame: pd.DataFrame, keys: Sequence[str], chance: float = 0.0) -> Callable[..., Evidence]:
    """Return a function from the values of the keys to the evidence of their row; an absent row is undefined.

    Parameters
    ----------
    frame
        Summary with `keys`, ``mean``, ``lower``, ``upper``, ``configurations``, ``runs`` and perhaps ``wins``.
    keys
        Columns that tell its rows apart.
    chance
        As for `Evidence`.

    Examples
    --------
    >>> row = {"score": "msp", "mean": 0.1, "lower": 0.05, "upper": 0.2, "configurations": 4, "runs": 12}
    >>> found = evidence_of(pd.DataFrame([row]), ["score"])
    >>> found("msp").verdict, found("margin").verdict
    ('above', 'undefined')
    """
    rows = {tuple(row[key] for key in keys): row for row in frame.to_dict("records")}

    def evidence(*key: Any) -> Evidence:
        row = rows.get(key)
        if row is None:
            return Evidence(math.nan, math.nan, math.nan, chance=chance)
        counts = int(row["configurations"]), int(row["runs"])
        return Evidence(row["mean"], row["lower"], row["upper"], *counts, row.get("wins", math.nan), chance)

    return evidence


def by_verdict(found: Iterable[tuple[str, Evidence]]) -> dict[Verdict, list[str]]:
    """Return names by where their intervals lie; every verdict is a key.

    Examples
    --------
    >>> by_verdict([("noise", Evidence(0.2, 0.1, 0.3)), ("blur", Evidence(0.1, -0.1, 0.3))])["above"]
    ['noise']
    """
    pairs = [(name, evidence.verdict) for name, evidence in found]
    return {verdict: [name for name, place in pairs if place == verdict] for verdict in VERDICTS}


def named(score: str) -> str:
    """Return the printed name of a trust score."""
    return SCORE_NAMES[score].symbol


def number(value: float, decimals: int = 3) -> str:
    """Write a number, with a true minus sign; NaN in words.

    Examples
    --------
    >>> number(-0.3504), number(float("nan")), number(8.31, 1)
    ('−0.350', 'undefined', '8.3')
    """
    return UNDEFINED if math.isnan(value) else f"{value:.{decimals}f}".replace("-", MINUS)


def percent(share: float) -> str:
    """Write a share in percent; NaN in words.

    Examples
    --------
    >>> percent(0.1234), percent(float("nan"))
    ('12.3%', 'undefined')
    """
    return f"{number(100 * share, 1)}%" if not math.isnan(share) else UNDEFINED


def span(values: "pd.Series[float]", names: "pd.Series[str]", write: Callable[[float], str] = number) -> str:
    """Write the least and the largest of some values with their names, or the one value; undefined ones are left out.

    Examples
    --------
    >>> span(pd.Series([0.5, 0.25]), pd.Series(["a", "b"]))
    'from 0.250 (b) to 0.500 (a)'
    """
    defined = values.dropna()
    if defined.empty:
        return UNDEFINED
    shown, owners = defined.to_numpy(), names.loc[defined.index].to_list()
    low, high = int(shown.argmin()), int(shown.argmax())
    if write(shown[low]) == write(shown[high]):
        return f"at {write(shown[low])} throughout"
    return f"from {write(shown[low])} ({owners[low]}) to {write(shown[high])} ({owners[high]})"


def related(correlation: float, p_value: float) -> Literal["rises", "falls", "unclear"]:
    """Tell whether a correlation is clear of chance, by its p-value, and which way it points.

    Examples
    --------
    >>> related(0.8, 0.01), related(-0.8, 0.01), related(0.8, 0.2)
    ('rises', 'falls', 'unclear')
    """
    if np.isnan(p_value) or p_value >= SIGNIFICANCE:
        return "unclear"
    return "rises" if correlation > 0 else "falls"


def in_groups(groups: dict[Verdict, list[str]], words: dict[Verdict, str]) -> str:
    """Join what holds of the names of each verdict; `words` go before a list of names.

    Examples
    --------
    >>> in_groups({"above": ["noise"], "open": [], "below": ["blur"]}, {"above": "better on", "below": "worse on"})
    'better on noise; worse on blur'
    """
    return "; ".join(f"{text} {listed(groups[verdict])}" for verdict, text in words.items() if groups[verdict])


def findings_from(texts: Iterable[tuple[str, str]]) -> list[Finding]:
    """Return findings from sentences and the stems of their files in ``consistency/``; empty sentences are left out.

    Examples
    --------
    >>> findings_from([("Six operators.", "operator_summary"), ("", "cost")])
    [Finding(text='Six operators.', file='consistency/operator_summary.parquet')]
    """
    return [Finding(text, f"consistency/{name}.parquet") for text, name in texts if text]
