"""What paired and separate records determine about reliability changes (Sections 3 and 4, Appendices A and B)."""

from pairedeval.identification.class_states import ClassStates
from pairedeval.identification.engine import identify, identify_separate
from pairedeval.identification.levels import LEVELS, TARGETS, Identification, Interval, TargetBounds

__all__ = [
    "LEVELS",
    "TARGETS",
    "ClassStates",
    "Identification",
    "Interval",
    "TargetBounds",
    "identify",
    "identify_separate",
]
