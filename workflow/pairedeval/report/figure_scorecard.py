"""Figure of the scorecard: how many printed numbers of each table agree, and by how much the others differ."""

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pairedeval.report.results import need_columns
from pairedeval.report.style import (
    BLUE,
    FAINT,
    INK,
    ORANGE,
    SKY,
    TEXT_WIDTH,
    grid_lines,
    mark_simulated,
    new_figure,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {
    "within rounding": BLUE,
    "within resampling interval": SKY,
    "differs": ORANGE,
    "not computed": FAINT,
}
ACCEPTED = "differs, accepted"
# Differences are drawn in units of the last printed digit, up to these.
SMALLEST, LARGEST = 0.01, 1000.0


@styled
def figure_scorecard(numbers: pd.DataFrame, simulated: Collection[str] = ()) -> "Figure":
    """Draw the verdicts on the printed numbers of each table and part of the text, and the sizes of the differences.

    Parameters
    ----------
    numbers
        Rows per number with ``group``, ``verdict``, ``tolerated``, ``difference`` and ``half_unit`` (half of the last
        printed digit; 0 for fractions).
    simulated
        Sources whose data are simulated.
    """
    need_columns(numbers, ("group", "verdict", "tolerated", "difference", "half_unit"), "figure_scorecard")
    groups = list(dict.fromkeys(numbers["group"]))
    figure, axes = new_figure(TEXT_WIDTH, 1.5 + 0.165 * len(groups), 1, 2, sharey=True, width_ratios=(1, 1))
    shares, sizes = axes[0]
    _draw_shares(shares, numbers, groups)
    _draw_sizes(sizes, numbers, groups)
    totals = numbers["group"].value_counts()
    shares.set_yticks(range(len(groups)), [f"{group} ({totals[group]:,})" for group in groups])
    shares.set_ylim(len(groups) - 0.4, -0.6)
    _legend(figure, numbers)
    mark_simulated(figure, simulated)
    return figure


def _draw_shares(axis: "Axes", numbers: pd.DataFrame, groups: list[str]) -> None:
    """Draw one stacked bar a group; accepted differences are hatched."""
    kinds = _kinds(numbers)
    counts = pd.crosstab(numbers["group"], kinds).reindex(groups)
    shares = 100 * counts.div(counts.sum(axis=1), axis=0)
    start = np.zeros(len(groups))
    for kind in _ordered(kinds):
        width = shares[kind].to_numpy()
        face, hatch = _face(kind)
        axis.barh(range(len(groups)), width, left=start, height=0.78, color=face, hatch=hatch, edgecolor="white")
        start = start + width
    axis.set(xlim=(0, 100), xlabel="Numbers (%)")
    axis.tick_params(axis="y", length=0)


def _draw_sizes(axis: "Axes", numbers: pd.DataFrame, groups: list[str]) -> None:
    """Draw one dot a number, at its difference in units of the last printed digit; the line is the rounding."""
    place = {group: row for row, group in enumerate(groups)}
    rows = numbers[numbers["difference"].notna() & (numbers["half_unit"] > 0)]
    size = (rows["difference"].abs() / (2 * rows["half_unit"])).clip(SMALLEST, LARGEST)
    # Dots of one group are spread over its bar in their printed order, to be told apart.
    spread = rows.groupby("group").cumcount() / rows.groupby("group")["verdict"].transform("size").clip(lower=2)
    heights = rows["group"].map(place) + 0.6 * (spread - 0.5)
    for verdict, colour in COLOURS.items():
        chosen = (rows["verdict"] == verdict).to_numpy()
        axis.scatter(size[chosen], heights[chosen], s=6, color=colour, linewidth=0, alpha=0.8)
    axis.axvline(0.5, color=INK, linewidth=0.8, linestyle="--")
    axis.set_xscale("log")
    axis.set_xlim(SMALLEST / 3, LARGEST * 3)
    ticks = [SMALLEST, 0.1, 1, 10, 100, LARGEST]
    axis.set_xticks(ticks, ["≤ 0.01", "0.1", "1", "10", "100", "≥ 1000"])
    axis.minorticks_off()
    axis.set_xlabel("Difference in units of the last printed digit")
    grid_lines(axis, "x")
    axis.tick_params(axis="y", length=0)


def _kinds(numbers: pd.DataFrame) -> "pd.Series[str]":
    return numbers["verdict"].mask((numbers["verdict"] == "differs") & numbers["tolerated"], ACCEPTED)


def _ordered(kinds: "pd.Series[str]") -> list[str]:
    present = set(kinds)
    order = ["within rounding", "within resampling interval", ACCEPTED, "differs", "not computed"]
    return [kind for kind in order if kind in present]


def _face(kind: str) -> tuple[str, str]:
    return (COLOURS["differs"], "////") if kind == ACCEPTED else (COLOURS[kind], "")


def _legend(figure: "Figure", numbers: pd.DataFrame) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Patch | Line2D] = []
    for kind in _ordered(_kinds(numbers)):
        face, hatch = _face(kind)
        handles.append(Patch(facecolor=face, hatch=hatch, edgecolor="white", label=kind))
    handles.append(Line2D([], [], color=INK, linewidth=0.8, linestyle="--", label="rounding"))
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
