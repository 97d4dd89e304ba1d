"""Natural transformations, against independent ways to the same pixels."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pairedeval.perturb.conditions import Transform, read_transforms
from pairedeval.perturb.transforms import transform

NEUTRAL = {
    "flip": False, "shift_right": 0.0, "shift_down": 0.0, "zoom": 1.0, "rotation": 0.0,
    "gamma": 1.0, "brightness": 1.0, "contrast": 1.0, "saturation": 1.0,
}  # fmt: skip


def make_transform(**parameters: float) -> Transform:
    return Transform(condition="t", kind="k", pool="fixed", **{**NEUTRAL, **parameters})


def photograph(height: int = 40, width: int = 60) -> np.ndarray:
    y, x = np.mgrid[:height, :width] / 10
    waves = [np.sin(x) + np.cos(y), np.cos(x + y), np.sin(x * y / 4)]
    return np.rint(127 + 60 * np.stack(waves, axis=2)).astype(np.uint8)


def test_neutral_parameters_change_nothing() -> None:
    assert np.array_equal(transform(photograph(), make_transform()), photograph())


def test_a_flip_mirrors_columns() -> None:
    assert np.array_equal(transform(photograph(), make_transform(flip=True)), photograph()[:, ::-1])


@pytest.mark.parametrize(("right", "down"), [(5, 0), (-5, 0), (0, 5), (0, -5), (3, -4)])
def test_whole_pixel_shifts_reflect_at_the_border(right: int, down: int) -> None:
    pixels = photograph(100, 100)
    padded = np.pad(pixels, ((10, 10), (10, 10), (0, 0)), mode="reflect")
    expected = padded[10 - down : 110 - down, 10 - right : 110 - right]
    shifted = transform(pixels, make_transform(shift_right=right / 100, shift_down=down / 100))
    assert np.abs(shifted.astype(int) - expected).max() <= 1


def test_a_shift_by_a_fraction_of_a_pixel_interpolates() -> None:
    ramp = np.repeat(np.arange(0, 200, 4, dtype=np.uint8)[None, :, None], 50, axis=0).repeat(3, axis=2)
    shifted = transform(ramp, make_transform(shift_right=0.01))
    assert np.abs(shifted[10, 5:45, 0].astype(int) - (ramp[10, 5:45, 0].astype(int) - 2)).max() <= 1


@pytest.mark.parametrize("angle", [5, -5, 10, -10])
def test_rotations_turn_like_pillow_inside_the_frame(angle: int) -> None:
    pixels = photograph(60, 60)
    expected = np.array(Image.fromarray(pixels).rotate(angle, Image.Resampling.BILINEAR))
    inside = slice(14, 46)
    rotated = transform(pixels, make_transform(rotation=angle))
    assert np.abs(rotated[inside, inside].astype(int) - expected[inside, inside]).max() <= 2


def test_a_zoom_is_the_central_crop_resized_back() -> None:
    pixels = photograph(60, 60)
    crop = (5, 5, 55, 55)
    expected = np.array(Image.fromarray(pixels).resize((60, 60), Image.Resampling.BILINEAR, box=crop))
    zoomed = transform(pixels, make_transform(zoom=1.2))
    assert np.abs(zoomed[2:-2, 2:-2].astype(int) - expected[2:-2, 2:-2]).max() <= 2


def test_a_zoom_out_reflects_instead_of_framing() -> None:
    white = np.full((40, 40, 3), 255, np.uint8)
    assert (transform(white, make_transform(zoom=0.9)) == 255).all()
    assert (transform(white, make_transform(zoom=0.2, rotation=45, shift_right=0.5)) == 255).all()


def test_flip_comes_before_the_shift() -> None:
    pixels = photograph(100, 100)
    both = transform(pixels, make_transform(flip=True, shift_right=0.02))
    apart = transform(transform(pixels, make_transform(flip=True)), make_transform(shift_right=0.02))
    assert np.array_equal(both, apart)


@pytest.mark.parametrize(
    ("parameters", "before", "after"),
    [
        ({"gamma": 0.5}, (64, 64, 64), (128, 128, 128)),
        ({"gamma": 1.25}, (0, 128, 255), (0, 108, 255)),
        ({"brightness": 1.1}, (100, 200, 250), (110, 220, 255)),
        ({"brightness": 0.9}, (100, 200, 250), (90, 180, 225)),
        ({"contrast": 0.5}, (100, 100, 100), (100, 100, 100)),
        ({"saturation": 0.5}, (80, 80, 80), (80, 80, 80)),
        # Luma of pure red is 76: half way from grey.
        ({"saturation": 0.5}, (255, 0, 0), (165, 38, 38)),
    ],
)
def test_tones_by_hand(parameters: dict[str, float], before: tuple[int, ...], after: tuple[int, ...]) -> None:
    pixels = np.tile(np.array(before, dtype=np.uint8), (4, 4, 1))
    assert np.abs(transform(pixels, make_transform(**parameters))[0, 0].astype(int) - after).max() <= 1


def test_all_thirty_differ_and_keep_the_shape(root: Path) -> None:
    transforms = read_transforms(root / "resources/conditions/transforms.csv")
    results = [transform(photograph(), parameters) for parameters in transforms]
    assert {result.shape for result in results} == {(40, 60, 3)}
    assert {result.dtype for result in results} == {np.dtype(np.uint8)}
    assert len({result.tobytes() for result in results}) == 30
