"""``pairedeval check``: what a prediction file holds, and whether it can be used."""

import pandas as pd

from pairedeval.own.cells import split_cells
from pairedeval.own.predictions import cell_columns, read_predictions


def check_files(clean: str, perturbed: str | None = None) -> str:
    """Check one or two prediction files and describe them in a few lines.

    Raises
    ------
    RecordsError
        At the first row, class or image that cannot be used.
    """
    first = read_predictions(clean)
    lines = [f"{clean}: good", *_describe(first)]
    if perturbed is not None:
        second = read_predictions(perturbed)
        lines += [f"{perturbed}: good", *_describe(second), _describe_pairing(first, second, f"{clean}, {perturbed}")]
    return "\n".join(lines)


def notes(frame: pd.DataFrame) -> list[str]:
    """Say what deserves a second look in checked predictions, one sentence each."""
    found = []
    unknown = sorted(set(frame["prediction"].unique()) - set(frame["label"].unique()))
    if unknown:
        classes = "1 predicted class is" if len(unknown) == 1 else f"{len(unknown)} predicted classes are"
        found.append(f"{classes} no image's label, for example {unknown[0]}")
    if max(_accuracies(frame)) < 0.5 / frame["label"].nunique():
        found.append("every accuracy is far below chance; do labels and predictions number the classes alike?")
    ties = 1 - frame["confidence"].nunique() / len(frame)
    if ties > 0.5:
        found.append(f"{ties:.0%} of the confidences repeat another one; rounding creates ties at thresholds")
    return found


def _describe(frame: pd.DataFrame) -> list[str]:
    """Size, accuracy and what deserves a second look."""
    accuracy = _accuracies(frame)
    span = f"{min(accuracy):.1%}" if len(accuracy) == 1 else f"{min(accuracy):.1%} to {max(accuracy):.1%}"
    images, classes = frame["image_id"].nunique(), frame["label"].nunique()
    plural = "s" if len(accuracy) > 1 else ""
    return [
        f"  {len(frame):,} rows, {images:,} images, {classes:,} classes, {len(accuracy):,} cell{plural}",
        f"  accuracy {span}, confidence {frame['confidence'].min():.4f} to {frame['confidence'].max():.4f}",
        *(f"  note: {note}" for note in notes(frame)),
    ]


def _accuracies(frame: pd.DataFrame) -> list[float]:
    """Return the accuracy of each cell."""
    correct = frame["prediction"] == frame["label"]
    columns = cell_columns(frame)
    if not columns:
        return [float(correct.mean())]
    return [float(share) for share in correct.groupby([frame[column] for column in columns], sort=False).mean()]


def _describe_pairing(clean: pd.DataFrame, perturbed: pd.DataFrame, place: str) -> str:
    paired = [cell.paired for cell in split_cells(clean, perturbed, place)]
    if all(paired):
        return "The sides hold the same images: the pairing is known."
    return "The sides share no image ids: the pairing is unknown."
