"""How predicted quantities connect with the other analyses: ranks of dM_k and the event L (Appendices I.1 and I.3)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from pairedeval.identification.levels import MARGINAL, OVERLAP
from pairedeval.prediction.feature_sets import INDEPENDENT, PAIRED, TARGETS
from pairedeval.states import correlation
from pairedeval.tiers import MILD

DROP = "confidence_drop"


def rank_correlations(responses: pd.DataFrame, targets: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Correlate the ranks of the models by synthetic dM_k with their ranks by real quantities (Spearman).

    Parameters
    ----------
    responses
        Tables of `features.describe_source`.
    targets
        Tables of `targets.pool_source`.
    cells
        Tables *cells* of `identification.tidy.identify_records` for the sources of the targets.

    Returns
    -------
    pandas.DataFrame
        Rows per ``features`` (synthetic source), ``source``, ``version`` (``paired`` or ``independent``) of the
        synthetic dM_k, and real ``quantity`` (the targets and ``confidence_drop``, the mean observed dM_k of the mild
        cells): ``correlation`` (NaN where all models tie) and ``models`` (where both are defined).
    """
    drops = cells[cells["tier"] == MILD].groupby(["source", "model"], sort=False)[DROP].mean()
    real = targets.set_index(["source", "model"])[[*TARGETS]].join(drops)
    synthetic = responses[(responses["feature"] == DROP) & responses["form"].isin([PAIRED, INDEPENDENT])]
    rows = []
    for (features, version), part in synthetic.groupby(["source", "form"], sort=False):
        values = part.set_index("model")["value"]
        for source, quantities in real.groupby("source", sort=False):
            both = quantities.droplevel("source").assign(synthetic=values)
            rows += [
                (features, source, version, quantity, *_spearman(both["synthetic"], both[quantity]))
                for quantity in real.columns
            ]
    return pd.DataFrame(rows, columns=["features", "source", "version", "quantity", "correlation", "models"])


def _spearman(first: "pd.Series[float]", second: "pd.Series[float]") -> tuple[float, int]:
    defined = (first.notna() & second.notna()).to_numpy()
    ranks = [rankdata(values.to_numpy()[defined]) for values in (first, second)]
    if not defined.any():
        return np.nan, 0
    return float(correlation(ranks[0], ranks[1][None])[0]), int(defined.sum())


def lost_acceptance_checks(targets: pd.DataFrame, cells: pd.DataFrame, bounds: pd.DataFrame) -> pd.DataFrame:
    """Compare the target L with the L that identification observes on the same conditions (Appendix I.3).

    Parameters
    ----------
    targets
        Tables of `targets.pool_source`.
    cells, bounds
        Tables of `identification.tidy.identify_records` for the same sources.

    Returns
    -------
    pandas.DataFrame
        One row a ``source``: ``models``, ``conditions`` (mild), ``largest_difference`` (share) between both, and
        ``width_separate`` and ``width_overlap``, the mean widths of L in the mild cells at I0 and Ik.
    """
    mild = cells.loc[cells["tier"] == MILD, ["source", "model", "condition", "lost_acceptance"]]
    observed = mild.groupby(["source", "model"], sort=False)["lost_acceptance"].mean()
    target = targets.set_index(["source", "model"])["lost_acceptance"]
    difference = (target - observed).abs()
    widths = _mild_widths(mild, bounds, [MARGINAL, OVERLAP])
    return pd.DataFrame(
        {
            "models": target.groupby("source", sort=False).size(),
            "conditions": mild.groupby("source", sort=False)["condition"].nunique(),
            "largest_difference": difference.groupby("source", sort=False).max(),
            "width_separate": widths[MARGINAL],
            "width_overlap": widths[OVERLAP],
        }
    ).reset_index()


def _mild_widths(mild: pd.DataFrame, bounds: pd.DataFrame, levels: Sequence[str]) -> pd.DataFrame:
    """Average the widths of L per source and level."""
    rows = bounds[(bounds["target"] == "L") & bounds["level"].isin(levels)]
    rows = rows.merge(mild[["source", "model", "condition"]], on=["source", "model", "condition"])
    return rows.pivot_table("width", index="source", columns="level", sort=False)
