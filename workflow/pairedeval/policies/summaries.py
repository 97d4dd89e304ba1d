"""Counts of established comparisons and realized selection outcomes (Table 4, Tables 12 to 14, Figure 5)."""

import pandas as pd

from pairedeval.identification.levels import FIVE_STATES, MARGINAL, OVERLAP, STRICTNESS
from pairedeval.policies.selection import FEASIBLE_MEAN, MINIMAX_REGRET

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
        Rows per ``source``, ``weight`` and ``gain``: ``shared`` (established at I5 by one common correspondence, missed
        by separate intervals), ``overlap`` (at Ik, not at I0) and ``states`` (at I5, not at Ik); with ``cells``,
        ``gaining_cells`` and ``comparisons``.
    """
    pairs = [*_CELL, "weight", "policy", "other"]
    mixed = comparisons.assign(
        strict=comparisons["mixed"] & (comparisons["difference_upper"] < -STRICTNESS),
        separate=comparisons["separate_upper"] < -STRICTNESS,
    )
    levels = {level: rows.set_index(pairs) for level, rows in mixed.groupby("level", sort=False)}
    marginal, overlap, states = (levels[level]["strict"] for level in (MARGINAL, OVERLAP, FIVE_STATES))
    gains = {
        "shared": states & ~levels[FIVE_STATES]["separate"],
        "overlap": overlap & ~marginal,
        "states": states & ~overlap,
    }
    counted = []
    for name, gain in gains.items():
        per_cell = gain.groupby([*_CELL, "weight"], sort=False).sum()
        by_source = per_cell.groupby(["source", "weight"], sort=False)
        counted.append(
            by_source.agg(cells="size", gaining_cells=lambda found: int((found > 0).sum()), comparisons="sum")
            .reset_index()
            .assign(gain=name)
        )
    columns = ["source", "weight", "gain", "cells", "gaining_cells", "comparisons"]
    return pd.concat(counted, ignore_index=True)[columns]


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
        Rows per ``source`` and ``weight``: ``cells``, ``regret_feasible_mean`` and ``regret_minimax`` (mean, shares),
        ``minimax_better_cells``, ``minimax_worse_cells`` and ``tied_cells`` (Tables 13 and 14).
    """
    rows = selections[(selections["level"] == level) & selections["rule"].isin([MINIMAX_REGRET, FEASIBLE_MEAN])]
    keys = [*_CELL, "weight"]
    regret = rows.pivot_table("regret", index=keys, columns="rule", sort=False)
    gain = regret[FEASIBLE_MEAN] - regret[MINIMAX_REGRET]
    table = pd.DataFrame(
        {
            "regret_feasible_mean": regret[FEASIBLE_MEAN],
            "regret_minimax": regret[MINIMAX_REGRET],
            "minimax_better_cells": gain > STRICTNESS,
            "minimax_worse_cells": gain < -STRICTNESS,
            "tied_cells": gain.abs() <= STRICTNESS,
        }
    )
    grouped = table.groupby(["source", "weight"], sort=False)
    counts = ["minimax_better_cells", "minimax_worse_cells", "tied_cells"]
    summary = grouped[["regret_feasible_mean", "regret_minimax"]].mean().join(grouped[counts].sum())
    summary.insert(0, "cells", grouped.size())
    return summary.reset_index()
