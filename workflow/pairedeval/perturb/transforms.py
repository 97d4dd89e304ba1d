"""The natural transformations of test-time augmentation (Appendix E.1).

The fixed 18 are the horizontal flip (1); shifts by 2% and 5% of width or height, both ways along each axis (8);
zooms 1.1 and 1.2 (2); rotations by 5 and 10 degrees, both ways (4); gammas 0.8 and 0.9 (2); flip with zoom 1.1 (1).
The pool of 30 adds zoom-out to 90% (1); gammas 0.6 and 1.25 (2); flip with rotation by 10 degrees, both ways (2);
brightness 0.9 and 1.1 (2); contrast 0.9 and 1.1 (2); saturation 0.8 and 1.2 (2); flip with one 2% shift (1), here
to the right, because the paper names no direction. The list is that of ``resources/conditions/transforms.csv``.

Flip, zoom, rotation and shift are one affine map about the centre with bilinear sampling, so that 2% of 64 px are
1.28 px and not 1 px. What lies outside the frame is the image reflected at its border (the border itself is not
repeated), for the zoom-out as well: it adds no artificial frame. Gamma follows, then brightness, contrast and
saturation as in Pillow's ``ImageEnhance``. All act on the original image, before a model's preprocessing.
"""

import math

import numpy as np
from PIL import Image, ImageEnhance

from pairedeval.perturb.conditions import Transform


def transform(pixels: np.ndarray, parameters: Transform) -> np.ndarray:
    """Return the transformed image.

    Parameters
    ----------
    pixels
        uint8 RGB, shape ``(height, width, 3)``.
    parameters
        A row of the table of transformations.

    Returns
    -------
    numpy.ndarray
        uint8 RGB of the same shape.
    """
    moved = _move(pixels[:, ::-1] if parameters.flip else pixels, parameters)
    image = Image.fromarray(_apply_gamma(moved, parameters.gamma))
    for factor, enhance in (
        (parameters.brightness, ImageEnhance.Brightness),
        (parameters.contrast, ImageEnhance.Contrast),
        (parameters.saturation, ImageEnhance.Color),
    ):
        if factor != 1:
            image = enhance(image).enhance(factor)
    return np.array(image)


def _move(pixels: np.ndarray, parameters: Transform) -> np.ndarray:
    """Shift, zoom and rotate about the centre, reflecting at the border."""
    if (parameters.shift_right, parameters.shift_down, parameters.zoom, parameters.rotation) == (0, 0, 1, 0):
        return pixels
    height, width = pixels.shape[:2]
    a, b, c, d, e, f = _source_coordinates(parameters, width, height)
    corners = [(a * x + b * y + c, d * x + e * y + f) for x in (0, width) for y in (0, height)]
    outside = max(max(-x, x - width, -y, y - height) for x, y in corners)
    margin = max(math.ceil(outside), 0) + 1  # One more for the neighbour that bilinear sampling needs.
    padded = np.pad(pixels, ((margin, margin), (margin, margin), (0, 0)), mode="reflect")
    moved = Image.fromarray(padded).transform(
        (width, height),
        Image.Transform.AFFINE,
        (a, b, c + margin, d, e, f + margin),
        resample=Image.Resampling.BILINEAR,
    )
    return np.array(moved)


def _source_coordinates(
    parameters: Transform, width: int, height: int
) -> tuple[float, float, float, float, float, float]:
    """Return (a, b, c, d, e, f): output position (x, y) shows the input at (a x + b y + c, d x + e y + f)."""
    angle = math.radians(parameters.rotation)
    cosine, sine = math.cos(angle) / parameters.zoom, math.sin(angle) / parameters.zoom
    # The centre of the input appears here. Rows run downwards, so these signs turn the content anticlockwise.
    x, y = width * (0.5 + parameters.shift_right), height * (0.5 + parameters.shift_down)
    return (
        cosine,
        -sine,
        width / 2 - cosine * x + sine * y,
        sine,
        cosine,
        height / 2 - sine * x - cosine * y,
    )


def _apply_gamma(pixels: np.ndarray, gamma: float) -> np.ndarray:
    levels = np.rint(255 * (np.arange(256) / 255) ** gamma).astype(np.uint8)
    return np.asarray(levels[pixels])
