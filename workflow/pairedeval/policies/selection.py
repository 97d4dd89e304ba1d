"""Rules that select one policy, and what the selection costs under the observed correspondence (Appendix D)."""

from collections.abc import Sequence

import numpy as np

from pairedeval.identification.levels import MARGINAL, STRICTNESS
from pairedeval.policies.differences import PolicyComparison
from pairedeval.states import PRIMARY_COVERAGE

MINIMAX_REGRET = "minimax_regret"
FEASIBLE_MEAN = "feasible_mean"
PRODUCT_INDEPENDENT = "product_independent"
FIXED_80 = "fixed_80"
MARGINAL_PROXY = "marginal_proxy"
RULES = (MINIMAX_REGRET, FEASIBLE_MEAN, PRODUCT_INDEPENDENT, FIXED_80, MARGINAL_PROXY)
NO_POLICY = -1


def select_policies(
    comparison: PolicyComparison, level: str, coverages: Sequence[float] | None = None
) -> dict[str, np.ndarray]:
    """Select a policy by each rule.

    Parameters
    ----------
    comparison
        Bounds at `level`, and at I0 for the product-independent control.
    level
        Information level that minimax regret and the feasible mean use.
    coverages
        Nominal clean-development coverage of each policy. Ties go to the one closest to 0.8, then to the lower
        coverage, then to the first policy; without coverages to the first policy.

    Returns
    -------
    dict
        Index of the selected policy per rule of `RULES`, shape ``(weights, conditions)``; `NO_POLICY` for the fixed
        80% threshold if no policy has that coverage.
    """
    criteria = {
        MINIMAX_REGRET: comparison.levels[level].worst_case_regret,
        FEASIBLE_MEAN: comparison.levels[level].mean_cost,
        PRODUCT_INDEPENDENT: comparison.levels[MARGINAL].mean_cost,
        MARGINAL_PROXY: comparison.marginal_proxy,
    }
    policies = comparison.marginal_proxy.shape[-1]
    preference = _preference(coverages, policies)
    chosen = {rule: least(criterion, preference) for rule, criterion in criteria.items()}
    fixed = NO_POLICY if coverages is None or PRIMARY_COVERAGE not in coverages else preference[0]
    chosen[FIXED_80] = np.full(comparison.marginal_proxy.shape[:-1], fixed)
    return {rule: chosen[rule] for rule in RULES}


def least(criterion: np.ndarray, preference: np.ndarray) -> np.ndarray:
    """Return the most preferred index whose value lies within 1e-12 of the least along the last axis.

    Examples
    --------
    >>> int(least(np.array([0.2, 0.1, 0.1]), np.array([0, 2, 1])))
    2
    """
    tied = criterion <= criterion.min(axis=-1, keepdims=True) + STRICTNESS
    selected: np.ndarray = preference[tied[..., preference].argmax(axis=-1)]
    return selected


def realized_cost(observed: np.ndarray, selected: np.ndarray) -> np.ndarray:
    """Return the observed cost of the selected policies, shape ``(weights, conditions)``; NaN where there is none.

    Parameters
    ----------
    observed
        Observed cost, shape ``(weights, conditions, policies)``.
    selected
        Index per weight and condition, or `NO_POLICY`.
    """
    cost = np.take_along_axis(observed, selected[..., None], axis=-1)[..., 0]
    return np.where(selected == NO_POLICY, np.nan, cost)


def realized_regret(observed: np.ndarray, selected: np.ndarray) -> np.ndarray:
    """Return the observed cost of the selected policies minus the least observed one; arguments as `realized_cost`."""
    regret: np.ndarray = realized_cost(observed, selected) - observed.min(axis=-1)
    return regret


def _preference(coverages: Sequence[float] | None, policies: int) -> np.ndarray:
    """Order the policies by the tie rule, the most preferred first."""
    if coverages is None:
        return np.arange(policies)
    nominal = np.asarray(coverages, dtype=float)
    distance = np.round(np.abs(nominal - PRIMARY_COVERAGE), 12)  # 0.7 and 0.9 are equally close
    return np.lexsort((np.arange(policies), nominal, distance))
