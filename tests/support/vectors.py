"""The solved cells in tests/data/vectors, by id, and their records as the engine takes them."""

import json
from pathlib import Path

import numpy as np

from pairedeval.records import Predictions, RecordBlock

VECTORS = Path(__file__).parent.parent / "data/vectors"
CELLS = {
    cell["id"]: cell
    for name in ("small-cells", "large-cells")
    for cell in json.loads((VECTORS / f"{name}.json").read_text())["cells"]
}
COLUMNS = ("prediction", "confidence", "true_class_probability")


def block_of(cell) -> RecordBlock:
    """Sort a vector's cell by class."""
    labels = np.array(cell["clean"]["label"])
    order = np.argsort(labels, kind="stable")
    clean = Predictions(*(np.array(cell["clean"][column])[order] for column in COLUMNS))
    perturbed = Predictions(*(np.array(cell["perturbed"][column])[order][None] for column in COLUMNS))
    return RecordBlock(labels[order], order, ("perturbed",), clean, perturbed)
