"""Figure 6: failure recall of every single corruption probe on mild conditions."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from pairedeval.report.names import condition_name, notation, ordered_sources
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.screening_panels import with_values
from pairedeval.report.screening_rows import RECALL, choose
from pairedeval.report.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    TEXT_WIDTH,
    grid_lines,
    mark_simulated,
    new_figure,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colour and marker of each severity, from the lowest.
SEVERITY_MARKS = ((BLUE, "o"), (ORANGE, "s"))
# How far the mark of a severity stands below that of the one before, in rows.
STEP = 0.3
# Lines of comparison: pool and kind of the probes, name (a template), colour and dashes.
LINES = (
    ("corruption", "all", "18 corruptions, {U}", BLUE, "-"),
    ("natural", "all", "18 natural transforms, {TTA18}", GREEN, "--"),
    ("clean", "clean", "clean confidence, {S}", RED, ":"),
)


@styled
def figure_06(probes: pd.DataFrame, means: pd.DataFrame, simulated: Collection[str] = ()) -> "Figure":
    """Draw the recall at a budget of 20% with each corruption as the only probe, on mild conditions (Figure 6).

    Parameters
    ----------
    probes
        Rows per source, pool, kind (``probe``, ``all``, ``clean`` and others) and name, such as ``fog-2``, with
        `recall_20` (share).
    means
        As for `pairedeval.report.figure_03.figure_03`; its sources have a panel each.
    simulated
        Sources with simulated data.
    """
    need_columns(probes, ("source", "pool", "kind", "name", RECALL), "figure_06")
    sources = ordered_sources(choose(means, "figure_06")["source"])
    recall = lookup(probes.assign(**{RECALL: 100 * probes[RECALL]}), ["source", "pool", "kind", "name"])
    single = _single_probes(probes)
    types = list(single.groupby("corruption")[RECALL].mean().sort_values(kind="stable").index)
    figure, axes = new_figure(TEXT_WIDTH, 1.3 + 0.2 * len(types), 1, len(sources), sharey=True)
    panels = with_values(axes[0], sources, single["source"])
    for source, axis in panels.items():
        for pool, kind, name, colour, dashes in LINES:
            level = recall(RECALL, source, pool, kind, kind)
            axis.axvline(level, color=colour, linestyle=dashes, linewidth=1.1, label=notation(name, "plot"))
        _marks(axis, single[single["source"] == source], types)
        axis.set_xlabel("Failures found at a budget of 20% (recall, %)")
        grid_lines(axis, "x")
    for axis in list(panels.values())[:1]:
        axis.set_yticks(range(len(types)), [condition_name(corruption) for corruption in types])
        figure.legend(*axis.get_legend_handles_labels(), loc="outside upper center", ncols=5, handlelength=1.6)
    mark_simulated(figure, simulated, sources)
    return figure


def _single_probes(probes: pd.DataFrame) -> pd.DataFrame:
    """Return the single corruptions with a recall, in percent, and `corruption`, `severity` and its `step` from 0."""
    rows = probes[(probes["pool"] == "corruption") & (probes["kind"] == "probe")].dropna(subset=[RECALL])
    parts = rows["name"].str.rsplit("-", n=1)
    severity = parts.str[1].astype(int)
    single = rows.assign(corruption=parts.str[0], severity=severity, **{RECALL: 100 * rows[RECALL]})
    return single.assign(step=severity.rank(method="dense").astype(int) - 1).sort_values(["corruption", "step"])


def _marks(axis: "Axes", single: pd.DataFrame, types: Sequence[str]) -> None:
    """Draw one row for each corruption type: a mark for each severity, a step below the last, and a line between."""
    row_of = {corruption: row for row, corruption in enumerate(types)}
    heights = single["corruption"].map(row_of) + STEP * (0.5 - single["step"])
    for _, rows in single.groupby("corruption"):
        axis.plot(rows[RECALL], heights[rows.index], color=GREY, linewidth=0.8, zorder=2)
    for severity, rows in single.groupby("severity"):
        colour, marker = SEVERITY_MARKS[int(rows["step"].iloc[0]) % len(SEVERITY_MARKS)]
        axis.plot(
            rows[RECALL], heights[rows.index], linestyle="none", color=colour, marker=marker, markersize=4.5,
            label=f"severity {severity}", zorder=3,
        )  # fmt: skip
    axis.set_ylim(-0.6, len(types) - 0.4)
    axis.tick_params(axis="y", length=0)
