"""The conditions of a study, read from the tables in ``resources/conditions``; light, no images needed.

Three tables list them: corruptions (nine types, Section 3.3), natural transformations (Appendix E.1) and
captures (the camera settings and lights of ImageNet-ES and ES Diverse).
"""

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from pairedeval.errors import PairedEvalError

PRIMARY = "primary"
EXTENDED = "extended"
FIXED = "fixed"
CANDIDATE = "candidate"
SETTINGS_PER_LIGHT = 27


@dataclass(frozen=True)
class Corruption:
    """One synthetic corruption.

    Attributes
    ----------
    condition
        Id ``<corruption>-<severity>``.
    corruption
        Type, a name of the package imagecorruptions.
    severity
        1 to 5; nominal, no calibrated intensity.
    pool
        `PRIMARY` for the severities 2 and 4 of the study, `EXTENDED` for severity 5.
    """

    condition: str
    corruption: str
    severity: int
    pool: str


@dataclass(frozen=True)
class Transform:
    """One natural transformation; parameters that it does not use are neutral.

    Attributes
    ----------
    condition, kind
        Id and family.
    flip
        Horizontal mirror.
    shift_right, shift_down
        Shift as a share of width and of height.
    zoom
        Magnification about the centre.
    rotation
        Degrees, anticlockwise.
    gamma
        Exponent on pixel values in [0, 1].
    brightness, contrast, saturation
        Factors, 1 leaves the image as it is.
    pool
        `FIXED` for the 18 of the study, `CANDIDATE` for the further 12 of the pool of 30.
    """

    condition: str
    kind: str
    flip: bool
    shift_right: float
    shift_down: float
    zoom: float
    rotation: float
    gamma: float
    brightness: float
    contrast: float
    saturation: float
    pool: str


@dataclass(frozen=True)
class Capture:
    """One capture condition: a light and a camera setting.

    Attributes
    ----------
    source
        ``es`` (screen) or ``diverse`` (print).
    light
        Code of the light, ``l1`` ... ``l7``; the data sets do not say what the codes mean.
    setting
        Number k of the camera setting, 1 to 27, as in the folders ``param_<k>``.
    iso
        Sensitivity.
    shutter
        Exposure time in seconds.
    aperture
        f-number.
    condition
        Id ``<light>-k<setting>``.
    """

    source: str
    light: str
    setting: int
    iso: int
    shutter: Fraction
    aperture: float
    condition: str


Condition = Corruption | Transform | Capture
Row = TypeVar("Row", Corruption, Transform, Capture)


def read_corruptions(path: str | Path) -> tuple[Corruption, ...]:
    """Read ``corruptions.csv`` in its order; a bad row is a `PairedEvalError` that names it."""
    return _read(path, Corruption)


def read_transforms(path: str | Path) -> tuple[Transform, ...]:
    """Read ``transforms.csv`` in its order; a bad row is a `PairedEvalError` that names it."""
    return _read(path, Transform)


def read_captures(path: str | Path, source: str | None = None) -> tuple[Capture, ...]:
    """Read ``captures.csv`` in its order, of one source if given; a bad row is a `PairedEvalError`."""
    return tuple(capture for capture in _read(path, Capture) if source in (None, capture.source))


def conditions_of_set(image_set: str, folder: str | Path) -> tuple[Condition, ...]:
    """Return the conditions of an image set, in the order of the set.

    Parameters
    ----------
    image_set
        ``syn`` (primary corruptions), ``base`` (all corruptions, then all transformations), ``es`` or ``diverse``.
    folder
        Folder of the three tables, usually ``resources/conditions``.

    Raises
    ------
    PairedEvalError
        If the set is unknown or has no conditions, or a table cannot be used.
    """
    place = Path(folder)
    conditions: Sequence[Condition]
    match image_set:
        case "syn":
            conditions = [row for row in read_corruptions(place / "corruptions.csv") if row.pool == PRIMARY]
        case "base":
            conditions = [*read_corruptions(place / "corruptions.csv"), *read_transforms(place / "transforms.csv")]
        case "es" | "diverse":
            conditions = read_captures(place / "captures.csv", image_set)
        case _:
            raise PairedEvalError(f"{image_set} is no image set; choose syn, base, es or diverse")
    if not conditions:
        raise PairedEvalError(f"{place}: the tables list no condition for image set {image_set}; add its rows")
    _refuse_repeated(str(place), (row.condition for row in conditions))
    return tuple(conditions)


