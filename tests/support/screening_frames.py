"""Small summaries of screening, written from printed numbers."""

from collections.abc import Mapping

import pandas as pd

EVALUATION = {"half": "evaluation", "tier_by": "development", "images": "all"}
Row = tuple[str, str]


def means(
    printed: Mapping[Row, Mapping[str, float]],
    metric: str = "auroc",
    undefined: Mapping[Row | tuple[str, str, str], int] | None = None,
    cells: int = 100,
    **where: str,
) -> pd.DataFrame:
    """Return means of scores by source and tier; `undefined` counts cells of a row, or of one score in it."""
    absent = undefined or {}
    rows = [
        (source, tier, score, metric, mean, cells - lost, lost)
        for (source, tier), scores in printed.items()
        for score, mean in scores.items()
        for lost in [absent.get((source, tier, score), absent.get((source, tier), 0))]
    ]
    columns = ["source", "tier", "score", "metric", "mean", "cells", "undefined"]
    return pd.DataFrame(rows, columns=columns).assign(**EVALUATION | where)


def differences(
    printed: Mapping[Row, Mapping[tuple[str, str], tuple[float, float, float]]],
    metric: str = "auroc",
    by: str = "group",
    **columns: object,
) -> pd.DataFrame:
    """Return differences between scores with an interval of one kind; further columns are the same in every row."""
    rows = [
        (source, tier, *pair, metric, *ends)
        for (source, tier), pairs in printed.items()
        for pair, ends in pairs.items()
    ]
    names = ["source", "tier", "score", "baseline", "metric", "mean", f"{by}_lower", f"{by}_upper"]
    fixed = {"cells": 100, "undefined": 0, "wins": 0.5, "cells_per_draw": 99.6, **EVALUATION, **columns}
    empty = {f"{kind}_{end}": float("nan") for kind in ("group", "class") for end in ("lower", "upper") if kind != by}
    return pd.DataFrame(rows, columns=names).assign(**fixed, **empty)
