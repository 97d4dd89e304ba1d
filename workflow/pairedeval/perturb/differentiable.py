"""The six mild operators on tensors, for an attacker who needs their slope.

An attacker who wants a stable prediction follows the slope of what the operators do (arXiv 2610.36640, Section 4.5).
Each operator of `pairedeval.perturb.operators` has a twin here: with the same seed it makes the same draws, and its
results differ by rounding alone. JPEG has no useful slope: its twin compresses truly and hands the slope
on unchanged (backward pass differentiable approximation, BPDA).
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch.nn import functional

from pairedeval.perturb.operator_table import Operator, signed_strength
from pairedeval.perturb.operators import FULL_SCALE, apply_operator, draw_noise

# Shares of red, green and blue in the luma of OpenCV and Pillow.
LUMA = (0.299, 0.587, 0.114)
# From pixels in [0, 1], shape (images, 3, height, width), to the same.
Twin = Callable[[torch.Tensor], torch.Tensor]


def differentiable(operator: Operator, seed: int, image_ids: Sequence[str], shape: tuple[int, int]) -> Twin:
    """Return an operator as a function of the pixels of certain images.

    Parameters
    ----------
    operator
        A row of the table of operators.
    seed
        What the draws are derived from, as in `pairedeval.perturb.operators.apply_operator`.
    image_ids
        Images, in the order of the batches that the function will be given.
    shape
        Height and width of the images.

    Returns
    -------
    callable
        From float pixels in [0, 1], shape ``(images, 3, height, width)``, to the same. Where a result is cut off at 0
        or 1 the slope is 0.

    Examples
    --------
    >>> blur = differentiable(Operator("blur", 1, 0.02), 1, ["digit-0001"], (32, 32))
    >>> pixels = torch.full((1, 3, 32, 32), 0.5)
    >>> torch.allclose(blur(pixels), pixels)
    True
    """
    match operator.name:
        case "noise":
            return _noise(np.stack([draw_noise((*shape, 3), operator, seed, image_id) for image_id in image_ids]))
        case "blur":
            return _blur(operator.strength * shape[1], shape)
        case "jpeg":
            return lambda pixels: pixels + (_stored(pixels, operator, seed, image_ids) - pixels).detach()
    strengths = torch.tensor([signed_strength(operator, seed, image_id) for image_id in image_ids])[:, None, None, None]
    match operator.name:
        case "rotation":
            return _rotation(strengths, shape)
        case "brightness":
            return lambda pixels: (pixels * (1 + strengths.to(pixels))).clamp(0, 1)
    return lambda pixels: _stretch(pixels, 1 + strengths.to(pixels))


def _noise(drawn: np.ndarray) -> Twin:
    noise = torch.from_numpy(drawn).permute(0, 3, 1, 2).contiguous()
    return lambda pixels: (pixels + noise.to(pixels)).clamp(0, 1)


def _blur(deviation: float, shape: tuple[int, int]) -> Twin:
    # A blur is linear along each side: products with two small matrices take a fifth of the time of a convolution.
    rows, columns = (_blurring(length, deviation) for length in shape)
    return lambda pixels: rows.to(pixels) @ pixels @ columns.to(pixels).mT


def _blurring(length: int, deviation: float) -> torch.Tensor:
    """Return what each place of a blurred side takes from the places of the side, shape ``(length, length)``."""
    # The kernel is as long as OpenCV makes it for 8-bit images.
    reach = (round(6 * deviation + 1) | 1) // 2
    kernel = torch.exp(-0.5 * (torch.arange(-reach, reach + 1) / deviation) ** 2)
    padded = functional.pad(torch.eye(length)[:, None], (reach, reach), mode="reflect")
    return functional.conv1d(padded, (kernel / kernel.sum())[None, None])[:, 0].T.contiguous()


def _rotation(degrees: torch.Tensor, shape: tuple[int, int]) -> Twin:
    """Sample each image, reflected at its border, on a grid turned about its centre, as `transforms` does."""
    height, width = shape
    # Half of the frame that holds the turned image, and one more for the neighbour that bilinear sampling needs.
    angle = math.radians(degrees.abs().max())
    cosine, sine = math.cos(angle), math.sin(angle)
    margin = math.ceil(max(width * cosine + height * sine - width, width * sine + height * cosine - height) / 2) + 1
    down, across = torch.meshgrid(
        torch.arange(height) + 0.5 - height / 2, torch.arange(width) + 0.5 - width / 2, indexing="ij"
    )
    turn = torch.deg2rad(degrees[:, :, :, 0])
    columns = (turn.cos() * across - turn.sin() * down) / (width / 2 + margin)
    rows = (turn.sin() * across + turn.cos() * down) / (height / 2 + margin)
    grid = torch.stack([columns, rows], dim=3)

    def rotate(pixels: torch.Tensor) -> torch.Tensor:
        padded = functional.pad(pixels, (margin,) * 4, mode="reflect")
        return functional.grid_sample(padded, grid.to(pixels), mode="bilinear", align_corners=False)

    return rotate


def _stretch(pixels: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
    """Multiply the distance from the mean luma of each image, which itself depends on the pixels."""
    luma = torch.tensor(LUMA).to(pixels)
    centres = (pixels.mean(dim=(2, 3)) @ luma)[:, None, None, None]
    return (centres + factors * (pixels - centres)).clamp(0, 1)


def _stored(pixels: torch.Tensor, operator: Operator, seed: int, image_ids: Sequence[str]) -> torch.Tensor:
    """Round to 8 bits and store as JPEG."""
    images = to_images(pixels)
    made = [apply_operator(image, operator, seed, name) for image, name in zip(images, image_ids, strict=True)]
    return to_pixels(made).to(pixels)


def to_pixels(images: Sequence[np.ndarray]) -> torch.Tensor:
    """Return uint8 RGB images of one size as float32 in [0, 1], shape ``(n, 3, height, width)``."""
    return torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).float() / FULL_SCALE


def to_images(pixels: torch.Tensor) -> list[np.ndarray]:
    """Return the nearest uint8 RGB images, shape ``(height, width, 3)`` each."""
    levels = (pixels.detach() * FULL_SCALE).round().byte().permute(0, 2, 3, 1)
    return list(levels.contiguous().cpu().numpy())
