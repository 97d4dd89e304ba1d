"""Policies against the test vectors, enumeration, the paper's identities, and the tie rule."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.identification import LEVELS, ClassStates, identify
from pairedeval.identification.class_states import observed_states
from pairedeval.identification.classes import Classes
from pairedeval.policies import compare_policies, compare_policies_separate, select_policies
from pairedeval.policies.costs import (
    LARGEST_COST,
    LARGEST_DIFFERENCE,
    SMALLEST_COST,
    SMALLEST_DIFFERENCE,
    extreme,
)
from pairedeval.policies.selection import NO_POLICY, RULES, least, realized_cost, realized_regret
from pairedeval.policies.thresholds import COVERAGES, WEIGHTS, policy_thresholds
from pairedeval.policies.tidy import compare_records, compare_source
from pairedeval.records import Predictions, RecordBlock, write_records
from pairedeval.states import response_states
from support.vectors import CELLS, block_of

METADATA = {"source": "syn", "model": "m", "group": "g"}


def compare(cell, **options):
    return compare_policies(block_of(cell), cell["threshold"], np.array(cell["policy_thresholds"]), **options)


@pytest.mark.parametrize("name", CELLS)
def test_vectors(name):
    cell, expected = CELLS[name], CELLS[name]["expected"]
    found = compare(cell, weights=[cell["weight"]])
    for level, values in expected["levels"].items():
        bounds = found.levels[level]
        results = {
            "cost": np.stack([bounds.cost.lower, bounds.cost.upper], axis=-1),
            "mean_cost": bounds.mean_cost,
            "difference_upper": bounds.difference_upper,
            "worst_case_regret": bounds.worst_case_regret,
        }
        for key in results.keys() & values.keys():
            assert results[key][0, 0] == pytest.approx(np.array(values[key]), abs=1e-9), (level, key)
    if "observed" in expected:
        assert found.observed[0, 0] == pytest.approx(expected["observed"]["cost"], abs=1e-9)
        assert found.accepted_error[0] == pytest.approx(expected["accepted_error"], abs=1e-9)


SMALL = [name for name in CELLS if not name.startswith("large")]


@pytest.mark.parametrize("name", SMALL[:30])
def test_weights_are_computed_together(name):
    together = compare(CELLS[name], weights=WEIGHTS)
    for row, weight in enumerate(WEIGHTS):
        alone = compare(CELLS[name], weights=[weight])
        for level in LEVELS:
            assert alone.levels[level].difference_upper[0] == pytest.approx(
                together.levels[level].difference_upper[row]
            )
            assert alone.levels[level].cost.lower[0] == pytest.approx(together.levels[level].cost.lower[row])


@pytest.mark.parametrize("name", SMALL)
def test_pure_weights_give_the_bounds_of_the_events(name):
    """With lambda = 1 and one policy at the clean threshold, J is H; with lambda = 0 it is L."""
    cell = CELLS[name]
    found = compare_policies(block_of(cell), cell["threshold"], np.array([cell["threshold"]]), [1, 0])
    targets = identify(block_of(cell), cell["threshold"]).targets
    for level in LEVELS:
        for row, target in enumerate(("H", "L")):
            interval = targets[target].intervals[level]
            assert found.levels[level].cost.lower[row, 0, 0] == interval.lower[0]
            assert found.levels[level].cost.upper[row, 0, 0] == interval.upper[0]
    for row, target in enumerate(("H", "L")):
        assert found.levels["I0"].mean_cost[row, 0, 0] == pytest.approx(targets[target].independent[0])


@pytest.mark.parametrize("name", SMALL)
def test_shared_differences_are_at_most_separate_ones(name):
    """Eq. 2, nesting of levels, and the observed difference inside."""
    found = compare(CELLS[name], weights=WEIGHTS)
    observed = found.observed[..., :, None] - found.observed[..., None, :]
    wider = np.inf
    for level in LEVELS:
        bounds = found.levels[level]
        separate = bounds.cost.upper[..., :, None] - bounds.cost.lower[..., None, :]
        assert (bounds.difference_upper <= separate + 1e-12).all()
        assert (bounds.difference_upper <= wider + 1e-12).all()
        assert (observed <= bounds.difference_upper + 1e-12).all()
        assert (bounds.mean_cost <= bounds.cost.upper + 1e-12).all()
        assert (bounds.mean_cost >= bounds.cost.lower - 1e-12).all()
        assert not (bounds.separately_certified & ~bounds.certified).any()
        wider = bounds.difference_upper


@pytest.mark.parametrize("name", CELLS)
def test_natural_costs_need_no_wrong_answers(name):
    """Corollary 1: the natural cost has the same bounds and differences at Ik and I5."""
    cell = CELLS[name]
    found = compare(cell, weights=[0, 0.3, 1], natural=True)
    overlap, states = found.levels["Ik"], found.levels["I5"]
    assert np.array_equal(overlap.difference_upper, states.difference_upper)
    assert np.array_equal(overlap.cost.lower, states.cost.lower)
    assert np.array_equal(overlap.mean_cost, states.mean_cost)
    assert states.cost.upper[2, 0] == pytest.approx(found.accepted_error[0])
    transition = compare(cell, weights=[0, 0.3, 1])
    assert states.cost.lower[0] == pytest.approx(transition.levels["I5"].cost.lower[0])
    assert (found.observed >= transition.observed - 1e-12).all()


@pytest.mark.parametrize("name", SMALL[:20])
def test_separate_records_give_the_same_bounds(name):
    cell = CELLS[name]
    block, paired = block_of(cell), compare(cell)
    counts = observed_states(Classes.of(block.labels), response_states(block))
    for known, levels in ((None, LEVELS[:1]), (ClassStates(counts.overlap), LEVELS[:2]), (counts, LEVELS)):
        found = compare_policies_separate(block, cell["threshold"], np.array(cell["policy_thresholds"]), known=known)
        assert tuple(found.levels) == levels
        assert found.observed is None
        for level in levels:
            assert np.array_equal(found.levels[level].difference_upper, paired.levels[level].difference_upper)
            assert np.array_equal(found.levels[level].mean_cost, paired.levels[level].mean_cost)


def test_infeasible_counts_are_refused():
    cell = CELLS["two-images"]
    with pytest.raises(RecordsError, match="class 0: overlap 0 is not feasible"):
        compare_policies_separate(block_of(cell), 0.8, np.array([0.8]), known=ClassStates(np.array([[0]])))


def test_opening_example_by_hand():
    """The second policy accepts both perturbed records: it never loses acceptance, but may add an accepted error."""
    found = compare(CELLS["two-images"])
    bounds = found.levels["I5"]
    assert bounds.cost.lower[0, 0].tolist() == [0.25, 0]
    assert bounds.cost.upper[0, 0].tolist() == [0.25, 0.25]
    assert bounds.difference_upper[0, 0].tolist() == [[0, 0.25], [0, 0]]
    assert found.mixed.tolist() == [[[False, False], [False, False]]]  # one correct record switches, no wrong one


def test_policy_thresholds_are_order_statistics():
    confidence = np.linspace(0.1, 1.0, 10)
    assert policy_thresholds(confidence) == pytest.approx([0.5, 0.4, 0.3, 0.2, 0.1])


@pytest.mark.parametrize(
    ("criterion", "coverages", "selected"),
    [
        ([0.3, 0.2, 0.1, 0.2, 0.3], COVERAGES, 2),
        ([0.1, 0.1, 0.1, 0.1, 0.1], COVERAGES, 2),  # closest to 0.8
        ([0.1, 0.1, 0.2, 0.1, 0.1], COVERAGES, 1),  # 0.7 and 0.9 are equally close: the lower
        ([0.1, 0.2, 0.2, 0.2, 0.1], COVERAGES, 0),
        ([0.1, 0.1 + 1e-13, 0.2, 0.2, 0.3], COVERAGES, 1),  # tied within 1e-12
        ([0.1, 0.1 + 1e-11, 0.2, 0.2, 0.3], COVERAGES, 0),
        ([0.2, 0.1, 0.1], None, 1),
        ([0.1, 0.1], [0.8, 0.8], 0),  # then the policy index
    ],
)
def test_tie_rule(criterion, coverages, selected):
    found = compare_policies(FIVE_RECORDS, 0.5, np.linspace(0.9, 0.1, len(criterion)))
    replaced = found.__class__(**(found.__dict__ | {"marginal_proxy": np.array([[criterion]])}))
    assert select_policies(replaced, "I5", coverages)["marginal_proxy"].tolist() == [[selected]]


FIVE_RECORDS = RecordBlock(
    np.zeros(5, dtype=int),
    np.arange(5),
    ("x",),
    Predictions(np.zeros(5, dtype=int), np.full(5, 0.9), np.full(5, 0.9)),
    Predictions(np.array([[0, 0, 1, 1, 0]]), np.full((1, 5), 0.7), np.array([[0.7, 0.7, 0.1, 0.1, 0.7]])),
)


def test_rules_and_regret():
    """Thresholds 0.8 (rejects all) and 0.6 (accepts all): three retained pairs are lost, or two errors accepted."""
    found = compare_policies(FIVE_RECORDS, 0.5, np.array([0.8, 0.6]), [0.5])
    selected = select_policies(found, "I5", [0.8, 1.0])
    assert {rule: int(choice[0, 0]) for rule, choice in selected.items()} == dict.fromkeys(RULES, 1) | {"fixed_80": 0}
    assert realized_regret(found.observed, selected["fixed_80"]) == pytest.approx(0.1)
    assert realized_regret(found.observed, selected["minimax_regret"]) == pytest.approx(0)
    assert select_policies(found, "I0")["fixed_80"].tolist() == [[NO_POLICY]]


def test_no_policy_has_no_regret():
    observed = np.array([[[0.1, 0.4]]])
    assert np.isnan(realized_regret(observed, np.array([[NO_POLICY]]))).all()
    assert np.isnan(realized_cost(observed, np.array([[NO_POLICY]]))).all()
    assert realized_cost(observed, np.array([[1]])).tolist() == [[0.4]]


@pytest.mark.parametrize("name", CELLS)
def test_lemma_1_gives_the_upper_ends(name):
    """Eq. 8 from the separate bounds of both events, at every weight and level."""
    for bounds in compare(CELLS[name], weights=WEIGHTS).levels.values():
        assert bounds.event_upper == pytest.approx(bounds.cost.upper, abs=1e-15)


def test_policies_of_one_action():
    """All five records have confidence 0.7: thresholds 0.6 and 0.5 accept the same records, 0.8 none."""
    found = compare_policies(FIVE_RECORDS, 0.5, np.array([0.6, 0.8, 0.5]), [0.5])
    assert found.actions.tolist() == [[0, 1, 0]]
    assert found.coverage.tolist() == [[1, 0, 1]]
    # Accepting two errors costs at most 0.2, rejecting three retained records always 0.3.
    assert found.levels["I5"].dominated.tolist() == [[[False, True, False]]]


@pytest.mark.parametrize("corner", [LARGEST_COST, SMALLEST_COST, LARGEST_DIFFERENCE, SMALLEST_DIFFERENCE])
@pytest.mark.parametrize("scale", [1, 100_000])  # large numbers do not fit into one integer and are not tallied
def test_extremes_are_sums_over_classes(corner, scale):
    alpha, beta = np.random.default_rng(3).integers(0, 4, (2, 4, 3, 50)) * scale
    weights = np.array([0.0, 0.3, 1.0])
    weight = weights[:, None, None, None]
    value = weight * alpha + corner.sign * (1 - weight) * beta
    expected = (value.max(axis=1) if corner.most_wrong else value.min(axis=1)).sum(axis=2)
    assert extreme((alpha, beta), weights, corner, 200) == pytest.approx(expected / 200, rel=1e-12, abs=1e-12)


def test_least_prefers_in_order():
    assert least(np.array([[0.1, 0.1], [0.3, 0.2]]), np.array([1, 0])).tolist() == [1, 1]


def test_tables_of_one_model(records):
    tables = compare_records(records, METADATA, ["fog-2"])
    assert (len(tables.bounds), len(tables.comparisons), len(tables.selections)) == (
        3 * 11 * 5,
        3 * 11 * 20,
        3 * 11 * 5,
    )
    assert list(tables.bounds.columns[:5]) == ["source", "model", "condition", "level", "weight"]
    row = tables.bounds[(tables.bounds["level"] == "I5") & (tables.bounds["weight"] == 0)].iloc[0]
    # Threshold 0.9 on both sides: the clean records of confidence 0.8 are rejected, so nothing can be lost.
    assert row[["lower", "upper", "observed", "coverage"]].tolist() == [0, 0, 0, 0.6]
    assert not tables.selections.isna().any().any()


def test_panel_cells_of_a_source(records, tmp_path):
    for model in ("a", "b"):
        write_records(records, tmp_path / f"{model}.parquet", METADATA | {"model": model})
    panel = pd.DataFrame({"source": ["syn"], "model": ["b"], "condition": ["fog-2"]})
    tables = compare_source([tmp_path / "a.parquet", tmp_path / "b.parquet"], panel, weights=[0.5])
    assert set(tables.selections["model"]) == {"b"}
    with pytest.raises(
        RecordsError, match="no record file holds a cell to compare; select the cells from these models"
    ):
        compare_source([tmp_path / "a.parquet"], panel)


def test_a_panel_condition_without_records_is_refused(records):
    with pytest.raises(RecordsError, match="records: no records of condition fog-4; infer it or select another panel"):
        compare_records(records, METADATA, ["fog-4"])
