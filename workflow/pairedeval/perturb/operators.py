"""Six mild operators, five levels each, that ask whether a prediction survives a small change of its image.

Source: arXiv 2610.36640, Section 4.3, by a summary. The summary counts six mild operators at levels 1 to 5; it names
noise, blur, brightness, rotation and JPEG and gives no strength. The sixth, contrast, and all strengths in
``resources/conditions/operators.csv`` are therefore ours. They were fixed by the eye, on a few digits and one
photograph, and by `audit_operators`, before any model had seen the result; what was looked at keeps its class at every
level.

*noise* adds independent Gaussian noise to every value; *blur* is Gaussian, its width a share of the image's width, so
that images of any size are blurred alike; *brightness* and *contrast* are factors above or below 1; *rotation* turns
about the centre. The last three are defined as in `pairedeval.perturb.transforms`. *jpeg* stores the image as JPEG and
reads it again. Blur and rotation reflect the image at its border.

Chance belongs to the image, never to the order of the images: one draw per image decides whether brightness and
contrast go up or down and which way a rotation turns, at every level the same; noise is drawn per image and level.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pairedeval.perturb.conditions import FIXED, Transform
from pairedeval.perturb.operator_table import Operator, signed_strength
from pairedeval.perturb.transforms import _move
from pairedeval.seeds import derive_seed

if TYPE_CHECKING:
    import pandas as pd

FULL_SCALE = 255
NEUTRAL = Transform(
    condition="",
    kind="operator",
    flip=False,
    shift_right=0.0,
    shift_down=0.0,
    zoom=1.0,
    rotation=0.0,
    gamma=1.0,
    brightness=1.0,
    contrast=1.0,
    saturation=1.0,
    pool=FIXED,
)


def apply_operator(pixels: np.ndarray, operator: Operator, seed: int, image_id: str) -> np.ndarray:
    """Return what an operator makes of one image.

    Parameters
    ----------
    pixels
        uint8 RGB, shape ``(height, width, 3)``.
    operator
        A row of the table of operators.
    seed
        Seed of the study.
    image_id
        Image; with the seed and the operator it fixes the direction, with the level also the noise.

    Returns
    -------
    numpy.ndarray
        uint8 RGB of the same shape.
    """
    match operator.name:
        case "noise":
            noisy = pixels + FULL_SCALE * draw_noise(pixels.shape, operator, seed, image_id)
            return np.asarray(np.clip(np.rint(noisy), 0, FULL_SCALE), dtype=np.uint8)
        case "blur":
            return _blur(pixels, operator.strength)
        case "jpeg":
            return _compress(pixels, int(operator.strength))
    change = signed_strength(operator, seed, image_id)
    match operator.name:
        case "rotation":
            return _move(pixels, replace(NEUTRAL, rotation=change))
        case "brightness":
            return _stretch(pixels, 1 + change, 0)
    return _stretch(pixels, 1 + change, _mean_grey(pixels))


def draw_noise(shape: tuple[int, ...], operator: Operator, seed: int, image_id: str) -> np.ndarray:
    """Return the noise that an operator adds to an image, float32 shares of full scale of the given shape."""
    generator = np.random.default_rng(derive_seed(seed, "operator", operator.name, image_id, operator.level))
    return np.float32(operator.strength) * generator.standard_normal(shape, np.float32)


def input_distance(original: np.ndarray, perturbed: np.ndarray) -> float:
    """Return the root mean square difference of two images of one shape, full scale being 1.

    Examples
    --------
    >>> input_distance(np.zeros((2, 2, 3), np.uint8), np.full((2, 2, 3), 51, np.uint8))
    0.2
    """
    difference = original.astype(np.int32) - perturbed
    return float(np.sqrt(np.mean(difference**2))) / FULL_SCALE


def audit_operators(
    images: Sequence[np.ndarray], image_ids: Sequence[str], operators: Sequence[Operator], seed: int
) -> "pd.DataFrame":
    """Return how far each operator moves the images.

    Parameters
    ----------
    images
        uint8 RGB, each of shape ``(height, width, 3)``.
    image_ids
        Id of each image.
    operators
        Rows of the table of operators.
    seed
        Seed of the study.

    Returns
    -------
    pandas.DataFrame
        One row per operator in the given order: ``operator``, ``level``, ``strength``, ``mean_distance`` and
        ``sd_distance`` (`input_distance` over the images; the deviation of fewer than two is NaN), ``unchanged``
        (share of images of which no value changed) and ``images`` (count).
    """
    import pandas as pd

    rows = []
    for operator in operators:
        made = (apply_operator(image, operator, seed, name) for image, name in zip(images, image_ids, strict=True))
        distances = pd.Series(
            [input_distance(image, view) for image, view in zip(images, made, strict=True)], dtype=float
        )
        rows.append(
            {
                "operator": operator.name,
                "level": operator.level,
                "strength": operator.strength,
                "mean_distance": distances.mean(),
                "sd_distance": distances.std(),
                "unchanged": (distances == 0).mean(),
                "images": len(distances),
            }
        )
    return pd.DataFrame(rows)


def _blur(pixels: np.ndarray, share: float) -> np.ndarray:
    import cv2

    # OpenCV ends the kernel at three deviations, and reflects without repeating the border.
    return np.asarray(cv2.GaussianBlur(pixels, (0, 0), share * pixels.shape[1]))


def _stretch(pixels: np.ndarray, factor: float, centre: int) -> np.ndarray:
    """Multiply the distance of every value from `centre`."""
    levels = np.clip(np.rint(centre + factor * (np.arange(FULL_SCALE + 1) - centre)), 0, FULL_SCALE)
    return np.asarray(np.take(levels.astype(np.uint8), pixels))


def _mean_grey(pixels: np.ndarray) -> int:
    """Return the mean luma, the centre of Pillow's contrast."""
    import cv2

    return round(cv2.mean(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))[0])


def _compress(pixels: np.ndarray, quality: int) -> np.ndarray:
    import cv2

    # OpenCV takes and gives blue, green, red.
    _, stored = cv2.imencode(".jpg", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    read = np.asarray(cv2.imdecode(stored, cv2.IMREAD_COLOR))
    return np.asarray(cv2.cvtColor(read, cv2.COLOR_BGR2RGB))
