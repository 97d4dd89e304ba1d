"""Recall differences by capture factor and with one level left out."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.screening.captures import COMPARISONS, FACTORS, summarise_captures

CONFIDENCE, NATURAL = COMPARISONS.values()
CAPTURES = pd.DataFrame(
    [
        ("es", "a", "l1", 250, "1/4", 5.0),
        ("es", "b", "l1", 2000, "1/4", 5.0),
        ("es", "c", "l5", 250, "1/60", 5.0),
        ("es", "d", "l5", 2000, "1/4", 5.0),
        ("es", "never mild", "l6", 9, "1/9", 9.0),
        ("diverse", "a", "l1", 250, "1/4", 5.0),
    ],
    columns=["source", "condition", *FACTORS],
)


def cells_of(differences: dict[tuple[str, str], list[float]]) -> pd.DataFrame:
    """One row per source, condition and model; the natural difference is a tenth lower."""
    rows = [
        (source, condition, f"model-{place}", value, value - 0.1)
        for (source, condition), values in differences.items()
        for place, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["source", "condition", "model", CONFIDENCE, NATURAL])


def test_means_by_level_and_without_a_level():
    cells = cells_of(
        {
            ("es", "a"): [0.2, 0.4],
            ("es", "b"): [0.1, 0.3],
            ("es", "c"): [0.0, -0.2],
            ("es", "d"): [0.05, 0.15],
            ("diverse", "a"): [0.1, 0.1],
        }
    )
    found = summarise_captures(cells, CAPTURES).set_index(["source", "factor"])
    assert found.index.tolist() == [(source, factor) for source in ("es", "diverse") for factor in ("none", *FACTORS)]
    screen = found.loc["es"]
    # Condition means 0.3, 0.2, -0.1, 0.1; of the natural difference a tenth less.
    assert (screen["conditions"] == 4).all()
    assert screen["levels"].tolist() == [1, 2, 2, 2, 1]
    assert (screen["positive_confidence"] == 3).all()
    assert (screen["positive_natural"] == 2).all()
    assert screen["lowest_level_confidence"].tolist() == pytest.approx([0.125, 0.0, 0.1, -0.1, 0.125])
    assert screen["lowest_level_natural"].tolist() == pytest.approx([0.025, -0.1, 0.0, -0.2, 0.025])
    # Without l1: 0; without ISO 2000: 0.1; without 1/4 s: -0.1.
    expected = [np.nan, 0.0, 0.1, -0.1, np.nan]
    assert screen["lowest_deleted_confidence"].tolist() == pytest.approx(expected, nan_ok=True)
    assert found.loc["diverse", "lowest_deleted_confidence"].isna().all()
    assert found.loc["diverse", "lowest_level_confidence"].tolist() == pytest.approx([0.1] * 5)
    assert (found.loc["diverse", "positive_natural"] == 0).all()


def test_models_without_failures_are_left_out_and_conditions_without_any_are_counted():
    cells = cells_of({("es", "a"): [0.2, np.nan], ("es", "b"): [0.4, 0.4], ("es", "c"): [np.nan, np.nan]})
    found = summarise_captures(cells, CAPTURES).set_index("factor")
    assert (found["conditions"] == 3).all()
    assert (found["undefined"] == 1).all()
    assert (found["positive_confidence"] == 2).all()
    assert found.loc["none", "lowest_level_confidence"] == pytest.approx(0.3)
    # The one condition of l5 has no mean, so l1 is the lowest level, and l5 alone is nothing.
    light = found.loc["light", ["levels", "lowest_level_confidence", "lowest_deleted_confidence"]]
    assert light.tolist() == pytest.approx([2, 0.3, 0.3])


def test_crossed_settings_equal_a_loop(root):
    captures = pd.read_csv(root / "resources/conditions/captures.csv")
    captures = captures[captures["source"] == "diverse"]
    random = np.random.default_rng(1)
    cells = cells_of(
        {("diverse", condition): random.normal(0.1, 0.1, 3).tolist() for condition in captures["condition"]}
    )
    found = summarise_captures(cells, captures).set_index("factor")
    table = captures.merge(cells.groupby("condition", as_index=False)[[CONFIDENCE, NATURAL]].mean(), on="condition")
    for factor in FACTORS:
        for baseline, column in COMPARISONS.items():
            by_level = [table.loc[table[factor] == level, column].mean() for level in table[factor].unique()]
            without = [table.loc[table[factor] != level, column].mean() for level in table[factor].unique()]
            assert found.loc[factor, f"lowest_level_{baseline}"] == pytest.approx(min(by_level))
            assert found.loc[factor, f"lowest_deleted_{baseline}"] == pytest.approx(min(without))
    assert found["levels"].tolist() == [1, 6, 3, 3, 3]
    assert (found["conditions"] == 162).all()


def test_an_unknown_condition_is_named():
    with pytest.raises(RecordsError, match="source diverse: condition b is not in the table of captures; add it"):
        summarise_captures(cells_of({("es", "b"): [0.1], ("diverse", "b"): [0.1]}), CAPTURES)
