"""Percentile intervals from resampling model groups (Appendix C): sensitivity within the pool, no population's error.

A draw takes as many groups as there are, with replacement, and every cell counts as often as its group was drawn. All
means of one call share their draws, so means of paired differences are comparable between sources, tiers and scores.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pairedeval.seeds import derive_seed
from pairedeval.states import conditional_mean

DRAWS = 2000
# Ends of a central 95% interval, in percent.
PERCENTILES = (2.5, 97.5)


def group_draws(groups: int, seed: int, draws: int = DRAWS) -> np.ndarray:
    """Return how often each draw takes each group, int, shape ``(draws, groups)``; every row sums to `groups`.

    Parameters
    ----------
    groups
        Number of groups.
    seed
        Seed of the study; the draws depend on nothing else.
    draws
        Number of draws.

    Examples
    --------
    >>> group_draws(10, 20260908).sum(axis=1).tolist() == [10] * 2000
    True
    """
    random = np.random.default_rng(derive_seed(seed, "model groups", groups, bits=64))
    return random.multinomial(groups, np.full(groups, 1 / groups), size=draws)


def resampled_means(
    cells: pd.DataFrame, keys: Sequence[str], columns: Sequence[str], seed: int, draws: int = DRAWS
) -> pd.DataFrame:
    """Average columns over the cells of each key, cells weighted equally, with intervals from resampled groups.

    Cells where a column is undefined (NaN) are left out of its mean and counted. A group without defined cells
    contributes nothing to a draw; draws of such groups alone have no mean and are left out of the interval and counted.

    Parameters
    ----------
    cells
        One row a cell, with ``group``, `keys` and `columns`.
    keys
        What a row of the result stands for, such as source and tier.
    columns
        Columns to average; for differences, columns of cellwise differences.
    seed
        Seed of the study.
    draws
        Number of draws.

    Returns
    -------
    pandas.DataFrame
        Rows per key and column, in order of appearance: `keys`, ``quantity`` (the column), ``mean``, ``lower`` and
        ``upper`` (2.5th and 97.5th percentile of the draws), ``cells`` (defined), ``undefined``, ``undefined_draws``,
        ``group_lowest`` and ``group_highest`` (extreme means of single groups).

    Examples
    --------
    >>> cells = pd.DataFrame({"source": "es", "group": ["a", "a", "b"], "ratio": [0.2, 0.4, 0.6]})
    >>> found = resampled_means(cells, ["source"], ["ratio"], seed=1).iloc[0]
    >>> [round(float(found[name]), 3) for name in ("mean", "lower", "upper")]
    [0.4, 0.3, 0.6]
    """
    row = cells.groupby(list(keys), sort=False).ngroup().to_numpy()
    group, groups = pd.factorize(cells["group"], sort=True)
    shape = (row.max(initial=-1) + 1, len(groups))
    drawn = group_draws(len(groups), seed, draws)
    size = np.bincount(row, minlength=shape[0])
    tables = []
    for column in columns:
        values = cells[column].to_numpy(dtype=float)
        defined = ~np.isnan(values)
        total, count = np.zeros(shape), np.zeros(shape, dtype=np.int64)
        np.add.at(total, (row[defined], group[defined]), values[defined])
        np.add.at(count, (row[defined], group[defined]), 1)
        tables.append(_summary(total, count, size, drawn).assign(quantity=column))
    names = cells[list(keys)].drop_duplicates(ignore_index=True)
    summary = pd.concat([names.join(table) for table in tables]).sort_index(kind="stable").reset_index(drop=True)
    return summary[[*keys, "quantity", *(name for name in summary.columns if name not in (*keys, "quantity"))]]


def _summary(total: np.ndarray, count: np.ndarray, size: np.ndarray, drawn: np.ndarray) -> pd.DataFrame:
    """Summarise sums and numbers of defined cells per row and group, shape ``(rows, groups)``."""
    means = _weighted_means(total, count, drawn)
    ends = _percentiles(means)
    single = conditional_mean(total, count)
    defined = count.sum(axis=1)
    return pd.DataFrame(
        {
            "mean": conditional_mean(total.sum(axis=1), defined),
            "lower": ends[0],
            "upper": ends[1],
            "cells": defined,
            "undefined": size - defined,
            "undefined_draws": np.isnan(means).sum(axis=0),
            "group_lowest": np.fmin.reduce(single, axis=1),
            "group_highest": np.fmax.reduce(single, axis=1),
        }
    )


def _weighted_means(total: np.ndarray, count: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return the mean of each draw and row, shape ``(draws, rows)``; einsum adds in one order on every machine."""
    return conditional_mean(np.einsum("dg,rg->dr", drawn, total), np.einsum("dg,rg->dr", drawn, count))


def _percentiles(drawn: np.ndarray) -> np.ndarray:
    """Return the ends of each column's interval over its defined draws, shape ``(2, rows)``; NaN if there is none."""
    ends = np.full((2, drawn.shape[1]), np.nan)
    for row, values in enumerate(drawn.T):
        defined = values[~np.isnan(values)]
        if len(defined):
            ends[:, row] = np.percentile(defined, PERCENTILES)
    return ends
