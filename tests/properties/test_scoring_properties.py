"""What every scoring rule must satisfy for any outputs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pairedeval.scoring import COSINE, LOGITS, score_common, score_native

NAN = float("nan")
COSINES = st.floats(-1, 1, width=32)
# Multiples of 1/4 make ties and exact sums likely.
COARSE = st.integers(-400, 400).map(lambda value: value / 4)


@st.composite
def cases(draw, values):
    images, candidates = draw(st.integers(1, 6)), draw(st.integers(1, 8))
    outputs = draw(arrays(np.float32, (images, candidates), elements=values))
    labels = draw(arrays(np.int64, images, elements=st.integers(0, candidates - 1)))
    return outputs, labels


@given(cases(COSINES), st.floats(1, 120), st.floats(-20, 0))
def test_probabilities_belong_together(case, scale, bias):
    outputs, labels = case
    for scores in (
        score_common(outputs, labels, COSINE),
        score_common(outputs, labels, LOGITS),
        score_native(outputs, labels, COSINE, scale, NAN),
        score_native(outputs, labels, COSINE, scale, bias),
        score_native(outputs, labels, LOGITS, NAN, NAN),
    ):
        np.testing.assert_array_equal(scores.prediction, [list(row).index(max(row)) for row in outputs])
        assert ((scores.confidence >= 0) & (scores.confidence <= 1)).all()
        assert (scores.true_class_probability <= scores.confidence).all()
        correct = scores.prediction == labels
        assert (scores.true_class_probability[correct] == scores.confidence[correct]).all()


@given(cases(COARSE), st.integers(-40, 40))
def test_a_constant_added_to_all_logits_changes_nothing(case, shift):
    outputs, labels = case
    plain = score_common(outputs, labels, LOGITS)
    shifted = score_common(outputs + np.float32(shift), labels, LOGITS)
    np.testing.assert_array_equal(plain.prediction, shifted.prediction)
    np.testing.assert_array_equal(plain.confidence, shifted.confidence)


@given(cases(COARSE))
def test_softmax_probabilities_sum_to_one(case):
    outputs, _ = case
    sums = sum(
        score_common(outputs, np.full(len(outputs), label), LOGITS).true_class_probability
        for label in range(outputs.shape[1])
    )
    np.testing.assert_allclose(sums, 1.0, rtol=1e-14)


@given(cases(COARSE))
def test_images_are_scored_one_by_one(case):
    outputs, labels = case
    together = score_common(outputs, labels, LOGITS)
    for image in range(len(outputs)):
        alone = score_common(outputs[image : image + 1], labels[image : image + 1], LOGITS)
        assert alone.confidence[0] == together.confidence[image]
