"""Figures of accuracies and identified intervals: each a pure function of tidy results.

Figures 1 and 7 of the paper stand in `figure_01` and `figure_07`.
"""

from collections.abc import Collection, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pandas as pd

from pairedeval.report.names import TARGET_NAMES, check_tiers, notation, ordered_sources, source_name
from pairedeval.report.style import (
    BLUE,
    FAINT,
    INK,
    ORANGE,
    PURPLE,
    RED,
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

CELL = ["source", "model", "condition"]
# Marker, face and edge of each tier.
TIER_MARKS = {
    "clean": ("D", "white", INK),
    "mild": ("o", BLUE, BLUE),
    "severe": ("s", ORANGE, ORANGE),
    "extreme": ("^", PURPLE, PURPLE),
}
INTERVALS = (("I0", FAINT, 9.0), ("Ik", SKY, 6.0), ("I5", BLUE, 3.0))


@styled
def accuracy_overview(accuracy: pd.DataFrame, simulated: Collection[str] = ()) -> "Figure":
    """Draw the accuracy of each model on unperturbed images and per source and tier.

    Parameters
    ----------
    accuracy
        Rows per model, source and tier with `model`, `source`, `tier` (``clean`` for the unperturbed images, else
        ``mild``, ``severe`` or ``extreme``) and `accuracy` (share), the mean over the conditions of the tier.
    simulated
        Sources with simulated data.
    """
    check_tiers(accuracy["tier"], "figure_accuracy", also=["clean"])
    sources = ordered_sources(accuracy["source"])
    clean = accuracy[accuracy["tier"] == "clean"].groupby("model", sort=False)["accuracy"].max()
    models = list(clean.sort_values(kind="stable").index)
    height = 1.2 + 0.15 * len(models)
    figure, axes = new_figure(TEXT_WIDTH, height, 1, len(sources), sharey=True, sharex=True)
    for axis, source in zip(axes[0], sources, strict=True):
        _accuracy_panel(axis, accuracy[accuracy["source"] == source], models)
        axis.set_title(source_name(source, simulated, "\n"))
    axes[0, 0].set_yticks(range(len(models)), models)
    figure.supxlabel("Accuracy (%)", fontsize=8)
    _accuracy_legend(figure, accuracy)
    mark_simulated(figure, simulated, ())
    return figure


@styled
def identified_intervals(bounds: pd.DataFrame, simulated: Collection[str] = ()) -> "Figure":
    """Draw observed H and L inside what the records determine, for a readable number of cells.

    Parameters
    ----------
    bounds
        Rows per cell, target (``H``, ``L``) and level with `source`, `model`, `condition`, `lower`, `upper`,
        `observed` and `independent` (shares). See `select_cells`.
    simulated
        Sources with simulated data.
    """
    cells = list(bounds[CELL].drop_duplicates().itertuples(index=False, name=None))
    height = 1.1 + 0.22 * len(cells)
    figure, axes = new_figure(TEXT_WIDTH, height, 1, 2, sharey=True)
    for axis, target in zip(axes[0], ("H", "L"), strict=True):
        _interval_panel(axis, bounds[bounds["target"] == target], cells)
        axis.set_title(f"{notation('{' + target + '}', 'plot')}: {TARGET_NAMES[target]}")
        axis.set_xlabel(f"{notation('{' + target + '}', 'plot')}, share of images\n(percentage points)")
    _name_cells(axes[0], cells)
    _interval_legend(figure)
    mark_simulated(figure, simulated, {source for source, _, _ in cells})
    return figure


def select_cells(bounds: pd.DataFrame, per_source: int = 5) -> pd.DataFrame:
    """Select cells for `identified_intervals`, without looking at what was observed.

    Within each source, cells are sorted by the width of H at I0 and taken at equal steps from the narrowest to
    the widest, so that both extremes appear.

    Parameters
    ----------
    bounds
        Rows as for `identified_intervals`, with `width`.
    per_source
        Number of cells of each source, at most.
    """
    width = bounds[(bounds["target"] == "H") & (bounds["level"] == "I0")].sort_values(["width", *CELL], kind="stable")
    chosen = []
    for source in ordered_sources(bounds["source"]):
        cells = width.loc[width["source"] == source, CELL]
        count = min(per_source, len(cells))
        places = [round(step * (len(cells) - 1) / max(count - 1, 1)) for step in range(count)]
        chosen.append(cells.iloc[places])
    return pd.concat(chosen).merge(bounds[bounds["target"].isin(["H", "L"])], on=CELL, how="left", sort=False)


def _accuracy_panel(axis: "Axes", accuracy: pd.DataFrame, models: Sequence[str]) -> None:
    """Draw one source: a line from the clean accuracy to the lowest tier, and a mark for each."""
    place = {model: row for row, model in enumerate(models)}
    spans = accuracy.groupby("model", sort=False)["accuracy"].agg(["min", "max"])
    axis.hlines([place[model] for model in spans.index], 100 * spans["min"], 100 * spans["max"], color=FAINT, zorder=1)
    for tier, (marker, face, edge) in TIER_MARKS.items():
        rows = accuracy[accuracy["tier"] == tier]
        heights = [place[model] for model in rows["model"]]
        axis.scatter(
            100 * rows["accuracy"],
            heights,
            s=16,
            marker=marker,
            facecolor=face,
            edgecolor=edge,
            linewidth=0.8,
            zorder=2,
        )
    axis.set_xlim(-3, 103)
    axis.set_xticks([0, 50, 100])
    axis.set_ylim(-0.6, len(models) - 0.4)
    grid_lines(axis, "x")
    axis.tick_params(axis="y", length=0)


def _accuracy_legend(figure: "Figure", accuracy: pd.DataFrame) -> None:
    from matplotlib.lines import Line2D

    present = set(accuracy["tier"])
    handles = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=mark,
            markerfacecolor=face,
            markeredgecolor=edge,
            markersize=4.5,
            label=tier,
        )
        for tier, (mark, face, edge) in TIER_MARKS.items()
        if tier in present
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))


