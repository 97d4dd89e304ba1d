"""Means over cells of what depends on the labels, and counts of the endpoint checks (Tables 47 and 48)."""

import pandas as pd

from pairedeval.labels.annotations import Annotations
from pairedeval.labels.cohorts import ACCEPTED, COMPATIBLE, INCOMPATIBLE, MATCHED, ORIGINAL, SUBSETS
from pairedeval.states import STATES, conditional_mean

MEANS = (
    "clean_accuracy",
    "perturbed_accuracy",
    "agreement",
    *STATES,
    "retained_equal",
    "retained_different",
    "accepted_error_transition",
    "lost_acceptance",
    "confidence_drop",
)
ENDPOINT_COUNTS = (
    "classes",
    "shortened_classes",
    "lost_acceptance_differing",
    "confidence_drop_differing",
    "narrower_classes",
    "formula_differing",
)
# States by original labels whose pairs may move, and the columns that say which do.
MOVES = {
    "harmful_flips_moved": ("harmful_flip", "moved_harmful_flip"),
    "changed_errors_moved": ("changed_error", "moved_changed_error"),
}


def summarise_labels(cells: pd.DataFrame) -> pd.DataFrame:
    """Average over models and conditions, cells weighted equally.

    Parameters
    ----------
    cells
        Cells of `comparison.compare_records`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``subset`` and ``labels``: ``images``, ``cells``, the means of `MEANS` (shares) and
        ``undefined``, the number of cells without a dM_k, left out of its mean. NaN where the subset has no image.
    """
    grouped = cells.groupby(["source", "subset", "labels"], sort=False)
    summary = grouped[[*MEANS]].mean()
    summary.insert(0, "images", grouped["images"].first())
    summary.insert(1, "cells", grouped.size())
    return summary.assign(undefined=grouped.size() - grouped["confidence_drop"].count()).reset_index()


def summarise_changes(cells: pd.DataFrame, annotations: Annotations) -> pd.DataFrame:
    """Say what accepted labels change on the matched images of each source.

    Parameters
    ----------
    cells
        Cells of `comparison.compare_records`.
    annotations
        The accepted labels.

    Returns
    -------
    pandas.DataFrame
        One row a ``source``: ``annotations`` and ``description`` (name and origin of the accepted labels), ``cells``;
        numbers of images ``evaluation_images``, ``excluded`` (without an accepted label), ``matched``, ``compatible``,
        ``incompatible``, ``retained`` and ``removed`` (the subsets of `cohorts.MatchedRecords`); ``accuracy_change``,
        mean perturbed accuracy by accepted minus by original labels, and its parts ``compatible_change`` and
        ``incompatible_change``, both with all matched images as denominator; ``harmful_flips_moved`` and
        ``changed_errors_moved``, the share of all pairs in that state by original labels which are in another one by
        accepted labels, NaN if there are none, with ``_cellwise`` its mean over the cells that have some, and with
        ``_cells`` their number; and ``identity_residual``, by how much Eq. 15 is missed at most.
    """
    rows = []
    for source, part in cells.groupby("source", sort=False):
        parts = dict(list(part.groupby(["subset", "labels"], sort=False)))
        both = {name: (parts[name, ORIGINAL], parts[name, ACCEPTED]) for name in SUBSETS}
        original, accepted = both[MATCHED]
        images = {name: int(both[name][0]["images"].iloc[0]) for name in SUBSETS}
        rows.append(
            {
                "source": source,
                "annotations": annotations.name,
                "description": annotations.description,
                "cells": len(original),
                "evaluation_images": images[MATCHED] + int(original["excluded"].iloc[0]),
                "excluded": int(original["excluded"].iloc[0]),
                **images,
                "accuracy_change": _accuracy_change(original, accepted),
                **{
                    f"{name}_change": _accuracy_change(*both[name]) * images[name] / images[MATCHED]
                    if images[name]
                    else 0.0
                    for name in (COMPATIBLE, INCOMPATIBLE)
                },
                **_moved(original, accepted),
                "identity_residual": part["identity_residual"].max(),
            }
        )
    return pd.DataFrame(rows)


def _accuracy_change(original: pd.DataFrame, accepted: pd.DataFrame) -> float:
    return float(accepted["perturbed_accuracy"].mean() - original["perturbed_accuracy"].mean())


def _moved(original: pd.DataFrame, accepted: pd.DataFrame) -> dict[str, float | int]:
    """Divide moved pairs by the pairs of their original state; both frames hold the same cells in the same order."""
    found: dict[str, float | int] = {}
    for name, (state, moved) in MOVES.items():
        before, after = original[state].to_numpy(), accepted[moved].to_numpy()
        by_cell = pd.Series(conditional_mean(after, before))
        found[name] = float(conditional_mean(after.sum(), before.sum()))
        found[f"{name}_cellwise"] = float(by_cell.mean())
        found[f"{name}_cells"] = int(by_cell.count())
    return found


def summarise_endpoints(endpoints: pd.DataFrame) -> pd.DataFrame:
    """Add up the endpoint checks of each source.

    Parameters
    ----------
    endpoints
        Endpoints of `comparison.compare_records`.

    Returns
    -------
    pandas.DataFrame
        One row a ``source``: ``cells``, then the sums of `ENDPOINT_COUNTS`.
    """
    grouped = endpoints.groupby("source", sort=False)
    summary = grouped[[*ENDPOINT_COUNTS]].sum()
    summary.insert(0, "cells", grouped.size())
    return summary.reset_index()
