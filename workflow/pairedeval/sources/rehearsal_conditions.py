"""How hard each condition hits the simulated models: a severity, shared out among families of damage.

Severities are set by hand. Those of captures follow the exposure, counted in stops from ISO 250, 1/4 s and f/5: every
light has an exposure of its own, and the further the sum lies from the right exposure, the harder the condition; a stop
too dark counts more than a stop too bright. The offsets of the lights were chosen so that the tiers hold 44/5/5 and
51/25/86 conditions, with the panel's printed coverage of the lights.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pairedeval.perturb.conditions import Capture, Condition, Corruption, Transform, conditions_of_set
from pairedeval.records import CLEAN

FAMILIES = ("tone", "blur", "noise", "coding", "frame", "screen", "print")
# Corruption types: severity at severity 4, and the shares of the families.
CORRUPTIONS: Mapping[str, tuple[float, Mapping[str, float]]] = MappingProxyType(
    {
        "brightness": (0.11, {"tone": 1.0}),
        "fog": (0.21, {"tone": 0.8, "blur": 0.2}),
        "snow": (0.26, {"tone": 0.4, "noise": 0.6}),
        "contrast": (0.25, {"tone": 0.9, "blur": 0.1}),
        "jpeg_compression": (0.17, {"coding": 1.0}),
        "pixelate": (0.16, {"coding": 0.6, "blur": 0.4}),
        "defocus_blur": (0.25, {"blur": 1.0}),
        "gaussian_noise": (0.23, {"noise": 1.0}),
        "motion_blur": (0.25, {"blur": 0.8, "frame": 0.2}),
    }
)
STEPS: Mapping[int, float] = MappingProxyType({2: 0.5, 4: 1.0, 5: 1.35})
# Stops that a light lies above the exposure at which setting 1 would be right.
LIGHTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "es": {"l1": 4.2, "l5": 3.3},
        "diverse": {"l1": 0.5, "l2": -0.8, "l3": 9.2, "l4": 2.2, "l6": -2.5, "l7": 7.5},
    }
)
DARKER = 1.25


@dataclass(frozen=True)
class Medium:
    """What a recapture does at every exposure, and how much more it does far from the right one.

    Attributes
    ----------
    family
        Family of damage that belongs to the medium alone.
    floor
        Severity at the right exposure.
    stops
        Distance in stops at which the exposure adds a severity of 1.
    power
        Growth of that addition with the distance.
    """

    family: str
    floor: float
    stops: float
    power: float


MEDIA: Mapping[str, Medium] = MappingProxyType(
    {"es": Medium("screen", 0.12, 6.8, 3.35), "diverse": Medium("print", 0.36, 3.5, 2.38)}
)


@dataclass(frozen=True)
class Perturbation:
    """One condition of the simulation.

    Attributes
    ----------
    condition
        Id.
    severity
        Mean damage to an image of ordinary fragility; 0 leaves it as it is.
    shares
        Part of the severity that each of `FAMILIES` has; they add up to 1.
    """

    condition: str
    severity: float
    shares: tuple[float, ...]


def perturbations(image_set: str, folder: str | Path) -> tuple[Perturbation, ...]:
    """Return the conditions of an image set, ``clean`` first.

    Parameters
    ----------
    image_set
        ``syn``, ``base``, ``es`` or ``diverse``.
    folder
        Folder of the tables of conditions; errors are those of `conditions_of_set`.
    """
    clean = Perturbation(CLEAN, 0.0, _shares({FAMILIES[0]: 1.0}))
    return (clean, *map(_perturbation, conditions_of_set(image_set, folder)))


def exposure(capture: Capture) -> float:
    """Return the stops by which a capture is too bright, negative if it is too dark.

    Examples
    --------
    >>> from fractions import Fraction
    >>> exposure(Capture("es", "l1", 2, 2000, Fraction(1, 16), 10.0, "l1-k02"))
    3.2
    """
    stops = math.log2(capture.iso / 250) + math.log2(capture.shutter * 4) - 2 * math.log2(capture.aperture / 5)
    return LIGHTS[capture.source][capture.light] + stops


def _perturbation(condition: Condition) -> Perturbation:
    match condition:
        case Corruption():
            severity, shares = CORRUPTIONS[condition.corruption]
            severity *= STEPS[condition.severity]
        case Transform():
            severity, shares = _transform(condition)
        case Capture():
            severity, shares = _capture(condition)
    return Perturbation(condition.condition, severity, _shares(shares))


def _transform(transform: Transform) -> tuple[float, dict[str, float]]:
    """Add up small severities of geometry (family ``frame``) and of grey values (``tone``)."""
    frame = (
        0.05 * transform.flip
        + 1.0 * (abs(transform.shift_right) + abs(transform.shift_down))
        + 0.6 * abs(math.log(transform.zoom))
        + 0.012 * abs(transform.rotation)
    )
    levels = (transform.gamma, transform.brightness, transform.contrast, transform.saturation)
    tone = 0.25 * sum(abs(math.log(level)) for level in levels)
    return frame + tone, {"frame": frame / (frame + tone), "tone": tone / (frame + tone)}


def _capture(capture: Capture) -> tuple[float, dict[str, float]]:
    """Set the severity by the exposure, and the shares by it and by the settings."""
    medium, stops = MEDIA[capture.source], exposure(capture)
    distance = max(stops, -DARKER * stops)
    added = (distance / medium.stops) ** medium.power
    parts = {
        medium.family: 0.3 * medium.floor + 0.7 * added,
        "frame": 0.1 * medium.floor,
        "coding": 0.1 * medium.floor,
        "tone": 0.3 * medium.floor + 0.15 * added,
        "noise": (0.1 * medium.floor + 0.1 * added) * math.log2(capture.iso / 125) / 4,
        "blur": (0.1 * medium.floor + 0.1 * added) * (1.5 if capture.aperture < 8 else 1.0),
    }
    whole = sum(parts.values())
    return medium.floor + added, {family: part / whole for family, part in parts.items()}


def _shares(shares: Mapping[str, float]) -> tuple[float, ...]:
    return tuple(shares.get(family, 0.0) for family in FAMILIES)
