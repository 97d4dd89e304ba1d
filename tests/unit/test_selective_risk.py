"""Error rates at fixed coverages and the 5% risk rule, against counts over every order of ties."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.prediction.selective_risk import selected_errors
from pairedeval.records import write_records
from pairedeval.selective.fixed_coverage import (
    CURVE,
    expected_errors,
    fixed_coverage_risk,
    risk_coverage_curve,
)
from pairedeval.selective.risk_rule import RISK_TARGET, accept, risk_rule_threshold
from pairedeval.selective.summaries import summarise_fixed_coverage, summarise_risk_rule
from pairedeval.selective.tidy import CURVE_COLUMNS, measure_source


def tied_records(seed: int, count: int, levels: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.integers(1, levels + 1, count) / levels, random.random(count) < 0.4


def orders_of(confidence: np.ndarray):
    """Every order of the records in which confidence descends."""
    return [order for order in permutations(range(len(confidence))) if (np.diff(confidence[list(order)]) <= 0).all()]


def test_errors_are_averaged_over_every_order_of_ties():
    for seed in range(6):
        confidence, wrong = tied_records(seed, 7, 3)
        orders = orders_of(confidence)
        assert len(orders) > 10
        whole = [np.mean([wrong[list(order[:count])].sum() for order in orders]) for count in range(1, 8)]
        found = expected_errors(confidence, wrong, list(range(1, 8)))
        assert found == pytest.approx(whole)
        half = expected_errors(confidence, wrong, [count - 0.5 for count in range(1, 8)])
        assert half == pytest.approx((np.append(0, whole[:-1]) + whole) / 2)


def test_the_size_of_the_selection_is_kept():
    """With every record counted as an error, the errors are the records."""
    confidence = np.array([0.5] * 10)
    assert fixed_coverage_risk(confidence, np.ones(10, dtype=bool)) == 1
    assert expected_errors(confidence, np.ones(10, dtype=bool), [3, 7.5]).tolist() == [3, 7.5]


def test_conditions_are_judged_apart():
    rows = [tied_records(seed, 11, 4) for seed in range(5)]
    confidence, wrong = (np.stack(part) for part in zip(*rows, strict=True))
    assert fixed_coverage_risk(confidence, wrong) == pytest.approx([fixed_coverage_risk(*row) for row in rows])
    assert risk_coverage_curve(confidence, wrong)[3] == pytest.approx(risk_coverage_curve(*rows[3]))


def test_the_risk_is_that_of_prediction():
    """R80 as a target of prediction (Appendix I) and here: nine of eleven, and the rounding of 7.2 and 2.4."""
    for count in (11, 9, 3, 2):
        confidence, wrong = tied_records(count, count, 4)
        errors, selected = selected_errors(confidence[None], ~wrong[None])
        assert fixed_coverage_risk(confidence, wrong) == pytest.approx(errors[0] / selected)


def test_the_curve_ends_at_the_error_rate_and_meets_whole_numbers():
    confidence, wrong = tied_records(1, 20, 6)
    curve = dict(zip(CURVE, risk_coverage_curve(confidence, wrong), strict=True))
    assert curve[1.0] == pytest.approx(wrong.mean())
    assert curve[0.8] == pytest.approx(fixed_coverage_risk(confidence, wrong))
    assert curve[0.1] == pytest.approx(expected_errors(confidence, wrong, [2])[0] / 2)


def slow_threshold(confidence: np.ndarray, wrong: np.ndarray, target: float) -> float:
    orders = [list(order) for order in orders_of(confidence)]
    threshold = float("nan")
    for count in range(1, len(confidence) + 1):
        errors = np.mean([wrong[order[:count]].sum() for order in orders])
        if errors <= target * count + 1e-12:
            threshold = confidence[orders[0][count - 1]]
    return threshold


@pytest.mark.parametrize("levels", [3, 5, 50])
@pytest.mark.parametrize("target", [0.05, 0.25, 0.5])
def test_the_rule_takes_the_largest_subset(levels, target):
    found = []
    for seed in range(8):
        confidence, wrong = tied_records(seed, 7, levels)
        found.append(risk_rule_threshold(confidence, wrong, target))
        assert found[-1] == pytest.approx(slow_threshold(confidence, wrong, target), nan_ok=True)
    assert len(set(found)) > 1


def test_exactly_five_percent_is_allowed():
    """One error at the end of 20, 3 of 60, 7 of 140: products that binary arithmetic rounds."""
    for errors in (1, 3, 7):
        count = 20 * errors
        wrong = np.arange(count) >= count - errors
        confidence = np.linspace(1, 0.5, count)
        assert risk_rule_threshold(confidence, wrong) == confidence[-1]
        assert risk_rule_threshold(confidence[1:], wrong[1:]) == confidence[-2]


def test_a_later_subset_may_fit_again():
    wrong = np.zeros(40, dtype=bool)
    wrong[[0, 1]] = True
    confidence = np.linspace(1, 0.5, 40)
    assert risk_rule_threshold(confidence, wrong) == confidence[-1]


def test_ties_lift_the_error_above_the_target():
    confidence = np.repeat([0.9, 0.6], [20, 20])
    wrong = np.zeros(40, dtype=bool)
    wrong[[22, 24, 26, 28, 30]] = True
    threshold = risk_rule_threshold(confidence, wrong)
    assert threshold == 0.6
    accepted = accept(confidence, wrong, threshold)
    assert (accepted.coverage, accepted.risk) == (1, pytest.approx(5 / 40))
    assert accepted.risk > RISK_TARGET


def test_no_rule_and_nothing_accepted_are_undefined():
    threshold = risk_rule_threshold(np.array([0.9, 0.8]), np.array([True, True]))
    assert np.isnan(threshold)
    none = accept(np.zeros((3, 5)), np.zeros((3, 5), dtype=bool), threshold)
    assert np.isnan(none.coverage).all()
    assert np.isnan(none.risk).all()
    strict = accept(np.array([[0.1, 0.2], [0.9, 0.2]]), np.array([[True, False], [True, False]]), 0.5)
    assert strict.coverage.tolist() == [0, 0.5]
    assert np.isnan(strict.risk[0])
    assert strict.risk[1] == 1


@pytest.fixture
def tiers() -> pd.DataFrame:
    return pd.DataFrame({"condition": ["fog-2"], "tier": ["mild"]})


@pytest.fixture
def tables(records, tmp_path, tiers):
    path = tmp_path / "m.parquet"
    write_records(records, path, {"source": "es", "model": "m", "group": "g"})
    return measure_source([path], tiers)


def test_a_record_file_gives_one_row_a_condition(tables):
    """Two classes: correct at 0.8 and wrong at 0.7 when clean, at 0.5 and 0.4 in fog; development is correct."""
    fixed, rule = (table.iloc[0] for table in tables)
    assert fixed[["source", "model", "group", "condition", "tier"]].tolist() == ["es", "m", "g", "fog-2", "mild"]
    # Three of four evaluation images: both correct ones and one of two tied errors.
    assert fixed[["clean_risk", "perturbed_risk", "risk_increase"]].tolist() == pytest.approx([1 / 3, 1 / 3, 0])
    assert fixed[list(CURVE_COLUMNS)].tolist() == pytest.approx([0] * 5 + [1 / 6, 2 / 7, 3 / 8, 4 / 9, 1 / 2])
    assert rule["threshold"] == 0.9
    assert rule[["development_coverage", "development_risk", "clean_coverage", "perturbed_coverage"]].tolist() == [
        1,
        0,
        0,
        0,
    ]
    assert rule[["clean_risk", "perturbed_risk"]].isna().all()


def test_a_condition_without_a_tier_is_named(records, tmp_path, tiers):
    write_records(records, tmp_path / "m.parquet", {"source": "es", "model": "m", "group": "g"})
    with pytest.raises(RecordsError, match=r"m\.parquet: condition fog-2 has no tier"):
        measure_source([tmp_path / "m.parquet"], tiers.assign(condition="fog-4"))


def test_fixed_coverage_is_averaged_over_cells(tables):
    cells = pd.concat([tables[0], tables[0].assign(model="n", group="h", clean_risk=1.0, tier="severe")])
    found = summarise_fixed_coverage(cells, seed=1, draws=50)
    found = found.set_index(["source", "tier", "quantity"])["mean"]
    assert found["es", "all tiers", "clean_risk"] == pytest.approx(2 / 3)
    assert found["es", "severe", "clean_risk"] == 1
    assert found["es", "mild", "risk_at_100"] == 0.5


def test_the_rule_is_averaged_over_cells_and_what_is_undefined_is_counted():
    names = ["model", "threshold", "development_risk", "perturbed_coverage", "perturbed_risk"]
    rows = [
        ("a", 0.5, 0.04, 0.8, 0.2),
        ("a", 0.5, 0.04, 0.0, np.nan),
        ("b", 0.6, 0.06, 0.4, 0.05),
        ("b", 0.6, 0.06, 0.4, 0.03),
        ("c", np.nan, np.nan, np.nan, np.nan),
    ]
    cells = pd.DataFrame(rows, columns=names).assign(
        source="es", tier="mild", development_coverage=0.9, clean_coverage=0.9, clean_risk=0.1
    )
    row = summarise_risk_rule(cells).iloc[1]
    assert row["perturbed_coverage"] == pytest.approx(0.4)
    assert row["perturbed_risk"] == pytest.approx(0.28 / 3)
    assert row["above_target"] == pytest.approx(1 / 3)
    counts = ["cells", "without_risk", "models", "models_without_rule", "models_above_target"]
    assert row[counts].tolist() == [4, 1, 3, 1, 1]
