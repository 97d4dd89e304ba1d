"""Published findings on decision consistency beside those of a study, by direction and size.

The published numbers are of other images, models and operators, so a study cannot reproduce them. It can show whether a
statement points the same way, by its rule in `finding_rules`, with the numbers beside each other.
"""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.consistency.finding_rules import RULES, Rule
from pairedeval.consistency.finding_values import OUR_VALUES, Ours
from pairedeval.errors import PairedEvalError

AGREES, DIFFERS, NOT_COMPARABLE = DIRECTIONS = ("agrees", "differs", "not comparable")
# How the second number of a finding belongs to the first: a value to compare with, or the other end of a range.
AGAINST, UP_TO = RELATIONS = ("against", "to")
COLUMNS = (
    "key", "topic", "statement", "unit", "section", "relation", "published", "published_second", "ours", "ours_second",
    "direction", "rule", "remark",
)  # fmt: skip
_OTHER_SHIFT = "ours: two classes made rare in training"
# What differs between the two studies beyond images and models.
REMARKS: Mapping[str, str] = MappingProxyType(
    {
        "cost": "ours: seconds on one CPU thread, making the views included",
        "certificate-held": "the guarantee is about the mean of many calibrations, single runs may exceed it",
        "bounds-exceeded": "ours: the bound read from the summary",
        "bounds-ratio": "ours: the bound read from the summary",
        "bounds-lemma": "ours: bounds read from the summary",
        "margin-displacement": "ours: displacement of the logits",
        "shift-noise": "ours: one noise corruption, theirs four",
        "transfer-all": "ours: trained on clean images; the summary does not say on which",
        "transfer-same": "ours: one noise corruption",
        "transfer-left-out": "with one noise corruption, none is left to train on when it is left out",
        "robustness-gap": "ours: both sides contain the accuracy on the same clean images",
        "attacks-displacement": "ours: displacement of the logits, theirs of embeddings",
        **dict.fromkeys(
            ("priors-true", "priors-estimated", "priors-recovered", "priors-improved", "priors-recall"), _OTHER_SHIFT
        ),
    }
)


def read_findings(path: str | Path) -> pd.DataFrame:
    """Read the published findings.

    Parameters
    ----------
    path
        ``resources/published/consistency.csv``.

    Returns
    -------
    pandas.DataFrame
        ``key``, ``topic``, ``statement``, ``published``, ``relation`` (one of `RELATIONS`, or empty),
        ``published_second``, ``unit`` and ``section``; numbers are float64, NaN where there is no second one.

    Raises
    ------
    PairedEvalError
        If the file cannot be read.
    """
    try:
        findings = pd.read_csv(path, dtype=str, keep_default_na=False)
        for column in ("published", "published_second"):
            findings[column] = [float(Fraction(entry)) if entry else np.nan for entry in findings[column]]
    except (OSError, ValueError) as error:
        raise PairedEvalError(f"{path}: not a readable table of findings ({error}); restore it") from error
    return findings


def compare_findings(findings: pd.DataFrame, frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Set our value of each published finding beside it.

    Parameters
    ----------
    findings
        Table of `read_findings`.
    frames
        Tables of all configurations, by name: ``models``, ``detection``, ``detection_differences``, ``strength``,
        ``weights``, ``regimes`` (`regimes.name_regimes`), ``rankings`` (`operator_subsets.compare_rankings`),
        ``operators``, ``cost``, ``margin_information``, ``certificate``, ``flip_bounds``, ``shift``, ``shift_gain``
        (`shift_summaries.gains_by_condition`), ``transfer``, ``estimators``, ``robustness``
        (`robustness.describe_robustness`), ``attacks`` and ``priors``; others are tables of runs. Findings without
        their table are not comparable.

    Returns
    -------
    pandas.DataFrame
        A row per finding, in their order, with `COLUMNS`. ``direction`` is one of `DIRECTIONS`; ``ours_second`` is NaN
        for one number; ``rule`` says what agreeing means, empty where there is no rule; ``remark`` says what else
        differs, or why nothing can be said.
    """
    tables = _Tables(frames)
    records = ({str(column): entry for column, entry in row.items()} for row in findings.to_dict("records"))
    rows = [_compare(row, tables) for row in records]
    return pd.DataFrame(rows, columns=list(COLUMNS))


class _NoTableError(Exception):
    """A table that a study does not have."""


class _Tables(dict[str, pd.DataFrame]):
    def __missing__(self, name: str) -> pd.DataFrame:
        raise _NoTableError(name)


def _compare(row: dict[str, Any], tables: _Tables) -> dict[str, Any]:
    key = row["key"]
    published = tuple(number for number in (row["published"], row["published_second"]) if not np.isnan(number))
    rule, remark = RULES[key], REMARKS.get(key, "")
    try:
        ours = OUR_VALUES[key](tables)
    except _NoTableError as error:
        ours, direction, remark = Ours((np.nan,)), NOT_COMPARABLE, f"the study has no table {error}"
    else:
        direction, reason = _direction(rule, published, ours)
        remark = reason or remark
    first, second, *_ = (*ours.numbers, np.nan)
    words = rule.words if rule else ""
    return row | {"ours": first, "ours_second": second, "direction": direction, "rule": words, "remark": remark}


def _direction(rule: Rule | None, published: tuple[float, ...], ours: Ours) -> tuple[str, str]:
    """Return one of `DIRECTIONS` and, if nothing can be said because of our numbers, why."""
    if np.isnan(ours.numbers).any():
        return NOT_COMPARABLE, "undefined in this study"
    if rule is None:
        return NOT_COMPARABLE, ""
    holds = rule.holds(published, ours)
    if holds is None:
        return NOT_COMPARABLE, "too few configurations to tell"
    return AGREES if holds else DIFFERS, ""
