"""The simulated camera: what physics says must hold, without any trained model."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from pairedeval.errors import ImageError
from pairedeval.perturb.capture import PRINT_LIGHTS, capture, exposure
from pairedeval.perturb.conditions import Capture, read_captures


def make_capture(
    source: str = "es", light: str = "l5", iso: int = 250, shutter: Fraction = Fraction(1, 60), aperture: float = 5.0
) -> Capture:
    return Capture(source, light, 4, iso, shutter, aperture, f"{light}-k04")


def photograph(size: int = 64) -> np.ndarray:
    """Return a dark square on grey."""
    pixels = np.full((size, size, 3), 180, np.uint8)
    pixels[size // 4 : 3 * size // 4, size // 4 : 3 * size // 4] = 40
    return pixels


def contrast(pixels: np.ndarray) -> float:
    """Return how much brighter the surroundings of the square are, in grey levels."""
    values = pixels.astype(float)
    return float(values[2:12].mean() - values[24:40, 24:40].mean())


def test_a_capture_is_reproducible_and_belongs_to_image_seed_and_condition() -> None:
    pixels = photograph()
    first = capture(pixels, make_capture(), 1, "a")
    capture(pixels, make_capture(), 1, "b")
    assert np.array_equal(capture(pixels, make_capture(), 1, "a"), first)
    others = [
        capture(pixels, make_capture(), 1, "b"),
        capture(pixels, make_capture(), 2, "a"),
        capture(pixels, make_capture(light="l1"), 1, "a"),
        capture(pixels, make_capture(source="diverse", light="l1"), 1, "a"),
    ]
    assert all(not np.array_equal(first, other) for other in others)
    assert first.shape == pixels.shape
    assert first.dtype == np.uint8


def test_every_condition_of_the_tables_can_be_simulated(root: Path) -> None:
    for condition in read_captures(root / "resources/conditions/captures.csv"):
        assert capture(photograph(32), condition, 1, "a").shape == (32, 32, 3)


def test_exposure_follows_time_iso_and_squared_aperture() -> None:
    reference = exposure(make_capture())
    assert exposure(make_capture(iso=2000)) == pytest.approx(8 * reference)
    assert exposure(make_capture(shutter=Fraction(1, 1000))) == pytest.approx(0.06 * reference)
    assert exposure(make_capture(aperture=10.0)) == pytest.approx(reference / 4)


@pytest.fixture(scope="module", params=["es", "diverse"])
def by_exposure(request: pytest.FixtureRequest, root: Path) -> list[Capture]:
    """Return the settings of light l1 of one source, from the darkest to the brightest."""
    captures = read_captures(root / "resources/conditions/captures.csv", request.param)
    return sorted((row for row in captures if row.light == "l1"), key=exposure)


def test_images_brighten_with_exposure(by_exposure: list[Capture]) -> None:
    means = [float(capture(photograph(), row, 1, "a").mean()) for row in by_exposure if row.iso == 250]
    assert means == sorted(means)
    assert means[-1] > 100 + means[0]


def test_the_middle_is_readable_and_both_ends_are_not(by_exposure: list[Capture]) -> None:
    middle = min(by_exposure, key=lambda row: abs(np.log(exposure(row))))
    darkest, readable, brightest = (
        contrast(capture(photograph(), row, 1, "a")) for row in (by_exposure[0], middle, by_exposure[-1])
    )
    assert readable > 50
    assert max(darkest, brightest) < 0.6 * readable


def test_a_high_iso_is_noisier_at_the_same_exposure() -> None:
    pixels = np.full((64, 64, 3), 150, np.uint8)
    quiet = capture(pixels, make_capture(iso=250, shutter=Fraction(1, 16)), 1, "a")
    noisy = capture(pixels, make_capture(iso=16000, shutter=Fraction(1, 1024)), 1, "a")
    roughness = [np.diff(image.astype(float), axis=0).std() for image in (quiet, noisy)]
    assert abs(quiet.mean() - noisy.mean()) < 3
    assert roughness[1] > 3 * roughness[0]


def test_a_wide_aperture_is_blurrier_and_darker_in_the_corners() -> None:
    wide = capture(photograph(), make_capture(shutter=Fraction(1, 60), aperture=5.0), 1, "a").astype(float)
    narrow = capture(photograph(), make_capture(shutter=Fraction(256, 1500), aperture=16.0), 1, "a").astype(float)
    edge = slice(12, 20)
    steepness = [np.abs(np.diff(image[edge, 24:40].mean(axis=(1, 2)))).max() for image in (wide, narrow)]
    assert steepness[1] > 1.3 * steepness[0]
    corners = [image[:6, :6].mean() / image[:6, 29:35].mean() for image in (wide, narrow)]
    assert corners[0] < corners[1]


def test_glare_lifts_black_on_a_screen() -> None:
    black = np.zeros((64, 64, 3), np.uint8)
    bright = make_capture(shutter=Fraction(1, 4))
    dark_room = capture(black, bright, 1, "a").mean()
    lamp_on = capture(black, make_capture(light="l1", shutter=Fraction(1, 4)), 1, "a").mean()
    assert lamp_on > dark_room + 20


def test_print_lights_keep_the_published_order_of_brightness() -> None:
    assert sorted(PRINT_LIGHTS, key=lambda name: -PRINT_LIGHTS[name].brightness) == ["l1", "l3", "l4", "l2", "l6", "l7"]
    means = [
        capture(photograph(), make_capture("diverse", light, 250, Fraction(1, 4)), 1, "a").mean()
        for light in ("l1", "l3", "l4", "l2", "l6", "l7")
    ]
    assert means == sorted(means, reverse=True)


def test_framing_belongs_to_the_image_not_to_the_light() -> None:
    quiet = {"iso": 100, "shutter": Fraction(1, 1)}
    first, second = (
        capture(photograph(), make_capture("diverse", light, **quiet), 1, "a").astype(float).mean(axis=2)
        for light in ("l1", "l4")
    )
    edges = [np.abs(np.diff(image, axis=0)) > 15 for image in (first, second)]
    assert (edges[0] & edges[1]).sum() > 0.6 * max(edge.sum() for edge in edges)


@pytest.mark.parametrize(
    ("source", "light", "message"),
    [
        ("diverse", "l5", "condition l5-k04 of diverse: no simulated light l5; choose l1, l3, l4, l2, l6, l7"),
        ("es", "l2", "condition l2-k04 of es: no simulated light l2; choose l1, l5"),
        ("film", "l1", "condition l1-k04 of film: no simulated light l1; choose a source of es, diverse"),
    ],
)
def test_an_unknown_light_is_named(source: str, light: str, message: str) -> None:
    with pytest.raises(ImageError, match=message):
        capture(photograph(), make_capture(source, light), 1, "a")
