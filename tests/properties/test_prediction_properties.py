"""Independent counterparts, permuted records and selective risk on small random cells, against plain enumeration."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairedeval.prediction.feature_sets import SUMMARIES
from pairedeval.prediction.independent import independent_summaries
from pairedeval.prediction.permuted import class_permutations, permuted_block
from pairedeval.prediction.selective_risk import selected_errors
from pairedeval.records import Predictions, RecordBlock
from pairedeval.states import cell_metrics, coverage_rank

SCORES = [0.1, 0.2, 0.4, 0.6, 0.8]
THRESHOLD = 0.4


@st.composite
def blocks(draw, most_records: int = 5, most_classes: int = 3) -> RecordBlock:
    """Draw a few classes of a few records under two conditions."""
    sizes = draw(st.lists(st.integers(1, most_records), min_size=1, max_size=most_classes))
    labels = np.repeat(np.arange(len(sizes)), sizes)

    def side(rows: int) -> list[np.ndarray]:
        count = rows * len(labels)
        prediction, confidence = (
            np.array(draw(st.lists(values, min_size=count, max_size=count))).reshape(rows, len(labels))
            for values in (st.integers(0, len(sizes)), st.sampled_from(SCORES))
        )
        return [prediction, confidence, np.where(prediction == labels, confidence, confidence / 4)]

    clean, perturbed = side(1), side(2)
    return RecordBlock(
        labels=labels,
        image_ids=np.arange(len(labels)),
        conditions=("one", "two"),
        clean=Predictions(*(column[0] for column in clean)),
        perturbed=Predictions(*perturbed),
    )


def combinations(block: RecordBlock, condition: int) -> list[tuple[float, bool, bool, bool, float, float, float]]:
    """List weight, correctness of both sides, equal labels, both confidences and the drop of M of all combinations."""
    sizes = {label: int((block.labels == label).sum()) for label in block.labels.tolist()}
    found = []
    for clean, perturbed in product(range(len(block.labels)), repeat=2):
        label = int(block.labels[clean])
        if label == block.labels[perturbed]:
            before, after = block.clean.prediction[clean], block.perturbed.prediction[condition, perturbed]
            drop = block.clean.true_class_probability[clean]
            drop -= block.perturbed.true_class_probability[condition, perturbed]
            scores = block.clean.confidence[clean], block.perturbed.confidence[condition, perturbed]
            found.append((1 / sizes[label], before == label, after == label, before == after, *scores, drop))
    return found


def enumerated(block: RecordBlock, condition: int) -> dict[str, float]:
    """Compute the eight counterparts from the list of all combinations."""
    pairs = combinations(block, condition)
    images = sum(pair[0] for pair in pairs)

    def share(event) -> float:
        return sum(pair[0] for pair in pairs if event(pair)) / images

    def mean(event, value) -> float:
        weight = sum(pair[0] for pair in pairs if event(pair))
        return sum(pair[0] * value(pair) for pair in pairs if event(pair)) / weight if weight else math.nan

    weights, before, after = (np.array([pair[place] for pair in pairs]) for place in (0, 4, 5))
    if np.ptp(before) and np.ptp(after):
        covariance = np.cov(before, after, aweights=weights, bias=True)
        correlation = covariance[0, 1] / math.sqrt(covariance[0, 0] * covariance[1, 1])
    else:
        correlation = None
    return {
        "label_change_rate": share(lambda pair: not pair[3]),
        "absolute_confidence_change": mean(lambda _: True, lambda pair: abs(pair[4] - pair[5])),
        "confidence_correlation": correlation,
        "retained_correct": share(lambda pair: pair[1] and pair[2]),
        "confidence_drop": mean(lambda pair: pair[1] and pair[2], lambda pair: pair[6]),
        "persistent_confidence_decrease": mean(lambda pair: not pair[1] and pair[3], lambda pair: pair[4] - pair[5]),
        "changed_confidence_decrease": mean(
            lambda pair: not (pair[1] or pair[2] or pair[3]), lambda pair: pair[4] - pair[5]
        ),
        "lost_acceptance": share(lambda pair: pair[1] and pair[2] and pair[4] >= THRESHOLD and pair[5] < THRESHOLD),
    }


@settings(max_examples=200, deadline=None)
@given(blocks())
def test_independent_counterparts_equal_all_combinations(block):
    found = independent_summaries(block, THRESHOLD)
    assert set(found) == set(SUMMARIES)
    for condition in range(2):
        for name, expected in enumerated(block, condition).items():
            # A correlation of constant confidences is undefined or rounding.
            if expected is not None:
                assert found[name][condition] == pytest.approx(expected, abs=1e-10, nan_ok=True), name


@settings(max_examples=30, deadline=None)
@given(blocks(most_records=3, most_classes=2))
def test_linear_counterparts_are_means_over_all_permutations(block):
    within = [permutations(np.flatnonzero(block.labels == label)) for label in np.unique(block.labels)]
    orders = np.array([np.concatenate(choice) for choice in product(*map(list, within))])
    metrics = [cell_metrics(permuted_block(block, np.tile(order, (2, 1))), THRESHOLD) for order in orders]
    found = independent_summaries(block, THRESHOLD)
    for name in ("label_change_rate", "absolute_confidence_change", "retained_correct", "lost_acceptance"):
        assert found[name] == pytest.approx(np.mean([table[name] for table in metrics], axis=0), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(blocks(), st.integers(0, 2**32))
def test_permutations_move_whole_records_within_classes(block, seed):
    for order in class_permutations(block, seed, "syn", replicates=2):
        assert (np.sort(order, axis=1) == np.arange(len(block.labels))).all()
        assert (block.labels[order] == block.labels).all()
        moved = permuted_block(block, order)
        for condition in range(2):
            for name, column in vars(block.perturbed).items():
                assert (getattr(moved.perturbed, name)[condition] == column[condition, order[condition]]).all()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(SCORES), st.booleans()), min_size=1, max_size=6))
def test_selective_risk_averages_over_all_orders_of_ties(records):
    selected = max(1, coverage_rank(0.8, len(records)))
    orders = permutations(records)
    ranked = [sorted(order, key=lambda record: -record[0])[:selected] for order in orders]
    expected = np.mean([sum(not correct for _, correct in chosen) for chosen in ranked])
    confidence, correct = (np.array([[record[place] for record in records]]) for place in (0, 1))
    errors, count = selected_errors(confidence, correct)
    assert count == selected
    assert errors[0] == pytest.approx(expected)
