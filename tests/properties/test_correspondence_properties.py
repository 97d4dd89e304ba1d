"""Checks of correspondence information on small random cells, against slow computations from the definitions."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairedeval.identification import identify
from pairedeval.identification.accuracy_only import accuracy_bounds
from pairedeval.identification.correspondence import check_block
from pairedeval.identification.decomposition import decompose
from pairedeval.identification.variance import variance_ratio
from pairedeval.records import Predictions, RecordBlock

SCORES = [0.1, 0.2, 0.4, 0.6, 0.8]


@st.composite
def blocks(draw, most_records: int = 6) -> RecordBlock:
    """Draw one to four classes of one to `most_records` records under two conditions."""
    sizes = draw(st.lists(st.integers(1, most_records), min_size=1, max_size=4))
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


def records(block: RecordBlock, condition: int) -> list[tuple[int, bool, bool, float, float]]:
    """List label, both correctnesses and both true-class probabilities of each pair."""
    return [
        (
            int(label),
            bool(block.clean.prediction[place] == label),
            bool(block.perturbed.prediction[condition, place] == label),
            float(block.clean.true_class_probability[place]),
            float(block.perturbed.true_class_probability[condition, place]),
        )
        for place, label in enumerate(block.labels)
    ]


def decomposed_by_hand(pairs: list[tuple[int, bool, bool, float, float]]) -> tuple[float, float]:
    """Return W and V term by term as Eq. 9 prints them."""
    classes = sorted({pair[0] for pair in pairs})
    weights, drops, survivors = {}, {}, {}
    for label in classes:
        rows = [pair for pair in pairs if pair[0] == label]
        before = [row[3] for row in rows if row[1]]
        after = [row[4] for row in rows if row[2]]
        kept = [row[3] - row[4] for row in rows if row[1] and row[2]]
        weights[label] = (len(kept), len(before) * len(after) / len(rows))
        drops[label] = sum(before) / len(before) - sum(after) / len(after) if before and after else 0.0
        survivors[label] = sum(kept) / len(kept) if kept else 0.0
    total = sum(weight[0] for weight in weights.values())
    expected = sum(weight[1] for weight in weights.values())
    if not total:
        return math.nan, math.nan
    composition = sum((weights[y][0] / total - weights[y][1] / expected) * drops[y] for y in classes)
    selection = sum(weights[y][0] / total * (survivors[y] - drops[y]) for y in classes if weights[y][0])
    return composition, selection


@settings(max_examples=200, deadline=None)
@given(blocks())
def test_decomposition_equals_its_terms(block):
    found = decompose(block)
    for condition in range(2):
        composition, selection = decomposed_by_hand(records(block, condition))
        assert found.composition[condition] == pytest.approx(composition, abs=1e-12, nan_ok=True)
        assert found.selection[condition] == pytest.approx(selection, abs=1e-12, nan_ok=True)


@settings(max_examples=200, deadline=None)
@given(blocks())
def test_parts_add_up_to_observed_minus_independent(block):
    target = identify(block, 0.5, ["Ik"]).targets["dM_k"]
    cells = check_block(block)
    difference = np.where(cells["overlap"] > 0, target.observed - target.independent, np.nan)
    assert cells["paired_minus_independent"].to_numpy() == pytest.approx(difference, abs=1e-12, nan_ok=True)
    assert cells["confidence_drop"].to_numpy() == pytest.approx(target.observed, abs=1e-12, nan_ok=True)


@settings(max_examples=200, deadline=None)
@given(blocks())
def test_variance_ratio_equals_sample_variances(block):
    before, after = block.clean.confidence, block.perturbed.confidence
    for found, row in zip(variance_ratio(before, after), after, strict=True):
        separate = sum(statistics(before)) + sum(statistics(row)) if len(before) > 1 else 0
        if len(set(before)) == 1 and len(set(row)) == 1:
            assert math.isnan(found)
        else:
            assert found == pytest.approx(sum(statistics(before - row)) / separate, abs=1e-12)
            covariance = np.cov(before, row)
            assert found == pytest.approx(1 - 2 * covariance[0, 1] / np.trace(covariance), abs=1e-12)
            assert -1e-12 <= found <= 2 + 1e-12


def statistics(values: np.ndarray) -> list[float]:
    """Return the squared deviations from the mean."""
    mean = math.fsum(values) / len(values)
    return [(value - mean) ** 2 for value in values]


@settings(max_examples=200, deadline=None)
@given(blocks())
def test_accuracies_bound_the_overlap(block):
    cells = check_block(block)
    overlap = cells["overlap"] / cells["n"]
    for _, row in cells.assign(share=overlap).iterrows():
        assert (
            row["overlap_global_lower"]
            <= row["overlap_classwise_lower"]
            <= row["share"]
            <= row["overlap_classwise_upper"]
        )
        assert row["overlap_classwise_upper"] <= row["overlap_global_upper"]
    correct = block.clean.prediction == block.labels
    still = block.perturbed.prediction == block.labels
    sizes = np.unique(block.labels, return_counts=True)[1]
    counts = [
        np.array([flags[..., block.labels == y].sum(-1) for y in range(len(sizes))]).T for flags in (correct, still)
    ]
    bounds = accuracy_bounds(sizes, *counts)
    for flips in (bounds.classwise_flips, bounds.global_flips):
        assert (flips.lower <= cells["gross_flips"] + 1e-12).all()
        assert (cells["gross_flips"] <= flips.upper + 1e-12).all()
    assert bounds.classwise_flips.width == pytest.approx(2 * bounds.classwise_overlap.width)
    assert bounds.global_flips.width == pytest.approx(2 * bounds.global_overlap.width)
    assert cells["net_change"].to_numpy() == pytest.approx(correct.mean() - still.mean(axis=1))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=2), st.data())
def test_accuracy_bounds_equal_enumeration(sizes, data):
    correct = [[data.draw(st.booleans()) for _ in range(size)] for size in sizes]
    still = [[data.draw(st.booleans()) for _ in range(size)] for size in sizes]
    reached = [
        {sum(a and b[place] for a, place in zip(a_side, order, strict=True)) for order in permutations(range(len(b)))}
        for a_side, b in zip(correct, still, strict=True)
    ]
    totals = [sum(choice) for choice in product(*reached)]
    found = accuracy_bounds(
        np.array(sizes), np.array([sum(side) for side in correct]), np.array([[sum(side) for side in still]])
    )
    assert found.classwise_overlap.lower[0] * sum(sizes) == pytest.approx(min(totals))
    assert found.classwise_overlap.upper[0] * sum(sizes) == pytest.approx(max(totals))
    assert found.pinned[0] == np.mean([len(values) == 1 for values in reached])
    everything = [flag for side in correct for flag in side], [flag for side in still for flag in side]
    overall = {
        sum(a and everything[1][place] for a, place in zip(everything[0], order, strict=True))
        for order in permutations(range(len(everything[1])))
        if len(everything[1]) <= 5
    }
    if overall:
        assert found.global_overlap.lower[0] * sum(sizes) == pytest.approx(min(overall))
        assert found.global_overlap.upper[0] * sum(sizes) == pytest.approx(max(overall))
