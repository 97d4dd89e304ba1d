"""Means over cells of the screening scores, and what the tables break down further (Section 5, Appendix E)."""

import numpy as np
import pandas as pd

from pairedeval.identification.levels import STRICTNESS
from pairedeval.records import EVALUATION
from pairedeval.screening.grouping import (
    ALL,
    AUROC,
    GROUP,
    METRICS,
    NON_SINGLETON,
    PRIMARY_RECALL,
    RECALLS,
    by_tier,
    in_order,
)
from pairedeval.screening.ranking import BUDGETS, PRIMARY_BUDGET, attainable_ceiling, budget_size
from pairedeval.tiers import MILD

# Scores that the primary one is compared with by group, by model and by capture setting (Table 39, Appendix E.3).
GAIN_BASELINES = ("confidence", "natural_mean", "margin")
_CELL = ["source", "model", "group", "condition", "tier"]


def summarise_means(cells: pd.DataFrame) -> pd.DataFrame:
    """Average every metric of every score within every group of cells, cells weighted equally.

    Parameters
    ----------
    cells
        Table of `tidy.ScreeningTables`, sources together.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``half``, ``tier_by``, ``tier``, ``images``, ``score`` and ``metric``: ``mean`` (share; NaN
        if no cell is defined), ``cells`` (defined) and ``undefined``.
    """
    table = by_tier(cells)
    grouped = table.groupby([*GROUP, "score"], sort=False)
    size = grouped.size()
    parts = [
        pd.DataFrame(
            {"metric": metric, "mean": grouped[metric].mean(), "cells": (count := grouped[metric].count())}
        ).assign(undefined=size - count)
        for metric in METRICS
    ]
    return in_order(pd.concat(parts).reset_index(), "score", "metric")


def summarise_ceilings(cells: pd.DataFrame) -> pd.DataFrame:
    """Relate recall to the largest recall that a budget allows where failures are many (Table 21).

    Parameters
    ----------
    cells
        Table of `tidy.ScreeningTables`, sources together.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source`` and ``tier`` (primary half), means of cellwise shares: ``failure_share``; per budget
        ``ceiling_<percent>`` and ``corruption_mean_over_ceiling_<percent>``, the recall of U over it;
        ``random_over_ceiling_20``, the expected recall k/n of a random order over the ceiling. And ``cells``, those
        with failures; the others have no ceiling and enter ``failure_share`` alone.
    """
    rows = _of(cells, "corruption_mean")
    ceiling = attainable_ceiling(rows["failures"].to_numpy(), rows["size"].to_numpy())
    random = budget_size(rows["size"].to_numpy()) / rows[["size"]].to_numpy()
    columns = {"failure_share": rows["failures"] / rows["size"], "cells": ~np.isnan(ceiling[:, 0])}
    for place, recall in enumerate(RECALLS):
        percent = recall.removeprefix("recall_")
        columns[f"ceiling_{percent}"] = ceiling[:, place]
        columns[f"corruption_mean_over_ceiling_{percent}"] = rows[recall] / ceiling[:, place]
        if BUDGETS[place] == PRIMARY_BUDGET:
            columns[f"random_over_ceiling_{percent}"] = random[:, place] / ceiling[:, place]
    table = rows[["source", "tier"]].assign(**columns)
    how = dict.fromkeys(columns, "mean") | {"cells": "sum"}
    return in_order(table.groupby(["source", "tier"], sort=False).agg(how).reset_index())


