"""Regimes of configurations by their gap of accuracy and consistency, for several tolerances (Section 5.7)."""

from collections.abc import Sequence

import pandas as pd

from pairedeval.consistency.quantities import REGIMES, TOLERANCES, regime


def name_regimes(models: pd.DataFrame, tolerances: Sequence[float] = TOLERANCES) -> pd.DataFrame:
    """Name the regime of each configuration under each tolerance.

    Parameters
    ----------
    models
        Tables of `reference.measure_models`, all configurations.
    tolerances
        Descriptive tolerances delta.

    Returns
    -------
    pandas.DataFrame
        Rows per ``model``, ``group`` and ``tolerance``: ``gap`` (CAG, mean over seeds), ``regime`` (one of
        `quantities.REGIMES`) and ``changes`` (the configuration has another regime under some other tolerance).
    """
    gaps = models.groupby(["model", "group"], sort=False)["gap"].mean().reset_index()
    found = gaps.merge(pd.DataFrame({"tolerance": list(tolerances)}), how="cross")
    named = [regime(gap, tolerance) for gap, tolerance in zip(found["gap"], found["tolerance"], strict=True)]
    found["regime"] = pd.Series(named, dtype="str")
    found["changes"] = found.groupby("model", sort=False)["regime"].transform("nunique") > 1
    return found[["model", "group", "tolerance", "gap", "regime", "changes"]]


def count_regimes(regimes: pd.DataFrame) -> pd.DataFrame:
    """Count the configurations of each regime under each tolerance.

    Parameters
    ----------
    regimes
        Table of `name_regimes`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``tolerance`` and ``regime`` (all of `quantities.REGIMES`): ``configurations`` in it, ``of`` how many,
        and ``changing``, the configurations that change regime between the tolerances (the same number in every row).
    """
    pairs = pd.MultiIndex.from_product([regimes["tolerance"].unique(), REGIMES], names=["tolerance", "regime"])
    counts = regimes.groupby(["tolerance", "regime"]).size().reindex(pairs, fill_value=0)
    changing = regimes.loc[regimes["changes"], "model"].nunique()
    return counts.rename("configurations").reset_index().assign(of=regimes["model"].nunique(), changing=changing)
