"""Figure 7: one base image under the perturbations of the study."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from pairedeval.report.names import notation
from pairedeval.report.style import FAINT, TEXT_WIDTH, styled

GAP = 0.05  # inches between pictures
HEADING = 0.4  # inches above the pictures of a row: its heading and their titles


@dataclass(frozen=True)
class PictureRow:
    """One row of example pictures.

    Attributes
    ----------
    heading
        What the row shows, such as ``ES and Diverse (simulated)``; a template.
    titles
        Short title per picture.
    pictures
        Arrays of uint8, shape ``(height, width, 3)``, one per title.
    """

    heading: str
    titles: tuple[str, ...]
    pictures: tuple[np.ndarray, ...]


@styled
def figure_07(rows: Sequence[PictureRow]) -> Figure:
    """Draw example pictures of one base image, a row per family of perturbations (Figure 7).

    Parameters
    ----------
    rows
        Rows from top to bottom; shorter ones leave room at the right.
    """
    columns = max(len(row.pictures) for row in rows)
    side = (TEXT_WIDTH + GAP) / columns - GAP
    line = HEADING + side  # height of one row
    height = len(rows) * line
    figure = Figure(figsize=(TEXT_WIDTH, height))
    for place, row in enumerate(rows):
        top = height - place * line
        figure.text(0, (top - 0.1) / height, notation(row.heading, "plot"), va="top", fontsize=7.5, fontweight="bold")
        for column, (title, picture) in enumerate(zip(row.titles, row.pictures, strict=True)):
            left = column * (side + GAP)
            axis = figure.add_axes((left / TEXT_WIDTH, (top - line) / height, side / TEXT_WIDTH, side / height))
            axis.imshow(picture, interpolation="nearest")
            axis.set(xticks=[], yticks=[])
            axis.spines[:].set(visible=True, color=FAINT)  # where a white picture ends
            axis.set_title(notation(title, "plot"), fontsize=6, pad=2)
    return figure
