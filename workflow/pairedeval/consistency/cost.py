"""What consistency costs beside a single forward pass (Section 5.2)."""

import pandas as pd

from pairedeval.consistency.views import REMEDY, Views
from pairedeval.errors import RecordsError


def measure_cost(views: Views) -> pd.DataFrame:
    """Compare the time of all views of an image with that of one forward pass.

    Parameters
    ----------
    views
        Views of one configuration, kind ``levels``, whose metadata hold its ``cost``.

    Returns
    -------
    pandas.DataFrame
        One row: ``model``, ``group``, ``single_seconds`` (an image, one pass), ``views_seconds`` (an image, making its
        views and a pass for each and for itself) and ``ratio``, the latter over the former.

    Raises
    ------
    RecordsError
        If no cost was measured.
    """
    cost = views.metadata.get("cost")
    if cost is None:
        raise RecordsError(f"{views.metadata['model']}: the views hold no cost; {REMEDY}")
    columns = {name: float(cost[name]) for name in ("single_seconds", "views_seconds")}
    table = pd.DataFrame([{"model": views.metadata["model"], "group": views.metadata["group"], **columns}])
    return table.assign(ratio=table["views_seconds"] / table["single_seconds"])
