"""What the figures on screening share: how scores are drawn, and panels of sources without mild conditions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pairedeval.report.names import notation, source_name
from pairedeval.report.score_names import SCORES
from pairedeval.report.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED, SKY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colour and marker of each score that is drawn as a line, in the order of the legend.
SCORE_MARKS = {
    "confidence": (RED, "X"),
    "corruption_mean": (BLUE, "o"),
    "predictor_confidence_mean": (SKY, "D"),
    "alignment_corruption": (PURPLE, "^"),
    "retention": (GREEN, "v"),
    "confidence_decrease": (ORANGE, "s"),
}
ABSENT = "no mild condition\nwith failures"


def plot_name(score: str) -> str:
    """Return the symbol of a score as figures write it."""
    return notation(SCORES[score].symbol, "plot")


def with_values(axes: Sequence["Axes"], sources: Sequence[str], present: Iterable[str]) -> "Mapping[str, Axes]":
    """Name the panels, keep those of sources with failures on mild conditions, and write on the others that none are.

    Parameters
    ----------
    axes
        One panel for each of `sources`, left to right; those that share the vertical axis show its numbers on the
        first panel that is kept.
    sources
        Sources of the panels.
    present
        Sources with such failures.
    """
    known = set(present)
    kept = {source: axis for source, axis in zip(sources, axes, strict=True) if source in known}
    for source, axis in zip(sources, axes, strict=True):
        axis.set_title(source_name(source))
        if source not in known:
            axis.set_axis_off()
            axis.text(0.5, 0.5, ABSENT, transform=axis.transAxes, ha="center", va="center", color=INK, style="italic")
    for axis in list(kept.values())[:1]:
        axis.tick_params(labelleft=True)
    return kept
