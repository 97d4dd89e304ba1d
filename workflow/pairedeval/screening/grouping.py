"""Names of image sets and metrics, and the groups of cells that every summary of the screening averages over.

Tiers are those of `pairedeval.tiers`, assigned by development accuracy. Two further groupings exist: on the swapped
half, tiers by evaluation accuracy (Table 24), and all conditions of a source together, named `ALL` (Table 27).
"""

import numpy as np
import pandas as pd

from pairedeval.records import DEVELOPMENT, EVALUATION
from pairedeval.screening.ranking import BUDGETS, PRIMARY_BUDGET
from pairedeval.tiers import TIERS

ALL = "all"
NON_SINGLETON = "non_singleton"
CLASS_KNOWN = "class_known"
TERCILES = ("low", "mid", "high")
IMAGE_SETS = (ALL, NON_SINGLETON, CLASS_KNOWN, *TERCILES)
HALVES = (EVALUATION, DEVELOPMENT)
AUROC = "auroc"
RECALLS = tuple(f"recall_{round(100 * budget)}" for budget in BUDGETS)
METRICS = (AUROC, *RECALLS)
PRIMARY_RECALL = RECALLS[BUDGETS.index(PRIMARY_BUDGET)]
CELL = ["source", "half", "images", "model", "group", "condition", "tier", "evaluation_tier"]
GROUP = ["source", "half", "tier_by", "tier", "images"]


def by_tier(cells: pd.DataFrame) -> pd.DataFrame:
    """Repeat cells under every tier that a summary averages them in.

    Parameters
    ----------
    cells
        One or more rows a cell, with ``half``, ``images``, ``tier`` and ``evaluation_tier``.

    Returns
    -------
    pandas.DataFrame
        The rows with ``tier_by`` in place of ``evaluation_tier``: every cell by development accuracy; all images of the
        swapped half by evaluation accuracy as well; all images of the primary half and the terciles of confidence under
        tier `ALL` as well.

    Examples
    --------
    >>> cells = pd.DataFrame({"half": "development", "images": "all", "tier": ["severe"], "evaluation_tier": ["mild"]})
    >>> by_tier(cells)[["tier_by", "tier"]].values.tolist()
    [['development', 'severe'], ['evaluation', 'mild']]
    """
    everything = cells["images"] == ALL
    swapped = everything & (cells["half"] == DEVELOPMENT)
    together = (everything & (cells["half"] == EVALUATION)) | cells["images"].isin(TERCILES)
    parts = [
        cells.assign(tier_by=DEVELOPMENT),
        cells[swapped].assign(tier_by=EVALUATION, tier=cells.loc[swapped, "evaluation_tier"]),
        cells[together].assign(tier_by=DEVELOPMENT, tier=ALL),
    ]
    return pd.concat(parts, ignore_index=True).drop(columns="evaluation_tier")


def in_order(rows: pd.DataFrame, *last: str) -> pd.DataFrame:
    """Sort rows by source, half, kind of tier, tier and image set, in their usual order, then by `last`.

    Sources and values of `last` come in order of appearance.
    """
    order = {"half": HALVES, "tier_by": (DEVELOPMENT, EVALUATION), "tier": (*TIERS, ALL), "images": IMAGE_SETS}
    keys = [name for name in (*GROUP, *last) if name in rows]
    codes = [
        pd.Categorical(rows[name], order[name]).codes if name in order else pd.factorize(rows[name])[0] for name in keys
    ]
    return rows.iloc[np.lexsort(codes[::-1])].reset_index(drop=True)
