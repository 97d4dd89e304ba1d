"""The inequality, the certificate and the bounds: invariants on any logits."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pairedeval.consistency.certificate import calibrate, calibration_rank, certify
from pairedeval.consistency.flip_bounds import flip_bounds
from pairedeval.consistency.margins import (
    displacements,
    flips,
    scaled_displacements,
    violations,
    worst_displacements,
)
from pairedeval.consistency.quantities import margins

LOGITS = {
    "float32": st.floats(width=32, allow_nan=False, allow_infinity=False),
    "usual": st.floats(-50, 50),
    "integers": st.integers(-3, 3).map(float),
    "huge": st.floats(-1e140, 1e140),
    "tiny": st.floats(-1e-140, 1e-140).filter(lambda value: value == 0 or abs(value) > 1e-150),
    "far from zero": st.integers(-4, 4).map(lambda steps: 1e8 + steps / 1024),
}
SHARES = st.integers(1, 99).map(lambda percent: percent / 100)


@st.composite
def any_views(draw) -> np.ndarray:
    """Draw logits of up to four views of up to six images, of one kind or of several kinds at once."""
    shape = (draw(st.integers(2, 4)), draw(st.integers(1, 6)), draw(st.integers(2, 5)))
    elements = draw(st.sampled_from([*LOGITS.values(), st.one_of(*LOGITS.values())]))
    size = math.prod(shape)
    views = np.array(draw(st.lists(elements, min_size=size, max_size=size))).reshape(shape)
    return views.astype(np.float32) if draw(st.booleans()) and np.abs(views).max() < 1e38 else views


@st.composite
def near_flips(draw) -> np.ndarray:
    """Draw two views of one image that are as close as a flip allows: the two largest logits move to their middle."""
    classes = draw(st.integers(2, 5))
    clean = np.array(draw(st.lists(LOGITS["float32"], min_size=classes, max_size=classes)), dtype=np.float32)
    moved, first = clean.copy(), int(clean.argmax())
    others = np.delete(np.arange(classes), first)
    second = int(others[clean[others].argmax()])
    middle = np.float32((clean[first].astype(float) + clean[second].astype(float)) / 2)
    moved[[first, second]] = middle, np.nextafter(middle, np.float32(np.inf)) if first < second else middle
    return np.stack([clean, np.where(np.isfinite(moved), moved, middle)])[:, np.newaxis]


@settings(max_examples=300, deadline=None)
@given(any_views())
def test_no_flip_violates_the_inequality(views):
    assert violations(views) == 0
    slack = scaled_displacements(views) - margins(views[:1])
    assert (slack[flips(views)] >= -1e-12 * scaled_displacements(views)[flips(views)]).all()


@settings(max_examples=300, deadline=None)
@given(near_flips())
def test_no_flip_at_the_smallest_displacement_violates_it(views):
    assert violations(views) == 0


@settings(max_examples=200, deadline=None)
@given(st.integers(-(2**20), 2**20), st.integers(1, 2**20), st.integers(-20, 20), st.integers(2, 5))
def test_the_bound_is_tight(second, half, exponent, classes):
    """Half the margin on each side makes a tie, which the lower index wins: margin and displacement are equal."""
    clean = np.full(classes, second - 10.0)
    clean[:2] = second, second + 2 * half
    moved = clean.copy()
    moved[:2] = second + half
    views = np.ldexp(np.stack([clean, moved])[:, np.newaxis], exponent).astype(np.float32)
    assert flips(views).all()
    assert violations(views) == 0
    np.testing.assert_allclose(scaled_displacements(views)[0], margins(views[0]), rtol=1e-15)


@settings(max_examples=100, deadline=None)
@given(any_views(), st.randoms(use_true_random=False))
def test_the_order_of_operators_and_images_changes_nothing(views, random):
    operators, images = list(range(1, len(views))), list(range(views.shape[1]))
    random.shuffle(operators)
    random.shuffle(images)
    found = displacements(views[[0, *operators]][:, images])
    np.testing.assert_array_equal(found, displacements(views)[np.array(operators) - 1][:, images])


@settings(max_examples=100, deadline=None)
@given(any_views(), any_views(), SHARES)
def test_an_image_that_is_certified_and_flips_has_a_displacement_above_the_threshold(calibration, views, beta):
    threshold = calibrate(worst_displacements(calibration), beta)
    failed = certify(margins(views[0]), threshold) & flips(views).any(axis=0)
    # Up to rounding, as in the inequality itself.
    assert (worst_displacements(views)[failed] * (1 + 1e-12) > threshold).all()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), SHARES, st.randoms(use_true_random=False))
def test_the_threshold_is_an_order_statistic(values, beta, random):
    displacement = np.array(values, dtype=float)
    threshold, rank = calibrate(displacement, beta), calibration_rank(len(values), beta)
    if rank > len(values):
        assert threshold == math.inf
    else:
        assert (displacement < threshold).sum() < rank <= (displacement <= threshold).sum()
        # The smallest rank that keeps the promise: one below would break it.
        assert len(values) + 1 - rank <= beta * (len(values) + 1) + 1e-9
        assert len(values) + 2 - rank > beta * (len(values) + 1) - 1e-9
    random.shuffle(values)
    assert calibrate(np.array(values, dtype=float), beta) == threshold
    assert calibrate(displacement, beta / 2) >= threshold


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=12), SHARES)
def test_no_more_choices_of_the_test_image_fail_than_the_guarantee_allows(values, beta):
    """Each value in turn is the test image. Ties only lower the count."""
    pool = np.array(values, dtype=float)
    failed = sum(pool[place] > calibrate(np.delete(pool, place), beta) for place in range(len(pool)))
    allowed = max(0, len(pool) - calibration_rank(len(pool) - 1, beta))
    assert failed <= allowed <= beta * len(pool) + 1e-9
    if len(set(values)) == len(values):
        assert failed == allowed


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(0, 100), min_size=1, max_size=15), st.lists(st.floats(0, 200), min_size=1, max_size=8))
def test_bounds_are_ordered_shares_that_fall_with_the_margin(values, drawn):
    margin = np.sort(drawn)
    found = flip_bounds(np.array(values), margin)
    for bound in found.values():
        assert ((bound >= 0) & (bound <= 1)).all()
        assert (np.diff(bound) <= 0).all()
    assert (found["plain"] <= found["dkw"]).all()
    # Markov's inequality for the calibration displacements themselves.
    assert (found["plain"] <= found["lemma"] + 1e-12).all()
