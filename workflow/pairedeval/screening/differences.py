"""Paired differences of scores on the same cells, with intervals from two resampling schemes (Appendix E).

Tables 16 to 20, 22 to 26, 29, 31, 34, 35, 37 and 38 print some of them.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from pairedeval.identification.levels import STRICTNESS
from pairedeval.resampling import DRAWS, percentile_ends, resampled_means
from pairedeval.screening.grouping import (
    ALL,
    CELL,
    CLASS_KNOWN,
    GROUP,
    METRICS,
    NON_SINGLETON,
    TERCILES,
    by_tier,
    in_order,
)

PRIMARY = "corruption_mean"
# Pairs (score, baseline) on all images, beside the primary score against every other one.
FURTHER_PAIRS = (
    ("confidence_decrease", PRIMARY),
    ("predictor_confidence_mean", "confidence"),
    ("corruption_rank_mean", "confidence"),
    ("corruption_mean_clean", "natural_mean_clean"),
    ("native_corruption_mean", "native_natural_mean"),
    ("natural_selected", "natural_mean"),
    ("corruption_selected", PRIMARY),
)
PAIRS_ON_SETS = {
    NON_SINGLETON: (
        (PRIMARY, "deranged_mean"),
        ("confidence_decrease", "deranged_decrease"),
        (PRIMARY, "loo_mean"),
    ),
    CLASS_KNOWN: ((PRIMARY, "class_mean_correct"), (PRIMARY, "class_mean_all")),
    **dict.fromkeys(TERCILES, ((PRIMARY, "deranged_mean"), (PRIMARY, "confidence"))),
}
_DIFFERENCE = ["score", "baseline", "metric"]
_DRAWN = ("mean", "cells")


def summarise_differences(
    cells: pd.DataFrame, draws: pd.DataFrame, seed: int, group_draws: int = DRAWS
) -> pd.DataFrame:
    """Average the cellwise differences between scores within every group of cells.

    All scores of one image set are defined on the same cells, so the difference of two means of a class draw is the
    mean of the cellwise differences in that draw. Where a score lacks cells in a draw that the other has (a predictor
    that could not be fitted), the difference has no class interval.

    Parameters
    ----------
    cells, draws
        Tables of `tidy.ScreeningTables`, sources together.
    seed
        Seed of the study, for the draws of model groups.
    group_draws
        Number of those draws.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``half``, ``tier_by``, ``tier``, ``images``, ``score``, ``baseline`` and ``metric``:
        ``mean`` of the metric of `score` minus that of `baseline` (share); ``group_lower`` and ``group_upper`` (95%,
        resampled model groups); ``class_lower`` and ``class_upper`` (95%, resampled true classes; NaN without class
        draws); ``cells`` (defined), ``undefined``, ``cells_per_draw`` (mean number that a class draw keeps), ``wins``
        (share of the defined cells in which the difference is positive), ``group_lowest`` and ``group_highest``
        (extreme means of single groups).
    """
    sets = cells.groupby("images", sort=False)
    summary = pd.concat([_over_cells(rows, seed, group_draws) for _, rows in sets], ignore_index=True)
    keys = [*GROUP, *_DIFFERENCE]
    summary = summary.merge(_over_draws(draws), on=keys, how="left", validate="one_to_one")
    columns = ["mean", "group_lower", "group_upper", "class_lower", "class_upper", "cells", "undefined"]
    columns += ["cells_per_draw", "wins", "group_lowest", "group_highest"]
    return in_order(summary[[*keys, *columns]], *_DIFFERENCE)


def pairs_of(images: str, scores: Iterable[str]) -> list[tuple[str, str]]:
    """List the pairs (score, baseline) of an image set, those with both scores there.

    Examples
    --------
    >>> pairs_of("all", ["confidence", "corruption_mean", "confidence_decrease"])[1:]
    [('corruption_mean', 'confidence_decrease'), ('confidence_decrease', 'corruption_mean')]
    """
    present = list(scores)
    if images == ALL:
        pairs = [*((PRIMARY, score) for score in present if score != PRIMARY), *FURTHER_PAIRS]
    else:
        pairs = list(PAIRS_ON_SETS[images])
    return [pair for pair in pairs if set(pair) <= set(present)]


def _over_cells(rows: pd.DataFrame, seed: int, group_draws: int) -> pd.DataFrame:
    """Summarise the differences of one image set over cells, with intervals from resampled groups."""
    by_score = {str(score): part.set_index(CELL)[list(METRICS)] for score, part in rows.groupby("score", sort=False)}
    pairs = pairs_of(rows["images"].iloc[0], by_score)
    wanted = pd.DataFrame([(*pair, metric) for pair in pairs for metric in METRICS], columns=_DIFFERENCE)
    found = pd.concat([by_score[score] - by_score[baseline] for score, baseline in pairs], axis=1)
    names = [str(place) for place in wanted.index]
    table = by_tier(found.set_axis(names, axis=1).reset_index())
    summary = resampled_means(table, GROUP, names, seed, group_draws)
    won = (table[names] > STRICTNESS).astype(float).where(table[names].notna())
    wins = won.join(table[GROUP]).groupby(GROUP, sort=False)[names].mean().reset_index()
    wins = wins.melt(id_vars=GROUP, var_name="quantity", value_name="wins")
    summary = summary.merge(wins, on=[*GROUP, "quantity"], validate="one_to_one")
    named = wanted.loc[summary["quantity"].astype(int)].reset_index(drop=True)
    return summary.rename(columns={"lower": "group_lower", "upper": "group_upper"}).join(named)


def _over_draws(draws: pd.DataFrame) -> pd.DataFrame:
    """Return the class intervals of the differences on all images."""
    keys = ["source", "half", "tier_by", "tier", "metric"]
    by_score = {str(score): part.set_index([*keys, "draw"]) for score, part in draws.groupby("score", sort=False)}
    pairs = pd.DataFrame(pairs_of(ALL, by_score), columns=_DIFFERENCE[:2])
    index = by_score[PRIMARY].index
    score, baseline = (
        {name: np.stack([by_score[one][name].reindex(index) for one in pairs[side]], axis=1) for name in _DRAWN}
        for side in pairs
    )
    differences, same = score["mean"] - baseline["mean"], score["cells"] == baseline["cells"]
    rows = index.to_frame(index=False)
    parts = []
    for group in rows.groupby(keys, sort=False).indices.values():
        compared = same[group].all(axis=0)
        lower, upper = percentile_ends(np.where(compared, differences[group], np.nan))
        kept = np.where(compared, score["cells"][group].mean(axis=0), np.nan)
        found = pairs.assign(class_lower=lower, class_upper=upper, cells_per_draw=kept)
        parts.append(rows.loc[group[:1], keys].merge(found, how="cross"))
    return pd.concat(parts, ignore_index=True).assign(images=ALL)
