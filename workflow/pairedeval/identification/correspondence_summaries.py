"""Means over cells of the checks of correspondence information (Tables 9 to 11)."""

import pandas as pd

from pairedeval.resampling import DRAWS, resampled_means
from pairedeval.tiers import TIERS

ALL_TIERS = "all tiers"
# |V| counts as larger than |W| only beyond 1e-8 percentage points (Appendix B.4).
COMPONENT_TOLERANCE = 1e-10
# Least overlap K of the cells that enter a mean: all with a defined dM_k, and those with some support.
LEAST_OVERLAPS = (1, 20)
# With at most so many pairs, a mean over them says little (Appendix B.4).
THIN_OVERLAP = 5
_MEASURES = ("C", "S", "M")


def summarise_decomposition(cells: pd.DataFrame) -> pd.DataFrame:
    """Average the signed decomposition of each source over the cells with positive overlap (Table 9).

    Parameters
    ----------
    cells
        Table of `correspondence.check_records`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source`` and ``least_overlap`` (1: Table 9; 20: the well-supported subset of Appendix B.4):
        ``cells``, ``paired_minus_independent``, ``confidence_drop`` (observed dM_k), ``absolute_composition`` (|W|) and
        ``absolute_selection`` (|V|) as means in shares, ``selection_larger`` (share of cells with |V| > |W|); and of
        all cells of the source ``zero_overlap_cells``, ``zero_independent_cells`` (those of the former where
        independence expects no pair either) and ``thin_overlap_cells`` (K from 1 to 5).
    """
    rows = []
    for source, part in cells.groupby("source", sort=False):
        absent = part["overlap"] == 0
        counts = {
            "zero_overlap_cells": int(absent.sum()),
            "zero_independent_cells": int((absent & (part["independent_overlap"] == 0)).sum()),
            "thin_overlap_cells": int(part["overlap"].between(1, THIN_OVERLAP).sum()),
        }
        for least in LEAST_OVERLAPS:
            kept = part[part["overlap"] >= least]
            composition, selection = kept["composition"].abs(), kept["selection"].abs()
            means = {
                "paired_minus_independent": kept["paired_minus_independent"].mean(),
                "confidence_drop": kept["confidence_drop"].mean(),
                "absolute_composition": composition.mean(),
                "absolute_selection": selection.mean(),
                "selection_larger": (selection > composition + COMPONENT_TOLERANCE).mean(),
            }
            rows.append({"source": source, "least_overlap": least, "cells": len(kept), **means, **counts})
    return pd.DataFrame(rows)


def summarise_variance(cells: pd.DataFrame, seed: int, draws: int = DRAWS) -> pd.DataFrame:
    """Average the variance ratios of each source and tier, with intervals from resampled model groups (Table 10).

    Parameters
    ----------
    cells
        Table of `correspondence.check_records`.
    seed, draws
        As for `resampling.resampled_means`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``tier`` (first `ALL_TIERS`) and ``measure`` (C, S, M): what `resampled_means` returns, its
        mean as ``ratio``.
    """
    columns = {f"variance_ratio_{measure}": measure for measure in _MEASURES}
    found = resampled_means(by_tier(cells), ["source", "tier"], list(columns), seed, draws)
    found = found.assign(quantity=found["quantity"].map(columns))
    return found.rename(columns={"quantity": "measure", "mean": "ratio"})


def summarise_accuracy_only(cells: pd.DataFrame) -> pd.DataFrame:
    """Average what accuracies alone determine about the overlap, per source and tier (Table 11).

    Parameters
    ----------
    cells
        Table of `correspondence.check_records`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source`` and ``tier`` (first `ALL_TIERS`), means in shares: ``classwise_width`` and ``global_width``
        of K, ``gross_flips`` (observed), ``pinned_classes``; and ``cells``.
    """
    measured = by_tier(cells).assign(
        classwise_width=lambda table: table["overlap_classwise_upper"] - table["overlap_classwise_lower"],
        global_width=lambda table: table["overlap_global_upper"] - table["overlap_global_lower"],
    )
    grouped = measured.groupby(["source", "tier"], sort=False)
    summary = grouped[["classwise_width", "global_width", "gross_flips", "pinned_classes"]].mean()
    return summary.assign(cells=grouped.size()).reset_index()


def by_tier(cells: pd.DataFrame) -> pd.DataFrame:
    """Repeat the cells of each source under `ALL_TIERS`, before those of each tier.

    Examples
    --------
    >>> by_tier(pd.DataFrame({"source": "es", "tier": ["severe", "mild"]}))["tier"].tolist()
    ['all tiers', 'all tiers', 'mild', 'severe']
    """
    order = {tier: place for place, tier in enumerate((ALL_TIERS, *TIERS))}
    parts = []
    for _, part in cells.groupby("source", sort=False):
        ranked = part.sort_values("tier", key=lambda tiers: tiers.map(order), kind="stable")
        parts += [part.assign(tier=ALL_TIERS), ranked]
    return pd.concat(parts, ignore_index=True)
