"""LS, CD, CS, CAG and their variants against hand-computed values and plain loops."""

import numpy as np
import pytest

from pairedeval.consistency.quantities import (
    TOLERANCES,
    confidence_deviation,
    consistency_accuracy_gap,
    consistency_score,
    label_stability,
    margins,
    probabilities,
    regime,
    rescaled_deviation,
    total_variation,
)
from pairedeval.consistency.views import OPERATORS
from support.consistency_views import example_views

# One image, three views, three classes.
SHARES = np.array([[[0.5, 0.3, 0.2]], [[0.3, 0.6, 0.1]], [[0.9, 0.1, 0.0]]])


def test_one_image_by_hand():
    confidence = SHARES.max(axis=-1)
    assert label_stability(SHARES.argmax(axis=-1)) == pytest.approx([1 / 2])
    assert confidence_deviation(confidence) == pytest.approx([(0.1 + 0.4) / 2])
    assert rescaled_deviation(confidence) == pytest.approx([(0.2 + 0.8) / 2])
    assert total_variation(SHARES) == pytest.approx([(0.3 + 0.4) / 2])
    assert consistency_score(np.array(0.5), np.array(0.25)) == pytest.approx(0.5 * 0.5 + 0.5 * 0.75)
    assert consistency_score(np.array(0.5), np.array(0.25), 0.2) == pytest.approx(0.2 * 0.5 + 0.8 * 0.75)


def test_rescaled_deviation_is_cut_off_at_one():
    assert rescaled_deviation(np.array([[0.2], [0.9], [0.3]])) == pytest.approx([(1 + 0.5) / 2])


def test_quantities_equal_loops_over_images_and_operators():
    logits = example_views(seeds=2, images=20).at_level(3, "clean")
    shares = probabilities(logits)
    predictions, confidence = logits.argmax(axis=-1), shares.max(axis=-1)
    for seed in range(2):
        for image in range(20):
            kept, changes, relative, distances = [], [], [], []
            for view in range(1, 1 + len(OPERATORS)):
                original, version = shares[seed, 0, image], shares[seed, view, image]
                kept.append(np.argmax(logits[seed, view, image]) == np.argmax(logits[seed, 0, image]))
                changes.append(abs(max(version) - max(original)))
                relative.append(min(1, changes[-1] / max(original)))
                distances.append(sum(abs(a - b) for a, b in zip(version, original, strict=True)) / 2)
            assert label_stability(predictions)[seed, image] == pytest.approx(sum(kept) / 6)
            assert confidence_deviation(confidence)[seed, image] == pytest.approx(sum(changes) / 6)
            assert rescaled_deviation(confidence)[seed, image] == pytest.approx(sum(relative) / 6)
            assert total_variation(shares)[seed, image] == pytest.approx(sum(distances) / 6)


def test_predictions_may_be_any_codes():
    assert label_stability(np.array([["b"], ["b"], ["a"], ["b"], ["c"]])).tolist() == [0.5]


def test_gap_is_accuracy_minus_consistency_of_each_run():
    correct = np.array([[True, True, False, False], [True, True, True, True]])
    score = np.array([[1.0, 0.9, 1.0, 0.7], [0.5, 0.5, 0.5, 0.5]])
    assert consistency_accuracy_gap(correct, score) == pytest.approx([0.5 - 0.9, 0.5])


@pytest.mark.parametrize(
    ("gap", "tolerance", "expected"),
    [
        (-0.021, 0.02, "consistency-dominant"),
        (-0.02, 0.02, "balanced"),
        (0.0, 0.02, "balanced"),
        (0.02, 0.02, "balanced"),
        (0.021, 0.02, "accuracy-dominant"),
        (-0.0625, 0.05, "consistency-dominant"),
        (-0.0625, 0.1, "balanced"),
    ],
)
def test_regime(gap: float, tolerance: float, expected: str):
    assert regime(gap, tolerance) == expected


def test_tolerances_of_the_paper():
    assert TOLERANCES == (0.02, 0.03, 0.05, 0.10)


def test_probabilities_are_float64_and_survive_large_logits():
    logits = np.array([[1000.0, 999.0, -1000.0], [0.0, 0.0, 0.0]], dtype=np.float32)
    found = probabilities(logits)
    assert found.dtype == np.float64
    assert found[0] == pytest.approx([1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1)), 0])
    assert found[1] == pytest.approx([1 / 3] * 3)


def test_margins_are_differences_of_the_two_largest_logits():
    logits = example_views(seeds=1, images=30).logits[0]
    expected = [[[sorted(image)[-1] - sorted(image)[-2] for image in view] for view in part] for part in logits]
    np.testing.assert_array_equal(margins(logits), expected)
    assert margins(logits).dtype == np.float64
    assert (margins(logits) == 0).any()
