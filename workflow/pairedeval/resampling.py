"""Percentile intervals from resampled model groups or true classes: sensitivity within the pool, no population's error.

Model groups (Appendix C): a draw takes as many groups as there are, with replacement, and every cell counts as often as
its group was drawn. All means of one call share their draws, so means of paired differences are comparable between
sources, tiers and scores.

True classes (Appendix E.1, "Two resampling schemes"): a draw takes as many classes as there are, with replacement, and
every image weighs how often its class was drawn, in every cell alike. A metric that the weighted images of a cell leave
undefined takes the cell out of that draw's mean; `DrawnMeans` counts the cells that stay.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pairedeval.seeds import derive_seed
from pairedeval.states import conditional_mean

DRAWS = 2000
CLASS_DRAWS = 200
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


def class_draws(classes: int, seed: int, draws: int = CLASS_DRAWS) -> np.ndarray:
    """Return how often each draw takes each true class, int, shape ``(draws, classes)``; every row sums to `classes`.

    Parameters
    ----------
    classes
        Number of true classes.
    seed
        Seed of the study; the draws depend on nothing else, so that sources of the same classes share them.
    draws
        Number of draws.

    Examples
    --------
    >>> class_draws(200, 20260908).shape
    (200, 200)
    """
    random = np.random.default_rng(derive_seed(seed, "true classes", classes, bits=64))
    return random.multinomial(classes, np.full(classes, 1 / classes), size=draws)


def image_weights(labels: np.ndarray, classes: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return how often each draw takes the class of each image, int, shape ``(images, draws)``.

    Parameters
    ----------
    labels
        True class of each image, shape ``(images,)``; all of them in `classes`.
    classes
        The classes that are drawn, ascending.
    drawn
        Result of `class_draws`, one column a class.

    Examples
    --------
    >>> image_weights(np.array([7, 3, 7]), np.array([3, 7]), np.array([[2, 0], [1, 1]])).tolist()
    [[0, 1], [2, 1], [0, 1]]
    """
    return drawn.T[np.searchsorted(classes, labels)]


class DrawnMeans:
    """Means of cellwise values in every class draw, gathered model by model.

    Parameters
    ----------
    shape
        Shape of the means: rows (such as tiers), any axes of values (such as scores and metrics), draws.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._total = np.zeros(shape)
        self._cells = np.zeros(shape, dtype=np.int64)

    def add(self, values: np.ndarray, members: np.ndarray) -> None:
        """Add cells.

        Parameters
        ----------
        values
            Value of each cell in each draw, shape ``(cells, ..., draws)``; NaN where the cell has none in that draw.
        members
            Which cells belong to which row, bool, shape ``(rows, cells)``.
        """
        defined = ~np.isnan(values)
        values = np.where(defined, values, 0.0)
        for row, chosen in enumerate(members):
            self._total[row] += values[chosen].sum(axis=0)
            self._cells[row] += defined[chosen].sum(axis=0)

    @property
    def mean(self) -> np.ndarray:
        """Mean over the cells that have a value in the draw; NaN where none has."""
        return conditional_mean(self._total, self._cells)

    @property
    def cells(self) -> np.ndarray:
        """Number of cells behind each mean."""
        return self._cells


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
    ends = percentile_ends(means)
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


def percentile_ends(drawn: np.ndarray) -> np.ndarray:
    """Return the ends of each column's interval over its defined draws, shape ``(2, columns)``; NaN if there is none.

    Parameters
    ----------
    drawn
        Value of each draw, shape ``(draws, columns)``; NaN where a draw has none.
    """
    ends = np.full((2, drawn.shape[1]), np.nan)
    for row, values in enumerate(drawn.T):
        defined = values[~np.isnan(values)]
        if len(defined):
            ends[:, row] = np.percentile(defined, PERCENTILES)
    return ends
