"""Summaries of interval widths behind Table 6, Table 7 and Figure 1."""

import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.identification.levels import LEVELS, STRICTNESS
from pairedeval.identification.tidy import CELL_KEYS

_TARGET_OF_CELL = [*CELL_KEYS, "target"]


def on_panel(bounds: pd.DataFrame, panel: pd.DataFrame) -> pd.DataFrame:
    """Keep the bounds of the panel's cells.

    Raises
    ------
    RecordsError
        If the bounds lack a cell of the panel.
    """
    keys = list(CELL_KEYS)
    joined = panel[keys].merge(bounds, on=keys, how="left", validate="one_to_many")
    absent = joined[joined["target"].isna()]
    if len(absent):
        source, model, condition = absent.iloc[0][keys]
        raise RecordsError(f"the panel's cell {source}, {model}, {condition} has no bounds; identify its records first")
    return joined


def summarise_widths(bounds: pd.DataFrame) -> pd.DataFrame:
    """Average the widths of each source, target and level, cells weighted equally.

    Of the full grid this is Table 6, of the panel Table 7 and Figure 1. A cell counts where the target is defined at
    every level, so that all levels share their cells; without overlap dM_k is undefined, and the cell is counted as
    such, never as zero.

    Parameters
    ----------
    bounds
        Table of bounds, see `tidy.identify_records`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``target`` and ``level``, in order of appearance: ``mean_width`` (share), ``cells``
        (defined), ``undefined``, ``narrower_cells`` (by more than 1e-12 than one level before), ``positive_cells``
        (wider than 1e-12) and ``straddling_cells`` (zero lies strictly inside).
    """
    ordered = bounds.assign(rank=bounds["level"].map(LEVELS.index)).sort_values("rank", kind="stable")
    within = ordered.groupby(_TARGET_OF_CELL, sort=False)["width"]
    ordered["narrowing"] = -within.diff()
    ordered["undefined"] = ordered["width"].isna().groupby([ordered[key] for key in _TARGET_OF_CELL]).transform("any")
    defined = ~ordered["undefined"]
    ordered["mean_width"] = ordered["width"].where(defined)
    ordered["narrower_cells"] = defined & (ordered["narrowing"] > STRICTNESS)
    ordered["positive_cells"] = defined & (ordered["width"] > STRICTNESS)
    ordered["straddling_cells"] = defined & (ordered["lower"] < 0) & (ordered["upper"] > 0)
    counts = ("undefined", "narrower_cells", "positive_cells", "straddling_cells")
    return (
        ordered.sort_index(kind="stable")
        .groupby(["source", "target", "level"], sort=False)
        .agg(
            mean_width=("mean_width", "mean"), cells=("mean_width", "count"), **{name: (name, "sum") for name in counts}
        )
        .reset_index()
    )
