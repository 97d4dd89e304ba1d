"""Tiers of real capture conditions, by the models' mean accuracy on development images (Section 3.3)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.files import read_metadata, read_table
from pairedeval.records import CLEAN, DEVELOPMENT

MILD, SEVERE, EXTREME = TIERS = ("mild", "severe", "extreme")
# Lowest mean development accuracy of a tier; extreme is what remains.
LOWEST_ACCURACY: Mapping[str, float] = MappingProxyType({MILD: 0.4, SEVERE: 0.2})


def tier_of(accuracy: np.ndarray, lowest: Mapping[str, float] = LOWEST_ACCURACY) -> np.ndarray:
    """Name the tier of each mean development accuracy, a share.

    Examples
    --------
    >>> tier_of(np.array([0.4, 0.39, 0.2, 0.19])).tolist()
    ['mild', 'severe', 'severe', 'extreme']
    """
    return np.select([accuracy >= lowest[MILD], accuracy >= lowest[SEVERE]], [MILD, SEVERE], EXTREME)


def development_counts(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Count the correct development predictions of record files.

    Parameters
    ----------
    paths
        One record file per source and model.

    Returns
    -------
    pandas.DataFrame
        One row per source, model and perturbed condition: ``source``, ``model``, ``condition``, ``correct`` and
        ``images`` (counts), in the order of the files.

    Raises
    ------
    RecordsError
        If a file has no development records.
    """
    counts = []
    for path in paths:
        metadata = read_metadata(path)
        rows = read_table(path, columns=["condition", "label", "prediction", "split"])
        rows = rows[(rows["split"] == DEVELOPMENT) & (rows["condition"] != CLEAN)]
        if rows.empty:
            raise RecordsError(f"{path}: no perturbed development records; tiers are assigned by them")
        correct = (rows["prediction"] == rows["label"]).groupby(rows["condition"]).agg(correct="sum", images="size")
        counts.append(correct.reset_index().assign(source=metadata["source"], model=metadata["model"]))
    columns = ["source", "model", "condition", "correct", "images"]
    return pd.concat(counts, ignore_index=True)[columns]


def assign_tiers(
    counts: pd.DataFrame, captures: pd.DataFrame, lowest: Mapping[str, float] = LOWEST_ACCURACY
) -> pd.DataFrame:
    """Assign every condition to a tier; synthetic corruptions count as mild throughout (Table 10).

    Parameters
    ----------
    counts
        Result of `development_counts`, all models having the same development images and conditions.
    captures
        Columns ``source`` and ``condition`` of the recaptures, in canonical order (light, setting). Other sources
        are synthetic.
    lowest
        Lowest mean development accuracy (share) of the tiers mild and severe.

    Returns
    -------
    pandas.DataFrame
        ``source``, ``condition``, ``development_accuracy`` (share, models weighted equally) and ``tier``.

    Raises
    ------
    RecordsError
        If a condition lacks a model, has other numbers of images, or is not in `captures`.
    """
    _check_counts(counts)
    totals = counts.groupby(["source", "condition"], sort=False, as_index=False)[["correct", "images"]].sum()
    # One division of counts: with equally many images a model it is the mean over models, without its rounding.
    totals["development_accuracy"] = totals["correct"] / totals["images"]
    tiers = [_tiers_of_source(rows, captures, lowest) for _, rows in totals.groupby("source", sort=False)]
    return pd.concat(tiers, ignore_index=True)[["source", "condition", "development_accuracy", "tier"]]


def _tiers_of_source(rows: pd.DataFrame, captures: pd.DataFrame, lowest: Mapping[str, float]) -> pd.DataFrame:
    source = rows["source"].iloc[0]
    order = captures.loc[captures["source"] == source, "condition"]
    if order.empty:
        return rows.assign(tier=MILD)
    unknown = rows.loc[~rows["condition"].isin(order), "condition"]
    if len(unknown):
        raise RecordsError(f"source {source}: condition {unknown.iloc[0]} is not in the table of captures; add it")
    rows = rows.set_index("condition").loc[[name for name in order if name in set(rows["condition"])]].reset_index()
    return rows.assign(tier=tier_of(rows["development_accuracy"].to_numpy(), lowest))


def _check_counts(counts: pd.DataFrame) -> None:
    """Each condition needs every model of its source, all with equally many images."""
    by_condition = counts.groupby(["source", "condition"], sort=False)
    models = by_condition["model"].nunique()
    expected = models.groupby("source").transform("max")
    short = models[models < expected]
    if len(short):
        source, condition = short.index[0]
        raise RecordsError(
            f"source {source}: condition {condition} has records of {short.iloc[0]} of "
            f"{expected[source, condition]} models; "
            "infer the others first"
        )
    images = by_condition["images"].nunique()
    uneven = images[images > 1]
    if len(uneven):
        source, condition = uneven.index[0]
        raise RecordsError(
            f"source {source}: condition {condition} has other numbers of development images for some models; "
            "use one split"
        )
