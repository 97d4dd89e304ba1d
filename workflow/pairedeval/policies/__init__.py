"""Rejection policies compared under one shared, partly known correspondence (Section 4.2, Appendix D)."""

from pairedeval.policies.differences import PolicyBounds, PolicyComparison, compare_policies, compare_policies_separate
from pairedeval.policies.selection import select_policies

__all__ = [
    "PolicyBounds",
    "PolicyComparison",
    "compare_policies",
    "compare_policies_separate",
    "select_policies",
]
