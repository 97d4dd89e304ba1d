"""One recaptured cell as an example of an ordering that only a shared correspondence establishes (Appendix D.1)."""

from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.identification.levels import (
    ACCEPTED_ERROR_TRANSITION,
    CONFIDENCE_DROP,
    FIVE_STATES,
    LEVELS,
    LOST_ACCEPTANCE,
    MARGINAL,
    STRICTNESS,
)
from pairedeval.policies.thresholds import PRIMARY_WEIGHT

_CELL = ["source", "model", "condition"]
ILLUSTRATED = (ACCEPTED_ERROR_TRANSITION, LOST_ACCEPTANCE, CONFIDENCE_DROP)
_CELL_FACTS = ("images", "overlap", "width", "median_width")
_OF_POLICY = ("coverage", "threshold", "lower", "upper")
_PAIR_FACTS = (
    *(f"{who}_{what}" for who in ("policy", "other") for what in _OF_POLICY),
    "separate_upper",
    "difference_upper",
    "first_level",
)


def illustrate(
    panel: pd.DataFrame,
    cells: pd.DataFrame,
    targets: pd.DataFrame,
    bounds: pd.DataFrame,
    comparisons: pd.DataFrame,
    weight: float = PRIMARY_WEIGHT,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Choose the example by the paper's rule and collect its intervals (Table 15).

    The rule looks at no observed value. Of the panel's recaptured cells with a retained-correct pair and a certificate
    that separate intervals miss at I5, it takes the one whose width of H at I0 is closest to the median over all
    recaptured cells of the panel; ties go by source, model and condition. Of that cell it takes the first directed pair
    of policies with mixed outcomes and such a certificate. If no cell has a certificate, the same rule chooses among
    those without, and the example has no pair.

    Parameters
    ----------
    panel
        Cells of the panel, recaptures only.
    cells, targets
        *Cells* and *bounds* of `pairedeval.identification.tidy.identify_source`.
    bounds, comparisons
        Tables of `pairedeval.policies.tidy.PolicyTables`.
    weight
        Weight lambda of the costs.

    Returns
    -------
    intervals
        One row a ``target`` (H, L and dM_k) and ``level`` of the cell: ``source``, ``model``, ``condition``, ``lower``,
        ``upper``, ``observed`` (shares).
    pair
        One row: the cell, ``images``, ``overlap``, ``width`` (of H at I0), ``median_width``, ``weight``; coverage
        (``policy_coverage``), threshold, and cost interval at I5 (``policy_lower``, ``policy_upper``) of the first
        policy and of the ``other``; ``separate_upper`` and ``difference_upper``, the upper ends of the difference of
        costs from separate intervals and under one correspondence; and ``first_level``, where the ordering holds first.

    Raises
    ------
    RecordsError
        If the panel has no recaptured cell.
    """
    if panel.empty:
        raise RecordsError("the panel has no recaptured cell to illustrate; select the panel from recaptures as well")
    at_weight = comparisons[np.isclose(comparisons["weight"], weight)]
    certificates = _missed_certificates(at_weight)
    chosen = _choose(panel, cells, targets, certificates)
    key = {name: str(chosen[name]) for name in _CELL}
    intervals = _of_cell(targets[targets["target"].isin(ILLUSTRATED)], key)
    facts = key | {name: chosen[name] for name in _CELL_FACTS} | {"weight": weight}
    found = _of_cell(certificates, key).sort_values(["policy", "other"])
    if len(found):
        costs = _of_cell(bounds[np.isclose(bounds["weight"], weight)], key)
        facts |= _describe(found.iloc[0], costs, _of_cell(at_weight, key))
    return (
        intervals[[*_CELL, "target", "level", "lower", "upper", "observed"]].reset_index(drop=True),
        pd.DataFrame([facts], columns=[*_CELL, *_CELL_FACTS, "weight", *_PAIR_FACTS]),
    )


def _missed_certificates(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Keep the mixed pairs that one common correspondence orders at I5 and separate intervals do not."""
    strict, separate = (comparisons[name] < -STRICTNESS for name in ("difference_upper", "separate_upper"))
    return comparisons[(comparisons["level"] == FIVE_STATES) & comparisons["mixed"] & strict & ~separate]


def _choose(
    panel: pd.DataFrame, cells: pd.DataFrame, targets: pd.DataFrame, certificates: pd.DataFrame
) -> "pd.Series[float]":
    """Return the row of the chosen cell."""
    widths = targets[(targets["target"] == ACCEPTED_ERROR_TRANSITION) & (targets["level"] == MARGINAL)]
    found = panel[_CELL].merge(widths[[*_CELL, "width"]], on=_CELL, validate="one_to_one")
    found = found.merge(cells[[*_CELL, "n", "overlap"]].rename(columns={"n": "images"}), on=_CELL)
    certified = pd.MultiIndex.from_frame(certificates[_CELL])
    median = found["width"].median()
    ranked = found.assign(
        median_width=median,
        uncertified=~pd.MultiIndex.from_frame(found[_CELL]).isin(certified),
        unsupported=found["overlap"] == 0,
        distance=(found["width"] - median).abs().round(12),
    )
    return ranked.sort_values(["uncertified", "unsupported", "distance", *_CELL]).iloc[0]


def _of_cell(frame: pd.DataFrame, key: dict[str, str]) -> pd.DataFrame:
    rows: pd.DataFrame = frame[np.logical_and.reduce([frame[name] == value for name, value in key.items()])]
    return rows


def _describe(chosen: "pd.Series[float]", costs: pd.DataFrame, comparisons: pd.DataFrame) -> dict[str, Any]:
    """Collect what is known about the chosen pair of policies."""
    facts: dict[str, Any] = {name: chosen[name] for name in ("separate_upper", "difference_upper")}
    at_states = costs[costs["level"] == FIVE_STATES].set_index("policy")
    for who in ("policy", "other"):
        row = at_states.loc[chosen[who]]
        facts |= {f"{who}_{what}": row[what] for what in _OF_POLICY}
    same = comparisons[(comparisons["policy"] == chosen["policy"]) & (comparisons["other"] == chosen["other"])]
    upper = same.set_index("level")["difference_upper"]
    return facts | {"first_level": next(level for level in LEVELS if upper[level] < -STRICTNESS)}
