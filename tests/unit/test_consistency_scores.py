"""Trust scores against plain loops and known values."""

import math
from collections import Counter

import numpy as np
import pytest

from pairedeval.consistency.scores import FORWARD_PASSES, SCORES, trust_scores
from support.consistency_views import example_views


def softmax(logits: np.ndarray) -> list[float]:
    weights = [math.exp(value - max(logits)) for value in logits.tolist()]
    return [weight / sum(weights) for weight in weights]


def plain_scores(views: np.ndarray) -> dict[str, float]:
    """Compute the scores of one image from logits of shape ``(1 + K, classes)``."""
    shares = [softmax(view) for view in views]
    first, logits = shares[0], views[0].tolist()
    predictions = [view.index(max(view)) for view in views.tolist()]
    mean = [math.fsum(column) / len(shares) for column in zip(*shares, strict=True)]
    operators = len(views) - 1
    stability = sum(prediction == predictions[0] for prediction in predictions[1:]) / operators
    changes = [abs(max(view) - max(first)) for view in shares[1:]]
    distances = [sum(abs(a - b) for a, b in zip(view, first, strict=True)) / 2 for view in shares[1:]]
    relative = [min(1, change / max(first)) for change in changes]
    top, second = sorted(logits)[-1], sorted(logits)[-2]
    squares = sum(share**2 for share in first)
    return {
        "msp": max(first),
        "margin": top - second,
        "entropy": sum(share * math.log(share) for share in first),
        "energy": math.log(sum(math.exp(value) for value in logits)),
        "doctor": -(1 - squares) / squares,
        "tta_confidence": max(mean),
        "tta_agreement": Counter(predictions)[mean.index(max(mean))] / len(views),
        "stability": stability,
        "deviation": -sum(changes) / operators,
        "consistency": (stability + 1 - sum(changes) / operators) / 2,
        "consistency_tv": (stability + 1 - sum(distances) / operators) / 2,
        "consistency_rescaled": (stability + 1 - sum(relative) / operators) / 2,
    }


def test_scores_equal_a_plain_computation():
    logits = example_views(seeds=2, images=40).at_level(2, "clean")
    found = trust_scores(logits)
    assert tuple(found) == SCORES
    for seed in range(2):
        for image in range(40):
            expected = plain_scores(logits[seed, :, image].astype(float))
            assert {name: found[name][seed, image] for name in SCORES} == pytest.approx(expected, abs=1e-12)


def test_runs_may_be_stacked():
    logits = example_views(seeds=3, images=24).at_level(1, "clean")
    found = trust_scores(logits)
    for name, values in found.items():
        assert values.shape == (3, 24)
        assert values.dtype == np.float64
        np.testing.assert_array_equal(values, [trust_scores(run)[name] for run in logits])


def test_agreement_counts_the_views_that_side_with_the_mean_not_with_the_original():
    # The original is an outlier: the mean softmax predicts class 1, as all six versions do.
    views = np.array([[[1.0, 0.0]]] + [[[0.0, 1.0]]] * 6)
    found = trust_scores(views)
    assert found["tta_agreement"] == pytest.approx([6 / 7])
    assert found["stability"] == pytest.approx([0.0])


def test_unchanged_views_are_fully_consistent():
    original = example_views(seeds=1, images=16).logits[0, 0, :1]
    found = trust_scores(np.repeat(original, 7, axis=0))
    assert found["deviation"] == pytest.approx(0)
    for name in ("stability", "consistency", "consistency_tv", "consistency_rescaled", "tta_agreement"):
        assert found[name] == pytest.approx(1)
    assert found["tta_confidence"] == pytest.approx(found["msp"])


def test_extreme_logits_give_finite_scores():
    views = np.array([[[1e4, -1e4, 0.0], [0.0, 0.0, 0.0]]] * 7, dtype=np.float32)
    found = trust_scores(views)
    assert all(np.isfinite(values).all() for values in found.values())
    assert found["entropy"] == pytest.approx([0.0, -math.log(3)])
    assert found["doctor"] == pytest.approx([0.0, -2.0])


def test_forward_passes():
    assert tuple(FORWARD_PASSES) == SCORES
    assert {name for name, passes in FORWARD_PASSES.items() if passes == 1} == set(SCORES[:5])
    assert {FORWARD_PASSES[name] for name in SCORES[5:]} == {7}
