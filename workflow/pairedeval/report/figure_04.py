"""Figure 4: natural transforms against corruptions at equal inference counts, under two scoring rules."""

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pairedeval.report.names import notation, ordered_sources
from pairedeval.report.screening_panels import SCORE_MARKS, with_values
from pairedeval.report.screening_rows import AUROC, RECALL, choose
from pairedeval.report.style import TEXT_WIDTH, grid_lines, mark_simulated, new_figure, styled
from pairedeval.tiers import MILD

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLACES, SETS = (0, 1), ("natural", "corruptions")
# Scoring rule, a template, and its score of each probe set.
RULES = {
    "mean probability ({TTA18}, {U})": ("natural_mean", "corruption_mean"),
    "{A3}": ("alignment_natural", "alignment_corruption"),
}
# Metric: its label, what a share is multiplied by, and the decimals of the numbers.
METRICS = {RECALL: ("Failures found at a budget\nof 20% (recall, %)", 100, 1), AUROC: ("AUROC", 1, 3)}


@styled
def figure_04(means: pd.DataFrame, simulated: Collection[str] = ()) -> "Figure":
    """Draw recall and AUROC of both probe sets under both scoring rules, on mild conditions (Figure 4).

    Parameters
    ----------
    means
        Rows per source, half, tier, images, score and metric with `mean` (share), `cells` and `undefined`.
    simulated
        Sources with simulated data.
    """
    chosen = choose(means, "figure_04")
    sources = ordered_sources(chosen["source"])
    mild = chosen[chosen["tier"] == MILD]
    figure, axes = new_figure(TEXT_WIDTH, 2.5, 1, len(METRICS) * len(sources))
    for place, (metric, (label, scale, decimals)) in enumerate(METRICS.items()):
        panels = list(axes[0, place * len(sources) : (place + 1) * len(sources)])
        for axis in panels[1:]:
            axis.sharey(panels[0])
            axis.tick_params(labelleft=False)
        rows = mild[mild["metric"] == metric].dropna(subset=["mean"])
        drawn = with_values(panels, sources, rows["source"])
        levels = scale * rows.pivot_table("mean", "score", "source")
        for source, axis in drawn.items():
            _slopes(axis, levels[source], decimals)
        for axis in list(drawn.values())[:1]:
            axis.set_ylabel(label)
    handles = {
        label: handle for axis in axes[0] for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    if handles:
        figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=len(RULES))
    mark_simulated(figure, simulated, sources)
    return figure


def _slopes(axis: "Axes", level: "pd.Series[float]", decimals: int) -> None:
    """Draw a line from the natural to the corruption set for each scoring rule, with the numbers at its ends."""
    levels = np.array([level.reindex(list(scores)) for scores in RULES.values()])
    upper = np.argsort(np.argsort(levels, axis=0), axis=0) > 0
    for row, (name, scores) in enumerate(RULES.items()):
        colour, marker = SCORE_MARKS[scores[1]]
        axis.plot(
            PLACES, levels[row], color=colour, marker=marker, markersize=4.5, linewidth=1.2,
            label=notation(name, "plot"),
        )  # fmt: skip
        for place in np.flatnonzero(~np.isnan(levels[row])):
            # Outside the lines, the higher number of a set above the lower one.
            axis.annotate(
                f"{levels[row, place]:.{decimals}f}", (place, levels[row, place]),
                (6 if place else -6, 1 if upper[row, place] else -1), textcoords="offset points",
                ha="left" if place else "right", va="bottom" if upper[row, place] else "top", fontsize=7,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4},
            )  # fmt: skip
    axis.set_xticks(PLACES, SETS)
    axis.set_xlim(-0.8, 1.8)
    axis.margins(y=0.17)
    grid_lines(axis, "y")
