"""Figure C1: one image under the six mild operators at each level."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from pairedeval.report.figure_07 import PictureRow
from pairedeval.report.style import FAINT, styled

# Inches: side of a picture, gap between pictures, room for titles, for levels and for the names of the operators.
SIDE, GAP, TITLE, LEVEL, NAMES = 0.78, 0.06, 0.16, 0.2, 1.2


@styled
def figure_consistency_operators(rows: Sequence[PictureRow]) -> Figure:
    """Draw one image under each operator (rows) at each level (columns), the original in front (Figure C1).

    Parameters
    ----------
    rows
        Rows from top to bottom; see `pairedeval.report.consistency_pictures.operator_rows`.
    """
    columns = max(len(row.pictures) for row in rows)
    line = TITLE + SIDE  # height of one row
    width, height = NAMES + columns * (SIDE + GAP), LEVEL + len(rows) * line + GAP
    figure = Figure(figsize=(width, height))
    for column in range(1, columns):
        middle = NAMES + column * (SIDE + GAP) + SIDE / 2
        figure.text(
            middle / width, 1 - 0.03 / height, f"Level {column}", ha="center", va="top", fontsize=7.5, fontweight="bold"
        )
    for place, row in enumerate(rows):
        bottom = height - LEVEL - (place + 1) * line
        _name(figure, row.heading, bottom / height, SIDE / height)
        for column, (title, picture) in enumerate(zip(row.titles, row.pictures, strict=True)):
            left = NAMES + column * (SIDE + GAP)
            axis = figure.add_axes((left / width, bottom / height, SIDE / width, SIDE / height))
            axis.imshow(picture, interpolation="nearest")
            axis.set(xticks=[], yticks=[])
            axis.spines[:].set(visible=True, color=FAINT)  # where a white picture ends
            axis.set_title(title, fontsize=6.5, pad=2)
    return figure


def _name(figure: Figure, heading: str, bottom: float, height: float) -> None:
    """Write the name of an operator, bold, and under it what its strength is, beside its pictures."""
    name, _, unit = heading.partition("\n")
    middle = bottom + height / 2
    figure.text(0, middle, name, va="bottom", fontsize=7.5, fontweight="bold")
    figure.text(0, middle, unit, va="top", fontsize=6.5, linespacing=1.3)
