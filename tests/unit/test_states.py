"""Response states, aggregate metrics and acceptance thresholds."""

import math

import numpy as np
import pytest

from pairedeval.errors import RecordsError
from pairedeval.records import Predictions, RecordBlock
from pairedeval.states import (
    STATES,
    acceptance_threshold,
    cell_metrics,
    correlation,
    coverage_rank,
    response_states,
)


def block(labels, clean, perturbed) -> RecordBlock:
    """Build a block of one condition from (prediction, confidence, true-class probability) triples."""

    def side(rows):
        prediction, confidence, truth = (np.array(column) for column in zip(*rows, strict=True))
        return prediction, confidence, truth

    after = Predictions(*(column[None] for column in side(perturbed)))
    return RecordBlock(np.array(labels), np.arange(len(labels)), ("fog-2",), Predictions(*side(clean)), after)


# One pair of each state: h, r, s, w, k.
FIVE = block(
    [0, 0, 0, 0, 0],
    [(0, 0.9, 0.9), (1, 0.8, 0.1), (1, 0.7, 0.2), (1, 0.6, 0.3), (0, 0.5, 0.5)],
    [(1, 0.8, 0.1), (0, 0.4, 0.4), (1, 0.5, 0.2), (2, 0.7, 0.1), (0, 0.3, 0.3)],
)


def test_each_pair_has_one_state():
    states = response_states(FIVE)
    assert [np.flatnonzero(getattr(states, name)[0]).tolist() for name in STATES] == [[0], [1], [2], [3], [4]]


def test_metrics_of_one_pair_per_state():
    row = cell_metrics(FIVE, 0.5).iloc[0].to_dict()
    assert row.pop("condition") == "fog-2"
    expected = {
        "n": 5,
        "overlap": 1,
        "threshold": 0.5,
        "clean_accuracy": 2 / 5,
        "perturbed_accuracy": 2 / 5,
        "label_change_rate": 3 / 5,
        **dict.fromkeys(STATES, 1 / 5),
        "accepted_error_transition": 1 / 5,
        "lost_acceptance": 1 / 5,
        "confidence_drop": 0.2,
        "accepted_error": 3 / 5,
        "persistent_confidence_decrease": 0.2,
        "changed_confidence_decrease": -0.1,
        "absolute_confidence_change": (0.1 + 0.4 + 0.2 + 0.1 + 0.2) / 5,
        "confidence_correlation": np.corrcoef([9, 8, 7, 6, 5], [8, 4, 5, 7, 3])[0, 1],
        "clean_coverage": 1.0,
        "perturbed_coverage": 3 / 5,
    }
    assert row == pytest.approx(expected)


def test_states_follow_from_accuracies_flips_and_overlap():
    """Eq. 13."""
    random = np.random.default_rng(7)
    labels = random.integers(0, 3, 200)
    sides = [[(p, 0.5, 0.5 if p == y else 0.2) for y in labels for p in random.integers(0, 3, 1)] for _ in range(2)]
    row = cell_metrics(block(labels, *sides), 0.5).iloc[0]
    a0, a1, change, k = (row[name] for name in ("clean_accuracy", "perturbed_accuracy", "label_change_rate", STATES[4]))
    assert row[list(STATES[:4])].tolist() == pytest.approx([a0 - k, a1 - k, 1 - change - k, change - a0 - a1 + 2 * k])


def test_means_over_empty_states_are_undefined():
    wrong = block([0, 0], [(0, 0.9, 0.9), (0, 0.8, 0.8)], [(1, 0.5, 0.2), (1, 0.5, 0.3)])
    row = cell_metrics(wrong, 0.85).iloc[0]
    undefined = ["confidence_drop", "persistent_confidence_decrease", "changed_confidence_decrease"]
    assert row[[*undefined, "confidence_correlation"]].isna().all()
    assert row["overlap"] == 0
    assert row["lost_acceptance"] == 0


def test_correlation_of_each_condition():
    before = np.array([1.0, 2.0, 3.0])
    after = np.array([[2.0, 4.0, 6.0], [3.0, 2.0, 1.0], [5.0, 5.0, 5.0]])
    found = correlation(before, after)
    assert found[:2].tolist() == pytest.approx([1, -1])
    assert math.isnan(found[2])


RANKS = {  # rank for n = 1 ... 9; the halves go up
    0.6: [1, 1, 2, 2, 3, 4, 4, 5, 5],
    0.7: [1, 1, 2, 3, 4, 4, 5, 6, 6],
    0.8: [1, 2, 2, 3, 4, 5, 6, 6, 7],
    0.9: [1, 2, 3, 4, 5, 5, 6, 7, 8],
    1.0: [1, 2, 3, 4, 5, 6, 7, 8, 9],
}


@pytest.mark.parametrize("coverage", RANKS)
def test_rank_is_half_up(coverage):
    assert [coverage_rank(coverage, size) for size in range(1, 10)] == RANKS[coverage]


@pytest.mark.parametrize(("coverage", "size", "rank"), [(0.7, 45, 32), (0.7, 15, 11), (0.9, 5, 5), (0.1 * 7, 45, 32)])
def test_rank_reads_coverages_as_decimals(coverage, size, rank):
    assert coverage_rank(coverage, size) == rank


@pytest.mark.parametrize(
    ("confidence", "coverage", "threshold", "accepted"),
    [
        ([0.9, 0.5, 0.7, 0.8, 0.6], 0.8, 0.6, 4),
        ([0.9, 0.5, 0.7, 0.8, 0.6], 1.0, 0.5, 5),
        ([0.9, 0.7, 0.7, 0.7, 0.6], 0.6, 0.7, 4),  # ties at the cutoff are accepted
        ([0.3], 0.8, 0.3, 1),
    ],
)
def test_threshold_is_the_lowest_confidence_that_is_kept(confidence, coverage, threshold, accepted):
    found = acceptance_threshold(np.array(confidence), coverage)
    assert found == threshold
    assert (np.array(confidence) >= found).sum() == accepted


@pytest.mark.parametrize(("size", "coverage"), [(0, 0.8), (3, 0.1), (3, 1.5)])
def test_a_threshold_needs_a_record(size, coverage):
    with pytest.raises(RecordsError, match=rf"coverage {coverage:g} of {size} clean development records keeps \d+"):
        acceptance_threshold(np.full(size, 0.5), coverage)
