"""Answers about one cell as plain values: the objects that ``pairedeval bounds`` and ``policies`` print as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pairedeval.identification import LEVELS, ClassStates, Identification, identify, identify_separate
from pairedeval.identification.levels import (
    ACCEPTED_ERROR,
    ACCEPTED_ERROR_TRANSITION,
    CONFIDENCE_DROP,
    LOST_ACCEPTANCE,
    MARGINAL,
    Interval,
)
from pairedeval.own.cells import Cell
from pairedeval.policies import PolicyBounds, PolicyComparison, compare_policies, compare_policies_separate
from pairedeval.policies.selection import FIXED_80, select_policies
from pairedeval.states import response_states

Answer = dict[str, Any]

_BOUNDED = (ACCEPTED_ERROR_TRANSITION, LOST_ACCEPTANCE, CONFIDENCE_DROP)


def bounds_answer(cell: Cell, threshold: float, levels: Sequence[str], known: ClassStates | None = None) -> Answer:
    """Answer what one cell determines about the targets.

    Parameters
    ----------
    cell
        Records of both sides.
    threshold
        Acceptance threshold of both sides.
    levels
        Information levels to report, as far as the pairing or `known` supplies them.
    known
        Joint counts where the pairing is unknown.

    Returns
    -------
    dict
        Shares and counts: the cell's keys, ``n``, ``overlap`` (K), ``states`` (counts), ``observed``,
        ``accepted_error`` (E_tau) and ``levels`` with an interval per target. None stands for what is not known,
        and for a dM_k without a possible retained-correct pair.
    """
    block = cell.block
    found = identify(block, threshold, levels) if cell.paired else identify_separate(block, threshold, known)
    return {
        **cell.keys,
        "n": found.size,
        "overlap": None if found.overlap is None else int(found.overlap[0]),
        "states": _states(cell, known),
        "observed": {name: _number(_observed(found, name)) for name in _BOUNDED} if cell.paired else None,
        "accepted_error": _number(found.targets[ACCEPTED_ERROR].intervals[levels[0]].lower),
        "levels": {
            level: {name: _interval(found.targets[name].intervals[level]) for name in _BOUNDED} for level in levels
        },
    }


def policies_answer(
    cell: Cell,
    threshold: float,
    thresholds: Sequence[float],
    weight: float,
    levels: Sequence[str],
    known: ClassStates | None = None,
) -> Answer:
    """Answer how rejection policies compare in one cell.

    Parameters
    ----------
    cell, threshold, levels, known
        As for `bounds_answer`; the threshold is that of the clean side.
    thresholds
        Perturbed-side threshold of each policy; policies may repeat.
    weight
        Weight lambda of accepted-error transitions; lost acceptances have 1 - lambda.

    Returns
    -------
    dict
        Shares: the cell's keys, ``n``, ``policy_thresholds``, ``weight``, ``observed``, ``accepted_error`` per policy
        and ``levels``. Policies are numbered from 0. ``certified`` lists pairs [j, l] in which policy j costs less than
        policy l under every possible pairing. In ``selected``, ties go to the policy that stands first, and
        ``fixed_80`` is the one that keeps the clean threshold (which the paper sets at 80% clean coverage), None
        if none does.
    """
    policies = np.asarray(thresholds, dtype=float)
    if cell.paired:
        needed = [level for level in LEVELS if level in levels or level == MARGINAL]
        comparison = compare_policies(cell.block, threshold, policies, (weight,), needed)
    else:
        comparison = compare_policies_separate(cell.block, threshold, policies, (weight,), known)
    fixed = next((place for place, value in enumerate(thresholds) if value == threshold), None)
    observed = comparison.observed
    return {
        **cell.keys,
        "n": len(cell.block.labels),
        "policy_thresholds": [float(value) for value in thresholds],
        "weight": float(weight),
        "observed": None if observed is None else {"cost": _numbers(observed[0, 0])},
        "accepted_error": _numbers(comparison.accepted_error[0]),
        "levels": {level: _policy_level(comparison, level, fixed) for level in levels},
    }


def _policy_level(comparison: PolicyComparison, level: str, fixed: int | None) -> Answer:
    found: PolicyBounds = comparison.levels[level]
    selected = {rule: int(chosen[0, 0]) for rule, chosen in select_policies(comparison, level).items()}
    return {
        "cost": _numbers(np.stack([found.cost.lower[0, 0], found.cost.upper[0, 0]], axis=1)),
        "mean_cost": _numbers(found.mean_cost[0, 0]),
        "difference_upper": _numbers(found.difference_upper[0, 0]),
        "worst_case_regret": _numbers(found.worst_case_regret[0, 0]),
        "certified": np.argwhere(found.certified[0, 0]).tolist(),
        "selected": {**selected, FIXED_80: fixed},
    }


def _states(cell: Cell, known: ClassStates | None) -> dict[str, int] | None:
    """Count the five states of the observed pairs, or add up supplied ones (Appendix A.1)."""
    if cell.paired:
        states: Mapping[str, np.ndarray] = vars(response_states(cell.block))
        return {name: int(flags.sum()) for name, flags in zip("hrswk", states.values(), strict=True)}
    if known is None or known.persistent is None:
        return None
    block = cell.block
    overlap, persistent = int(known.overlap.sum()), int(known.persistent.sum())
    flips = int((block.clean.prediction == block.labels).sum()) - overlap
    corrections = int((block.perturbed.prediction == block.labels).sum()) - overlap
    changed = len(block.labels) - overlap - flips - corrections - persistent
    return {"h": flips, "r": corrections, "s": persistent, "w": changed, "k": overlap}


def _observed(found: Identification, target: str) -> np.ndarray:
    observed = found.targets[target].observed
    assert observed is not None
    return observed


def _interval(interval: Interval) -> list[float] | None:
    low, high = _number(interval.lower), _number(interval.upper)
    return None if low is None or high is None else [low, high]


def _number(values: np.ndarray) -> float | None:
    """Return the one entry; None where it is undefined."""
    value = float(values[0])
    return None if np.isnan(value) else value + 0.0  # no negative zero


def _numbers(values: np.ndarray) -> list[Any]:
    numbers: list[Any] = (values + 0.0).tolist()
    return numbers
