"""Scoring rules on values that can be checked by hand or against SciPy."""

import math

import numpy as np
import pytest
from scipy.special import expit, log_softmax, softmax

from pairedeval.errors import ModelError
from pairedeval.scoring import COSINE, LOGITS, check_outputs, outside_mass, score_common, score_native

NAN = float("nan")


@pytest.fixture
def outputs() -> np.ndarray:
    return np.random.default_rng(5).normal(size=(3, 40, 7)).astype(np.float32)


@pytest.fixture
def labels() -> np.ndarray:
    return np.random.default_rng(6).integers(0, 7, size=40)


@pytest.mark.parametrize(("kind", "factor"), [(COSINE, 100.0), (LOGITS, 1.0)])
def test_common_protocol_is_scipys_softmax(outputs, labels, kind, factor):
    expected = softmax(factor * outputs.astype(np.float64), axis=-1)
    scores = score_common(outputs, labels, kind)
    np.testing.assert_array_equal(scores.prediction, expected.argmax(axis=-1))
    np.testing.assert_allclose(scores.confidence, expected.max(axis=-1), rtol=1e-13)
    for variant in range(3):
        np.testing.assert_allclose(
            scores.true_class_probability[variant], expected[variant, np.arange(40), labels], rtol=1e-12
        )


def test_native_rules(outputs, labels):
    cosines = outputs / 10
    values = cosines.astype(np.float64)
    clip = score_native(cosines, labels, COSINE, scale=14.3, bias=NAN)
    np.testing.assert_allclose(clip.confidence, softmax(14.3 * values, axis=-1).max(axis=-1), rtol=1e-13)
    siglip = score_native(cosines, labels, COSINE, scale=117.0, bias=-12.9)
    np.testing.assert_allclose(siglip.confidence, expit(117.0 * values - 12.9).max(axis=-1), rtol=1e-13)
    linear = score_native(outputs, labels, LOGITS, scale=NAN, bias=NAN)
    np.testing.assert_array_equal(linear.confidence, score_common(outputs, labels, LOGITS).confidence)


def test_native_softmax_counts_classes_outside_the_candidates(outputs, labels):
    candidates = np.array([1, 2, 5])
    inside = outputs[..., candidates]
    scores = score_native(inside, labels % 3, LOGITS, NAN, NAN, outside=outside_mass(outputs, candidates))
    everything = softmax(outputs.astype(np.float64), axis=-1)[..., candidates]
    np.testing.assert_allclose(scores.confidence, everything.max(axis=-1), rtol=1e-12)
    np.testing.assert_array_equal(scores.prediction, inside.argmax(axis=-1))


def test_nothing_outside_has_no_mass(outputs):
    assert (outside_mass(outputs, np.arange(7)) == -np.inf).all()


def test_outside_mass_may_dwarf_the_candidates():
    scores = score_native(
        np.array([[0.0, -1.0]], dtype=np.float32), np.array([1]), LOGITS, NAN, NAN, outside=np.array([900.0])
    )
    assert scores.confidence[0] == math.exp(-900.0) == 0.0


@pytest.mark.parametrize("kind", [COSINE, LOGITS])
def test_ties_go_to_the_lowest_index(kind):
    scores = score_common(np.array([[0.1, 0.3, 0.3, 0.3]], dtype=np.float32), np.array([2]), kind)
    assert scores.prediction[0] == 1
    assert scores.true_class_probability[0] == scores.confidence[0]


def test_saturated_sigmoids_keep_the_prediction_of_the_outputs():
    outputs = np.array([[0.8, 0.9, 0.1]], dtype=np.float32)
    native = score_native(outputs, np.array([0]), COSINE, scale=117.0, bias=0.0)
    assert native.confidence[0] == native.true_class_probability[0] == 1.0
    assert native.prediction[0] == score_common(outputs, np.array([0]), COSINE).prediction[0] == 1


@pytest.mark.parametrize("extreme", [1e30, -1e30, 3e38])
def test_extreme_logits_stay_probabilities(extreme):
    scores = score_common(np.array([[extreme, 0.0, extreme]], dtype=np.float32), np.array([0]), LOGITS)
    assert scores.confidence[0] == pytest.approx(0.5 if extreme > 0 else 1.0)


def test_scores_are_computed_in_double_precision():
    scores = score_common(np.array([[20.0, 0.0]], dtype=np.float32), np.array([1]), LOGITS)
    expected = np.exp(log_softmax([20.0, 0.0]))[1]
    assert scores.true_class_probability.dtype == np.float64
    assert scores.true_class_probability[0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf])
def test_unusable_outputs_name_model_condition_and_image(broken):
    outputs = np.zeros((3, 2), dtype=np.float32)
    outputs[1, 0] = broken
    with pytest.raises(ModelError, match=r"^vit: condition fog-2, image b: the output is NaN or infinite; check the w"):
        check_outputs(outputs, ("a", "b", "c"), 2, "vit", "fog-2")


@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (2,)])
def test_wrong_shapes_are_refused(shape):
    with pytest.raises(
        ModelError, match=r"^vit: condition clean: outputs of shape .* for 2 images and 2 classes; check"
    ):
        check_outputs(np.zeros(shape, dtype=np.float32), ("a", "b"), 2, "vit", "clean")
