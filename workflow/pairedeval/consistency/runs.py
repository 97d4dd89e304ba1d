"""Runs of a configuration: what its tables have in common, and which predictions are wrong."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pairedeval.consistency.views import Views
from pairedeval.records import EVALUATION

# First columns of every table of runs.
RUN_KEYS = ("model", "group", "seed")


def by_run(views: Views, tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Join one table a training seed, in the order of the seeds, and put ``model``, ``group`` and ``seed`` first.

    Parameters
    ----------
    views
        Configuration that the tables are about.
    tables
        One table a seed; seeds are counted from 1.
    """
    keyed = []
    for number, table in enumerate(tables, start=1):
        facts = (views.metadata["model"], views.metadata["group"], number)
        keyed.append(table.assign(**dict(zip(RUN_KEYS, facts, strict=True))))
    joined = pd.concat(keyed, ignore_index=True)
    return joined[[*RUN_KEYS, *joined.columns.difference([*RUN_KEYS], sort=False)]]


def wrong_predictions(views: Views, logits: np.ndarray, split: str = EVALUATION) -> np.ndarray:
    """Return which predictions on the original images are wrong, bool, shape ``(seeds, n)``.

    Parameters
    ----------
    views
        Configuration, whose labels are the truth.
    logits
        Result of `Views.at_level` for the images of `split`.
    split
        Half that the logits belong to.
    """
    wrong: np.ndarray = logits[:, 0].argmax(axis=-1) != views.labels[views.in_split(split)]
    return wrong


def mean_over_runs(runs: pd.DataFrame, keys: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    """Average columns over the seeds of each configuration, then over the configurations.

    Parameters
    ----------
    runs
        Table of runs, with `RUN_KEYS`, `keys` and `columns`.
    keys
        What a row of the result stands for.
    columns
        Columns to average, undefined values (NaN) left out.

    Returns
    -------
    pandas.DataFrame
        Rows per key, in order of appearance: `keys`, `columns`, and the counts ``configurations``, ``runs`` and
        ``undefined`` (of these, runs with an undefined value).
    """
    by_model = runs.groupby([*keys, "model"], sort=False)[[*columns]].mean()
    configurations = by_model.groupby([*keys], sort=False)
    found = configurations.mean().assign(configurations=configurations.size())
    undefined = runs.assign(undefined=runs[[*columns]].isna().any(axis=1))
    counts = undefined.groupby([*keys], sort=False)["undefined"].agg(runs="size", undefined="sum")
    return found.join(counts).reset_index()
