"""Plain text for terminals: aligned tables, numbers in percentage points, and what the sides and levels are."""

from collections.abc import Iterable, Sequence
from textwrap import fill

from pairedeval.identification.levels import FIVE_STATES, MARGINAL, OVERLAP, STRICTNESS
from pairedeval.own.answers import Answer
from pairedeval.own.cells import Cell
from pairedeval.own.functions import Known

WIDTH = 100
LEVEL_NAMES = {MARGINAL: "I0: records", OVERLAP: "Ik: + overlap", FIVE_STATES: "I5: + five counts"}
LEVEL_MEANINGS = {
    MARGINAL: "from the records of both sides alone, without knowing which two belong to one image",
    OVERLAP: "knowing also, for each class, how many images are correct on both sides (overlap k)",
    FIVE_STATES: "knowing also, for each class, how many are h, r, s and w: all five outcomes are counted",
}
UNDEFINED = "undefined"


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """Lay out rows under a header: the first columns flush left, the others flush right."""
    table = [list(header), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    lines = [
        "  ".join(
            value.ljust(width) if column < text_columns else value.rjust(width)
            for column, (value, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def paragraph(*sentences: str, bullet: str = "") -> str:
    """Join sentences and wrap them at the width of a terminal."""
    return fill(" ".join(sentences), WIDTH, initial_indent=bullet, subsequent_indent=" " * len(bullet))


def conclusions(sentences: Iterable[str]) -> str:
    """List what a result says, one paragraph a sentence or two."""
    return "\n".join(["What this says", *(paragraph(sentence, bullet="* ") for sentence in sentences)])


def points(share: float | None) -> str:
    """Print a share in percentage points.

    Examples
    --------
    >>> points(0.1234), points(None)
    ('12.34', 'undefined')
    """
    return UNDEFINED if share is None else f"{100 * share + 0.0:.2f}"


def interval(ends: Sequence[float] | None) -> str:
    """Print an interval in percentage points; a single number where both ends are equal.

    Examples
    --------
    >>> interval([0.1, 0.25]), interval([0.5, 0.5])
    ('10.00 to 25.00', '50.00')
    """
    if ends is None:
        return UNDEFINED
    return points(ends[0]) if determined(ends) else f"{points(ends[0])} to {points(ends[1])}"


def determined(ends: Sequence[float] | None) -> bool:
    """Tell whether an interval is a single value."""
    return ends is not None and ends[1] - ends[0] <= STRICTNESS


def listed(names: Sequence[str]) -> str:
    """Join names: ``H``, ``H and L``, ``H, L and dM_k``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def pairing_sentence(known: Known) -> str:
    """Say what is known about the pairing of one cell."""
    if known.cell.paired:
        return "Both sides hold the same image ids, so it is known which two predictions belong to one image."
    unknown = (
        "The sides share no image ids, so it is not known which two predictions belong to one image: "
        "within a class, any clean record may go with any perturbed one"
    )
    if known.counts is None:
        return f"{unknown}."
    counts = "overlap counts" if known.counts.persistent is None else "counts of the five states"
    return f"{unknown} that agrees with the supplied {counts}."


def sides_table(cell: Cell, threshold: float, perturbed_threshold: float | None = None) -> str:
    """Compare accuracy and acceptance of both sides; without a perturbed threshold both have the same."""
    block = cell.block
    rows: dict[str, list[str]] = {"correct": [], "accepted": [], "accepted, but wrong": []}
    thresholds = (threshold, threshold if perturbed_threshold is None else perturbed_threshold)
    for side, cutoff in zip((block.clean, block.perturbed), thresholds, strict=True):
        correct, accepted = side.prediction == block.labels, side.confidence >= cutoff
        for name, flags in zip(rows, (correct, accepted, accepted & ~correct), strict=True):
            rows[name].append(f"{flags.mean():.2%}")
    return aligned(["", "clean", "perturbed"], [[name, *values] for name, values in rows.items()])


def level_legend(levels: Iterable[str]) -> list[str]:
    """Explain the columns of information levels."""
    return [f"{level}  {LEVEL_MEANINGS[level]}" for level in levels]


def cell_title(known: Known) -> str:
    """Name one cell and its size."""
    classes = len(known.cell.class_names)
    size = f"{len(known.cell.block.labels):,} images of {classes:,} class{'es' if classes > 1 else ''}"
    return f"{known.cell.place}: {size} on each side"


def key_columns(answers: Sequence[tuple[Known, Answer]]) -> tuple[list[str], list[list[str]]]:
    """Return the columns that tell several cells apart, and their values per cell."""
    keys = list(answers[0][0].cell.keys)
    return keys, [[known.cell.keys[key] for key in keys] for known, _ in answers]


def note_lines(notes: Sequence[str]) -> list[str]:
    """Print notes on the files, if there are any."""
    return ["\n".join(paragraph(note, bullet="Note: ") for note in notes)] if notes else []
