"""Figure 3: share of the failures that each ranking finds at a budget of recaptures, on mild conditions."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from pairedeval.report.names import ordered_sources
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.screening_panels import SCORE_MARKS, plot_name, with_values
from pairedeval.report.screening_rows import BUDGETS, choose
from pairedeval.report.style import GREY, INK, TEXT_WIDTH, grid_lines, mark_simulated, new_figure, styled
from pairedeval.tiers import MILD

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PERCENT = [100 * budget for budget in BUDGETS.values()]
# Steps between the marks of a budget, in percent of the images.
SPACING = 0.9
BAND = "#f2f2f2"


@styled
def figure_03(means: pd.DataFrame, ceilings: pd.DataFrame, simulated: Collection[str] = ()) -> "Figure":
    """Draw the failure recall of six scores over the budgets, with chance and the attainable ceiling (Figure 3).

    Parameters
    ----------
    means
        Rows per source, half, tier, images, score and metric with `mean` (share), `cells` and `undefined`.
    ceilings
        Rows per source and tier with `ceiling_10`, `ceiling_20` and `ceiling_30`, the largest mean recall that any
        ranking reaches.
    simulated
        Sources with simulated data.
    """
    need_columns(ceilings, ("source", "tier", *map(_ceiling, BUDGETS)), "figure_03")
    chosen = choose(means, "figure_03")
    sources = ordered_sources(chosen["source"])
    mild = chosen[chosen["tier"] == MILD]
    figure, axes = new_figure(TEXT_WIDTH, 3.1, 1, len(sources), sharex=True, sharey=True)
    highest = lookup(ceilings, ["source", "tier"])
    panels = with_values(axes[0], sources, mild.dropna(subset=["mean"])["source"])
    for source, axis in panels.items():
        recalls = mild[mild["source"] == source].pivot_table("mean", "score", "metric", dropna=False)
        _curves(axis, 100 * recalls.reindex(index=list(SCORE_MARKS), columns=list(BUDGETS)))
        ceiling = [100 * highest(_ceiling(budget), source, MILD) for budget in BUDGETS]
        axis.plot(PERCENT, ceiling, color=INK, linewidth=1, linestyle=":", label="attainable ceiling")
        axis.plot(PERCENT, PERCENT, color=GREY, linewidth=0.8, label="random selection, expected", zorder=1)
    _finish(figure, list(panels.values()))
    mark_simulated(figure, simulated, sources)
    return figure


def _ceiling(budget: str) -> str:
    return budget.replace("recall", "ceiling")


def _curves(axis: "Axes", recalls: pd.DataFrame) -> None:
    """Draw one line for each score; the marks of a budget stand side by side, so that equal ones are seen."""
    for place, (score, (colour, marker)) in enumerate(SCORE_MARKS.items()):
        shift = SPACING * (place - (len(SCORE_MARKS) - 1) / 2)
        axis.plot(
            [percent + shift for percent in PERCENT], recalls.loc[score], color=colour, marker=marker, markersize=4.5,
            linewidth=0.8, label=plot_name(score),
        )  # fmt: skip


def _finish(figure: "Figure", axes: Sequence["Axes"]) -> None:
    """Label the axes and explain the lines, if a panel holds some."""
    half = SPACING * len(SCORE_MARKS) / 2
    for axis in axes:
        for percent in PERCENT:
            axis.axvspan(percent - half, percent + half, color=BAND, linewidth=0, zorder=0)
        axis.set_xticks(PERCENT, [f"{percent:g}" for percent in PERCENT])
        axis.set_ylim(0, 100)
        axis.set_xlabel("Budget (% of the images)")
        grid_lines(axis, "y")
    if axes:
        axes[0].set_ylabel("Failures found (recall, %)")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center")
