"""What the mild operators must satisfy for any image."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pairedeval.perturb.operator_table import LARGEST, Operator
from pairedeval.perturb.operators import apply_operator, input_distance

SEEDS = st.integers(0, 2**32 - 1)
IDS = st.text(max_size=6)


@st.composite
def images(draw, count=1):
    shape = (draw(st.integers(1, 12)), draw(st.integers(1, 12)), 3)
    return tuple(draw(arrays(np.uint8, shape)) for _ in range(count))


@st.composite
def operators(draw, names=tuple(LARGEST)):
    name = draw(st.sampled_from(names))
    strengths = st.integers(1, 100).map(float) if name == "jpeg" else st.floats(0.001, min(LARGEST[name], 45))
    return Operator(name, draw(st.integers(1, 5)), draw(strengths))


@given(images(), operators(), SEEDS, IDS)
def test_an_operator_is_a_function_of_image_seed_and_name(pictures, operator, seed, image_id):
    (pixels,) = pictures
    before = pixels.copy()
    made = apply_operator(pixels, operator, seed, image_id)
    assert made.shape == pixels.shape
    assert made.dtype == np.uint8
    np.testing.assert_array_equal(pixels, before)
    np.testing.assert_array_equal(apply_operator(pixels, operator, seed, image_id), made)
    assert (input_distance(pixels, made) == 0) == np.array_equal(pixels, made)


@given(images(), operators(("blur", "rotation")), SEEDS, IDS)
def test_blur_and_rotation_invent_no_values(pictures, operator, seed, image_id):
    (pixels,) = pictures
    made = apply_operator(pixels, operator, seed, image_id)
    for channel in range(3):
        assert pixels[..., channel].min() <= made[..., channel].min()
        assert made[..., channel].max() <= pixels[..., channel].max()


@given(images(), operators(("brightness",)), SEEDS, IDS)
def test_brightness_moves_all_values_one_way_and_keeps_their_order(pictures, operator, seed, image_id):
    (pixels,) = pictures
    change = apply_operator(pixels, operator, seed, image_id).astype(int) - pixels
    assert (change >= 0).all() or (change <= 0).all()
    ordered = np.argsort(pixels, axis=None, kind="stable")
    assert (np.diff((pixels + change).ravel()[ordered]) >= 0).all()


@given(images(), operators(("contrast",)), SEEDS, IDS)
def test_contrast_moves_all_values_away_from_one_level_or_towards_it(pictures, operator, seed, image_id):
    (pixels,) = pictures
    made = apply_operator(pixels, operator, seed, image_id).astype(int)
    inward = any((np.abs(made - level) <= np.abs(pixels.astype(int) - level)).all() for level in range(256))
    outward = any((np.abs(made - level) >= np.abs(pixels.astype(int) - level)).all() for level in range(256))
    assert inward or outward


@given(images(3))
def test_the_distance_is_a_metric_up_to_one(pictures):
    first, second, third = pictures
    assert 0 <= input_distance(first, second) <= 1
    assert input_distance(first, second) == input_distance(second, first)
    assert input_distance(first, third) <= input_distance(first, second) + input_distance(second, third) + 1e-12
