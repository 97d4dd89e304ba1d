"""Thresholded confidence, detection and rank correlations on any values, ties included."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pairedeval.consistency.estimators import Threshold
from pairedeval.consistency.robustness import rank_correlation
from pairedeval.consistency.shift import detection


@st.composite
def calibration(draw) -> tuple[np.ndarray, np.ndarray]:
    """Draw scores of few distinct values and their correctness."""
    images = draw(st.integers(1, 30))
    scores = draw(arrays(np.int64, images, elements=st.integers(0, 5))) / 5
    return scores, draw(arrays(bool, images))


@given(calibration())
def test_the_estimate_on_the_calibration_images_is_their_accuracy(drawn):
    scores, correct = drawn
    threshold = Threshold.fit(scores, correct)
    assert threshold.estimate(scores) == pytest.approx(correct.mean(), abs=1e-12)
    assert 0 <= threshold.share <= 1


@given(calibration(), st.randoms())
def test_only_the_order_of_scores_and_the_number_of_errors_matter(drawn, random):
    scores, correct = drawn
    target = np.arange(-1, 7) / 5
    estimate = Threshold.fit(scores, correct).estimate(target)
    shuffled = correct.tolist()
    random.shuffle(shuffled)
    assert Threshold.fit(scores, np.array(shuffled)).estimate(target) == estimate
    assert Threshold.fit(8 * scores - 3, correct).estimate(8 * target - 3) == estimate


@given(calibration(), st.floats(0, 1))
def test_more_trusted_images_are_estimated_more_accurate(drawn, rise):
    threshold = Threshold.fit(*drawn)
    target = np.arange(6) / 5
    assert threshold.estimate(target + rise) >= threshold.estimate(target)


@given(calibration())
def test_distrust_detects_the_reverse(drawn):
    scores, wrong = drawn
    assume(0 < wrong.sum() < len(wrong))
    found = detection({"trust": scores, "distrust": -scores}, wrong)
    assert found["trust"] + found["distrust"] == pytest.approx(1)


@given(arrays(np.int64, (3, 12), elements=st.integers(0, 8)))
def test_rank_correlations_are_symmetric_and_see_ranks_only(values):
    first, second, fixed = values.astype(float)
    for others in ((), (fixed,)):
        found = rank_correlation(first, second, *others)
        assert rank_correlation(second, np.exp(first), *others) == pytest.approx(found, nan_ok=True)
        assert rank_correlation(-first, second, *others)[0] == pytest.approx(-found[0], nan_ok=True)
        assert np.isnan(found[0]) or (-1 <= found[0] <= 1 and 0 <= found[1] <= 1)
