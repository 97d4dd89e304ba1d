"""Whether clean consistency predicts accuracy on corrupted images beyond clean accuracy (Sections 5.6 and 5.7).

The unit is the configuration, a mean over its seeds. With a dozen of them a rank correlation is uncertain: see its
p-value. Accuracy on clean and on corrupted images comes from the same evaluation images.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
from scipy.special import betainc
from scipy.stats import rankdata

from pairedeval.consistency.shift import by_family
from pairedeval.errors import RecordsError
from pairedeval.identification.levels import STRICTNESS

# Columns of `describe_robustness` that are correlated: first, second, and the one that is held fixed.
RELATIONS: Mapping[str, tuple[str, str, str | None]] = MappingProxyType(
    {
        "accuracy": ("accuracy", "shifted_accuracy", None),
        "consistency": ("consistency", "shifted_accuracy", None),
        "consistency_given_accuracy": ("consistency", "shifted_accuracy", "accuracy"),
        "gap_drop": ("gap", "drop", None),
    }
)


def describe_robustness(models: pd.DataFrame, shift: pd.DataFrame) -> pd.DataFrame:
    """Set the clean measures of each configuration beside its accuracy under each corruption family.

    Parameters
    ----------
    models
        Tables of `reference.measure_models`, all configurations.
    shift
        Tables of `shift.measure_shift`, the same configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per ``family`` (first all families) and ``model`` with its ``group``, means over seeds: ``accuracy``,
        ``consistency`` (CS) and ``gap`` (CAG) on clean images, ``shifted_accuracy`` (mean over the conditions of the
        family) and ``drop``, the one accuracy minus the other.

    Raises
    ------
    RecordsError
        If a configuration stands in one of the tables only.
    """
    alone = sorted(set(models["model"]) ^ set(shift["model"]))
    if alone:
        raise RecordsError(f"{alone[0]}: has views of one of the kinds levels and shifted only; run the other kind too")
    clean = models.groupby(["model", "group"], sort=False, as_index=False)[["accuracy", "consistency", "gap"]].mean()
    cells = by_family(shift.drop_duplicates(["model", "seed", "condition"]))
    shifted = cells.groupby(["family", "model"], sort=False)["accuracy"].mean().rename("shifted_accuracy")
    found = shifted.reset_index().merge(clean, on="model", validate="many_to_one")
    found["drop"] = found["accuracy"] - found["shifted_accuracy"]
    return found[["family", "model", "group", "accuracy", "consistency", "gap", "shifted_accuracy", "drop"]]


def correlate_robustness(robustness: pd.DataFrame) -> pd.DataFrame:
    """Correlate clean measures with those under corruption over configurations (Spearman).

    Parameters
    ----------
    robustness
        Table of `describe_robustness`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``family`` and ``relation``: ``accuracy`` and ``consistency`` (clean measure against shifted accuracy),
        ``consistency_given_accuracy`` (partial, clean accuracy held fixed), ``gap_drop`` (clean CAG against the drop;
        both contain clean accuracy, whose sampling error alone correlates them positively); ``correlation``,
        ``p_value`` and ``configurations``.
    """
    rows = []
    for family, part in robustness.groupby("family", sort=False):
        for relation, (first, second, fixed) in RELATIONS.items():
            columns = [part[name].to_numpy() for name in (first, second, fixed) if name]
            rows.append((family, relation, *rank_correlation(*columns), len(part)))
    return pd.DataFrame(rows, columns=["family", "relation", "correlation", "p_value", "configurations"])


def rank_correlation(first: np.ndarray, second: np.ndarray, fixed: np.ndarray | None = None) -> tuple[float, float]:
    """Return Spearman's correlation, partial if a third quantity is held fixed, and its two-sided p-value.

    Parameters
    ----------
    first, second, fixed
        Values without NaN, shape ``(n,)`` each; ties share their mean rank.

    Returns
    -------
    tuple of float
        Correlation and the p-value of Student's t with n - 2 degrees of freedom, n - 3 if `fixed` is given, which is an
        approximation for ranks. Both are NaN without a degree of freedom, if a side is constant, or if `fixed` orders
        the points as one of the others does.

    Examples
    --------
    >>> round(rank_correlation(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0]))[0], 3)
    0.8
    """
    sides = [rankdata(values) for values in (first, second, fixed) if values is not None]
    freedom = len(first) - len(sides)
    if freedom < 1 or any(np.ptp(ranks) == 0 for ranks in sides):
        return np.nan, np.nan
    related = np.corrcoef(sides)
    found = related[0, 1]
    if fixed is not None:
        unexplained = (1 - related[0, 2] ** 2) * (1 - related[1, 2] ** 2)
        if unexplained < STRICTNESS:
            return np.nan, np.nan
        found = (found - related[0, 2] * related[1, 2]) / np.sqrt(unexplained)
    found = np.clip(found, -1, 1)
    return float(found), float(betainc(freedom / 2, 0.5, 1 - found**2))
