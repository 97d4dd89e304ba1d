"""Figure C4: what consistency gains over the margin under corruptions, against the overconfidence of MSP."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd

from pairedeval.consistency.shift_summaries import GAINS
from pairedeval.report.consistency_words import FAMILY_NAMES
from pairedeval.report.names import MINUS, condition_name
from pairedeval.report.results import need_columns
from pairedeval.report.style import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PURPLE,
    TEXT_WIDTH,
    grid_lines,
    new_figure,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GAIN, OVERCONFIDENCE = GAINS[0], "overconfidence"
FAMILY_MARKS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"noise": (BLUE, "o"), "blur": (ORANGE, "s"), "weather": (GREEN, "^"), "digital": (PURPLE, "D")}
)
POINTS = 7  # between a mark and its label
LINE = 0.9  # width of the outline of a mark, which parts marks that overlap
# Extreme of which column: where its label stands, outside of all other marks.
_OUTWARD = (
    (OVERCONFIDENCE, "idxmin", (-POINTS, 0), "right", "center"),
    (OVERCONFIDENCE, "idxmax", (POINTS, 0), "left", "center"),
    (GAIN, "idxmin", (0, -POINTS), "center", "top"),
    (GAIN, "idxmax", (0, POINTS), "center", "bottom"),
)


@styled
def figure_consistency_shift(gains: pd.DataFrame, correlations: pd.DataFrame) -> "Figure":
    """Draw the gain in AUROC of CS over the margin against overconfidence, a mark for each condition (Figure C4).

    Nothing here uses the simulated captures.

    Parameters
    ----------
    gains
        Table of `pairedeval.consistency.shift_summaries.gains_by_condition`.
    correlations
        Table of `pairedeval.consistency.shift_summaries.correlate_gains`.
    """
    name = "figure_consistency_shift"
    need_columns(gains, ("condition", "severity", "family", OVERCONFIDENCE, GAIN), name)
    need_columns(correlations, ("gain", "points", "correlation", "used", "undefined"), name)
    rows = gains.dropna(subset=[GAIN])
    severities = sorted(gains["severity"].unique())
    figure, axes = new_figure(TEXT_WIDTH, 3.3)
    axis = axes[0, 0]
    axis.axhline(0, color=INK, linewidth=0.8, linestyle="--", zorder=1)
    for (family, severity), marks in rows.groupby(["family", "severity"]):
        colour, marker = FAMILY_MARKS[str(family)]
        axis.scatter(
            100 * marks[OVERCONFIDENCE], marks[GAIN], marker=marker, zorder=3, linewidth=LINE,
            **_look(colour, severities.index(severity)),
        )  # fmt: skip
    _label_extremes(axis, rows)
    axis.set_title(_spearman(correlations), loc="right", fontsize=7.5)
    axis.set_xlabel(f"Overconfidence of MSP: mean confidence {MINUS} accuracy (percentage points)")
    axis.set_ylabel(f"AUROC of CS {MINUS} AUROC of the margin")
    axis.margins(x=0.22, y=0.12)
    grid_lines(axis, "both")
    _legend(figure, [family for family in FAMILY_MARKS if family in set(rows["family"])], severities)
    return figure


def _look(colour: str, rank: int) -> dict[str, Any]:
    """Draw the lowest severity open and small, higher ones filled and larger."""
    return {"s": 20 + 16 * rank, "edgecolor": "white" if rank else colour, "facecolor": colour if rank else "white"}


def _label_extremes(axis: "Axes", rows: pd.DataFrame) -> None:
    """Name the conditions at the ends of either axis, each once."""
    named = set()
    for column, end, offset, horizontal, vertical in _OUTWARD if len(rows) else ():
        row = rows.loc[getattr(rows[column], end)()]
        if row["condition"] not in named:
            axis.annotate(
                condition_name(row["condition"]), (100 * row[OVERCONFIDENCE], row[GAIN]), offset,
                textcoords="offset points", ha=horizontal, va=vertical, fontsize=7, zorder=2,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4},
            )  # fmt: skip
        named.add(row["condition"])


def _spearman(correlations: pd.DataFrame) -> str:
    """Write the rank correlations over conditions and over corruptions, with the numbers of points."""
    parts = []
    for row in correlations[correlations["gain"] == GAIN].to_dict("records"):
        number = "undefined" if math.isnan(row["correlation"]) else f"{row['correlation']:+z.2f}".replace("-", MINUS)
        left_out = f", {row['undefined']} without a gain" if row["undefined"] else ""
        parts.append(f"{number} over {row['used']} {row['points']}s{left_out}")
    return f"Spearman's ρ: {'; '.join(parts)}"


def _legend(figure: "Figure", families: list[str], severities: list[int]) -> None:
    from matplotlib.lines import Line2D

    def handle(label: str, marker: str, rank: int, colour: str) -> Line2D:
        look = _look(colour, rank)
        return Line2D(
            [], [], linestyle="none", marker=marker, markersize=math.sqrt(look["s"]), label=label,
            markeredgecolor=look["edgecolor"], markerfacecolor=look["facecolor"], markeredgewidth=LINE,
        )  # fmt: skip

    handles = [handle(FAMILY_NAMES[family], FAMILY_MARKS[family][1], 1, FAMILY_MARKS[family][0]) for family in families]
    handles += [handle(f"severity {severity}", "o", rank, INK) for rank, severity in enumerate(severities)]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), handletextpad=0.2)
