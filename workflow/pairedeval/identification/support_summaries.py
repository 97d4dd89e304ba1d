"""Means over seeds and over strata of support of the matched widths (Appendix B.2, Table 8)."""

from itertools import pairwise

import numpy as np
import pandas as pd

from pairedeval.identification.levels import STRICTNESS
from pairedeval.identification.matched_support import NATIVE

MATCHED = "matched"
# Edges of the strata; the last one holds its upper end as well.
STRATA = {
    "overlap_share": (0.0, 0.1, 0.5, 1.0),
    "clean_event": (0.0, 0.1, 0.3, 1.0),
    "perturbed_event": (0.0, 0.1, 0.3, 1.0),
}


def summarise_support(table: pd.DataFrame) -> pd.DataFrame:
    """Average the widths of each source and target on all records, on each matched sample, and over the samples.

    Parameters
    ----------
    table
        Result of `matched_support.match_support`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``target`` and ``sample`` (`NATIVE`, each seed, then `MATCHED`): ``records`` (of a cell),
        ``mean_width`` (share; for `MATCHED` the seeds' means, weighted equally), ``lowest`` and ``highest`` (their
        range over the seeds, a sensitivity and no confidence interval), ``mean_normalised`` (likewise), ``cells``
        (defined; for `MATCHED` over all seeds), ``undefined``, ``positive_cells`` (wider than 1e-12) and
        ``normalised_cells``.
    """
    marked = table.assign(positive=table["width"] > STRICTNESS, absent=table["width"].isna())
    by_sample = (
        marked.groupby(["source", "target", "sample"], sort=False)
        .agg(
            records=("n", "first"),
            mean_width=("width", "mean"),
            mean_normalised=("normalised", "mean"),
            cells=("width", "count"),
            undefined=("absent", "sum"),
            positive_cells=("positive", "sum"),
            normalised_cells=("normalised", "count"),
        )
        .reset_index()
    )
    single = by_sample.assign(lowest=by_sample["mean_width"], highest=by_sample["mean_width"])
    return _with_seed_means(
        single,
        {"records": "first", "mean_width": "mean", "lowest": "min", "highest": "max", "mean_normalised": "mean"},
        ["cells", "undefined", "positive_cells", "normalised_cells"],
        ["source", "target"],
    )


def summarise_strata(table: pd.DataFrame) -> pd.DataFrame:
    """Average the widths within strata of overlap and of event fractions.

    Parameters
    ----------
    table
        Result of `matched_support.match_support`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``quantity`` (a key of `STRATA`), ``stratum`` (such as ``[0.1,0.5)``), ``source``, ``target`` and
        ``sample`` (as in `summarise_support`): ``mean_width``, ``mean_normalised``, ``cells`` and ``normalised_cells``.
        Means of strata without defined cells are NaN. dM_k has strata of overlap only.
    """
    parts = []
    for quantity, edges in STRATA.items():
        rows = table[table[quantity].notna()]
        *names, last = [f"[{low:g},{high:g})" for low, high in pairwise(edges)]
        # The last stratum is closed, so its bin has no upper end.
        bins = [*edges[:-1], np.inf]
        stratum = pd.cut(rows[quantity], bins, right=False, labels=[*names, last.replace(")", "]")])
        found = (
            rows.assign(stratum=stratum)
            .groupby(["source", "target", "sample", "stratum"], sort=False, observed=False)
            .agg(
                mean_width=("width", "mean"),
                mean_normalised=("normalised", "mean"),
                cells=("width", "count"),
                normalised_cells=("normalised", "count"),
            )
        )
        found = found.reset_index().sort_values("stratum", kind="stable").astype({"stratum": str})
        parts.append(found.assign(quantity=quantity))
    return _with_seed_means(
        pd.concat(parts, ignore_index=True),
        {"mean_width": "mean", "mean_normalised": "mean"},
        ["cells", "normalised_cells"],
        ["quantity", "stratum", "source", "target"],
    )


def _with_seed_means(
    by_sample: pd.DataFrame, means: dict[str, str], counts: list[str], keys: list[str]
) -> pd.DataFrame:
    """Add rows `MATCHED` that combine the seeds: means weigh the seeds with a defined mean equally, counts add up."""
    seeds = by_sample[by_sample["sample"] != NATIVE]
    how = means | dict.fromkeys(counts, "sum")
    matched = seeds.groupby(keys, sort=False)[list(how)].agg(how).reset_index().assign(sample=MATCHED)
    columns = [*keys, "sample", *how]
    order = by_sample[keys].drop_duplicates()
    joined = pd.concat([by_sample, matched], ignore_index=True)[columns]
    return order.merge(joined, on=keys, how="left", validate="one_to_many")
