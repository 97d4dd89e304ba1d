"""Figure C2: how far each trust score ranks errors better or worse than the largest softmax probability."""

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pairedeval.consistency.differences import REFERENCE
from pairedeval.consistency.scores import FORWARD_PASSES, SCORES
from pairedeval.report.consistency_words import SCORE_NAMES
from pairedeval.report.names import counted
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.style import BLUE, GREY, INK, TEXT_WIDTH, grid_lines, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = tuple(score for score in SCORES if score != REFERENCE)
AUROC = "auroc"
# Where in a row the interval stands, and between which heights the dots.
INTERVAL, DOTS = -0.2, (0.05, 0.35)


@styled
def figure_consistency_detection(differences: pd.DataFrame, configurations: pd.DataFrame) -> "Figure":
    """Draw the difference in AUROC between each score and MSP on clean images (Figure C2).

    Nothing here uses the simulated captures.

    Parameters
    ----------
    differences
        Table of `pairedeval.consistency.differences.detection_differences`.
    configurations
        Table of `pairedeval.consistency.detection.configuration_differences`.
    """
    name = "figure_consistency_detection"
    need_columns(differences, ("score", "measure", "mean", "lower", "upper"), name)
    need_columns(configurations, ("model", "score", AUROC), name)
    value = lookup(differences[differences["measure"] == AUROC], ["score"])
    figure, axes = new_figure(TEXT_WIDTH, 0.9 + 0.26 * len(SHOWN))
    axis = axes[0, 0]
    axis.axvline(0, color=INK, linewidth=0.8, linestyle="--", zorder=1)
    for row, score in enumerate(SHOWN):
        singles = configurations.loc[configurations["score"] == score, AUROC].to_numpy(dtype=float)
        _draw_row(axis, row, singles, *(value(column, score) for column in ("mean", "lower", "upper")))
    axis.set_yticks(range(len(SHOWN)), [SCORE_NAMES[score].symbol for score in SHOWN])
    axis.set_ylim(len(SHOWN) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)
    axis.set_xlabel(f"AUROC minus that of {SCORE_NAMES[REFERENCE].symbol} (right: errors are ranked better)")
    axis.margins(x=0.03)
    grid_lines(axis, "x")
    _name_passes(axis)
    _legend(figure, configurations["model"].nunique())
    return figure


def _draw_row(axis: "Axes", row: int, singles: np.ndarray, mean: float, lower: float, upper: float) -> None:
    """Draw the interval of a score and under it the configurations, spread in their order, to be told apart."""
    if math.isnan(mean):
        axis.text(0, row, " undefined", va="center", fontsize=7)
        return
    axis.scatter(singles, row + np.linspace(*DOTS, len(singles)), s=8, color=GREY, linewidth=0, zorder=2)
    axis.hlines(row + INTERVAL, lower, upper, color=BLUE, linewidth=1.6, capstyle="butt", zorder=3)
    axis.plot(mean, row + INTERVAL, marker="D", markersize=4, color=BLUE, zorder=4)


def _name_passes(axis: "Axes") -> None:
    """Part the scores by the forward passes that an image takes, and write their number beside them."""
    passes = [FORWARD_PASSES[score] for score in SHOWN]
    for count in dict.fromkeys(passes):
        rows = [row for row, found in enumerate(passes) if found == count]
        axis.text(
            1.012, sum(rows) / len(rows), f"{count} forward pass{'' if count == 1 else 'es'}",
            transform=axis.get_yaxis_transform(), rotation=270, va="center", fontsize=7.5,
        )  # fmt: skip
        if rows[0]:
            axis.axhline(rows[0] - 0.5, color=INK, linewidth=0.5)


def _legend(figure: "Figure", configurations: int) -> None:
    from matplotlib.lines import Line2D

    mean = f"mean over {counted(configurations, 'configuration')} with 95% interval"
    handles = [
        Line2D([], [], color=BLUE, linewidth=1.8, marker="D", markersize=4.5, label=mean),
        Line2D([], [], linestyle="none", marker="o", markersize=3, color=GREY, label="one configuration"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
