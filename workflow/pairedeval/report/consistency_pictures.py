"""How the figure of operators arranges its pictures, and how it writes their strengths."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from pairedeval.consistency.views import OPERATORS, ORIGINAL
from pairedeval.images import ImageStore
from pairedeval.perturb.operator_table import Operator, signed_strength
from pairedeval.report.consistency_words import OPERATOR_NAMES
from pairedeval.report.figure_07 import PictureRow
from pairedeval.report.names import MINUS


def _percent(share: float) -> str:
    return f"{100 * share:g}"


def _factor(change: float) -> str:
    return f"× {1 + change:g}"


def _angle(degrees: float) -> str:
    return f"{'+' if degrees > 0 else MINUS}{abs(degrees):g}°"


# What the strength of an operator is, and how it is written, with its direction where it has one.
_STRENGTHS: Mapping[str, tuple[str, Callable[[float], str]]] = MappingProxyType(
    {
        "noise": ("standard deviation,\n% of full scale", _percent),
        "blur": ("standard deviation,\n% of the width", _percent),
        "brightness": ("factor", _factor),
        "contrast": ("factor", _factor),
        "rotation": ("angle, + is\nanticlockwise", _angle),
        "jpeg": ("quality", "{:g}".format),
    }
)
_DIRECTED = ("brightness", "contrast", "rotation")


def operator_rows(store: str | Path, operators: Sequence[Operator], seed: int) -> list[PictureRow]:
    """Arrange the pictures of the figure of operators.

    Parameters
    ----------
    store
        Image set with one image, as it is and under every operator at every level; the conditions are the views.
    operators
        Rows of the table of operators.
    seed
        Seed of the study, which fixed the directions.

    Returns
    -------
    list of PictureRow
        A row per operator, in the order of `OPERATORS`: the original, then the levels, ascending. The heading holds the
        name, then in further lines what the strength is; the titles are the strengths.
    """
    with ImageStore(store) as images:
        (image_id,) = images.image_ids(ORIGINAL)
        pictures = {view: images.read(view, image_id) for view in images.conditions}
    rows = []
    for name in OPERATORS:
        levels = sorted((operator for operator in operators if operator.name == name), key=lambda each: each.level)
        unit, write = _STRENGTHS[name]
        strengths = [
            signed_strength(operator, seed, image_id) if name in _DIRECTED else operator.strength for operator in levels
        ]
        shown = (pictures[view] for view in (ORIGINAL, *(operator.view for operator in levels)))
        rows.append(PictureRow(f"{OPERATOR_NAMES[name]}\n{unit}", (ORIGINAL, *map(write, strengths)), tuple(shown)))
    return rows
