"""Tiers of the conditions."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.records import write_records
from pairedeval.tiers import assign_tiers, development_counts, tier_of

CAPTURES = pd.DataFrame({"source": "es", "condition": ["l1-k01", "l1-k02", "l5-k01"]})


def counts(*rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["source", "model", "condition", "correct", "images"])


@pytest.mark.parametrize(
    ("accuracy", "tier"),
    [(1, "mild"), (0.4, "mild"), (0.3999, "severe"), (0.2, "severe"), (0.1999, "extreme"), (0, "extreme")],
)
def test_tier_limits(accuracy, tier):
    assert tier_of(np.array([accuracy])) == [tier]


def test_means_over_models_decide_in_capture_order():
    """500 images: 190 and 210 correct are 40% on average, exactly."""
    tiers = assign_tiers(
        counts(
            ("es", "a", "l5-k01", 10, 500),
            ("es", "a", "l1-k01", 190, 500),
            ("es", "b", "l5-k01", 189, 500),
            ("es", "b", "l1-k01", 210, 500),
        ),
        CAPTURES,
    )
    assert tiers.to_dict("list") == {
        "source": ["es", "es"],
        "condition": ["l1-k01", "l5-k01"],
        "development_accuracy": [0.4, 0.199],
        "tier": ["mild", "extreme"],
    }


def test_limits_can_be_set():
    tiers = assign_tiers(counts(("es", "a", "l1-k01", 5, 10)), CAPTURES, {"mild": 0.6, "severe": 0.5})
    assert tiers["tier"].tolist() == ["severe"]


def test_corruptions_are_mild():
    tiers = assign_tiers(counts(("syn", "a", "fog-4", 1, 10), ("syn", "a", "fog-2", 9, 10)), CAPTURES)
    assert tiers["tier"].tolist() == ["mild", "mild"]
    assert tiers["condition"].tolist() == ["fog-4", "fog-2"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [("es", "a", "l1-k01", 1, 10), ("es", "b", "l1-k02", 1, 10), ("es", "a", "l1-k02", 1, 10)],
            "source es: condition l1-k01 has records of 1 of 2 models; infer the others first",
        ),
        (
            [("es", "a", "l1-k01", 1, 10), ("es", "b", "l1-k01", 1, 12)],
            "source es: condition l1-k01 has other numbers of development images for some models; use one split",
        ),
        (
            [("es", "a", "l9-k01", 1, 10)],
            "source es: condition l9-k01 is not in the table of captures; add it",
        ),
    ],
)
def test_incomplete_counts_are_refused(rows, message):
    with pytest.raises(RecordsError, match=message):
        assign_tiers(counts(*rows), CAPTURES)


def test_counts_come_from_perturbed_development_records(records, tmp_path):
    path = tmp_path / "syn/model.parquet"
    write_records(records, path, {"source": "syn", "model": "m"})
    assert development_counts([path]).to_dict("list") == {
        "source": ["syn"],
        "model": ["m"],
        "condition": ["fog-2"],
        "correct": [2],
        "images": [2],
    }


def test_development_records_are_needed(records, tmp_path):
    path = tmp_path / "model.parquet"
    write_records(records[records["split"] == "evaluation"], path, {"source": "syn", "model": "m"})
    with pytest.raises(RecordsError, match=r"model.parquet: no perturbed development records"):
        development_counts([path])
