"""The table of the six mild operators, and the direction that an image draws; light, no images needed."""

import csv
from dataclasses import dataclass
from pathlib import Path

from pairedeval.errors import PairedEvalError
from pairedeval.seeds import derive_seed

COLUMNS = ["operator", "level", "strength"]
# Largest strength that makes sense: a share of full scale, of the width and twice of the value, degrees, a quality.
LARGEST = {"noise": 1, "blur": 1, "brightness": 1, "contrast": 1, "rotation": 180, "jpeg": 100}


@dataclass(frozen=True)
class Operator:
    """One operator at one level.

    Attributes
    ----------
    name
        ``noise``, ``blur``, ``brightness``, ``contrast``, ``rotation`` or ``jpeg``.
    level
        1, the mildest and the default, or more.
    strength
        Noise: standard deviation as a share of full scale. Blur: standard deviation as a share of the width.
        Brightness, contrast: distance of the factor from 1. Rotation: degrees. JPEG: quality, a whole number; smaller
        is stronger.

    Raises
    ------
    PairedEvalError
        If there is no such operator, or level or strength make no sense.
    """

    name: str
    level: int
    strength: float

    def __post_init__(self) -> None:
        if self.name not in LARGEST:
            raise PairedEvalError(f"{self.name} is no operator; choose {', '.join(LARGEST)}")
        if self.level < 1:
            raise PairedEvalError(f"operator {self.view}: level must be 1 or more")
        if not 0 < self.strength <= LARGEST[self.name]:
            raise PairedEvalError(
                f"operator {self.view}: strength must be above 0 and at most {LARGEST[self.name]}, not {self.strength}"
            )
        if self.name == "jpeg" and self.strength != int(self.strength):
            raise PairedEvalError(f"operator {self.view}: strength must be a whole number, not {self.strength}")

    @property
    def view(self) -> str:
        """Name of the view of an image that it makes, ``<operator>-<level>``."""
        return f"{self.name}-{self.level}"


def read_operators(path: str | Path) -> tuple[Operator, ...]:
    """Read ``operators.csv`` in its order; a bad row is a `PairedEvalError` that names it."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as table:
            reader = csv.DictReader(table)
            if reader.fieldnames != COLUMNS:
                raise PairedEvalError(f"{path}: the header must be {','.join(COLUMNS)}")
            operators = tuple(_parse(row, f"{path}: row {number}") for number, row in enumerate(reader, start=2))
    except FileNotFoundError:
        raise PairedEvalError(f"{path}: no such table of operators; restore it from the repository") from None
    views = [operator.view for operator in operators]
    for view in views:
        if views.count(view) > 1:
            raise PairedEvalError(f"{path}: operator {view} stands twice; keep one row")
    return operators


def signed_strength(operator: Operator, seed: int, image_id: str) -> float:
    """Return the strength with the direction of an image: positive is brighter, more contrast or anticlockwise."""
    up = derive_seed(seed, "operator", operator.name, image_id, bits=1)
    return operator.strength if up else -operator.strength


def _parse(cells: dict[str, str], place: str) -> Operator:
    try:
        return Operator(cells["operator"], int(cells["level"]), float(cells["strength"]))
    except (TypeError, ValueError):
        raise PairedEvalError(f"{place}: level must be a whole number and strength a number") from None
    except PairedEvalError as error:
        raise PairedEvalError(f"{place}: {error}") from None
