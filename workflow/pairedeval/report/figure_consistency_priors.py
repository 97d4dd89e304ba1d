"""Figure C6: what a correction of the class prior does to the consistency-accuracy gap, and stable errors by class."""

import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from pairedeval.consistency.priors import ESTIMATED, NATURAL, NONE, RARE, REWEIGHTED, TRUE_PRIOR
from pairedeval.report.names import MINUS
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    TEXT_WIDTH,
    grid_lines,
    new_figure,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Variant, method, printed name and colour of each gap, from top to bottom.
GAPS = (
    (RARE, NONE, "none", ORANGE),
    (RARE, REWEIGHTED, "none, images weighted\nto the training shares", ORANGE),
    (RARE, ESTIMATED, "prior estimated\nwithout labels (EM)", BLUE),
    (RARE, TRUE_PRIOR, "true prior", BLUE),
    (NATURAL, NONE, "no rare class\nin training", INK),
)
RARE_MARKERS = ("D", "^", "s", "v", "P")
LARGEST = 102


@styled
def figure_consistency_priors(priors: pd.DataFrame, recalls: pd.DataFrame) -> "Figure":
    """Draw the gap under each correction, and recall against label stability of each class (Figure C6).

    Nothing here uses the simulated captures.

    Parameters
    ----------
    priors
        Table of `pairedeval.consistency.prior_summaries.summarise_priors`.
    recalls
        Table of `pairedeval.consistency.prior_summaries.summarise_recalls`.
    """
    name = "figure_consistency_priors"
    need_columns(priors, ("variant", "method", "quantity", "mean", "lower", "upper"), name)
    need_columns(recalls, ("variant", "method", "class", "rare", "recall", "stability"), name)
    figure, axes = new_figure(TEXT_WIDTH, 3.1, 1, 2)
    left, right = axes[0]
    _gaps(left, priors[priors["quantity"] == "gap"])
    _classes(right, recalls[recalls["variant"] == RARE])
    for axis, title in ((left, "(a) Gap by correction"), (right, "(b) Classes, trained with rare ones")):
        axis.set_title(title, loc="left", fontweight="bold")
    return figure


def _gaps(axis: "Axes", rows: pd.DataFrame) -> None:
    """Draw the gap of each correction with its interval."""
    value = lookup(rows, ["variant", "method"])
    axis.axvline(0, color=INK, linewidth=0.8, linestyle="--", zorder=1)
    for row, (variant, method, _, colour) in enumerate(GAPS):
        mean, lower, upper = (100 * value(column, variant, method) for column in ("mean", "lower", "upper"))
        if math.isnan(mean):
            axis.text(0, row, " undefined", va="center", fontsize=7)
        axis.hlines(row, lower, upper, color=colour, linewidth=1.6, capstyle="butt")
        axis.plot(mean, row, marker="D", markersize=4.5, color=colour)
    axis.set_yticks(range(len(GAPS)), [name for _, _, name, _ in GAPS])
    axis.set_ylim(len(GAPS) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)
    axis.margins(x=0.08)
    axis.set_xlabel(f"CAG: accuracy {MINUS} mean CS (percentage points)")
    grid_lines(axis, "x")


def _classes(axis: "Axes", rows: pd.DataFrame) -> None:
    """Draw a mark for each class, and for the rare ones an arrow to where the estimated prior takes them."""
    shown = rows.assign(recall=100 * rows["recall"], stability=100 * rows["stability"]).set_index("class")
    before, after = (shown[shown["method"] == method] for method in (NONE, ESTIMATED))
    common, rare = before[~before["rare"]], before[before["rare"]]
    axis.scatter(common["stability"], common["recall"], s=20, color=GREY, label="other class", zorder=2)
    paths = (frame.loc[rare.index, ["stability", "recall"]].to_numpy() for frame in (before, after))
    for place, (name, start, end) in enumerate(zip(rare.index, *paths, strict=True)):
        look: dict[str, Any] = {"s": 34, "marker": RARE_MARKERS[place % len(RARE_MARKERS)], "zorder": 3}
        axis.scatter(*start, color=ORANGE, label=f"{name}, rare", **look)
        words = "rare, estimated prior" if place == 0 else None  # all look alike
        axis.scatter(*end, facecolor="white", edgecolor=BLUE, linewidth=1.2, label=words, **look)
        axis.annotate(
            "", end, start, zorder=4,
            arrowprops={"arrowstyle": "->", "color": INK, "linewidth": 0.7, "shrinkA": 3, "shrinkB": 3},
        )  # fmt: skip
    axis.axline((100, 100), slope=1, color=INK, linewidth=0.8, linestyle=":", zorder=1, label="recall = LS")
    axis.margins(x=0.08, y=0.08)
    # No share is above 100%; a little more shows whole marks there.
    axis.set_xlim(right=min(axis.get_xlim()[1], LARGEST))
    axis.set_ylim(top=min(axis.get_ylim()[1], LARGEST))
    axis.set(xlabel="Label stability LS (%)", ylabel="Recall (%)")
    grid_lines(axis, "both")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=3, columnspacing=1, handlelength=1.4)
