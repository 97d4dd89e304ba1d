"""Checks of correspondence information: hand-checkable cells, tidy tables and their summaries."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.identification.accuracy_only import accuracy_bounds
from pairedeval.identification.correspondence import check_records, check_source
from pairedeval.identification.correspondence_summaries import (
    by_tier,
    summarise_accuracy_only,
    summarise_decomposition,
    summarise_variance,
)
from pairedeval.identification.decomposition import decompose
from pairedeval.identification.variance import variance_ratio
from pairedeval.records import Predictions, RecordBlock, write_records

METADATA = {"source": "syn", "model": "m", "group": "g"}


def two_class_block() -> RecordBlock:
    """Build class 0 with two survivors of two, and class 1 with one survivor of two correct records a side."""
    labels = np.array([0, 0, 1, 1, 1])
    clean = np.array([0.9, 0.7, 0.8, 0.6, 0.1])
    perturbed = np.array([[0.8, 0.6, 0.5, 0.1, 0.3]])
    return RecordBlock(
        labels,
        np.arange(5),
        ("fog-2",),
        Predictions(np.array([0, 0, 1, 1, 0]), clean, clean),
        Predictions(np.array([[0, 0, 1, 0, 1]]), perturbed, perturbed),
    )


def test_decomposition_by_hand():
    found = decompose(two_class_block())
    # Marginal drops: 0.8 - 0.7 = 0.1 and 0.7 - 0.4 = 0.3; survivors' drops 0.1 and 0.3. K = (2, 1), expected (2, 4/3).
    assert found.overlap.tolist() == [3]
    assert found.independent_overlap[0] == pytest.approx(10 / 3)
    assert found.composition[0] == pytest.approx((2 / 3 - 0.6) * 0.1 + (1 / 3 - 0.4) * 0.3)
    assert found.selection[0] == pytest.approx(0)
    assert found.confidence_drop[0] == pytest.approx(0.5 / 3)


def test_a_class_without_correct_records_on_a_side_has_no_weight():
    block = two_class_block()
    prediction = block.perturbed.prediction.copy()
    prediction[:, 2:] = 0
    perturbed = Predictions(prediction, block.perturbed.confidence, block.perturbed.true_class_probability)
    found = decompose(RecordBlock(block.labels, block.image_ids, block.conditions, block.clean, perturbed))
    assert (found.composition[0], found.selection[0]) == pytest.approx((0, 0))


def test_no_overlap_is_undefined_though_independence_expects_some():
    labels = np.zeros(2, dtype=int)
    clean = Predictions(np.array([0, 1]), np.array([0.9, 0.8]), np.array([0.9, 0.1]))
    perturbed = Predictions(np.array([[1, 0]]), np.array([[0.9, 0.8]]), np.array([[0.1, 0.8]]))
    found = decompose(RecordBlock(labels, np.arange(2), ("fog-2",), clean, perturbed))
    assert np.isnan([found.composition[0], found.selection[0], found.confidence_drop[0]]).all()
    assert (found.overlap[0], found.independent_overlap[0]) == (0, 0.5)


@pytest.mark.parametrize(
    ("before", "after", "ratio"),
    [
        ([1, 0, 1, 0], [1, 0, 1, 0], 0.0),
        ([1, 0, 1, 0], [0, 1, 0, 1], 2.0),
        ([1, 1, 0, 0], [1, 0, 1, 0], 1.0),
        ([1, 0, 1, 0], [1, 1, 1, 1], 1.0),
        ([1, 1, 1, 1], [0, 0, 0, 0], np.nan),
        ([0.1, 0.1, 0.1], [0.7, 0.7, 0.7], np.nan),
        ([0.3], [0.4], np.nan),
    ],
)
def test_variance_ratio(before, after, ratio):
    assert variance_ratio(np.array(before), np.array([after]))[0] == pytest.approx(ratio, nan_ok=True)


def test_accuracies_of_a_class_can_pin_its_overlap():
    # All correct on a side, none correct on a side, or one record: nothing is left open.
    found = accuracy_bounds(np.array([3, 3, 1, 3]), np.array([3, 0, 1, 2]), np.array([[2, 2, 1, 2]]))
    assert found.pinned[0] == 0.75
    assert found.classwise_overlap.lower[0] * 10 == pytest.approx(2 + 0 + 1 + 1)
    assert found.classwise_overlap.upper[0] * 10 == pytest.approx(2 + 0 + 1 + 2)
    assert found.net_change[0] == pytest.approx(-0.1)
    # Over all records: 6 and 7 of 10 correct.
    assert (found.global_overlap.lower[0], found.global_overlap.upper[0]) == pytest.approx((0.3, 0.6))
    assert (found.global_flips.lower[0], found.global_flips.upper[0]) == pytest.approx((0.1, 0.7))


def test_cells_carry_keys_and_all_checks(records):
    cells = check_records(records, METADATA, {"fog-2": "mild"})
    row = cells.iloc[0]
    assert cells.columns[:5].tolist() == ["source", "model", "group", "condition", "tier"]
    assert row[["source", "model", "group", "condition", "tier"]].tolist() == ["syn", "m", "g", "fog-2", "mild"]
    # Each class keeps its one correct image of two, 0.8 before and 0.5 after.
    assert (row["n"], row["overlap"], row["gross_flips"], row["net_change"]) == (4, 2, 0, 0)
    assert (row["confidence_drop"], row["variance_ratio_C"]) == pytest.approx((0.3, 0))
    assert (row["overlap_classwise_lower"], row["overlap_classwise_upper"], row["pinned_classes"]) == (0, 0.5, 0)
    assert (row["overlap_global_lower"], row["overlap_global_upper"]) == (0, 0.5)


def test_files_are_checked_in_their_order(records, tmp_path):
    paths = [tmp_path / f"{model}.parquet" for model in ("z", "a")]
    for path in paths:
        write_records(records, path, METADATA | {"model": path.stem})
    cells = check_source(paths, pd.DataFrame({"condition": ["fog-2"], "tier": ["mild"]}))
    assert cells["model"].tolist() == ["z", "a"]


def test_a_condition_without_tier_is_refused(records):
    with pytest.raises(RecordsError, match=r"m.parquet: condition fog-2 has no tier; assign tiers from all models'"):
        check_records(records, METADATA, {}, "m.parquet")


def cells(*rows) -> pd.DataFrame:
    """Build cells from (source, overlap, independent overlap, W, V)."""
    table = pd.DataFrame(rows, columns=["source", "overlap", "independent_overlap", "composition", "selection"])
    return table.assign(
        paired_minus_independent=table["composition"] + table["selection"], confidence_drop=table["overlap"] / 100
    )


def test_decomposition_is_averaged_over_cells_with_overlap():
    table = cells(
        ("es", 30, 31, 0.01, -0.03),
        ("es", 3, 2, -0.02, 0.02 + 1e-11),
        ("es", 0, 0.5, np.nan, np.nan),
        ("es", 0, 0, np.nan, np.nan),
    )
    found = summarise_decomposition(table).set_index("least_overlap")
    assert found.loc[1, "cells"] == 2
    assert found.loc[20, "cells"] == 1
    assert found.loc[1, "paired_minus_independent"] == pytest.approx(-0.01)
    assert found.loc[1, ["absolute_composition", "absolute_selection"]].tolist() == pytest.approx([0.015, 0.025])
    # In the second cell |V| exceeds |W| by 1e-9 points only, which counts as a tie.
    assert found.loc[1, "selection_larger"] == 0.5
    counts = ["zero_overlap_cells", "zero_independent_cells", "thin_overlap_cells"]
    assert found.loc[1, counts].tolist() == found.loc[20, counts].tolist() == [2, 1, 1]
    assert found.loc[20, "confidence_drop"] == 0.3


def test_no_well_supported_cell_gives_no_mean():
    found = summarise_decomposition(cells(("es", 3, 2, 0.1, 0.2))).set_index("least_overlap")
    assert found.loc[20, "cells"] == 0
    assert found.loc[20, ["paired_minus_independent", "selection_larger"]].isna().all()


def test_tiers_follow_all_tiers_in_their_order():
    table = pd.DataFrame({"source": ["es", "es", "syn"], "tier": ["extreme", "mild", "mild"], "x": [1, 2, 3]})
    assert by_tier(table)["x"].tolist() == [1, 2, 2, 1, 3, 3]


def test_variance_ratios_by_tier():
    table = pd.DataFrame(
        {
            "source": "es",
            "tier": ["mild", "mild", "extreme"],
            "group": ["a", "b", "a"],
            "variance_ratio_C": [0.4, 0.6, np.nan],
            "variance_ratio_S": [0.1, 0.3, 0.8],
            "variance_ratio_M": [0.2, 0.2, 1.1],
        }
    )
    found = summarise_variance(table, seed=1).set_index(["tier", "measure"])
    assert found.index.unique("tier").tolist() == ["all tiers", "mild", "extreme"]
    assert found.loc[("all tiers", "C"), ["ratio", "cells", "undefined"]].tolist() == [0.5, 2, 1]
    assert found.loc[("mild", "S"), ["ratio", "lower", "upper"]].tolist() == pytest.approx([0.2, 0.1, 0.3])
    assert found.loc[("mild", "C"), ["group_lowest", "group_highest"]].tolist() == [0.4, 0.6]
    assert np.isnan(found.loc[("extreme", "C"), "ratio"])


def test_accuracy_only_by_tier():
    table = pd.DataFrame(
        {
            "source": "es",
            "tier": ["mild", "severe"],
            "overlap_classwise_lower": [0.1, 0.0],
            "overlap_classwise_upper": [0.2, 0.3],
            "overlap_global_lower": [0.0, 0.0],
            "overlap_global_upper": [0.4, 0.4],
            "gross_flips": [0.2, 0.4],
            "pinned_classes": [0.5, 1.0],
        }
    )
    found = summarise_accuracy_only(table).set_index("tier")
    assert found.loc["all tiers"].tolist() == ["es", pytest.approx(0.2), 0.4, pytest.approx(0.3), 0.75, 2]
    assert found.loc["severe", "classwise_width"] == pytest.approx(0.3)
