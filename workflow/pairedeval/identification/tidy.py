"""From record files of one source to two tidy tables: one row a cell, and twelve rows of bounds a cell."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.identification.engine import identify
from pairedeval.identification.levels import LEVELS, TARGETS, Identification
from pairedeval.records import DEVELOPMENT, EVALUATION, block, read_records
from pairedeval.states import PRIMARY_COVERAGE, acceptance_threshold, cell_metrics

CELL_KEYS = ("source", "model", "condition")


def identify_source(
    paths: Iterable[str | Path],
    tiers: pd.DataFrame,
    coverage: float = PRIMARY_COVERAGE,
    levels: Sequence[str] = LEVELS,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute the *cells* and the *bounds* of all models of one source.

    Parameters
    ----------
    paths
        One record file a model, in the order of the result.
    tiers
        Columns ``condition`` and ``tier`` of this source.
    coverage
        Share of the clean development records that the acceptance threshold accepts.
    levels
        Information levels to compute.

    Returns
    -------
    cells, bounds
        See `identify_records`.
    """
    tier_by_condition = dict(zip(tiers["condition"], tiers["tier"], strict=True))
    tables = [identify_records(*read_records(path), tier_by_condition, coverage, levels, str(path)) for path in paths]
    cells, bounds = (pd.concat(parts, ignore_index=True) for parts in zip(*tables, strict=True))
    return cells, bounds


def identify_records(
    frame: pd.DataFrame,
    metadata: Mapping[str, Any],
    tiers: Mapping[str, str],
    coverage: float = PRIMARY_COVERAGE,
    levels: Sequence[str] = LEVELS,
    place: str = "records",
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Analyse the evaluation records of one model at the threshold of its clean development records.

    Parameters
    ----------
    frame
        Checked records of one model and source.
    metadata
        Holds ``source``, ``model`` and ``group``.
    tiers
        Tier per condition.
    coverage
        As for `identify_source`.
    levels
        Information levels to compute.
    place
        What a message calls the records.

    Returns
    -------
    cells
        One row a condition: ``source``, ``model``, ``group``, ``condition``, ``tier``, then the columns of
        `states.cell_metrics`.
    bounds
        One row a condition, target and level: ``source``, ``model``, ``condition``, ``target`` (the paper's symbol),
        ``level``, ``lower``, ``upper``, ``width``, ``observed``, ``independent``, in shares; NaN where dM_k is
        undefined.

    Raises
    ------
    RecordsError
        If a split or the clean condition is missing, or a condition has no tier.
    """
    threshold = acceptance_threshold(block(frame, DEVELOPMENT, place).clean.confidence, coverage)
    evaluation = block(frame, EVALUATION, place)
    untiered = [condition for condition in evaluation.conditions if condition not in tiers]
    if untiered:
        raise RecordsError(f"{place}: condition {untiered[0]} has no tier; assign tiers from all models' records first")
    source, model, group = (metadata[key] for key in ("source", "model", "group"))
    cells = cell_metrics(evaluation, threshold)
    for position, (name, value) in enumerate({"source": source, "model": model, "group": group}.items()):
        cells.insert(position, name, value)
    cells.insert(4, "tier", cells["condition"].map(tiers))
    bounds = bounds_table(identify(evaluation, threshold, levels))
    bounds.insert(0, "source", source)
    bounds.insert(1, "model", model)
    return cells, bounds


def bounds_table(found: Identification) -> pd.DataFrame:
    """Lay out bounds as rows: ``condition``, ``target``, ``level``, ``lower``, ``upper``, ``width`` and references."""
    levels = tuple(found.targets[TARGETS[0]].intervals)
    shape = (len(found.conditions), len(TARGETS), len(levels))

    def column(values: Iterable[np.ndarray]) -> np.ndarray:
        """Order values given by target, then level, by condition first."""
        return np.stack(list(values), axis=1).reshape(-1)

    targets = [found.targets[target] for target in TARGETS]
    unknown = np.full(len(found.conditions), np.nan)
    return pd.DataFrame(
        {
            "condition": np.repeat(np.array(found.conditions, dtype=object), shape[1] * shape[2]),
            "target": np.tile(np.repeat(TARGETS, shape[2]), shape[0]),
            "level": np.tile(levels, shape[0] * shape[1]),
            "lower": column(target.intervals[level].lower for target in targets for level in levels),
            "upper": column(target.intervals[level].upper for target in targets for level in levels),
            "width": column(target.intervals[level].width for target in targets for level in levels),
            "observed": column(
                unknown if target.observed is None else target.observed for target in targets for _ in levels
            ),
            "independent": column(target.independent for target in targets for _ in levels),
        }
    )
