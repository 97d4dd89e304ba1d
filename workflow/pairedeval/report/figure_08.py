"""Figure 8: how much the gain of the first paired step depends on single model groups."""

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pairedeval.report.results import lookup, need_columns
from pairedeval.report.style import (
    BLUE,
    INK,
    ORANGE,
    TEXT_WIDTH,
    grid_lines,
    mark_simulated,
    new_figure,
    styled,
)
from pairedeval.report.tables_prediction import KEYS, PRIMARY_FEATURES, TARGET_SYMBOLS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SOURCE = "diverse"
# Comparison, printed name and colour of each control, from top to bottom.
CONTROLS = (
    ("controlled", "counterparts of\nF, A, Q only", ORANGE),
    ("augmented", "all eight\ncounterparts", BLUE),
)
PRACTICAL_SHARE = 0.1


@styled
def figure_08(
    gains: pd.DataFrame, deletions: pd.DataFrame, thresholds: pd.DataFrame, simulated: Collection[str] = ()
) -> "Figure":
    """Draw the gains of F, A and Q from Syn to Diverse, with all models and without each group (Figure 8).

    Parameters
    ----------
    gains
        Rows per features, source, target, comparison and step with `gain` (share).
    deletions
        The same keys and `deleted` with `gain`; see `pairedeval.prediction.summaries.deletion_gains`.
    thresholds
        The same keys, `weighting`, `rule` and `share` with `threshold`; see
        `pairedeval.prediction.summaries.practical_thresholds`.
    simulated
        Sources with simulated data.
    """
    need_columns(thresholds, (*KEYS, "weighting", "rule", "share", "threshold"), "figure_08")
    practical = thresholds[
        (thresholds["weighting"] == "model")
        & (thresholds["rule"] == "target range")
        & ((thresholds["share"] - PRACTICAL_SHARE).abs() < 1e-9)
    ]
    value = lookup(_shown(gains), ["target", "comparison"])
    threshold = lookup(_shown(practical), ["target", "comparison"])
    refits = _shown(deletions)
    figure, axes = new_figure(TEXT_WIDTH, 2.1, 1, len(TARGET_SYMBOLS), sharey=True)
    for axis, (target, (_, symbol)) in zip(axes[0], TARGET_SYMBOLS.items(), strict=True):
        axis.axvline(0, color=INK, linewidth=0.6, zorder=0)
        axis.axvline(100 * threshold("threshold", target, "augmented"), color=INK, linewidth=0.8, linestyle="--")
        for row, (comparison, _, colour) in enumerate(CONTROLS):
            refit = refits[(refits["target"] == target) & (refits["comparison"] == comparison)]
            _draw_row(axis, row, colour, 100 * value("gain", target, comparison), 100 * refit["gain"].to_numpy())
        axis.set(title=symbol, xlabel="Error reduction (pp)")
        axis.margins(x=0.12)
        grid_lines(axis, "x")
        axis.tick_params(axis="y", length=0)
    axes[0, 0].set_yticks(range(len(CONTROLS)), [name for _, name, _ in CONTROLS])
    axes[0, 0].set_ylim(len(CONTROLS) - 0.5, -0.5)
    figure.supylabel("Control", fontsize=8)
    _legend(figure)
    mark_simulated(figure, simulated, {SOURCE})
    return figure


def _shown(rows: pd.DataFrame) -> pd.DataFrame:
    need_columns(rows, KEYS, "figure_08")
    return rows[(rows["features"] == PRIMARY_FEATURES) & (rows["source"] == SOURCE) & (rows["step"] == "C1")]


def _draw_row(axis: "Axes", row: int, colour: str, full: float, refits: np.ndarray) -> None:
    """Draw a diamond for all models; the dots of the refits are spread in the order of the groups, to be told apart."""
    heights = row + np.linspace(-0.3, 0.3, len(refits))
    axis.scatter(refits, heights, s=13, color=colour, alpha=0.75, linewidth=0, zorder=2)
    axis.scatter([full], [row], s=42, marker="D", facecolor="none", edgecolor=colour, linewidth=1.4, zorder=3)


def _legend(figure: "Figure") -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [], [], linestyle="none", marker="D", markerfacecolor="none", markeredgecolor=INK, markersize=5,
            label="all models",
        ),
        Line2D([], [], linestyle="none", marker="o", color=INK, markersize=3.5, label="one group deleted"),
        Line2D([], [], color=INK, linewidth=0.8, linestyle="--", label="0.1 of the target's interquartile range"),
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
