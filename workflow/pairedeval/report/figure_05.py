"""Figure 5: how the share of cells with additional policy orderings depends on the cost weight."""

from collections.abc import Collection
from typing import TYPE_CHECKING

import pandas as pd

from pairedeval.report.names import notation, ordered_sources, source_name
from pairedeval.report.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    ORANGE,
    PURPLE,
    TEXT_WIDTH,
    grid_lines,
    mark_simulated,
    new_figure,
    styled,
)
from pairedeval.report.tables_policies import ALL_SOURCES, PRIMARY_WEIGHT, transition_orderings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS = {
    "shared": "Shared correspondence,\ncompared with separate intervals",
    "overlap": "Overlap added,\n{I0} to {Ik}",
    "states": "Five-state counts added,\n{Ik} to {I5}",
}
MARKS = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (PURPLE, "D"), (INK, "v"))


@styled
def figure_05(orderings: pd.DataFrame, simulated: Collection[str] = ()) -> "Figure":
    """Draw the share of cells with an additional certified ordering over the cost weights (Figure 5).

    Parameters
    ----------
    orderings
        Rows per source, weight, cost and gain with `gaining_share`; see `pairedeval.policies.summaries.established`.
    simulated
        Sources with simulated data.
    """
    rows = transition_orderings(orderings, "figure_05")
    sources = [source for source in ordered_sources(rows["source"]) if source != ALL_SOURCES]
    figure, axes = new_figure(TEXT_WIDTH, 2.7, 1, len(PANELS), sharex=True, sharey=True)
    for axis, (gain, title) in zip(axes[0], PANELS.items(), strict=True):
        axis.axvline(PRIMARY_WEIGHT, color=FAINT, linewidth=4, zorder=0, label="primary weight")
        for place, source in enumerate(sources):
            line = rows[(rows["gain"] == gain) & (rows["source"] == source)].sort_values("weight")
            colour, marker = MARKS[place % len(MARKS)]
            axis.plot(
                line["weight"], 100 * line["gaining_share"], color=colour, marker=marker, markersize=3.5,
                linewidth=1.2, clip_on=False, label=source_name(source),
            )  # fmt: skip
        axis.set_title(notation(title, "plot"))
        axis.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
        grid_lines(axis, "y")
    axes[0, 0].set(xlim=(0, 1), ylim=(0, 100), ylabel="Cells with an\nadditional ordering (%)")
    axes[0, 1].set_xlabel("Cost weight λ of accepted-error transitions")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend([*handles[1:], handles[0]], [*labels[1:], labels[0]], loc="outside upper center", ncols=len(labels))
    mark_simulated(figure, simulated, sources)
    return figure
