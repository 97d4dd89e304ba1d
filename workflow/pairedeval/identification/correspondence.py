"""Three checks of correspondence information, one row a cell: behind Tables 9 to 11 (Appendices B.4, C.2, C.3)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.identification.accuracy_only import accuracy_bounds
from pairedeval.identification.classes import Classes
from pairedeval.identification.decomposition import decompose
from pairedeval.identification.variance import variance_ratio
from pairedeval.records import EVALUATION, RecordBlock, block, read_records


def check_source(paths: Iterable[str | Path], tiers: pd.DataFrame) -> pd.DataFrame:
    """Compute `check_records` for all models of one source.

    Parameters
    ----------
    paths
        One record file a model, in the order of the result.
    tiers
        Columns ``condition`` and ``tier`` of this source.
    """
    tier_by_condition = dict(zip(tiers["condition"], tiers["tier"], strict=True))
    return pd.concat(
        [check_records(*read_records(path), tier_by_condition, str(path)) for path in paths], ignore_index=True
    )


def check_records(
    frame: pd.DataFrame, metadata: Mapping[str, Any], tiers: Mapping[str, str], place: str = "records"
) -> pd.DataFrame:
    """Check the correspondence information in the evaluation records of one model.

    Parameters
    ----------
    frame
        Checked records of one model and source.
    metadata
        Holds ``source``, ``model`` and ``group``.
    tiers
        Tier per condition.
    place
        What a message calls the records.

    Returns
    -------
    pandas.DataFrame
        One row a condition: ``source``, ``model``, ``group``, ``condition``, ``tier``, then the columns of
        `check_block`.

    Raises
    ------
    RecordsError
        If the evaluation split or the clean condition is missing, or a condition has no tier.
    """
    evaluation = block(frame, EVALUATION, place)
    untiered = [condition for condition in evaluation.conditions if condition not in tiers]
    if untiered:
        raise RecordsError(f"{place}: condition {untiered[0]} has no tier; assign tiers from all models' records first")
    cells = check_block(evaluation)
    keys = {name: metadata[name] for name in ("source", "model", "group")}
    return cells.assign(**keys, tier=cells["condition"].map(tiers))[
        [*keys, "condition", "tier", *(column for column in cells.columns if column != "condition")]
    ]


def check_block(evaluation: RecordBlock) -> pd.DataFrame:
    """Compute the three checks of every condition.

    Returns
    -------
    pandas.DataFrame
        ``condition``, ``n``; of the decomposition ``overlap`` and ``independent_overlap`` (pairs),
        ``confidence_drop`` (observed dM_k), ``paired_minus_independent``, ``composition`` (W) and ``selection`` (V);
        of the variance
        ``variance_ratio_C``, ``_S`` and ``_M``; of accuracies alone ``overlap_classwise_lower``, ``_upper``,
        ``overlap_global_lower``, ``_upper``, ``gross_flips`` (observed h + r), ``net_change`` (A - B) and
        ``pinned_classes``. Shares, but for the overlaps; NaN where undefined.
    """
    classes = Classes.of(evaluation.labels)
    correct = evaluation.clean.prediction == evaluation.labels
    still_correct = evaluation.perturbed.prediction == evaluation.labels
    parts = decompose(evaluation)
    bounds = accuracy_bounds(classes.sizes, classes.count(correct), classes.count(still_correct))
    pairs = {
        "C": (correct, still_correct),
        "S": (evaluation.clean.confidence, evaluation.perturbed.confidence),
        "M": (evaluation.clean.true_class_probability, evaluation.perturbed.true_class_probability),
    }
    return pd.DataFrame(
        {
            "condition": np.array(evaluation.conditions, dtype=object),
            "n": len(evaluation.labels),
            "overlap": parts.overlap,
            "independent_overlap": parts.independent_overlap,
            "confidence_drop": parts.confidence_drop,
            "paired_minus_independent": parts.composition + parts.selection,
            "composition": parts.composition,
            "selection": parts.selection,
            **{f"variance_ratio_{measure}": variance_ratio(*sides) for measure, sides in pairs.items()},
            "overlap_classwise_lower": bounds.classwise_overlap.lower,
            "overlap_classwise_upper": bounds.classwise_overlap.upper,
            "overlap_global_lower": bounds.global_overlap.lower,
            "overlap_global_upper": bounds.global_overlap.upper,
            "gross_flips": (correct != still_correct).mean(axis=1),
            "net_change": bounds.net_change,
            "pinned_classes": bounds.pinned,
        }
    )
