"""The nine synthetic corruptions of Syn and Syn-B, by the package imagecorruptions (ImageNet-C's constants).

The package draws from NumPy's global generator and takes no seed. Each image gets a seed of its own, set just
before the call, and the state of the generator is put back: the pixels depend on the study seed, source,
corruption, severity and image, never on the order of the images or the number of workers.
"""

import numpy as np

from pairedeval.errors import ImageError
from pairedeval.perturb.conditions import Corruption
from pairedeval.seeds import derive_seed

TYPES = (
    "brightness",
    "fog",
    "snow",
    "contrast",
    "jpeg_compression",
    "pixelate",
    "defocus_blur",
    "gaussian_noise",
    "motion_blur",
)
SMALLEST_SIZE = 32


def corrupt(pixels: np.ndarray, corruption: Corruption, seed: int, source: str, image_id: str) -> np.ndarray:
    """Return the corrupted image.

    Parameters
    ----------
    pixels
        uint8 RGB, shape ``(height, width, 3)``, both at least `SMALLEST_SIZE`.
    corruption
        Type and severity.
    seed
        Seed of the study.
    source
        ``syn`` or ``syn_b``; the probes of the base images are the images of ``syn_b``.
    image_id
        Image.

    Returns
    -------
    numpy.ndarray
        uint8 RGB of the same shape.

    Raises
    ------
    ImageError
        If the image is too small or the type is not one of `TYPES`.
    """
    from imagecorruptions import corrupt as corrupt_image

    if corruption.corruption not in TYPES:
        raise ImageError(f"condition {corruption.condition}: unknown corruption; choose {', '.join(TYPES)}")
    if min(pixels.shape[:2]) < SMALLEST_SIZE:
        height, width = pixels.shape[:2]
        raise ImageError(
            f"image {image_id} has {width} x {height} px, too small for {corruption.condition}; "
            f"use at least {SMALLEST_SIZE} px"
        )
    state = np.random.get_state()  # noqa: NPY002 - the package draws from the global generator.
    np.random.seed(derive_seed(seed, source, corruption.corruption, corruption.severity, image_id))  # noqa: NPY002
    try:
        corrupted: np.ndarray = corrupt_image(
            pixels, severity=corruption.severity, corruption_name=corruption.corruption
        )
    finally:
        np.random.set_state(state)  # noqa: NPY002
    return corrupted
