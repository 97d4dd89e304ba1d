"""From record files to tidy tables: bounds, directed comparisons and selections of policies in chosen cells."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.files import read_metadata, read_table
from pairedeval.policies.differences import PolicyComparison, compare_policies
from pairedeval.policies.selection import RULES, realized_cost, realized_regret, select_policies
from pairedeval.policies.thresholds import COVERAGES, WEIGHTS, policy_thresholds
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION, Predictions, RecordBlock, block, check_records
from pairedeval.states import PRIMARY_COVERAGE, acceptance_threshold


@dataclass(frozen=True)
class PolicyTables:
    """Tidy results, all with ``source``, ``model``, ``condition``, ``level`` and ``weight``; costs are shares.

    Attributes
    ----------
    bounds
        One row a policy: ``policy``, ``coverage`` (nominal, clean development), ``threshold``, ``lower``, ``upper``,
        ``event_upper`` (the upper end by Lemma 1), ``mean_cost``, ``worst_case_regret``, ``observed``, ``dominated``
        (another policy costs strictly less under every feasible correspondence), ``natural_lower`` and
        ``natural_upper`` (bounds of J'), ``accepted_error`` and ``perturbed_coverage`` (evaluation records), ``action``
        (first policy that accepts the same records).
    comparisons
        One row a directed pair: ``policy``, ``other``, ``difference_upper``, ``separate_upper`` (upper end of the one
        minus lower end of the other), ``natural_difference_upper`` (of J'), ``mixed`` (correct and wrong records
        switch acceptance between them).
    selections
        One row a rule: ``rule``, ``selected``, ``cost``, ``regret`` (realized under the observed correspondence).
    """

    bounds: pd.DataFrame
    comparisons: pd.DataFrame
    selections: pd.DataFrame


_TABLES = tuple(PolicyTables.__dataclass_fields__)


def compare_source(
    paths: Iterable[str | Path],
    cells: pd.DataFrame,
    weights: Sequence[float] = WEIGHTS,
    coverages: Sequence[float] = COVERAGES,
    clean_coverage: float = PRIMARY_COVERAGE,
) -> PolicyTables:
    """Compare the policies in chosen cells of one source.

    Parameters
    ----------
    paths
        One record file a model.
    cells
        Columns ``source``, ``model`` and ``condition``: the panel, or the cells of the full grid. Other sources and
        models than those of the files are left out.
    weights
        Weights lambda of accepted-error transitions.
    coverages
        Clean-development coverage of each policy.
    clean_coverage
        Clean-development coverage of the clean side's threshold.

    Raises
    ------
    RecordsError
        If no file holds a cell, or a file lacks a split or a condition.
    """
    tables = []
    for path in paths:
        metadata = read_metadata(path)
        chosen = cells[(cells["source"] == metadata["source"]) & (cells["model"] == metadata["model"])]
        if len(chosen):
            frame = _read_conditions(path, [CLEAN, *chosen["condition"]])
            tables.append(
                compare_records(frame, metadata, chosen["condition"], weights, coverages, clean_coverage, str(path))
            )
    if not tables:
        raise RecordsError("no record file holds a cell to compare; select the cells from these models")
    return PolicyTables(*(pd.concat([getattr(table, name) for table in tables], ignore_index=True) for name in _TABLES))


def _read_conditions(path: str | Path, conditions: Sequence[str]) -> pd.DataFrame:
    """Read some conditions of a record file and check them alone, which is much faster than to check all."""
    frame = read_table(path)
    if "condition" in frame:
        frame = frame[frame["condition"].isin(conditions)]
    check_records(frame, str(path))
    return frame


def compare_records(
    frame: pd.DataFrame,
    metadata: Mapping[str, Any],
    conditions: Iterable[str],
    weights: Sequence[float] = WEIGHTS,
    coverages: Sequence[float] = COVERAGES,
    clean_coverage: float = PRIMARY_COVERAGE,
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
    sides = (evaluation, acceptance_threshold(confidence, clean_coverage), policy_thresholds(confidence, coverages))
    comparison, natural = (compare_policies(*sides, weights, natural=cost) for cost in (False, True))
    tables = (
        _bounds_table(comparison, natural, coverages),
        _comparison_table(comparison, natural),
        _selection_table(comparison, coverages),
    )
    keys = {"source": metadata["source"], "model": metadata["model"]}
    return PolicyTables(*(_with_keys(table, keys) for table in tables))


def chosen_conditions(records: RecordBlock, conditions: Sequence[str], place: str) -> RecordBlock:
    """Keep some conditions of a block, in the given order."""
    absent = [condition for condition in conditions if condition not in records.conditions]
    if absent:
        raise RecordsError(f"{place}: no records of condition {absent[0]}; infer it or select another panel")
    rows = [records.conditions.index(condition) for condition in conditions]
    side = records.perturbed
    perturbed = Predictions(side.prediction[rows], side.confidence[rows], side.true_class_probability[rows])
    return replace(records, conditions=tuple(conditions), perturbed=perturbed)


def _bounds_table(comparison: PolicyComparison, natural: PolicyComparison, coverages: Sequence[float]) -> pd.DataFrame:
    levels = list(comparison.levels.values())
    table = _grid(comparison, {"policy": len(coverages)})
    policy = table["policy"].to_numpy()
    columns: dict[str, Any] = {
        "lower": [found.cost.lower for found in levels],
        "upper": [found.cost.upper for found in levels],
        "event_upper": [found.event_upper for found in levels],
        "mean_cost": [found.mean_cost for found in levels],
        "worst_case_regret": [found.worst_case_regret for found in levels],
        "observed": comparison.observed,
        "dominated": [found.dominated for found in levels],
        "natural_lower": [found.cost.lower for found in natural.levels.values()],
        "natural_upper": [found.cost.upper for found in natural.levels.values()],
        "accepted_error": comparison.accepted_error,
        "perturbed_coverage": comparison.coverage,
        "action": comparison.actions,
    }
    shape = (len(levels), *levels[0].mean_cost.shape)
    table = table.assign(coverage=np.asarray(coverages)[policy], threshold=comparison.thresholds[policy])
    return table.assign(**{name: np.broadcast_to(values, shape).ravel() for name, values in columns.items()})


def _comparison_table(comparison: PolicyComparison, natural: PolicyComparison) -> pd.DataFrame:
    levels = list(comparison.levels.values())
    difference = np.stack([found.difference_upper for found in levels])
    separate = [found.cost.upper[..., :, None] - found.cost.lower[..., None, :] for found in levels]
    table = _grid(comparison, {"policy": difference.shape[-2], "other": difference.shape[-1]}).assign(
        difference_upper=difference.ravel(),
        separate_upper=np.ravel(separate),
        natural_difference_upper=np.ravel([found.difference_upper for found in natural.levels.values()]),
        mixed=np.broadcast_to(comparison.mixed, difference.shape).ravel(),
    )
    return table[table["policy"] != table["other"]]


def _selection_table(comparison: PolicyComparison, coverages: Sequence[float]) -> pd.DataFrame:
    observed = comparison.observed
    assert observed is not None  # the pairing of records is known
    chosen = [select_policies(comparison, level, coverages) for level in comparison.levels]
    columns = {
        "selected": [[selected[rule] for rule in RULES] for selected in chosen],
        "cost": [[realized_cost(observed, selected[rule]) for rule in RULES] for selected in chosen],
        "regret": [[realized_regret(observed, selected[rule]) for rule in RULES] for selected in chosen],
    }
    table = _grid(comparison, {"rule": len(RULES)})
    return table.assign(
        rule=pd.Index(RULES).take(table["rule"].to_numpy()),
        **{name: np.moveaxis(np.array(values), 1, -1).ravel() for name, values in columns.items()},
    )


def _grid(comparison: PolicyComparison, axes: Mapping[str, int]) -> pd.DataFrame:
    """Lay out the index of arrays of shape ``(levels, weights, conditions, *axes)``."""
    shape = (len(comparison.levels), len(comparison.weights), len(comparison.conditions), *axes.values())
    level, weight, condition, *others = (place.ravel() for place in np.indices(shape))
    return pd.DataFrame(
        {
            "condition": pd.Index(comparison.conditions).take(condition),
            "level": pd.Index(list(comparison.levels)).take(level),
            "weight": comparison.weights[weight],
            **dict(zip(axes, others, strict=True)),
        }
    )


def _with_keys(table: pd.DataFrame, keys: Mapping[str, str]) -> pd.DataFrame:
    columns = list(table.columns)
    return table.assign(**keys)[[*keys, *columns]]
