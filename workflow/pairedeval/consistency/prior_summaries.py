"""Means over configurations and seeds of what a correction of the class prior changes (Section 5.9)."""

import numpy as np
import pandas as pd

from pairedeval.consistency.priors import NONE, RARE
from pairedeval.consistency.runs import mean_over_runs
from pairedeval.consistency.statistics import configuration_means, hierarchical_means, mean_interval
from pairedeval.identification.levels import STRICTNESS
from pairedeval.resampling import percentile_ends

RECOVERED = "recovered"
# Columns of `priors.measure_priors` that are averaged.
_AVERAGED = ("accuracy", "stability", "consistency", "gap", "rare_recall", "rare_stability", "rare_prior")
_KEYS = ["variant", "method"]
COLUMNS = (
    *_KEYS, "quantity", "mean", "lower", "upper", "configurations", "runs", "undefined_runs", "undefined_draws",
)  # fmt: skip


def summarise_priors(priors: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Average the measures of each variant and method, and compare their mean gaps (Table 11).

    The share of the gap that a method recovers is 1 minus its mean gap over that without a correction. It is taken of
    means because a ratio of single runs explodes where the gap of a run is near zero.

    Parameters
    ----------
    priors
        Tables of `priors.measure_priors`, all configurations.
    seed
        Seed of the study.

    Returns
    -------
    pandas.DataFrame
        Rows per ``variant``, ``method`` and ``quantity``: ``accuracy``, ``stability`` (LS), ``consistency`` (CS),
        ``gap`` (CAG), ``rare_recall``, ``rare_stability`` and ``rare_prior``, all shares; then, for the methods of
        `RARE` other than `NONE`, `RECOVERED`. ``mean``, ``lower`` and ``upper`` (2.5th and 97.5th percentile of the
        draws of configurations and seeds, which both gaps of `RECOVERED` share; it may leave [0, 1] and is NaN where
        the gap without a correction is zero), ``configurations`` and ``runs`` with a value, ``undefined_runs`` and
        ``undefined_draws``.
    """
    long = priors.melt(["model", "seed", *_KEYS], [*_AVERAGED], "quantity", "value")
    means = mean_interval(long, [*_KEYS, "quantity"], "value", seed)
    return pd.concat([means[[*COLUMNS]], _recovered(priors, seed)], ignore_index=True)


def summarise_recalls(recalls: pd.DataFrame) -> pd.DataFrame:
    """Average accuracy and label stability in each class over seeds, then over configurations (Table 10).

    Parameters
    ----------
    recalls
        Tables of `priors.measure_recalls`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per ``variant``, ``method`` and ``class`` with ``rare`` (bool) and ``images`` (evaluation images of the
        class): the means ``recall`` and ``stability``, and the counts of `runs.mean_over_runs`.
    """
    return mean_over_runs(recalls, [*_KEYS, "class", "rare", "images"], ["recall", "stability"])


def _recovered(priors: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Compare the mean gap of each method with that of `NONE`, over all runs and in each draw."""
    # Sorted by model and seed like the runs of `mean_interval`, so that all quantities have the same draws.
    gaps = priors[priors["variant"] == RARE].pivot_table("gap", ["model", "seed"], "method")
    means, draws = {}, {}
    for method in gaps:
        runs = [values.to_numpy() for _, values in gaps[method].groupby(level="model")]
        means[method] = configuration_means(runs).mean(keepdims=True)
        draws[method] = hierarchical_means([values[:, np.newaxis] for values in runs], seed)
    configurations, rows = gaps.index.get_level_values("model").nunique(), []
    for method in (name for name in priors["method"].unique() if name != NONE):
        share = _share_recovered(means[method], means[NONE])[0]
        drawn = _share_recovered(draws[method], draws[NONE])
        ends = percentile_ends(drawn[:, np.newaxis])[:, 0]
        # No run lacks a gap; what may be undefined is the ratio of their means.
        rows.append((RARE, method, RECOVERED, share, *ends, configurations, len(gaps), 0, int(np.isnan(drawn).sum())))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _share_recovered(after: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return 1 minus one gap over another, NaN where the latter is zero."""
    return 1 - after / np.where(np.abs(before) > STRICTNESS, before, np.nan)
