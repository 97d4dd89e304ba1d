"""Every end point is attained: a matching that the level allows gives exactly this value when judged again."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairedeval.errors import RecordsError
from pairedeval.identification import LEVELS, identify
from pairedeval.identification.attain import attaining_matching, rematched
from pairedeval.identification.class_states import observed_states
from pairedeval.identification.classes import Classes
from pairedeval.policies import compare_policies
from pairedeval.policies.attain import attaining_cost, attaining_difference
from pairedeval.records import Predictions, RecordBlock
from pairedeval.states import cell_metrics, response_states
from support.vectors import CELLS, block_of

MEASURED = {"H": "accepted_error_transition", "L": "lost_acceptance", "dM_k": "confidence_drop"}
WEIGHTS = (0.0, 0.3, 0.5, 1.0)


def judged_again(block: RecordBlock, matching: np.ndarray, level: str) -> RecordBlock:
    """Pair the records anew and check that the level cannot tell the pairing from the observed one."""
    assert np.array_equal(np.sort(matching), np.arange(len(block.labels)))
    assert np.array_equal(block.labels[matching], block.labels)
    found = rematched(block, 0, matching)
    before, after = (observed_states(Classes.of(b.labels), response_states(b)) for b in (block, found))
    assert level == "I0" or np.array_equal(before.overlap[:1], after.overlap)
    assert level != "I5" or np.array_equal(before.persistent[:1], after.persistent)
    return found


def check_targets(block: RecordBlock, threshold: float) -> None:
    bounds = identify(block, threshold).targets
    for target, level, upper in product(MEASURED, LEVELS, (False, True)):
        interval = bounds[target].intervals[level]
        end = (interval.upper if upper else interval.lower)[0]
        if np.isnan(end):
            with pytest.raises(RecordsError, match="no pair is correct on both sides, dM_k is undefined"):
                attaining_matching(block, 0, threshold, target, level, upper)
            continue
        paired = judged_again(block, attaining_matching(block, 0, threshold, target, level, upper), level)
        assert cell_metrics(paired, threshold)[MEASURED[target]][0] == pytest.approx(end, abs=1e-12), (target, level)


def check_policies(block: RecordBlock, threshold: float, thresholds: np.ndarray, weights=WEIGHTS) -> None:
    comparison = compare_policies(block, threshold, thresholds, weights)

    def observed(paired: RecordBlock, weight: float) -> np.ndarray:
        return compare_policies(paired, threshold, thresholds, [weight], levels=()).observed[0, 0]

    for (row, weight), level in product(enumerate(weights), LEVELS):
        found = comparison.levels[level]
        for policy, score in enumerate(thresholds):
            for upper, ends in ((False, found.cost.lower), (True, found.cost.upper)):
                matching = attaining_cost(block, 0, threshold, score, weight, level, upper)
                cost = observed(judged_again(block, matching, level), weight)
                assert cost[policy] == pytest.approx(ends[row, 0, policy], abs=1e-12)
            for other, other_score in enumerate(thresholds):
                matching = attaining_difference(block, 0, threshold, score, other_score, weight, level)
                cost = observed(judged_again(block, matching, level), weight)
                end = found.difference_upper[row, 0, policy, other]
                assert cost[policy] - cost[other] == pytest.approx(end, abs=1e-12)


@st.composite
def blocks(draw) -> RecordBlock:
    """Draw one to three classes of one to seven records with few labels and few scores, so that ties are common."""
    sizes = draw(st.lists(st.integers(1, 7), min_size=1, max_size=3))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    candidates = draw(st.integers(len(sizes), 4))

    def side() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        prediction, confidence = (
            np.array(draw(st.lists(values, min_size=len(labels), max_size=len(labels))))
            for values in (st.integers(0, candidates - 1), st.sampled_from([0.2, 0.4, 0.6, 0.8]))
        )
        return prediction, confidence, np.where(prediction == labels, confidence, 0.1)

    perturbed = Predictions(*(column[None] for column in side()))
    return RecordBlock(labels, np.arange(len(labels)), ("x",), Predictions(*side()), perturbed)


@settings(max_examples=100, deadline=None)
@given(blocks(), st.sampled_from([0.2, 0.5, 0.6]))
def test_targets_of_random_cells(block, threshold):
    check_targets(block, threshold)


@settings(max_examples=40, deadline=None)
@given(blocks(), st.sampled_from([0.2, 0.5]), st.lists(st.sampled_from([0.1, 0.5, 0.7, 0.9]), min_size=1, max_size=3))
def test_policies_of_random_cells(block, threshold, thresholds):
    check_policies(block, threshold, np.array(thresholds), (0.3,))


@pytest.mark.parametrize("name", CELLS)
def test_targets_of_the_vectors(name):
    check_targets(block_of(CELLS[name]), CELLS[name]["threshold"])


@pytest.mark.parametrize("name", [name for place, name in enumerate(CELLS) if place % 8 == 0])
def test_policies_of_the_vectors(name):
    cell = CELLS[name]
    check_policies(block_of(cell), cell["threshold"], np.array(cell["policy_thresholds"]), (cell["weight"],))


def test_targets_of_large_classes():
    """Two classes of 200 records with five labels: no enumeration reaches them."""
    random = np.random.default_rng(5)
    labels = np.repeat([0, 1], 200)

    def side(accuracy: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        other = (labels + random.choice([1, 2, 3, 4], 400, p=[0.7, 0.1, 0.1, 0.1])) % 5
        prediction = np.where(random.random(400) < accuracy, labels, other)
        confidence = random.random(400)
        return prediction, confidence, np.where(prediction == labels, confidence, 0.3 * confidence)

    block = RecordBlock(
        labels, np.arange(400), ("x",), Predictions(*side(0.6)), Predictions(*(column[None] for column in side(0.4)))
    )
    check_targets(block, 0.3)
    check_policies(block, 0.3, np.array([0.5, 0.2]), (0.5,))


def test_real_classes_of_handwritten_digits():
    """Predictions of a linear model on real images and on the same images with noise: 9 to 30 records a class."""
    from sklearn.datasets import load_digits
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    images, labels = load_digits(return_X_y=True)
    model = LinearDiscriminantAnalysis().fit(images[:250], labels[:250])
    order = 250 + np.argsort(labels[250:450], kind="stable")
    noise = np.random.default_rng(4).normal(0, 4, images[order].shape)

    def side(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        probabilities = model.predict_proba(pixels)
        return probabilities.argmax(axis=1), probabilities.max(axis=1), probabilities[np.arange(200), labels[order]]

    noisy = Predictions(*(column[None] for column in side(images[order] + noise)))
    block = RecordBlock(labels[order], order, ("noise",), Predictions(*side(images[order])), noisy)
    assert response_states(block).persistent_error.any()
    check_targets(block, 0.9)
    check_policies(block, 0.9, np.array([0.99, 0.9, 0.6]), (0.0, 0.5))
