"""From record files to tidy tables: bounds, directed comparisons and selections of policies in the panel's cells."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.policies.differences import PolicyComparison, compare_policies
from pairedeval.policies.selection import RULES, realized_regret, select_policies
from pairedeval.policies.thresholds import COVERAGES, WEIGHTS, policy_thresholds
from pairedeval.records import DEVELOPMENT, EVALUATION, Predictions, RecordBlock, block, read_records
from pairedeval.states import PRIMARY_COVERAGE, acceptance_threshold


@dataclass(frozen=True)
class PolicyTables:
    """Tidy results, all with ``source``, ``model``, ``condition``, ``level`` and ``weight``; costs are shares.

    Attributes
    ----------
    bounds
        One row a policy: ``policy``, ``coverage``, ``lower``, ``upper``, ``mean_cost``, ``worst_case_regret``,
        ``observed``, ``accepted_error``.
    comparisons
        One row a directed pair: ``policy``, ``other``, ``difference_upper``, ``separate_upper`` (upper end of the one
        minus lower end of the other), ``mixed`` (correct and wrong records switch acceptance between them).
    selections
        One row a rule: ``rule``, ``selected``, ``cost``, ``regret`` (realized under the observed correspondence).
    """

    bounds: pd.DataFrame
    comparisons: pd.DataFrame
    selections: pd.DataFrame


def compare_source(
    paths: Iterable[str | Path],
    panel: pd.DataFrame,
    weights: Sequence[float] = WEIGHTS,
    coverages: Sequence[float] = COVERAGES,
) -> PolicyTables:
    """Compare the policies in the panel's cells of one source.

    Parameters
    ----------
    paths
        One record file a model.
    panel
        Columns ``source``, ``model`` and ``condition``.
    weights
        Weights lambda of accepted-error transitions.
    coverages
        Clean-development coverage of each policy.
    """
    tables = []
    for path in paths:
        frame, metadata = read_records(path)
        cells = panel[(panel["source"] == metadata["source"]) & (panel["model"] == metadata["model"])]
        if len(cells):
            tables.append(compare_records(frame, metadata, cells["condition"], weights, coverages, str(path)))
    if not tables:
        raise RecordsError("no record file holds a cell of the panel; select the panel from these models")
    return PolicyTables(*(pd.concat([getattr(table, name) for table in tables], ignore_index=True) for name in _TABLES))


_TABLES = tuple(PolicyTables.__dataclass_fields__)


def compare_records(
    frame: pd.DataFrame,
    metadata: Mapping[str, Any],
    conditions: Iterable[str],
    weights: Sequence[float] = WEIGHTS,
    coverages: Sequence[float] = COVERAGES,
    place: str = "records",
) -> PolicyTables:
    """Compare the policies of one model under some conditions, on its evaluation records.

    Raises
    ------
    RecordsError
        If a split, the clean condition or one of `conditions` is missing.
    """
    confidence = block(frame, DEVELOPMENT, place).clean.confidence
    evaluation = chosen_conditions(block(frame, EVALUATION, place), list(conditions), place)
    threshold = acceptance_threshold(confidence, PRIMARY_COVERAGE)
    comparison = compare_policies(evaluation, threshold, policy_thresholds(confidence, coverages), weights)
    tables = []
    for level in comparison.levels:
        bounds, comparisons = _bounds_table(comparison, level, coverages), _comparison_table(comparison, level)
        tables.append((bounds, comparisons, _selection_table(comparison, level, coverages)))
    joined = (pd.concat(parts, ignore_index=True) for parts in zip(*tables, strict=True))
    keys = {"source": metadata["source"], "model": metadata["model"]}
    return PolicyTables(*(_with_keys(table, keys) for table in joined))


def chosen_conditions(records: RecordBlock, conditions: Sequence[str], place: str) -> RecordBlock:
    """Keep some conditions of a block, in the given order."""
    absent = [condition for condition in conditions if condition not in records.conditions]
    if absent:
        raise RecordsError(f"{place}: no records of condition {absent[0]}; infer it or select another panel")
    rows = [records.conditions.index(condition) for condition in conditions]
    side = records.perturbed
    perturbed = Predictions(side.prediction[rows], side.confidence[rows], side.true_class_probability[rows])
    return replace(records, conditions=tuple(conditions), perturbed=perturbed)


def _bounds_table(comparison: PolicyComparison, level: str, coverages: Sequence[float]) -> pd.DataFrame:
    found = comparison.levels[level]
    shape = found.mean_cost.shape
    table = _grid(comparison, level, {"policy": shape[-1]})
    table["coverage"] = np.asarray(coverages)[table["policy"]]
    columns = {
        "lower": found.cost.lower,
        "upper": found.cost.upper,
        "mean_cost": found.mean_cost,
        "worst_case_regret": found.worst_case_regret,
        "observed": comparison.observed,
        "accepted_error": np.broadcast_to(comparison.accepted_error, shape),
    }
    return table.assign(**{name: np.ravel(values) for name, values in columns.items() if values is not None})


def _comparison_table(comparison: PolicyComparison, level: str) -> pd.DataFrame:
    found = comparison.levels[level]
    shape = found.difference_upper.shape
    separate = found.cost.upper[..., :, None] - found.cost.lower[..., None, :]
    table = _grid(comparison, level, {"policy": shape[-2], "other": shape[-1]}).assign(
        difference_upper=found.difference_upper.ravel(),
        separate_upper=separate.ravel(),
        mixed=np.broadcast_to(comparison.mixed, shape).ravel(),
    )
    return table[table["policy"] != table["other"]]


def _selection_table(comparison: PolicyComparison, level: str, coverages: Sequence[float]) -> pd.DataFrame:
    selected = select_policies(comparison, level, coverages)
    chosen = np.stack([selected[rule] for rule in RULES], axis=-1)
    table = _grid(comparison, level, {"rule": len(RULES)})
    table["rule"] = np.array(RULES, dtype=object)[table["rule"]]
    table["selected"] = chosen.ravel()
    if comparison.observed is None:
        return table
    regret = np.stack([realized_regret(comparison.observed, selected[rule]) for rule in RULES], axis=-1)
    cost = np.take_along_axis(comparison.observed, chosen, axis=-1)
    return table.assign(cost=cost.ravel(), regret=regret.ravel())


def _grid(comparison: PolicyComparison, level: str, axes: Mapping[str, int]) -> pd.DataFrame:
    """Lay out the index of arrays of shape ``(weights, conditions, *axes)``."""
    shape = (len(comparison.weights), len(comparison.conditions), *axes.values())
    weight, condition, *others = (place.ravel() for place in np.indices(shape))
    names = np.array(comparison.conditions, dtype=object)
    table = pd.DataFrame({"weight": comparison.weights[weight], "condition": names[condition], "level": level})
    return table.assign(**dict(zip(axes, others, strict=True)))


def _with_keys(table: pd.DataFrame, keys: Mapping[str, str]) -> pd.DataFrame:
    first = [*keys, "condition", "level", "weight"]
    table = table.assign(**keys)
    return table[[*first, *(column for column in table.columns if column not in first)]]
