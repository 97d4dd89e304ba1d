"""Policies on shared correspondences: cost intervals, mean costs, sharp differences, worst-case regret (Appendix D)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pairedeval.identification.class_states import ClassStates, check_states, observed_states
from pairedeval.identification.classes import Classes
from pairedeval.identification.events import Range
from pairedeval.identification.levels import LEVELS, MARGINAL, OVERLAP, STRICTNESS, Interval
from pairedeval.policies.costs import (
    LARGEST_COST,
    LARGEST_DIFFERENCE,
    SMALLEST_COST,
    SMALLEST_DIFFERENCE,
    Corner,
    Switch,
    extreme,
)
from pairedeval.policies.means import mean_events
from pairedeval.policies.switches import Switches
from pairedeval.policies.thresholds import PRIMARY_WEIGHT
from pairedeval.records import RecordBlock
from pairedeval.states import outcomes, response_states


@dataclass(frozen=True)
class PolicyBounds:
    """What one information level says about the policies' costs, in shares.

    Attributes
    ----------
    cost
        Sharp interval of the cost of each policy, ends of shape ``(weights, conditions, policies)``.
    event_upper
        Its upper end as Lemma 1 gives it, from the separate bounds of both events (Eq. 8), same shape; None for natural
        costs.
    mean_cost
        Mean cost over all feasible correspondences, equally weighted, same shape.
    difference_upper
        Entry ``[..., j, l]`` is the largest cost of policy j minus that of policy l under one common correspondence
        (D+, Eq. 11), shape ``(weights, conditions, policies, policies)``.
    """

    cost: Interval
    event_upper: np.ndarray | None
    mean_cost: np.ndarray
    difference_upper: np.ndarray

    @property
    def worst_case_regret(self) -> np.ndarray:
        """Largest regret of each policy (R, Eq. 11), shape ``(weights, conditions, policies)``."""
        regret: np.ndarray = self.difference_upper.max(axis=-1)
        return regret

    @property
    def certified(self) -> np.ndarray:
        """Whether policy j costs strictly less than policy l under every feasible correspondence."""
        certified: np.ndarray = self.difference_upper < -STRICTNESS
        return certified

    @property
    def dominated(self) -> np.ndarray:
        """Whether another policy costs strictly less under every feasible correspondence; ``(..., policies)``."""
        return np.asarray(self.certified.any(axis=-2))

    @property
    def separately_certified(self) -> np.ndarray:
        """Whether the separate sharp intervals of both policies already establish that."""
        apart: np.ndarray = self.cost.upper[..., :, None] - self.cost.lower[..., None, :] < -STRICTNESS
        return apart


@dataclass(frozen=True)
class PolicyComparison:
    """Comparison of the policies under each condition of one model.

    Attributes
    ----------
    conditions
        Ids of the conditions.
    weights
        Weight lambda of accepted-error transitions, shape ``(weights,)``.
    thresholds
        Perturbed-side threshold per policy, shape ``(policies,)``.
    accepted_error, coverage
        Share E_tau of accepted errors and of accepted records per policy, shape ``(conditions, policies)``.
    actions
        First policy that accepts the same records, per policy, same shape: policies of one action differ in name only.
    marginal_proxy
        lambda E_tau + (1 - lambda) P(correct and rejected), shape ``(weights, conditions, policies)``.
    mixed
        Whether correct and wrong records switch acceptance between two policies, shape
        ``(conditions, policies, policies)``.
    levels
        Bounds per information level.
    observed
        Cost under the observed correspondence, shape ``(weights, conditions, policies)``; None if it is unknown.
    """

    conditions: tuple[str, ...]
    weights: np.ndarray
    thresholds: np.ndarray
    accepted_error: np.ndarray
    coverage: np.ndarray
    actions: np.ndarray
    marginal_proxy: np.ndarray
    mixed: np.ndarray
    levels: Mapping[str, PolicyBounds]
    observed: np.ndarray | None


def compare_policies(
    block: RecordBlock,
    threshold: float,
    thresholds: np.ndarray,
    weights: Sequence[float] = (PRIMARY_WEIGHT,),
    levels: Sequence[str] = LEVELS,
    natural: bool = False,
) -> PolicyComparison:
    """Compare perturbed-side thresholds where the observed correspondence is known.

    Parameters
    ----------
    block
        Records of one model; equal positions belong together.
    threshold
        Acceptance threshold of the clean side.
    thresholds
        Perturbed-side threshold of each policy, shape ``(policies,)``.
    weights
        Weights lambda of accepted-error transitions; lost acceptances have 1 - lambda.
    levels
        Information levels.
    natural
        Whether the cost counts all accepted errors (J', Corollary 1) instead of their transitions (J, Eq. 10).
    """
    states = response_states(block)
    known = observed_states(Classes.of(block.labels), states)
    switches = Switches.of(block, threshold, thresholds, known, natural)
    clean = switches.judged.clean_accepted
    errors = ~switches.judged.perturbed_correct if natural else states.harmful_flip & clean
    observed = _weighted(
        np.asarray(weights, dtype=float),
        switches.share(errors & switches.accepted),
        switches.share(states.retained_correct & clean & ~switches.accepted),
    )
    return _compare(switches, weights, levels, observed)


def compare_policies_separate(
    block: RecordBlock,
    threshold: float,
    thresholds: np.ndarray,
    weights: Sequence[float] = (PRIMARY_WEIGHT,),
    known: ClassStates | None = None,
    natural: bool = False,
) -> PolicyComparison:
    """Compare policies on two sides whose pairing is unknown, with joint counts where supplied.

    Parameters as for `compare_policies`; `known` decides which levels are computed.

    Raises
    ------
    RecordsError
        If no correspondence has the supplied counts.
    """
    levels: Sequence[str] = (MARGINAL,)
    if known is not None:
        check_states(block, Classes.of(block.labels), outcomes(block, threshold), known)
        levels = (MARGINAL, OVERLAP) if known.persistent is None else LEVELS
    return _compare(Switches.of(block, threshold, thresholds, known, natural), weights, levels, None)


def _compare(
    switches: Switches, weights: Sequence[float], levels: Sequence[str], observed: np.ndarray | None
) -> PolicyComparison:
    weight = np.asarray(weights, dtype=float)
    policies = len(switches.thresholds)
    mixed = np.zeros((len(switches.block.conditions), policies, policies), dtype=bool)
    for lenient, strict, switch in switches.pairs():
        both = switch.wrong.any(axis=1) & switch.correct.any(axis=1)
        mixed[:, lenient, strict] = mixed[:, strict, lenient] = both
    return PolicyComparison(
        conditions=switches.block.conditions,
        weights=weight,
        thresholds=switches.thresholds,
        accepted_error=switches.accepted_error,
        coverage=switches.coverage,
        actions=switches.actions,
        marginal_proxy=_weighted(weight, switches.accepted_error, switches.rejected_correct),
        mixed=mixed,
        levels={level: _bounds(switches, weight, level) for level in levels},
        observed=observed,
    )


def _bounds(switches: Switches, weights: np.ndarray, level: str) -> PolicyBounds:
    policies, size = len(switches.thresholds), len(switches.block.labels)
    shape = (len(weights), len(switches.block.conditions), policies)
    lower, upper, by_events = (np.zeros(shape) for _ in range(3))
    difference = np.zeros((*shape, policies))

    def extremes(switch: Switch, flips: Range | None, *corners: Corner) -> list[np.ndarray]:
        return [extreme(switches.candidates(level, switch, flips, corner), weights, corner, size) for corner in corners]

    for policy in range(policies):
        switch = switches.single(policy)
        flips = switches.flips(level, switch)
        lower[..., policy], upper[..., policy] = extremes(switch, flips, SMALLEST_COST, LARGEST_COST)
        by_events[..., policy] = extreme(switches.capped_candidates(switch, flips), weights, LARGEST_COST, size)
    for lenient, strict, switch in switches.pairs():
        least, most = extremes(switch, switches.flips(level, switch), SMALLEST_DIFFERENCE, LARGEST_DIFFERENCE)
        # Subtracted from zero: the negative of a zero would print as -0.
        difference[..., lenient, strict], difference[..., strict, lenient] = most, 0 - least
    return PolicyBounds(
        cost=Interval(lower, upper),
        event_upper=None if switches.natural else by_events,
        mean_cost=_weighted(weights, *mean_events(switches, level)),
        difference_upper=difference,
    )


def _weighted(weights: np.ndarray, transitions: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Weight events of shape ``(conditions, policies)`` to costs of shape ``(weights, conditions, policies)``."""
    weight = weights[:, None, None]
    cost: np.ndarray = weight * transitions + (1 - weight) * losses
    return cost
