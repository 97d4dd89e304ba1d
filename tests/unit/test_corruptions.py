"""Corruptions: seeded by image, whatever the order."""

import numpy as np
import pytest

from pairedeval.errors import ImageError
from pairedeval.perturb.conditions import Corruption
from pairedeval.perturb.corruptions import TYPES, corrupt
from pairedeval.seeds import derive_seed

RANDOM = ("fog", "snow", "gaussian_noise", "motion_blur")


def make_corruption(kind: str, severity: int = 2) -> Corruption:
    return Corruption(f"{kind}-{severity}", kind, severity, "primary")


def photograph(height: int = 40, width: int = 48) -> np.ndarray:
    y, x = np.mgrid[:height, :width]
    return np.stack([x * 5 % 256, y * 6 % 256, (x + y) * 3 % 256], axis=2).astype(np.uint8)


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_changes_the_image_and_keeps_its_shape(kind: str) -> None:
    pixels = photograph()
    before = pixels.copy()
    mild, strong = (corrupt(pixels, make_corruption(kind, severity), 1, "syn", "a").astype(int) for severity in (2, 5))
    assert mild.shape == strong.shape == pixels.shape
    assert 0 < np.abs(mild - pixels).mean() < np.abs(strong - pixels).mean()
    assert np.array_equal(pixels, before)


@pytest.mark.parametrize("kind", TYPES)
def test_order_and_neighbours_change_no_bit(kind: str) -> None:
    pixels = photograph()
    images = ["a", "b", "c"]
    forward = {image: corrupt(pixels, make_corruption(kind), 1, "syn", image) for image in images}
    backward = {image: corrupt(pixels, make_corruption(kind), 1, "syn", image) for image in reversed(images)}
    assert all(np.array_equal(forward[image], backward[image]) for image in images)


@pytest.mark.parametrize("kind", RANDOM)
def test_seed_source_severity_and_image_change_the_randomness(kind: str) -> None:
    pixels = photograph()
    results = {
        corrupt(pixels, make_corruption(kind), *place).tobytes()
        for place in [(1, "syn", "a"), (2, "syn", "a"), (1, "syn_b", "a"), (1, "syn", "b")]
    }
    assert len(results) == 4


def test_the_noise_is_that_of_the_documented_seed() -> None:
    pixels = photograph()
    generator = np.random.RandomState(derive_seed(7, "syn_b", "gaussian_noise", 4, "a"))
    expected = np.clip(pixels / 255 + generator.normal(size=pixels.shape, scale=0.26), 0, 1) * 255
    result = corrupt(pixels, make_corruption("gaussian_noise", 4), 7, "syn_b", "a")
    assert np.array_equal(result, expected.astype(np.uint8))


def test_the_global_generator_is_left_as_it_was() -> None:
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    corrupt(photograph(), make_corruption("snow"), 1, "syn", "a")
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize(("height", "width"), [(32, 32), (75, 50), (333, 500)])
def test_odd_sizes_are_kept(height: int, width: int) -> None:
    for kind in TYPES:
        result = corrupt(photograph(height, width), make_corruption(kind, 4), 1, "syn", "a")
        assert result.shape == (height, width, 3)


@pytest.mark.parametrize(
    ("pixels", "kind", "message"),
    [
        (photograph(31, 40), "fog", "image a has 40 x 31 px, too small for fog-2; use at least 32 px"),
        (photograph(), "frost", "condition frost-2: unknown corruption; choose brightness, fog, snow"),
    ],
)
def test_unusable_input_is_named(pixels: np.ndarray, kind: str, message: str) -> None:
    with pytest.raises(ImageError, match=message):
        corrupt(pixels, make_corruption(kind), 1, "syn", "a")
