"""What the models of a study are, for tables."""

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from pairedeval.models.registry import ModelEntry


def describe_models(entries: Sequence[ModelEntry], facts: Sequence[str | Path]) -> pd.DataFrame:
    """List the models in the order of the registry.

    Parameters
    ----------
    entries
        Models of the study.
    facts
        JSON file beside each model's weights, in the same order.

    Returns
    -------
    DataFrame
        One row per model: `model`, `group`, `library`, `architecture` and `parameters` (number of weights).
    """
    rows = []
    for entry, path in zip(entries, facts, strict=True):
        stored = json.loads(Path(path).read_text(encoding="utf-8"))
        rows.append((entry.model, entry.group, entry.library, entry.architecture, stored["parameters"]))
    return pd.DataFrame(rows, columns=["model", "group", "library", "architecture", "parameters"])
