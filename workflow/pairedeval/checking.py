"""``pairedeval check``: what a prediction file holds, and whether it can be used."""

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.pairing import join_sides
from pairedeval.predictions import cell_columns, read_predictions
from pairedeval.records import CLEAN


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


def _describe(frame: pd.DataFrame) -> list[str]:
    """Size, accuracy and what deserves a second look."""
    cells = frame.groupby(cell_columns(frame), sort=False) if cell_columns(frame) else [((), frame)]
    classes = frame["label"].nunique()
    accuracy = [float((cell["prediction"] == cell["label"]).mean()) for _, cell in cells]
    span = f"{min(accuracy):.1%}" if len(accuracy) == 1 else f"{min(accuracy):.1%} to {max(accuracy):.1%}"
    images = frame["image_id"].nunique()
    plural = "s" if len(accuracy) > 1 else ""
    lines = [
        f"  {len(frame):,} rows, {images:,} images, {classes:,} classes, {len(accuracy):,} cell{plural}",
        f"  accuracy {span}, confidence {frame['confidence'].min():.4f} to {frame['confidence'].max():.4f}",
    ]
    unknown = sorted(set(frame["prediction"]) - set(frame["label"]))
    if unknown:
        lines.append(f"  note: {len(unknown)} predicted classes are no image's label, for example {unknown[0]}")
    if max(accuracy) < 0.5 / classes:
        lines.append("  note: every accuracy is far below chance; do labels and predictions number the classes alike?")
    ties = 1 - frame["confidence"].nunique() / len(frame)
    if ties > 0.5:
        lines.append(f"  note: {ties:.0%} of the confidences repeat another one; rounding creates ties at thresholds")
    return lines


def _describe_pairing(clean: pd.DataFrame, perturbed: pd.DataFrame, place: str) -> str:
    """Join the sides where each holds one cell; several cells are joined one by one."""
    columns = cell_columns(perturbed)
    if "condition" in clean.columns and (clean["condition"] == CLEAN).any():
        clean = clean[clean["condition"] == CLEAN]
    keys = [column for column in columns if column in clean.columns and column != "condition"]
    paired = []
    for key, cell in perturbed.groupby(columns) if columns else [((), perturbed)]:
        values = dict(zip(columns, key, strict=True))
        rows = np.logical_and.reduce([np.ones(len(clean), bool), *(clean[k].to_numpy() == values[k] for k in keys)])
        if not rows.any():
            raise RecordsError(f"{place}: no clean records of model {values['model']}; add them to the clean file")
        paired.append(join_sides(clean[rows], cell, ", ".join([place, *map(str, key)])).paired)
    if all(paired):
        return "The sides hold the same images: the pairing is known."
    return "The sides share no image ids: the pairing is unknown."
