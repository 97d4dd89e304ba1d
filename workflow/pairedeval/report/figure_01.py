"""Figure 1: how much of the interval of each target is left once more is known about the pairs."""

import math
from collections.abc import Collection
from typing import TYPE_CHECKING

import pandas as pd

from pairedeval.report.names import LEVELS, TARGET_NAMES, TARGETS, notation, ordered_sources, source_name
from pairedeval.report.style import BLUE, INK, ORANGE, TEXT_WIDTH, grid_lines, mark_simulated, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# From the bottom of a bar: what is left, what the five-state counts take off, what the overlap takes off.
PARTS = (
    ("remaining width, {W2}", BLUE),
    ("taken off by five-state counts, {W1}−{W2}", ORANGE),
    ("taken off by overlap, {W0}−{W1}", "#bfd9ea"),
)


@styled
def figure_01(panel: pd.DataFrame, simulated: Collection[str] = ()) -> "Figure":
    """Draw the mean identified widths in the panel as stacked bars (Figure 1).

    Parameters
    ----------
    panel
        Rows per source, target and level with `mean_width` (share). If L or dM_k has no row at I5, the one at
        Ik stands for it (Theorem 1: they are equal).
    simulated
        Sources with simulated data.
    """
    sources = ordered_sources(panel["source"])
    targets = [target for target in TARGETS if target in set(panel["target"])]
    figure, axes = new_figure(TEXT_WIDTH, 2.6, 1, len(targets))
    for axis, target in zip(axes[0], targets, strict=True):
        widths = panel[panel["target"] == target].pivot_table("mean_width", "source", "level", dropna=False)
        widths = 100 * widths.reindex(index=sources, columns=list(LEVELS))
        if target != "H":
            widths["I5"] = widths["I5"].fillna(widths["Ik"])
        _bars(axis, widths)
        axis.set_title(f"{notation('{' + target + '}', 'plot')}: {TARGET_NAMES[target]}")
        axis.set_xticks(range(len(sources)), [source_name(source) for source in sources])
    axes[0, 0].set_ylabel("Mean identified width\n(percentage points)")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(PARTS))
    mark_simulated(figure, simulated, sources)
    return figure


def _bars(axis: "Axes", widths: pd.DataFrame) -> None:
    """Stack the three parts of W0 for each source and write W0 above."""
    parts = (widths["I5"], widths["Ik"] - widths["I5"], widths["I0"] - widths["Ik"])
    bottom = 0 * widths["I5"]
    for (label, colour), part in zip(PARTS, parts, strict=True):
        axis.bar(range(len(part)), part, 0.72, bottom=bottom, color=colour, label=notation(label, "plot"))
        bottom = bottom + part
    for place, total in enumerate(widths["I0"]):
        text, height = ("undefined", 0.0) if math.isnan(total) else (f"{total:.2f}", float(total))
        axis.annotate(
            text, (place, height), (0, 2), textcoords="offset points", ha="center", va="bottom",
            fontweight="bold", fontsize=7.5, color=INK, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        )  # fmt: skip
    # Parts of no height stand on top of the bar and would pin the axis there.
    axis.use_sticky_edges = False
    axis.margins(y=0.12)
    axis.set_ylim(bottom=0)
    grid_lines(axis, "y")
    axis.tick_params(axis="x", length=0)
