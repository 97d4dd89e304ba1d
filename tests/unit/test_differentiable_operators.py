"""Operators on tensors: the same images as the operators on pixels, up to rounding, and true slopes."""

from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
import torch

from pairedeval.perturb.differentiable import differentiable, to_images, to_pixels
from pairedeval.perturb.operator_table import Operator, read_operators
from pairedeval.perturb.operators import apply_operator, draw_noise

TABLE = read_operators(Path(__file__).parents[2] / "resources/conditions/operators.csv")
SMOOTH = [
    Operator("noise", 1, 0.02),
    Operator("blur", 1, 0.05),
    Operator("brightness", 1, 0.1),
    Operator("contrast", 1, 0.1),
    Operator("rotation", 1, 5),
]
JPEG = Operator("jpeg", 1, 80)
SEED = 20260908
IDS = ("a", "b", "c", "d")
# Largest difference in 255ths. OpenCV also rounds the weights of the blur to 256ths; Pillow cuts off where it turns.
TOLERANCE = {"noise": 0.51, "blur": 2.0, "brightness": 0.51, "contrast": 1.0, "rotation": 1.01, "jpeg": 1e-3}
NAME = attrgetter("name")


def noisy_images(height: int, width: int) -> list[np.ndarray]:
    """Return images of all values; neighbours have nothing in common, which is hardest for blur and rotation."""
    generator = np.random.default_rng(height)
    return list(generator.integers(0, 256, size=(len(IDS), height, width, 3)).astype(np.uint8))


def largest_difference(twin: torch.Tensor, images: list[np.ndarray]) -> float:
    """Return the largest difference in 255ths."""
    return float(np.abs(255 * twin.permute(0, 2, 3, 1).numpy() - np.stack(images)).max())


@pytest.mark.parametrize("shape", [(64, 64), (40, 56), (33, 24)])
@pytest.mark.parametrize("operator", TABLE, ids=lambda operator: operator.view)
def test_twins_do_what_the_operators_do(operator, shape):
    images = noisy_images(*shape)
    changed = differentiable(operator, SEED, IDS, shape)(to_pixels(images))
    expected = [apply_operator(image, operator, SEED, name) for image, name in zip(images, IDS, strict=True)]
    assert largest_difference(changed, expected) <= TOLERANCE[operator.name]


@pytest.mark.parametrize("operator", [operator for operator in SMOOTH if operator.name != "blur"], ids=NAME)
def test_other_seeds_are_other_draws(operator):
    images = noisy_images(40, 40)
    changed = differentiable(operator, SEED + 1, IDS, (40, 40))(to_pixels(images))
    expected = [apply_operator(image, operator, SEED, name) for image, name in zip(images, IDS, strict=True)]
    assert largest_difference(changed, expected) > 5 * TOLERANCE[operator.name]


@pytest.mark.parametrize("operator", SMOOTH, ids=NAME)
def test_slopes_agree_with_finite_differences(operator):
    # Away from 0 and 1, where results are cut off.
    pixels = 0.3 + 0.4 * torch.rand(2, 3, 6, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    twin = differentiable(operator, SEED, IDS[:2], (6, 8))
    assert torch.autograd.gradcheck(twin, pixels.requires_grad_())


def test_what_is_cut_off_has_no_slope():
    operator = Operator("noise", 1, 0.2)
    black = torch.zeros(1, 3, 8, 8, requires_grad=True)
    changed = differentiable(operator, SEED, IDS[:1], (8, 8))(black)
    (slope,) = torch.autograd.grad(changed.sum(), black)
    drawn = draw_noise((8, 8, 3), operator, SEED, IDS[0]).transpose(2, 0, 1)
    np.testing.assert_array_equal(slope[0].numpy(), drawn > 0)


def test_jpeg_compresses_truly_and_hands_the_slope_on():
    images = noisy_images(16, 16)
    pixels = to_pixels(images).requires_grad_()
    changed = differentiable(JPEG, SEED, IDS, (16, 16))(pixels)
    assert largest_difference(changed.detach(), images) > 3
    weights = torch.randn(changed.shape, generator=torch.Generator().manual_seed(1))
    (slope,) = torch.autograd.grad((weights * changed).sum(), pixels)
    assert torch.equal(slope, weights)


def test_images_and_pixels_are_each_others_inverse():
    every_value = np.arange(256, dtype=np.uint8).reshape(8, 32, 1).repeat(3, axis=2)
    pixels = to_pixels([every_value])
    assert (pixels.shape, pixels.dtype) == ((1, 3, 8, 32), torch.float32)
    assert (pixels.min(), pixels.max()) == (0, 1)
    np.testing.assert_array_equal(to_images(pixels)[0], every_value)
    np.testing.assert_array_equal(to_images(pixels + 0.4 / 255)[0], every_value)
