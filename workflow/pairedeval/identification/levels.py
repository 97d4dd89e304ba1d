"""Information levels, targets, and the results of an identification analysis (Section 3.2)."""

from dataclasses import dataclass

import numpy as np

MARGINAL = "I0"
OVERLAP = "Ik"
FIVE_STATES = "I5"
LEVELS = (MARGINAL, OVERLAP, FIVE_STATES)

# Targets of Table 2, by the symbols that tables and files use.
ACCEPTED_ERROR_TRANSITION = "H"
LOST_ACCEPTANCE = "L"
CONFIDENCE_DROP = "dM_k"
ACCEPTED_ERROR = "E_tau"
TARGETS = (ACCEPTED_ERROR_TRANSITION, LOST_ACCEPTANCE, CONFIDENCE_DROP, ACCEPTED_ERROR)

# Differences up to this size are rounding: a bound counts as narrower only beyond it.
STRICTNESS = 1e-12


@dataclass(frozen=True)
class Interval:
    """Sharp interval of one target at one level (Eq. 1), in shares.

    Attributes
    ----------
    lower, upper
        End points, shape ``(conditions,)``; NaN where the target is undefined.
    """

    lower: np.ndarray
    upper: np.ndarray

    @property
    def width(self) -> np.ndarray:
        """Ambiguity about the correspondence; not a sampling error."""
        width: np.ndarray = self.upper - self.lower
        return width


@dataclass(frozen=True)
class TargetBounds:
    """What is known about one target, in shares.

    Attributes
    ----------
    intervals
        Sharp interval per information level.
    independent
        Value under class-conditional independent matching, shape ``(conditions,)``.
    observed
        Value under the observed correspondence, shape ``(conditions,)``; None where no pairing is known.
    """

    intervals: dict[str, Interval]
    independent: np.ndarray
    observed: np.ndarray | None


@dataclass(frozen=True)
class Identification:
    """Bounds of all targets for the conditions of one model and source.

    Attributes
    ----------
    conditions
        Ids of the conditions; every array below has one entry for each.
    size
        Number N of records a side.
    overlap
        Number K of pairs that are correct on both sides, shape ``(conditions,)``; None where no level fixes it.
    targets
        Bounds per target, keys `TARGETS`.
    """

    conditions: tuple[str, ...]
    size: int
    overlap: np.ndarray | None
    targets: dict[str, TargetBounds]
