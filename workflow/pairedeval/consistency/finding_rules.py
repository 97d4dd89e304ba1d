"""What it takes for a study to agree with a published finding in direction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from pairedeval.consistency.finding_values import Ours
from pairedeval.identification.levels import STRICTNESS

SIGNIFICANCE = 0.05
# Correlations up to this size are no relation.
WEAK = 0.3


@dataclass(frozen=True)
class Rule:
    """When a study agrees with a finding.

    Attributes
    ----------
    words
        The rule in words.
    holds
        Decides from the published numbers and ours; None if ours are too uncertain to tell.
    """

    words: str
    holds: Callable[[tuple[float, ...], Ours], bool | None]


def side_of(reference: float) -> Rule:
    """All our numbers lie on the side of a reference where the first published one lies."""

    def holds(published: tuple[float, ...], ours: Ours) -> bool:
        side = np.sign(published[0] - reference)
        return all(side * (number - reference) > STRICTNESS for number in ours.numbers)

    return Rule(f"same side of {reference:g}", holds)


def near(reference: float, width: float) -> Rule:
    """All our numbers are so close to a reference that they say the same as it."""
    return Rule(
        f"within {width:g} of {reference:g}",
        lambda _, ours: all(abs(number - reference) <= width + STRICTNESS for number in ours.numbers),
    )


def at_most(bound: float) -> Rule:
    """None of our numbers is above a bound."""
    return Rule(f"at most {bound:g}", lambda _, ours: max(ours.numbers) <= bound + STRICTNESS)


def at_least(bound: float) -> Rule:
    """None of our numbers is below a bound."""
    return Rule(f"at least {bound:g}", lambda _, ours: min(ours.numbers) >= bound - STRICTNESS)


def _unrelated(_: tuple[float, ...], ours: Ours) -> bool | None:
    """Return whether a correlation is weak; None for a strong one that may be chance, as with few configurations."""
    if max(map(abs, ours.numbers)) <= WEAK:
        return True
    return False if ours.p_value < SIGNIFICANCE else None


# The two numbers that are compared are in the published order.
ORDER = Rule(
    "same order",
    lambda published, ours: bool(
        np.sign(published[0] - published[1]) * (ours.numbers[0] - ours.numbers[1]) > STRICTNESS
    ),
)
# The two numbers that are compared are as good as equal, as the published ones are.
EQUAL = Rule("difference of at most 0.01", lambda _, ours: abs(ours.numbers[0] - ours.numbers[1]) <= 0.01 + STRICTNESS)
UNRELATED = Rule(f"within {WEAK:g} of 0; differs if larger and p below {SIGNIFICANCE:g}", _unrelated)
_ZERO, _HALF, _NO_GAIN, _CHANCE, _ALL = side_of(0), side_of(0.5), near(0, 0.01), near(0.5, 0.05), at_least(1)
# By key of the finding; None where a study of this design cannot say.
RULES: Mapping[str, Rule | None] = MappingProxyType(
    {
        "detection-consistency": _ZERO,
        "detection-groups": _ALL,
        "detection-augmented": ORDER,
        "detection-variation": ORDER,
        "detection-rescaled": ORDER,
        "weight-selected": _NO_GAIN,
        "weight-best": _NO_GAIN,
        "strength-levels": ORDER,
        "strength-selected": _HALF,
        "cost": side_of(1),
        "models-gap": _ALL,
        "models-seeds": at_most(0.005),
        "models-accuracy": _ZERO,
        "models-calibration": UNRELATED,
        "operators-flips": ORDER,
        "rankings-size": ORDER,
        "regimes-tight": _HALF,
        "regimes-loose": _HALF,
        "regimes-accuracy": at_most(0),
        "regimes-changes": _HALF,
        "margin-displacement": _CHANCE,
        "margin-stability": _CHANCE,
        "margin-gain": _NO_GAIN,
        "confident-stability": _CHANCE,
        "confidence-gain": _NO_GAIN,
        "margin-correlation": near(0, 0.2),
        "certificate-held": _ALL,
        "certificate-largest": at_most(0.05),
        "certificate-accuracy": ORDER,
        "certificate-inequality": at_most(0),
        "bounds-exceeded": at_most(0),
        "bounds-ratio": side_of(1),
        "bounds-lemma": ORDER,
        "shift-official": ORDER,
        "shift-own": ORDER,
        "shift-noise": _ZERO,
        "shift-overconfidence": _ZERO,
        "transfer-all": EQUAL,
        "transfer-same": _ZERO,
        "transfer-clean": _NO_GAIN,
        "transfer-families": _NO_GAIN,
        "transfer-left-out": None,
        "estimators-consistency": ORDER,
        "estimators-average": ORDER,
        "robustness-accuracy": _ZERO,
        "robustness-consistency": UNRELATED,
        "robustness-gap": UNRELATED,
        "attacks-plain-2": ORDER,
        "attacks-plain-4": ORDER,
        "attacks-plain-8": ORDER,
        "attacks-above": _ALL,
        "attacks-displacement": _HALF,
        "attacks-adaptive-4": _HALF,
        "attacks-adaptive-8": _HALF,
        "attacks-changed-4": ORDER,
        "attacks-changed-8": ORDER,
        "attacks-errors-consistency": _HALF,
        "attacks-errors-msp": at_most(0.5),
        "priors-natural": ORDER,
        "priors-stable": ORDER,
        "priors-corrected": ORDER,
        "priors-reweighted": ORDER,
        "priors-true": ORDER,
        "priors-estimated": ORDER,
        "priors-recovered": _ZERO,
        "priors-improved": _HALF,
        "priors-recall": ORDER,
    }
)
