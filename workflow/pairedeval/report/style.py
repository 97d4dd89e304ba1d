"""One look for all figures, and files that are the same bytes on every run."""

import functools
import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import matplotlib as mpl
from matplotlib.figure import Figure
from seaborn import color_palette

from pairedeval.files import atomic_path
from pairedeval.provenance.stamp import full_stamp
from pairedeval.report.names import listed, ordered_sources, source_name

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes

Arguments = ParamSpec("Arguments")

TEXT_WIDTH = 7.0  # inches: the full text width
RESOLUTION = 300  # dots per inch of the PNG files

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


def mark_simulated(figure: Figure, simulated: Collection[str], what: str = "captures") -> None:
    """Write under a figure that it shows simulated data; nothing if `simulated` is empty.

    Parameters
    ----------
    figure
        Figure with constrained layout, which makes room for the line.
    simulated
        Ids of the sources with simulated data that the figure shows.
    what
        What of these sources is simulated.
    """
    if simulated:
        names = listed(source_name(source) for source in ordered_sources(sorted(simulated)))
        figure.supxlabel(f"{names}: simulated {what}", x=0.995, ha="right", fontsize=7, style="italic", color="#555555")


def grid_lines(axes: "Axes", axis: str) -> None:
    """Draw faint grid lines behind the data along one axis and drop the tick marks there."""
    axes.grid(visible=True, axis=axis)  # type: ignore[arg-type]
    axes.tick_params(axis=axis, length=0)  # type: ignore[arg-type]
