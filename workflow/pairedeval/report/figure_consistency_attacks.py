"""Figure C5: detection of attacked images, and what attacks that aim at stable predictions achieve."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pairedeval.consistency.attacks import ATTACK_COLUMNS, DISPLACEMENT
from pairedeval.report.consistency_words import SCORE_NAMES
from pairedeval.report.results import need_columns
from pairedeval.report.style import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PURPLE,
    RED,
    TEXT_WIDTH,
    grid_lines,
    new_figure,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCORE_MARKS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"msp": (RED, "X"), "margin": (ORANGE, "s"), "consistency": (BLUE, "o"), DISPLACEMENT: (GREEN, "^")}
)
BUDGET_MARKS = ((PURPLE, "D"), (BLUE, "o"), (INK, "v"), (GREEN, "^"))
TITLES = (
    "(a) Plain attacks:\ndetection by four scores",
    "(b) Adaptive attacks:\ndetection by CS",
    "(c) Adaptive attacks:\nsuccess",
)
# Step between marks that belong to one place of the axis, in units of its steps.
SPACING = 0.09
CHANCE = 0.5


@styled
def figure_consistency_attacks(attacks: pd.DataFrame, success: pd.DataFrame) -> "Figure":
    """Draw the detection of plain attacks by four scores, and detection by CS and success of adaptive ones (Figure C5).

    Nothing here uses the simulated captures.

    Parameters
    ----------
    attacks
        Table of `pairedeval.consistency.attacks.summarise_attacks`.
    success
        Table of `pairedeval.consistency.attacks.summarise_success`.
    """
    name, values = "figure_consistency_attacks", ("quantity", "mean", "lower", "upper")
    need_columns(attacks, (*ATTACK_COLUMNS, "score", *values), name)
    need_columns(success, (*ATTACK_COLUMNS, *values), name)
    detected = attacks[attacks["quantity"] == "detection_auroc"]
    succeeded = success[success["quantity"] == "success"].assign(**_percent(success))
    figure, axes = new_figure(TEXT_WIDTH, 3.1, 1, 3)
    plain, adaptive, achieved = axes[0]
    # Shared before anything is drawn, so that the limits follow both panels.
    adaptive.sharey(plain)
    _plain(plain, detected[detected["stability_weight"] == 0])
    _by_weight(adaptive, detected[detected["score"] == "consistency"])
    _by_weight(achieved, succeeded)
    plain.set(xlabel="Budget (255ths of full scale)", ylabel="AUROC, attacked against clean")
    adaptive.tick_params(labelleft=False)
    achieved.set(ylabel="Right predictions turned wrong (%)", ylim=(0, 105))
    for axis in (plain, adaptive):
        axis.axhline(CHANCE, color=INK, linewidth=0.8, linestyle=":", zorder=1)
    for axis, title in zip(axes[0], TITLES, strict=True):
        axis.set_title(title, loc="left", fontweight="bold")
        grid_lines(axis, "y")
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, columnspacing=1, handlelength=1.4)
    return figure


def _percent(rows: pd.DataFrame) -> dict[str, "pd.Series[float]"]:
    return {column: 100 * rows[column] for column in ("mean", "lower", "upper")}


def _plain(axis: "Axes", rows: pd.DataFrame) -> None:
    """Draw a line over the budgets for each score."""
    budgets = sorted(rows["epsilon"].unique())
    for place, (score, (colour, marker)) in enumerate(SCORE_MARKS.items()):
        line = rows[rows["score"] == score].set_index("epsilon").reindex(budgets)
        _line(axis, line, _shift(place, len(SCORE_MARKS)), colour, marker, SCORE_NAMES[score].symbol)
    _ticks(axis, budgets)


def _by_weight(axis: "Axes", rows: pd.DataFrame) -> None:
    """Draw a line over the stability weights for each budget of adaptive attacks; a weight of 0 is the plain one."""
    budgets = sorted(rows.loc[rows["stability_weight"] > 0, "epsilon"].unique())
    weights = sorted(rows.loc[rows["epsilon"].isin(budgets), "stability_weight"].unique())
    for place, budget in enumerate(budgets):
        line = rows[rows["epsilon"] == budget].set_index("stability_weight").reindex(weights)
        colour, marker = BUDGET_MARKS[place % len(BUDGET_MARKS)]
        _line(axis, line, _shift(place, len(budgets)), colour, marker, f"budget {budget:g}/255")
    _ticks(axis, weights)
    axis.set_xlabel("Weight of stability (0: plain)")


def _line(axis: "Axes", rows: pd.DataFrame, shift: float, colour: str, marker: str, label: str) -> None:
    """Draw means with intervals at the places 0, 1 and so on, all moved by `shift`."""
    places = np.arange(len(rows)) + shift
    axis.vlines(places, rows["lower"], rows["upper"], color=colour, linewidth=1.2)
    axis.plot(places, rows["mean"], color=colour, marker=marker, markersize=4.5, linewidth=0.9, label=label)


def _shift(place: int, count: int) -> float:
    return SPACING * (place - (count - 1) / 2)


def _ticks(axis: "Axes", values: Sequence[float]) -> None:
    axis.set_xticks(range(len(values)), [f"{value:g}" for value in values])
    axis.set_xlim(-0.4, len(values) - 0.6)