def summarise_ablation(cells: pd.DataFrame) -> pd.DataFrame:
    """Count what the ablation of image identity leaves out and where it cannot show anything (Table 25).

    Parameters
    ----------
    cells
        Table of `tidy.ScreeningTables`, sources together.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source`` and ``tier`` (primary half): ``images_excluded_lowest`` and ``images_excluded_highest``
        (clean-correct images alone in their class, over the models of the source), ``degenerate_cells`` (see
        `ablation.degenerate`), ``cells`` (with AUROC), ``gap_without_degenerate`` (mean AUROC of U minus that of its
        derangements over the other cells) and ``wins`` (share of all cells in which U has the higher AUROC).
    """
    alone = [_of(cells, "corruption_mean", images).set_index(_CELL)["size"] for images in (ALL, NON_SINGLETON)]
    excluded = (alone[0] - alone[1]).groupby("source", sort=False).agg(["min", "max"])
    rows = _of(cells, "corruption_mean", NON_SINGLETON).set_index(_CELL)
    gap = rows[AUROC] - _of(cells, "deranged_mean", NON_SINGLETON).set_index(_CELL)[AUROC]
    table = pd.DataFrame(
        {
            "degenerate_cells": rows["degenerate"],
            "cells": gap.notna(),
            "gap_without_degenerate": gap.where(~rows["degenerate"]),
            "wins": (gap > STRICTNESS).astype(float).where(gap.notna()),
        }
    )
    how = {"degenerate_cells": "sum", "cells": "sum", "gap_without_degenerate": "mean", "wins": "mean"}
    summary = table.groupby(["source", "tier"], sort=False).agg(how).reset_index()
    summary.insert(2, "images_excluded_lowest", summary["source"].map(excluded["min"]))
    summary.insert(3, "images_excluded_highest", summary["source"].map(excluded["max"]))
    return in_order(summary)


def summarise_terciles(terciles: pd.DataFrame) -> pd.DataFrame:
    """Average the retention gaps of each third of clean confidence (Table 27, last column).

    Parameters
    ----------
    terciles
        Table of `tidy.ScreeningTables`, sources together.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source`` and ``images``: ``retention_gap`` (mean over all cells, a share) and ``cells`` (defined).
    """
    grouped = terciles.groupby(["source", "images"], sort=False)["retention_gap"]
    summary = pd.DataFrame({"retention_gap": grouped.mean(), "cells": grouped.count()}).reset_index()
    return in_order(summary)


def mild_gains(cells: pd.DataFrame) -> pd.DataFrame:
    """Return by how much the primary score finds more failures than three others, in every mild cell.

    Parameters
    ----------
    cells
        Table of `tidy.ScreeningTables`, sources together.

    Returns
    -------
    pandas.DataFrame
        One row a mild cell of the primary half, all images: ``source``, ``model``, ``group``, ``condition``, ``tier``,
        and ``corruption_mean_minus_<score>`` for each of `GAIN_BASELINES`: primary recall of U minus that of the score,
        a share; NaN without failures.
    """
    recall = {
        score: _of(cells, score).set_index(_CELL)[PRIMARY_RECALL] for score in ("corruption_mean", *GAIN_BASELINES)
    }
    gains = {f"corruption_mean_minus_{score}": recall["corruption_mean"] - recall[score] for score in GAIN_BASELINES}
    table = pd.DataFrame(gains).reset_index()
    return table[table["tier"] == MILD].reset_index(drop=True)


def summarise_gains(gains: pd.DataFrame, by: str) -> pd.DataFrame:
    """Average the gains over the cells of each model group or of each model, cells weighted equally (Table 39).

    Parameters
    ----------
    gains
        Result of `mild_gains`.
    by
        ``group`` or ``model``.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``tier``, ``group`` and, by models, ``model``: ``models`` (number), ``cells`` (with
        failures), and the mean of each column of gains (share).
    """
    keys = ["source", "tier", "group", *(["model"] if by == "model" else [])]
    names = [name for name in gains.columns if name not in _CELL]
    grouped = gains.groupby(keys, sort=False)
    counts = pd.DataFrame({"models": grouped["model"].nunique(), "cells": grouped[names[0]].count()})
    return counts.join(grouped[names].mean()).reset_index()


def _of(cells: pd.DataFrame, score: str, images: str = ALL) -> pd.DataFrame:
    """Keep the cells of one score and image set on the primary half."""
    kept = (cells["score"] == score) & (cells["images"] == images) & (cells["half"] == EVALUATION)
    return cells[kept].reset_index(drop=True)
