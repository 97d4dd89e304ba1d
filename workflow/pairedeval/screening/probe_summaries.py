"""Which probes the gain needs: numbers of probes, severities, types, single and selected ones (Appendices E.1, E.3)."""

import numpy as np
import pandas as pd

from pairedeval.records import CLEAN, EVALUATION
from pairedeval.screening.grouping import ALL, AUROC, PRIMARY_RECALL, in_order
from pairedeval.screening.probe_choices import POOLS, PREFIXED, PROBE, SEVERITY, TYPE
from pairedeval.tiers import MILD

_SOURCE = ["source"]


def summarise_subset_sizes(subsets: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Average the subsets of each size, with the best and the worst of them (Tables 28 and 32).

    Parameters
    ----------
    subsets
        Table of `tidy.ScreeningTables`, sources together.
    means
        Result of `summaries.summarise_means`, for the recall of clean confidence.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``pool``, ``kind`` (``prefixed``, ``severity <severity>``, ``all``) and ``size``:
        ``subsets`` (number), and over them the mean and the extremes of ``recall_20``, ``auroc`` (``_lowest`` and
        ``_highest``) and ``gain`` (recall over that of clean confidence; ``gain_lowest``), in shares on mild cells.
    """
    rows = subsets[subsets["kind"].isin([PREFIXED, SEVERITY])]
    severity = rows["kind"] == SEVERITY
    whole = ~severity & (rows["size"] == rows.groupby(_SOURCE)["size"].transform("max"))
    kind = np.select([severity, whole], [SEVERITY + " " + rows["name"], ALL], PREFIXED)
    baseline = rows["source"].map(_clean_means(means)[PRIMARY_RECALL])
    rows = rows.assign(kind=kind, gain=rows[PRIMARY_RECALL] - baseline)
    summary = rows.groupby(["source", "pool", "kind", "size"], sort=False).agg(
        subsets=("name", "size"),
        **{
            f"{column}{end}": (column, how)
            for column in (PRIMARY_RECALL, "gain", AUROC)
            for end, how in {"": "mean", "_lowest": "min", "_highest": "max"}.items()
        },
    )
    return summary.drop(columns="gain_highest").reset_index()


def summarise_probes(subsets: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """List single probes, types, severities and whole sets on mild conditions, beside clean confidence (Table 36).

    Parameters
    ----------
    subsets, means
        As for `summarise_subset_sizes`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``pool`` (``corruption``, ``natural``, or ``clean`` for clean confidence), ``kind``
        (``probe``, ``type``, ``severity``, ``all``, ``clean``) and ``name``: ``size`` (inferences: the probes, or the
        clean one), ``recall_20``, ``auroc`` and ``error_rate`` (of the probes' predictions on clean-correct development
        images, averaged over probes and models; NaN for the clean image), in shares.
    """
    whole = (subsets["kind"] == PREFIXED) & (subsets["size"] == subsets.groupby(_SOURCE)["size"].transform("max"))
    rows = subsets.assign(kind=subsets["kind"].mask(whole, ALL), name=subsets["name"].mask(whole, ALL))
    rows = rows[rows["kind"].isin([PROBE, TYPE, SEVERITY, ALL])]
    clean = _clean_means(means).reset_index()
    clean = clean.assign(pool=CLEAN, kind=CLEAN, name=CLEAN, size=1, error_rate=np.nan)
    columns = ["source", "pool", "kind", "name", "size", PRIMARY_RECALL, AUROC, "error_rate"]
    return in_order(pd.concat([rows, clean], ignore_index=True)[columns])


def summarise_selection(selected: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """Compare the selected sets of probes with the fixed ones, on the half that did not choose them (Table 29).

    Parameters
    ----------
    selected
        Table of `tidy.ScreeningTables`, sources together.
    differences
        Result of `differences.summarise_differences`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``half`` (evaluated) and ``pool``: ``first`` (condition chosen first), and of the chosen
        set ``shared_with_fixed`` (members that the fixed set has as well) and ``size``; ``difference`` of primary
        recall on mild conditions, selected minus fixed, with ``group_lower`` and ``group_upper``.
    """
    keys = ["source", "half", "pool"]
    ordered = selected.sort_values("step", kind="stable").groupby(keys, sort=False)
    summary = ordered.agg(
        first=("condition", "first"), shared_with_fixed=("in_fixed", "sum"), size=("condition", "size")
    )
    found = differences[(differences["tier_by"] == "development") & (differences["tier"] == MILD)]
    found = found[found["metric"] == PRIMARY_RECALL]
    parts = []
    for pool in POOLS:
        pair = (found["score"] == f"{pool}_selected") & (found["baseline"] == f"{pool}_mean")
        parts.append(found[pair].assign(pool=pool))
    columns = [*keys, "mean", "group_lower", "group_upper"]
    compared = pd.concat(parts)[columns].rename(columns={"mean": "difference"})
    return in_order(summary.reset_index().merge(compared, on=keys, how="left", validate="one_to_one"))


def _clean_means(means: pd.DataFrame) -> pd.DataFrame:
    """Return primary recall and AUROC of clean confidence on mild conditions of the primary half, by source."""
    rows = means[(means["half"] == EVALUATION) & (means["tier"] == MILD) & (means["images"] == ALL)]
    rows = rows[rows["score"] == "confidence"].set_index("source")
    return pd.DataFrame({metric: rows.loc[rows["metric"] == metric, "mean"] for metric in (PRIMARY_RECALL, AUROC)})
