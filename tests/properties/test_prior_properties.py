"""Class priors: expectation maximisation never lowers the likelihood, and corrections can be undone."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from pairedeval.consistency.label_shift import correct_prior, estimate_prior, prior_step


@st.composite
def posteriors(draw) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw logits of 1 to 30 images in 2 to 6 classes, and two sets of class shares."""
    classes, images = draw(st.integers(2, 6)), draw(st.integers(1, 30))
    size = classes * images
    logits = draw(st.lists(st.floats(-20, 20), min_size=size, max_size=size))
    shares = [draw(st.lists(st.integers(1, 50), min_size=classes, max_size=classes)) for _ in range(2)]
    return np.array(logits).reshape(images, classes), *(np.array(found) / sum(found) for found in shares)


def likelihood(posterior: np.ndarray, source: np.ndarray, shares: np.ndarray) -> float:
    return float(np.log(posterior @ (shares / source)).sum())


@settings(max_examples=100, deadline=None)
@given(posteriors())
def test_no_step_lowers_the_likelihood(case):
    logits, source, shares = case
    posterior = softmax(logits, axis=1)
    for _ in range(10):
        following = prior_step(posterior, source, shares)
        assert abs(following.sum() - 1) < 1e-9
        assert (following >= 0).all()
        assert likelihood(posterior, source, following) >= likelihood(posterior, source, shares) - 1e-9
        shares = following


@settings(max_examples=50, deadline=None)
@given(posteriors())
def test_the_estimate_is_at_least_as_likely_as_any_other_shares(case):
    logits, source, shares = case
    posterior = softmax(logits, axis=1)
    found = estimate_prior(posterior, source)
    assert abs(found.sum() - 1) < 1e-9
    # The likelihood is concave; the stop leaves at most this much per image.
    assert likelihood(posterior, source, found) >= likelihood(posterior, source, shares) - 1e-3 * len(logits)


@settings(max_examples=100, deadline=None)
@given(posteriors())
def test_corrections_follow_each_other_and_can_be_undone(case):
    logits, source, target = case
    corrected = correct_prior(logits, source, target)
    np.testing.assert_allclose(correct_prior(corrected, target, source), logits, atol=1e-9)
    np.testing.assert_allclose(correct_prior(logits, source, source), logits, atol=1e-9)
    middle = np.full(len(source), 1 / len(source))
    twice = correct_prior(correct_prior(logits, source, middle), middle, target)
    np.testing.assert_allclose(twice, corrected, atol=1e-9)


@settings(max_examples=100, deadline=None)
@given(posteriors(), st.randoms(use_true_random=False))
def test_the_names_of_the_classes_do_not_matter(case, random):
    logits, source, _ = case
    order = list(range(len(source)))
    random.shuffle(order)
    posterior = softmax(logits, axis=1)
    np.testing.assert_allclose(
        estimate_prior(posterior[:, order], source[order]), estimate_prior(posterior, source)[order], atol=1e-6
    )
