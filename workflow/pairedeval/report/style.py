"""One look for all figures, and files that are the same bytes on every run."""

import functools
import json
import math
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import matplotlib as mpl
from matplotlib.figure import Figure
from seaborn import color_palette

from pairedeval.files import atomic_path
from pairedeval.provenance.stamp import full_stamp
from pairedeval.report.names import listed, ordered_sources, predictions_simulated, source_name

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes

Arguments = ParamSpec("Arguments")

TEXT_WIDTH = 7.0  # inches: the full text width
RESOLUTION = 300  # dots per inch of the PNG files
WATERMARK = "SIMULATED"
WATERMARK_LETTER = 0.8  # width of a bold capital, in units of the font size

BLUE, ORANGE, GREEN, RED, PURPLE, BROWN, PINK, GREY, YELLOW, SKY = color_palette("colorblind").as_hex()
INK = "#1a1a1a"
FAINT = "#d9d9d9"

STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 8.5,
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "font.family": ["DejaVu Sans"],  # ships with matplotlib: the same letters on every machine
    "font.size": 8,
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "mathtext.fontset": "dejavusans",
    "pdf.fonttype": 42,  # embedded TrueType: text stays text, and publishers accept it
    "ps.fonttype": 42,
    "savefig.dpi": RESOLUTION,
    "svg.fonttype": "path",
    "svg.hashsalt": "pairedeval",  # element ids that do not change from run to run
    "xtick.labelsize": 7.5,
    "xtick.major.width": 0.6,
    "ytick.labelsize": 7.5,
    "ytick.major.width": 0.6,
}
# Writers stamp the date and the software unless told otherwise.
_NO_STAMP: dict[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}
# Where each format has room for the origin of a figure.
_STAMP_KEYS = {"pdf": "Keywords", "png": "Description", "svg": "Description"}


def styled(draw: Callable[Arguments, Figure]) -> Callable[Arguments, Figure]:
    """Draw a figure under the report's style, whatever the user's matplotlib settings are."""

    @functools.wraps(draw)
    def drawing(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Figure:
        with mpl.rc_context():
            mpl.rcdefaults()
            mpl.rcParams.update(STYLE)
            return draw(*args, **kwargs)

    return drawing


def new_figure(
    width: float, height: float, rows: int = 1, columns: int = 1, **grid: Any
) -> "tuple[Figure, np.ndarray[Any, Any]]":
    """Return a figure and its axes, shape ``(rows, columns)``; sizes in inches.

    Further keywords go to `matplotlib.figure.Figure.subplots`.
    """
    figure = Figure(figsize=(width, height), layout="constrained")
    axes: np.ndarray[Any, Any] = figure.subplots(rows, columns, squeeze=False, **grid)
    return figure, axes


def save_figure(figure: Figure, stem: str | Path, formats: Collection[str] = ("pdf", "png", "svg")) -> list[Path]:
    """Write ``stem.pdf``, ``stem.png`` (300 dpi) and ``stem.svg``, atomically, without a date but with their origin.

    Returns
    -------
    list of Path
        The written files, in the order of `formats`.
    """
    paths = [Path(f"{stem}.{kind}") for kind in formats]
    stamp = full_stamp()
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        for kind, path in zip(formats, paths, strict=True):
            metadata = _NO_STAMP[kind] | ({_STAMP_KEYS[kind]: json.dumps(stamp)} if stamp else {})
            with atomic_path(path) as temporary:
                figure.savefig(temporary, format=kind, dpi=RESOLUTION, metadata=metadata)
    return paths


def mark_simulated(figure: Figure, simulated: Collection[str], shown: Collection[str] | None = None) -> None:
    """Mark a figure that shows simulated data: a line under it for captures, a watermark for predictions.

    Parameters
    ----------
    figure
        Figure with constrained layout, which makes room for the line.
    simulated
        Ids of the sources with simulated data in the study; none leaves the figure as it is.
    shown
        Ids of the sources that the line has to name, if they are simulated; None for all of them.
    """
    if predictions_simulated(simulated):
        _watermark(figure)
        return
    named = set(simulated) if shown is None else set(simulated) & set(shown)
    if named:
        names = listed(source_name(source) for source in ordered_sources(sorted(named)))
        figure.supxlabel(
            f"{names}: simulated captures", x=0.995, ha="right", fontsize=7, style="italic", color="#555555"
        )


def _watermark(figure: Figure) -> None:
    """Write along the diagonal, over everything, that nothing in the figure is a result."""
    width, height = figure.get_size_inches()
    size = 0.7 * 72 * math.hypot(width, height) / (WATERMARK_LETTER * len(WATERMARK))
    angle = math.degrees(math.atan2(height, width))
    figure.text(
        0.5, 0.5, WATERMARK, ha="center", va="center", rotation=angle, rotation_mode="anchor", fontsize=size,
        fontweight="bold", color="#808080", alpha=0.18, zorder=10,
    )  # fmt: skip


def grid_lines(axes: "Axes", axis: str) -> None:
    """Draw faint grid lines behind the data along one axis and drop the tick marks there."""
    axes.grid(visible=True, axis=axis)  # type: ignore[arg-type]
    axes.tick_params(axis=axis, length=0)  # type: ignore[arg-type]
