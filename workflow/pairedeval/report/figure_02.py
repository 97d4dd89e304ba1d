"""Figure 2: how well six screening scores rank failures, and what the corruption mean adds to clean confidence."""

import math
from collections.abc import Callable, Collection, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pairedeval.report.names import EN_DASH, MINUS, notation, source_name
from pairedeval.report.screening_panels import plot_name
from pairedeval.report.screening_rows import AUROC, choose, differences_of, means_of, tier_rows
from pairedeval.report.style import BLUE, FAINT, INK, TEXT_WIDTH, grid_lines, mark_simulated, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

    Place = tuple[str, str]

SHOWN = (
    "confidence",
    "corruption_mean",
    "confidence_decrease",
    "retention",
    "class_decrease",
    "predictor_confidence_mean",
)
# Steps of the ends of the colour scale; a random order has an AUROC of one half.
STEP, RANDOM = 0.1, 0.5


@styled
def figure_02(means: pd.DataFrame, differences: pd.DataFrame, simulated: Collection[str] = ()) -> "Figure":
    """Draw the mean AUROC of six scores and the gain of the corruption mean over clean confidence (Figure 2).

    Parameters
    ----------
    means
        Rows per source, half, tier, images, score and metric with `mean` (share), `cells` and `undefined`.
    differences
        The same per score and baseline, with `group_lower` and `group_upper`.
    simulated
        Sources with simulated data.
    """
    chosen = choose(means, "figure_02")
    places = tier_rows(chosen)
    value = means_of(chosen)
    levels = np.array([[value("mean", *place, score, AUROC) for place in places] for score in SHOWN])
    figure, axes = new_figure(TEXT_WIDTH, 2.75, 1, 2, width_ratios=(1.7, 1))
    left, right = axes[0]
    _heat_map(figure, left, levels)
    _name_columns(left, places)
    _gains(right, differences_of(choose(differences, "figure_02"), "figure_02"), places)
    _name_rows(right, places)
    for axis, title in ((left, "(a) Mean AUROC of each score"), (right, "(b) Gain of {U} over {S}")):
        axis.text(
            0, 1.12, notation(title, "plot"), transform=axis.transAxes, va="bottom", fontweight="bold", fontsize=8.5
        )
    mark_simulated(figure, simulated, {source for source, _ in places})
    return figure


def _heat_map(figure: "Figure", axis: "Axes", levels: np.ndarray) -> None:
    """Colour and number one field for each score (rows) and source with tier (columns)."""
    low, high = _ends(levels)
    mesh = axis.pcolormesh(
        np.ma.masked_invalid(levels), cmap=_colours(), vmin=low, vmax=high, edgecolor="white", linewidth=1
    )
    for row, column in np.ndindex(levels.shape):
        level = float(levels[row, column])
        # Above seven tenths of the scale, white stands out more than black.
        dark = (level - low) / (high - low) > 0.7
        text = EN_DASH if math.isnan(level) else f"{level:.3f}"
        axis.text(column + 0.5, row + 0.5, text, ha="center", va="center", color="white" if dark else INK, fontsize=7.5)
    axis.set_yticks(np.arange(len(SHOWN)) + 0.5, [plot_name(score) for score in SHOWN])
    axis.invert_yaxis()
    axis.spines[:].set_visible(False)
    axis.tick_params(length=0)
    figure.colorbar(mesh, ax=axis, pad=0.02, aspect=28, label="Mean AUROC").outline.set_linewidth(0)


def _ends(levels: np.ndarray) -> tuple[float, float]:
    """Return the ends of the colour scale: round numbers around one half and every defined level."""
    steps = np.array([RANDOM, *levels[~np.isnan(levels)]]) / STEP
    low = STEP * math.floor(steps.min() + 1e-9)
    return low, max(STEP * math.ceil(steps.max() - 1e-9), low + STEP)


def _colours() -> "Colormap":
    """Return one hue from light to dark, which every kind of colour vision tells apart; undefined fields are grey."""
    from matplotlib import colormaps

    return colormaps["Blues"].with_extremes(bad=FAINT)


def _name_columns(axis: "Axes", places: Sequence["Place"]) -> None:
    """Write the tiers under the columns of the heat map and the sources above; part the sources."""
    axis.set_xticks(np.arange(len(places)) + 0.5, [tier for _, tier in places])
    for source, first, last in _spans(places):
        axis.text(
            (first + last + 1) / 2, 1.02, source_name(source), transform=axis.get_xaxis_transform(),
            ha="center", va="bottom", fontsize=8.5,
        )  # fmt: skip
        if first:
            axis.axvline(first, color="white", linewidth=6)


def _gains(axis: "Axes", value: Callable[..., float], places: Sequence["Place"]) -> None:
    """Draw the differences between the corruption mean and clean confidence with their intervals."""
    axis.axvline(0, color=INK, linewidth=0.8, linestyle="--", zorder=1)
    for row, place in enumerate(places):
        mean, lower, upper = (
            value(column, *place, "corruption_mean", "confidence", AUROC)
            for column in ("mean", "group_lower", "group_upper")
        )
        if math.isnan(mean):
            axis.text(0, row + 0.5, " undefined", va="center", fontsize=7)
        axis.hlines(row + 0.5, lower, upper, color=BLUE, linewidth=1.4, capstyle="butt")
        axis.plot(mean, row + 0.5, marker="o", markersize=4.5, color=BLUE)
    axis.set_xlabel(notation(f"Difference in AUROC, {{U}} {MINUS} {{S}}", "plot"))
    axis.margins(x=0.06)
    axis.locator_params(axis="x", nbins=6, steps=[1, 2, 5, 10])
    grid_lines(axis, "x")


def _name_rows(axis: "Axes", places: Sequence["Place"]) -> None:
    """Write the tiers beside the rows of the gains and the sources at their right; part the sources."""
    axis.set_yticks(np.arange(len(places)) + 0.5, [tier for _, tier in places])
    axis.set_ylim(len(places), 0)
    axis.tick_params(axis="y", length=0)
    for source, first, last in _spans(places):
        axis.text(
            1.03, (first + last + 1) / 2, source_name(source), transform=axis.get_yaxis_transform(),
            rotation=270, va="center", fontsize=8.5,
        )  # fmt: skip
        if first:
            axis.axhline(first, color=INK, linewidth=0.5)


def _spans(places: Sequence["Place"]) -> list[tuple[str, int, int]]:
    """Return each source with its first and last place."""
    spans = []
    for source, group in groupby(range(len(places)), key=lambda place: places[place][0]):
        columns = list(group)
        spans.append((source, columns[0], columns[-1]))
    return spans