def _interval_panel(axis: "Axes", bounds: pd.DataFrame, cells: Sequence[tuple[str, ...]]) -> None:
    """Draw one target: nested bars for the levels, a dot for the observed value, a tick for independent matching."""
    row_of = {cell: row for row, cell in enumerate(cells)}
    rows = pd.Series([row_of[cell] for cell in bounds[CELL].itertuples(index=False, name=None)], index=bounds.index)
    for level, colour, thickness in INTERVALS:
        at_level = bounds[bounds["level"] == level]
        axis.hlines(
            rows[at_level.index],
            100 * at_level["lower"],
            100 * at_level["upper"],
            color=colour,
            linewidth=thickness,
            capstyle="butt",
        )
    one = bounds[bounds["level"] == "I0"]
    # Not clipped: many values are zero, and their marks would be cut in half by the axis.
    shown: dict[str, Any] = {"zorder": 4, "clip_on": False}
    axis.scatter(100 * one["independent"], rows[one.index], marker="|", s=36, color=INK, linewidth=0.9, **shown)
    axis.scatter(100 * one["observed"], rows[one.index], s=13, color=RED, edgecolor="white", linewidth=0.5, **shown)
    axis.set_xlim(left=0)
    grid_lines(axis, "x")
    axis.tick_params(axis="y", length=0)


def _name_cells(axes: Sequence["Axes"], cells: Sequence[tuple[str, ...]]) -> None:
    """Write model and condition beside each row and the source at the right of its rows; part the sources."""
    axes[0].set_yticks(range(len(cells)), [notation(f"{model}, {condition}", "plot") for _, model, condition in cells])
    axes[0].set_ylim(len(cells) - 0.4, -0.6)
    last = axes[-1]
    for source, group in groupby(enumerate(source for source, _, _ in cells), key=lambda cell: cell[1]):
        rows = [row for row, _ in group]
        last.text(
            1.015, (rows[0] + rows[-1]) / 2, source_name(source), transform=last.get_yaxis_transform(),
            rotation=270, va="center", fontweight="bold",
        )  # fmt: skip
        for axis in axes if rows[0] else ():
            axis.axhline(rows[0] - 0.5, color=INK, linewidth=0.5)


def _interval_legend(figure: "Figure") -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, linewidth=thickness, label=notation(f"{{{level}}}", "plot"))
        for level, colour, thickness in INTERVALS
    ]
    handles += [
        Line2D([], [], linestyle="none", marker="o", color=RED, markersize=4, label="observed"),
        Line2D([], [], linestyle="none", marker="|", color=INK, markersize=6, label="independent matching"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), handlelength=1.6)