def _read(path: str | Path, kind: type[Row]) -> tuple[Row, ...]:
    columns = [field.name for field in fields(kind)]
    try:
        with Path(path).open(encoding="utf-8", newline="") as table:
            reader = csv.DictReader(table)
            if reader.fieldnames != columns:
                raise PairedEvalError(f"{path}: the header must be {','.join(columns)}")
            rows = tuple(_parse(row, kind, f"{path}: row {number}") for number, row in enumerate(reader, start=2))
    except FileNotFoundError:
        raise PairedEvalError(f"{path}: no such table of conditions; restore it from the repository") from None
    _refuse_repeated(str(path), (f"{getattr(row, 'source', '')} {row.condition}".strip() for row in rows))
    return rows


def _parse(cells: dict[str, str], kind: type[Row], place: str) -> Row:
    values: dict[str, Any] = {}
    for column, expected in get_type_hints(kind).items():
        try:
            values[column] = PARSERS[expected](cells[column])
        except (TypeError, ValueError, ZeroDivisionError):
            raise PairedEvalError(f"{place}: {column} is {cells[column]!r}, not {WORDS[expected]}") from None
    row = kind(**values)
    for wrong, rule in CHECKS[kind](row):
        if wrong:
            raise PairedEvalError(f"{place}: condition {row.condition}: {rule}")
    return row


def _text(cell: str) -> str:
    if not cell:
        raise ValueError
    return cell


def _flag(cell: str) -> bool:
    if cell not in ("0", "1"):
        raise ValueError
    return cell == "1"


def _refuse_repeated(place: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise PairedEvalError(f"{place}: condition {name} stands twice; keep one row")
        seen.add(name)


def _check_corruption(row: Corruption) -> list[tuple[bool, str]]:
    return [
        (row.severity not in range(1, 6), "severity must be 1 to 5"),
        (row.pool not in (PRIMARY, EXTENDED), f"pool must be {PRIMARY} or {EXTENDED}"),
        (row.condition != f"{row.corruption}-{row.severity}", "the id must be <corruption>-<severity>"),
    ]


def _check_transform(row: Transform) -> list[tuple[bool, str]]:
    factors = (row.zoom, row.gamma, row.brightness, row.contrast, row.saturation)
    return [
        (min(factors) <= 0, "zoom, gamma, brightness, contrast and saturation must be positive"),
        (row.pool not in (FIXED, CANDIDATE), f"pool must be {FIXED} or {CANDIDATE}"),
    ]


def _check_capture(row: Capture) -> list[tuple[bool, str]]:
    return [
        (row.source not in ("es", "diverse"), "source must be es or diverse"),
        (row.setting not in range(1, SETTINGS_PER_LIGHT + 1), f"setting must be 1 to {SETTINGS_PER_LIGHT}"),
        (row.iso <= 0 or row.shutter <= 0 or row.aperture <= 0, "iso, shutter and aperture must be positive"),
        (row.condition != f"{row.light}-k{row.setting:02d}", "the id must be <light>-k<setting>, two digits"),
    ]


PARSERS: dict[type, Callable[[str], Any]] = {str: _text, bool: _flag, int: int, float: float, Fraction: Fraction}
WORDS: dict[type, str] = {
    str: "a name",
    bool: "0 or 1",
    int: "a whole number",
    float: "a number",
    Fraction: "a number or fraction",
}
CHECKS: dict[type, Callable[[Any], list[tuple[bool, str]]]] = {
    Corruption: _check_corruption,
    Transform: _check_transform,
    Capture: _check_capture,
}
