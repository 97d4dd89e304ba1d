"""Intervals over configurations, seeds and images, and tests over configurations (Section 4.6).

The configuration, a row of the registry, is the unit of analysis. A draw of the hierarchical bootstrap takes as many
configurations as there are, with replacement, and each time one is taken, as many of its seeds as it has, with
replacement. Where images are resampled as well, a draw has one resample for all its runs: every run judges the same
images, so an image that is hard is hard for many of them, and resamples of their own would average that away and make
intervals too short.

A run is one seed of a configuration. A run without a value leaves the mean of its configuration, a configuration
without such runs leaves the mean of the draw, and a draw without any is left out of the interval and counted.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.stats import rankdata, wilcoxon

from pairedeval.identification.levels import STRICTNESS
from pairedeval.resampling import percentile_ends
from pairedeval.seeds import derive_seed
from pairedeval.states import conditional_mean

DRAWS = 1000
_LARGEST_EXACT = 50
# What `hierarchical_interval` returns, in order.
COLUMNS = (
    "mean", "lower", "upper", "effect_size", "p_value", "configurations", "runs", "undefined_runs", "undefined_draws",
)  # fmt: skip


def image_draws(images: int, seed: int, draws: int = DRAWS) -> np.ndarray:
    """Return how often each draw takes each image, int, shape ``(images, draws)``; every column sums to `images`.

    Parameters
    ----------
    images
        Number of images that all runs judge.
    seed
        Seed of the study; the draws depend on nothing else.
    draws
        Number of draws.

    Examples
    --------
    >>> image_draws(300, 20260908).sum(axis=0).tolist() == [300] * 1000
    True
    """
    random = np.random.default_rng(derive_seed(seed, "images", images, bits=64))
    return random.multinomial(images, np.full(images, 1 / images), size=draws).T


def run_draws(seeds: Sequence[int], seed: int, draws: int = DRAWS) -> tuple[np.ndarray, ...]:
    """Return how often each draw takes each run.

    Parameters
    ----------
    seeds
        Number of seeds of each configuration.
    seed
        Seed of the study; the draws depend on nothing else.
    draws
        Number of draws.

    Returns
    -------
    tuple of numpy.ndarray
        For each configuration int, shape ``(seeds, draws)``, not to be written to. A column sums to the number of seeds
        times how often the draw took the configuration.

    Examples
    --------
    >>> drawn = run_draws([3, 2], seed=1)
    >>> set((drawn[0].sum(axis=0) / 3 + drawn[1].sum(axis=0) / 2).tolist())
    {2.0}
    """
    return _run_draws(tuple(seeds), seed, draws)


# Tables have many rows that share their draws.
@lru_cache(maxsize=8)
def _run_draws(seeds: tuple[int, ...], seed: int, draws: int) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(derive_seed(seed, "configurations and seeds", *seeds, bits=64))
    configurations = len(seeds)
    times = random.multinomial(configurations, np.full(configurations, 1 / configurations), size=draws)
    # Seeds are drawn afresh each time a configuration is taken; the sum of those draws is one larger draw.
    drawn = [
        random.multinomial(taken * count, np.full(count, 1 / count)).T
        for taken, count in zip(times.T, seeds, strict=True)
    ]
    for copies in drawn:
        copies.setflags(write=False)
    return tuple(drawn)


def configuration_means(values: Sequence[np.ndarray]) -> np.ndarray:
    """Return the mean over the seeds of each configuration, shape ``(configurations,)``; NaN without a value.

    Parameters
    ----------
    values
        For each configuration the value of each run, shape ``(seeds,)``; NaN where a run has none.
    """
    total = np.array([np.nansum(runs) for runs in values], dtype=float)
    return conditional_mean(total, np.array([np.sum(~np.isnan(runs)) for runs in values]))


def hierarchical_means(drawn: Sequence[np.ndarray], seed: int, draws: int = DRAWS) -> np.ndarray:
    """Return the mean over the configurations and seeds of each draw.

    Parameters
    ----------
    drawn
        For each configuration the value of each run under each draw of the images, shape ``(seeds, draws)``, or
        ``(seeds, 1)`` where images are not resampled. NaN where a run has none.
    seed
        Seed of the study.
    draws
        Number of draws.

    Returns
    -------
    numpy.ndarray
        Shape ``(draws,)``; NaN where no configuration has a value.
    """
    total, taken = np.zeros(draws), np.zeros(draws)
    for copies, values in zip(run_draws([len(runs) for runs in drawn], seed, draws), drawn, strict=True):
        present = copies * ~np.isnan(values)
        mean = conditional_mean((present * np.nan_to_num(values)).sum(axis=0), present.sum(axis=0))
        times = np.where(np.isnan(mean), 0, copies.sum(axis=0) / len(copies))
        total += times * np.nan_to_num(mean)
        taken += times
    return conditional_mean(total, taken)


def hierarchical_interval(
    values: Sequence[np.ndarray], seed: int, drawn: Sequence[np.ndarray] | None = None, draws: int = DRAWS
) -> dict[str, float]:
    """Average a quantity, mostly a paired difference, over configurations and seeds, with interval, size and test.

    Parameters
    ----------
    values
        For each configuration the value of each run on all images, shape ``(seeds,)``; NaN where a run has none.
    seed
        Seed of the study.
    drawn
        The same under each draw of the images (see `hierarchical_means`); None keeps the images.
    draws
        Number of draws.

    Returns
    -------
    dict
        `COLUMNS`: ``mean`` over the configurations of their means over seeds; ``lower`` and ``upper``, 2.5th and 97.5th
        percentile of the draws; ``effect_size`` and ``p_value`` of the means of the configurations (`effect_size`,
        `signed_rank`); ``configurations`` and ``runs`` with a value, ``undefined_runs`` and ``undefined_draws``.

    Examples
    --------
    >>> found = hierarchical_interval([np.array([0.1, 0.3]), np.array([0.4, 0.4])], seed=1)
    >>> [round(found[name], 3) for name in ("mean", "lower", "upper", "effect_size", "p_value")]
    [0.3, 0.15, 0.4, 2.121, 0.5]
    """
    means = configuration_means(values)
    resampled = hierarchical_means([runs[:, None] for runs in values] if drawn is None else drawn, seed, draws)
    lower, upper = percentile_ends(resampled[:, None])[:, 0]
    defined = means[~np.isnan(means)]
    runs = sum(int((~np.isnan(found)).sum()) for found in values)
    return {
        "mean": float(defined.mean()) if len(defined) else np.nan,
        "lower": float(lower),
        "upper": float(upper),
        "effect_size": effect_size(means),
        "p_value": signed_rank(means),
        "configurations": len(defined),
        "runs": runs,
        "undefined_runs": sum(map(len, values)) - runs,
        "undefined_draws": int(np.isnan(resampled).sum()),
    }


def mean_interval(frame: pd.DataFrame, keys: Sequence[str], value: str, seed: int, draws: int = DRAWS) -> pd.DataFrame:
    """Average a column over the configurations and seeds of each key, with intervals over both; images are kept.

    Parameters
    ----------
    frame
        One row a run and key: ``model``, ``seed``, `keys` and `value`.
    keys
        What a row of the result stands for, such as score and condition; at least one.
    value
        Column to average. ``effect_size`` and ``p_value`` compare it with zero.
    seed
        Seed of the study; keys with the same numbers of seeds share their draws.
    draws
        Number of draws.

    Returns
    -------
    pandas.DataFrame
        A row per key, in order of appearance: `keys` and `COLUMNS` (see `hierarchical_interval`).

    Raises
    ------
    ValueError
        If `keys` leave a run several rows.

    Examples
    --------
    >>> runs = pd.DataFrame({"model": ["a", "a", "b"], "seed": [1, 2, 1], "score": "msp", "auroc": [0.7, 0.9, 0.6]})
    >>> mean_interval(runs, ["score"], "auroc", seed=1)[["score", "mean", "configurations", "runs"]].values.tolist()
    [['msp', 0.7, 2, 3]]
    """
    if frame.duplicated([*keys, "model", "seed"]).any():
        raise ValueError(
            f"the keys {', '.join(keys)} leave some runs several rows; name the columns that tell them apart"
        )
    rows = []
    for key, part in frame.groupby(list(keys), sort=False, dropna=False):
        by_configuration = part.sort_values("seed").groupby("model")[value]
        values = [runs.to_numpy(dtype=float) for _, runs in by_configuration]
        rows.append(dict(zip(keys, key, strict=True)) | hierarchical_interval(values, seed, draws=draws))
    return pd.DataFrame(rows, columns=[*keys, *COLUMNS])


def effect_size(means: np.ndarray) -> float:
    """Return Cohen's dz, the mean over its standard deviation; NaN without spread.

    Parameters
    ----------
    means
        Mean difference of each configuration; NaN where one has none.

    Examples
    --------
    >>> round(effect_size(np.array([0.1, 0.2, 0.3])), 6)
    2.0
    """
    defined = means[~np.isnan(means)]
    spread = defined.std(ddof=1) if len(defined) > 1 else 0.0
    return float(defined.mean() / spread) if spread > STRICTNESS else np.nan


def signed_rank(means: np.ndarray) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test.

    Differences of at most 1e-12 are zero and left out, as Wilcoxon did; if all are zero, nothing speaks against chance
    and the p-value is 1. Differences of one size share their mean rank. Up to 50 differences the test is exact, ties
    or not; beyond, SciPy's normal approximation is taken. (SciPy's own exact test takes no ties.)

    Parameters
    ----------
    means
        Mean difference of each configuration; NaN where one has none. Without any, the p-value is NaN.

    Examples
    --------
    >>> signed_rank(np.array([0.1, 0.2, 0.3, 0.0])), signed_rank(np.array([0.1, 0.1]))
    (0.25, 0.5)
    """
    defined = means[~np.isnan(means)]
    if not len(defined):
        return np.nan
    # Rounded, so that sizes that differ in the last bit only are equal.
    different = defined[np.abs(defined) > STRICTNESS].round(12)
    if len(different) > _LARGEST_EXACT:
        return float(wilcoxon(different).pvalue)
    # Twice the ranks, because mean ranks of ties can be halves.
    ranks = (2 * rankdata(np.abs(different))).astype(int)
    # Number of ways to choose the signs by the sum of the ranks of the positive ones; whole numbers below 2 ** 53.
    ways = np.ones(1)
    for rank in ranks:
        ways = np.append(ways, np.zeros(rank)) + np.append(np.zeros(rank), ways)
    positive = ranks[different > 0].sum()
    tail = min(ways[: positive + 1].sum(), ways[positive:].sum())
    return float(min(1.0, 2 * tail / ways.sum()))


def holm(p_values: np.ndarray) -> np.ndarray:
    """Return p-values adjusted for several tests by Holm's step-down procedure; NaN stays and does not count as a test.

    Parameters
    ----------
    p_values
        Shape ``(tests,)``.

    Examples
    --------
    >>> holm(np.array([0.04, 0.01, np.nan, 0.03])).round(3).tolist()
    [0.06, 0.03, nan, 0.06]
    """
    # NaN sorts last.
    order = np.argsort(p_values, kind="stable")[: int((~np.isnan(p_values)).sum())]
    stepped = p_values[order] * np.arange(len(order), 0, -1)
    adjusted = np.full(len(p_values), np.nan)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(stepped))
    return adjusted
