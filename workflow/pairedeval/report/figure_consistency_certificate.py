"""Figure C3: how often the no-flip certificate fails, and how many images it covers."""

from typing import TYPE_CHECKING

import pandas as pd

from pairedeval.report.names import counted
from pairedeval.report.results import need_columns
from pairedeval.report.style import BLUE, GREY, INK, TEXT_WIDTH, grid_lines, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Column: title of its panel and label of its axis.
PANELS = {
    "realized": ("(a) Failures of the certificate", "Certified and flipped (% of the images)"),
    "coverage": ("(b) Coverage", "Certified (% of the images)"),
}
LIMIT = "realised rate = β"


@styled
def figure_consistency_certificate(summary: pd.DataFrame, configurations: pd.DataFrame) -> "Figure":
    """Draw the realised failure rate and the coverage of the certificate against the allowed rate (Figure C3).

    Nothing here uses the simulated captures.

    Parameters
    ----------
    summary
        Table of `pairedeval.consistency.certificate.summarise_certificate`.
    configurations
        Table of `pairedeval.consistency.certificate.average_seeds`.
    """
    for frame in (summary, configurations):
        need_columns(frame, ("beta", *PANELS), "figure_consistency_certificate")
    figure, axes = new_figure(TEXT_WIDTH, 2.9, 1, len(PANELS))
    for axis, (column, (title, label)) in zip(axes[0], PANELS.items(), strict=True):
        _curves(axis, column, summary.sort_values("beta"), configurations)
        axis.set_title(title, loc="left", fontweight="bold")
        axis.set(xlabel="Allowed failure rate β (%)", ylabel=label)
        axis.set_xlim(left=0)
        axis.set_xticks([100 * beta for beta in sorted(summary["beta"])])
        axis.xaxis.set_major_formatter("{x:g}")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.locator_params(axis="y", nbins=5, steps=[1, 2, 5, 10])
        grid_lines(axis, "y")
    largest = 100 * summary["beta"].max()
    (limit,) = axes[0, 0].plot([0, largest], [0, largest], color=INK, linewidth=1, linestyle="--", label=LIMIT)
    axes[0, 0].set_ylim(bottom=0)
    axes[0, 1].set_ylim(0, 100)
    _legend(figure, limit, configurations["model"].nunique())
    return figure


def _curves(axis: "Axes", column: str, summary: pd.DataFrame, configurations: pd.DataFrame) -> None:
    """Draw a thin line for each configuration and a thick one with marks for their mean."""
    for _, line in configurations.sort_values("beta").groupby("model", sort=False):
        axis.plot(100 * line["beta"], 100 * line[column], color=GREY, linewidth=0.7, zorder=2, clip_on=False)
    axis.plot(
        100 * summary["beta"], 100 * summary[column], color=BLUE, linewidth=1.8, marker="o", markersize=4, zorder=3,
        clip_on=False,
    )  # fmt: skip


def _legend(figure: "Figure", limit: object, configurations: int) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [], [], color=BLUE, linewidth=1.8, marker="o", markersize=4,
            label=f"mean over {counted(configurations, 'configuration')}",
        ),
        Line2D([], [], color=GREY, linewidth=0.7, label="one configuration"),
        limit,
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
