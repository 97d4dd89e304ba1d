"""Counts of established comparisons and realized selection outcomes (Table 4, Tables 12 to 14, Figure 5).

Every summary has rows per source and rows of all cells together, whose source is `ALL_SOURCES`.
"""

import pandas as pd

from pairedeval.identification.levels import FIVE_STATES, LEVELS, STRICTNESS
from pairedeval.policies.selection import FEASIBLE_MEAN, FIXED_80, MINIMAX_REGRET

ALL_SOURCES = "all"
TRANSITION_COST, NATURAL_COST = COSTS = ("transition", "natural")
SHARED, ADDED_OVERLAP, ADDED_STATES = ("shared", "overlap", "states")
_CELL = ["source", "model", "condition"]


def established(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Count the strict comparisons that shared correspondences and further counts establish (Table 12, Figure 5).

    Only pairs count between which both correct and wrong records switch acceptance.

    Parameters
    ----------
    comparisons
        Table of `tidy.PolicyTables` with all three levels.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``weight``, ``cost`` and ``gain``. Costs are ``transition`` (J) and ``natural`` (J').
        Gains are ``shared`` (established at I5 by one common correspondence, missed by separate intervals; J only),
        ``overlap`` (at Ik, not at I0) and ``states`` (at I5, not at Ik). Columns ``cells``, ``gaining_cells`` (with at
        least one such comparison), ``gaining_share`` of the cells, and ``comparisons``.
    """
    found = _gains(comparisons)
    rows = []
    for (cost, gain), gained in found.items():
        per_cell = gained.groupby([*_CELL, "weight"], sort=False).sum().rename("comparisons").reset_index()
        per_cell["gaining"] = per_cell["comparisons"] > 0
        grouped = _with_all(per_cell).groupby(["source", "weight"], sort=False)
        counts = grouped.agg(
            cells=("gaining", "size"),
            gaining_cells=("gaining", "sum"),
            gaining_share=("gaining", "mean"),
            comparisons=("comparisons", "sum"),
        )
        rows.append(counts.reset_index().assign(cost=cost, gain=gain))
    columns = ["source", "weight", "cost", "gain", "cells", "gaining_cells", "gaining_share", "comparisons"]
    return pd.concat(rows, ignore_index=True)[columns]


def _gains(comparisons: pd.DataFrame) -> "dict[tuple[str, str], pd.Series[bool]]":
    """Mark the comparisons that each gain adds, indexed by cell, weight and pair."""
    pairs = [*_CELL, "weight", "policy", "other"]
    strict = {
        TRANSITION_COST: comparisons["mixed"] & (comparisons["difference_upper"] < -STRICTNESS),
        NATURAL_COST: comparisons["mixed"] & (comparisons["natural_difference_upper"] < -STRICTNESS),
        SHARED: comparisons["separate_upper"] < -STRICTNESS,
    }
    marked = comparisons[[*pairs, "level"]].assign(**strict)
    marginal, overlap, states = (marked[marked["level"] == level].set_index(pairs) for level in LEVELS)
    gains = {(TRANSITION_COST, SHARED): states[TRANSITION_COST] & ~states[SHARED]}
    for cost in COSTS:
        gains[cost, ADDED_OVERLAP] = overlap[cost] & ~marginal[cost]
        gains[cost, ADDED_STATES] = states[cost] & ~overlap[cost]
    return gains


def realized_selection(selections: pd.DataFrame, level: str = FIVE_STATES) -> pd.DataFrame:
    """Compare minimax regret with the feasible mean by what they cost under the observed correspondence.

    Parameters
    ----------
    selections
        Table of `tidy.PolicyTables`.
    level
        Information level of both rules.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source`` and ``weight`` (Tables 13 and 14): ``cells``; mean realized regret of three rules, shares:
        ``regret_feasible_mean``, ``regret_minimax``, ``regret_fixed_80``; ``regret_reduction``, the first minus the
        second; ``minimax_better_cells``, ``minimax_worse_cells`` and ``tied_cells``.
    """
    names = {FEASIBLE_MEAN: "regret_feasible_mean", MINIMAX_REGRET: "regret_minimax", FIXED_80: "regret_fixed_80"}
    rows = selections[(selections["level"] == level) & selections["rule"].isin(names)]
    regret = rows.pivot_table("regret", index=[*_CELL, "weight"], columns="rule", sort=False)
    regret = regret.rename(columns=names).reindex(columns=list(names.values()))
    gain = regret["regret_feasible_mean"] - regret["regret_minimax"]
    table = regret.assign(
        regret_reduction=gain,
        minimax_better_cells=gain > STRICTNESS,
        minimax_worse_cells=gain < -STRICTNESS,
        tied_cells=gain.abs() <= STRICTNESS,
    )
    grouped = _with_all(table.reset_index()).groupby(["source", "weight"], sort=False)
    means = grouped[[*names.values(), "regret_reduction"]].mean()
    summary = means.join(grouped[["minimax_better_cells", "minimax_worse_cells", "tied_cells"]].sum())
    summary.insert(0, "cells", grouped.size())
    return summary.reset_index()


def undominated_actions(bounds: pd.DataFrame) -> pd.DataFrame:
    """Count the cells in which only one action is left once dominated policies are removed (Appendix D, post hoc).

    Policies that accept the same evaluation records are one action.

    Parameters
    ----------
    bounds
        Table of `tidy.PolicyTables`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``level`` and ``weight``: ``cells``, ``single_action_cells`` and ``mean_actions``, the mean
        number of distinct actions that are left.
    """
    keys = [*_CELL, "level", "weight"]
    left = bounds[~bounds["dominated"]].groupby(keys, sort=False)["action"].nunique().rename("actions").reset_index()
    left["single"] = left["actions"] == 1
    grouped = _with_all(left).groupby(["source", "level", "weight"], sort=False)
    return grouped.agg(
        cells=("single", "size"), single_action_cells=("single", "sum"), mean_actions=("actions", "mean")
    ).reset_index()


def policy_checks(bounds: pd.DataFrame, comparisons: pd.DataFrame, selections: pd.DataFrame) -> pd.DataFrame:
    """Count what was computed, and check Lemma 1 on every bound (Appendix D, "Numerical verification").

    Parameters
    ----------
    bounds, comparisons, selections
        Tables of `tidy.PolicyTables`.

    Returns
    -------
    pandas.DataFrame
        One row a ``source``: ``cells``, ``bounds``, ``comparisons``, ``selections``, and ``lemma_residual``, the
        largest difference (share) between the upper end of a cost and what Lemma 1 makes of the bounds of H and L.
    """
    residual = (bounds["upper"] - bounds["event_upper"]).abs()
    grouped = _with_all(bounds[_CELL].assign(residual=residual)).groupby("source", sort=False)
    cells = _with_all(bounds[_CELL].drop_duplicates()).groupby("source", sort=False).size()
    counts = [_with_all(table[["source"]]).groupby("source", sort=False).size() for table in (comparisons, selections)]
    summary = pd.DataFrame({"cells": cells, "bounds": grouped.size()})
    summary = summary.assign(comparisons=counts[0], selections=counts[1], lemma_residual=grouped["residual"].max())
    return summary.reset_index()


def _with_all(rows: pd.DataFrame) -> pd.DataFrame:
    """Append the rows once more, as those of all sources together."""
    return pd.concat([rows, rows.assign(source=ALL_SOURCES)], ignore_index=True)
