"""Paired evaluation of vision models under visual perturbations (arXiv 2609.35583).

On predictions of your own, one row an image: `read_predictions` reads and checks a file, `check_predictions` checks a
DataFrame, `bounds` says what two sides determine, `policy_bounds` compares rejection policies, `decision_consistency`
says how stable predictions are under probes.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pairedeval.own.consistency import decision_consistency
    from pairedeval.own.functions import bounds, policy_bounds
    from pairedeval.own.predictions import check_predictions, read_predictions

__all__ = ["bounds", "check_predictions", "decision_consistency", "policy_bounds", "read_predictions"]
__version__ = "0.1.0"

# Loaded at first use, so that planning a study does not wait for numpy and pandas.
_HOMES = {
    "bounds": "pairedeval.own.functions",
    "check_predictions": "pairedeval.own.predictions",
    "decision_consistency": "pairedeval.own.consistency",
    "policy_bounds": "pairedeval.own.functions",
    "read_predictions": "pairedeval.own.predictions",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'pairedeval' has no attribute '{name}'")
