"""Does the gain depend on one light or camera setting? Means by factor and with a level left out (Appendix E.3).

The factors are crossed settings of one capture, not independent replications.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.identification.levels import STRICTNESS
from pairedeval.states import conditional_mean

FACTORS = ("light", "iso", "shutter", "aperture")
# All conditions together, as a factor of one level.
NO_FACTOR = "none"
# Short name of each baseline, and the column of the cells that compares the corruption mean with it.
COMPARISONS: Mapping[str, str] = MappingProxyType(
    {"confidence": "corruption_mean_minus_confidence", "natural": "corruption_mean_minus_natural_mean"}
)
_MEASURES = ("positive", "lowest_level", "lowest_deleted")
_COLUMNS = ("source", "factor", "levels", "conditions", "undefined")


def summarise_captures(cells: pd.DataFrame, captures: pd.DataFrame) -> pd.DataFrame:
    """Average paired recall differences over models per condition, then over the conditions of each factor level.

    Parameters
    ----------
    cells
        Mild cells of recaptured sources, one row per ``source``, ``condition`` and model, with the columns of
        `COMPARISONS`: failure recall of the corruption mean minus that of the baseline, shares; NaN without failures.
    captures
        Columns ``source``, ``condition`` and `FACTORS` of the recaptures.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source`` and ``factor`` (first `NO_FACTOR`): numbers of ``levels`` and ``conditions`` that the cells
        have, and of ``undefined`` conditions, without a difference for any model, which enter no mean. For each
        baseline, ``positive_<baseline>`` counts the conditions with a positive mean; ``lowest_level_<baseline>`` is the
        smallest mean over the conditions of one level, ``lowest_deleted_<baseline>`` the smallest over all conditions
        but those of one level, shares. The latter is NaN for a factor with a single level, as nothing would be left.

    Raises
    ------
    RecordsError
        If a condition is not in the table of captures.
    """
    means = cells.groupby(["source", "condition"], sort=False)[list(COMPARISONS.values())].mean().reset_index()
    settings = captures[["source", "condition", *FACTORS]].assign(**{NO_FACTOR: "all"})
    conditions = means.merge(settings, on=["source", "condition"], how="left", validate="one_to_one")
    unknown = conditions[conditions[NO_FACTOR].isna()]
    if len(unknown):
        source, condition = unknown[["source", "condition"]].iloc[0]
        raise RecordsError(f"source {source}: condition {condition} is not in the table of captures; add it")
    rows = [
        {"source": source, "factor": factor} | _sensitivity(part, factor)
        for source, part in conditions.groupby("source", sort=False)
        for factor in (NO_FACTOR, *FACTORS)
    ]
    measures = [f"{measure}_{baseline}" for measure in _MEASURES for baseline in COMPARISONS]
    return pd.DataFrame(rows, columns=[*_COLUMNS, *measures])


def _sensitivity(conditions: pd.DataFrame, factor: str) -> dict[str, Any]:
    """Summarise the condition means of one source by the levels of one factor."""
    codes, levels = pd.factorize(conditions[factor])
    inside = codes == np.arange(len(levels))[:, np.newaxis]
    found: dict[str, Any] = {
        "levels": len(levels),
        "conditions": len(conditions),
        "undefined": int(conditions[list(COMPARISONS.values())].isna().any(axis=1).sum()),
    }
    for baseline, column in COMPARISONS.items():
        means = conditions[column].to_numpy()
        found[f"positive_{baseline}"] = int((means > STRICTNESS).sum())
        found[f"lowest_level_{baseline}"] = _lowest_mean(means, inside)
        found[f"lowest_deleted_{baseline}"] = _lowest_mean(means, ~inside)
    return found


def _lowest_mean(means: np.ndarray, members: np.ndarray) -> float:
    """Return the smallest mean over the members of a row, bool, ``(rows, conditions)``; NaN if none has any."""
    counted = members & ~np.isnan(means)
    return float(np.fmin.reduce(conditional_mean(np.where(counted, means, 0).sum(axis=1), counted.sum(axis=1))))
