"""Quantities of runs set against a baseline of the same cell, and their means with intervals."""

from collections.abc import Sequence

import pandas as pd

from pairedeval.consistency.statistics import mean_interval


def difference_from(frame: pd.DataFrame, cell: Sequence[str], column: str, kind: str, baseline: str) -> pd.Series:
    """Return a column minus its value in the row of the same cell that belongs to a baseline.

    Parameters
    ----------
    frame
        One row per cell and kind.
    cell
        Columns that name a cell.
    column
        Values.
    kind
        Column that tells the rows of a cell apart, such as the score.
    baseline
        The kind that is subtracted.

    Returns
    -------
    pandas.Series
        Index of `frame`; NaN where a side is undefined or the cell has no baseline.

    Examples
    --------
    >>> frame = pd.DataFrame({"seed": [1, 1, 2, 2], "score": ["a", "b", "b", "a"], "auroc": [0.5, 0.75, 1.0, 0.5]})
    >>> difference_from(frame, ["seed"], "auroc", "score", "a").tolist()
    [0.0, 0.25, 0.5, 0.0]
    """
    baselines = frame.loc[frame[kind] == baseline, [*cell, column]]
    matched = frame[[*cell]].merge(baselines, on=[*cell], how="left", validate="many_to_one")
    return frame[column] - matched[column].set_axis(frame.index)


def quantity_intervals(
    frame: pd.DataFrame, keys: Sequence[str], levels: Sequence[str], differences: Sequence[str], seed: int
) -> pd.DataFrame:
    """Average columns over configurations and seeds.

    Parameters
    ----------
    frame
        One row a run and key: ``model``, ``seed``, `keys`, `levels` and `differences`.
    keys
        What a row of the result stands for.
    levels
        Columns for which zero has no meaning; they are not tested.
    differences
        Columns that are compared with zero.
    seed
        Seed of the study.

    Returns
    -------
    pandas.DataFrame
        Rows per ``quantity`` (column) and key: `keys`, ``quantity``, the columns of `statistics.mean_interval`, and
        ``wins``, the share of the runs with a value whose value is above zero. ``effect_size``, ``p_value`` and
        ``wins`` are NaN for `levels`.
    """
    names = [*keys, "quantity"]
    long = frame.melt(["model", "seed", *keys], [*levels, *differences], "quantity", "value")
    found = mean_interval(long, names, "value", seed)
    won = (long["value"] > 0).where(long["value"].notna()).astype(float)
    wins = long.assign(wins=won).groupby(names, sort=False)["wins"].mean().reset_index()
    found = found.merge(wins, on=names, how="left", validate="one_to_one")
    tests = ["effect_size", "p_value", "wins"]
    found[tests] = found[tests].where(found["quantity"].isin(differences), float("nan"))
    return found
