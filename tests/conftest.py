"""Fixtures shared by all tests."""

from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the top folder of the repository."""
    return ROOT


@pytest.fixture
def records() -> pd.DataFrame:
    """Return records of one model: six images of two classes, clean and one perturbed condition."""
    rows = []
    for condition, probabilities in {"clean": (0.9, 0.8, 0.7), "fog-2": (0.6, 0.5, 0.4)}.items():
        for label in (0, 1):
            for place, probability in enumerate(probabilities):
                correct = place < 2
                rows.append(
                    {
                        "condition": condition,
                        "image_id": f"image-{label}{place}",
                        "label": label,
                        "prediction": label if correct else 1 - label,
                        "split": "development" if place == 0 else "evaluation",
                        "confidence": probability,
                        "true_class_probability": probability if correct else 0.1,
                    }
                )
    return pd.DataFrame(rows)
