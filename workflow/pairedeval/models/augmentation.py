"""Augmentations of a training batch: pixels in [0, 1], all randomness from torch's global generator."""

import torch
from torch.nn import functional

# Shares of the image side and of the value range: strong enough to make two recipes differ, mild enough that
# a digit stays the same digit.
LARGEST_SHIFT = 1 / 16
LARGEST_NOISE = 0.2
CONTRAST_RANGE = (0.3, 1.5)
LARGEST_BRIGHTNESS_SHIFT = 0.3


def augment(pixels: torch.Tensor, augmentation: str) -> torch.Tensor:
    """Return an augmented copy of a batch, shape ``(n, 3, size, size)``.

    ``plain`` changes nothing, ``shift`` moves each image, ``robust`` also blurs, changes contrast and
    brightness and adds noise; strengths are drawn per image.
    """
    if augmentation == "plain":
        return pixels
    shifted = _shift(pixels)
    if augmentation == "shift":
        return shifted
    return _noise(_tone(_blur(shifted))).clamp(0, 1)


def _shift(pixels: torch.Tensor) -> torch.Tensor:
    """Move each image by up to `LARGEST_SHIFT` of its side along both axes; borders are repeated."""
    images, _, side, _ = pixels.shape
    margin = max(1, round(side * LARGEST_SHIFT))
    padded = functional.pad(pixels, (margin,) * 4, mode="replicate")
    across, down = torch.randint(0, 2 * margin + 1, (2, images))
    rows = down[:, None] + torch.arange(side)
    columns = across[:, None] + torch.arange(side)
    image = torch.arange(images)[:, None, None]
    return padded.permute(0, 2, 3, 1)[image, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2).contiguous()


def _blur(pixels: torch.Tensor) -> torch.Tensor:
    """Mix each image with its 5 x 5 mean."""
    mean = functional.avg_pool2d(functional.pad(pixels, (2,) * 4, mode="replicate"), 5, stride=1)
    return torch.lerp(pixels, mean, _per_image(pixels))


def _tone(pixels: torch.Tensor) -> torch.Tensor:
    """Change contrast around the image mean, then brightness."""
    low, high = CONTRAST_RANGE
    mean = pixels.mean(dim=(1, 2, 3), keepdim=True)
    contrast = low + (high - low) * _per_image(pixels)
    brightness = LARGEST_BRIGHTNESS_SHIFT * (2 * _per_image(pixels) - 1)
    return mean + (pixels - mean) * contrast + brightness


def _noise(pixels: torch.Tensor) -> torch.Tensor:
    """Add Gaussian noise of a random strength up to `LARGEST_NOISE`."""
    return pixels + LARGEST_NOISE * _per_image(pixels) * torch.randn_like(pixels)


def _per_image(pixels: torch.Tensor) -> torch.Tensor:
    """Return one uniform number per image, shaped to broadcast."""
    return torch.rand(len(pixels), 1, 1, 1)
