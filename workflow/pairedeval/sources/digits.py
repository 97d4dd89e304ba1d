"""The images of study ``digits``: the 1,797 handwritten digits that scikit-learn ships, drawn as ink on paper.

Each scan has 8 x 8 cells with ink from 0 to 16. A margin of `MARGIN` cells is added on every side and the ink is
enlarged by bicubic interpolation, so that shifts of 5%, rotations of 10 degrees, zooms of 1.2 and the crop of a
print keep every stroke inside the frame.

The scans are real, their colours are drawn: paper, ink and light differ from image to image, as they do among
photographs. With one look for all images, small networks learn that look and fail at a change of brightness by a
tenth, and no image would be easier than another. Ink and paper are neither black nor white, so that exposure,
fog, brightness and saturation act on them as on a photograph.
"""

import math
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from pairedeval.errors import PairedEvalError
from pairedeval.files import write_table
from pairedeval.images import write_store
from pairedeval.records import CLEAN
from pairedeval.seeds import derive_seed
from pairedeval.splits import BASE, SYN, TRAIN, assign_roles

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
MARGIN = 1.5
FULL_INK = 16
# Ranges of the look, as shares of full scale: level of paper and ink, deviation of a colour channel from the
# level (relative for paper, absolute for ink), and light lost from one side of the frame to the other.
PAPER_LEVEL = (0.6, 0.95)
INK_LEVEL = (0.05, 0.25)
PAPER_TINT = 0.08
INK_TINT = 0.1
LARGEST_FADING = 0.3
# The corruptions need 32 px.
SMALLEST_SIZE = 32


def make_images(
    index_path: str | Path,
    clean_path: str | Path,
    *,
    size: int,
    seed: int,
    base_per_class: int,
    syn_per_class: int,
    train_per_class: int | None = None,
) -> None:
    """Write the index and the unperturbed images of the study.

    Parameters
    ----------
    index_path
        Target Parquet; columns as in `build_index`.
    clean_path
        Target ZIP with condition ``clean``.
    size
        Height and width in px.
    seed
        Seed of the roles and of the halves.
    base_per_class, syn_per_class
        Images per class of the roles ``base`` and ``syn``.
    train_per_class
        Images per class of the role ``train``; None takes the rest.

    Raises
    ------
    PairedEvalError
        If `size` is below `SMALLEST_SIZE` or a class has too few images.
    """
    if size < SMALLEST_SIZE:
        raise PairedEvalError(f"images.size is {size} px, too small for the corruptions; use at least {SMALLEST_SIZE}")
    scans, labels = load_scans()
    index = build_index(labels, seed, base_per_class, syn_per_class, train_per_class)
    members = (
        (CLEAN, image_id, render(scans[_row_of_image(image_id)], size, seed, image_id))
        for image_id in index["image_id"]
    )
    write_store(clean_path, members)
    write_table(index, index_path, {"images": "scikit-learn digits", "size": size, "seed": seed})


def load_scans() -> tuple[np.ndarray, np.ndarray]:
    """Return the scans, shape ``(1797, 8, 8)`` with ink 0 to 16, and the digit of each."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    return digits.images, digits.target


def build_index(
    labels: np.ndarray, seed: int, base_per_class: int, syn_per_class: int, train_per_class: int | None = None
) -> pd.DataFrame:
    """Return one row per image that has a role.

    Parameters
    ----------
    labels
        Digit of every scan, in the order of the data set.
    seed, base_per_class, syn_per_class, train_per_class
        As in `make_images`.

    Returns
    -------
    pandas.DataFrame
        ``image_id``, ``label``, ``class_id``, ``class_name``, ``role``, ``split``, sorted by image id.

    Raises
    ------
    PairedEvalError
        If a digit is absent or has too few images.
    """
    absent = sorted(set(range(len(NAMES))) - set(labels.tolist()))
    if absent:
        raise PairedEvalError(f"class digit-{absent[0]} has no images; reinstall scikit-learn, whose data are damaged")
    images = pd.DataFrame({"image_id": [f"digit-{row + 1:04d}" for row in range(len(labels))]})
    images["label"] = labels.astype(np.int32)
    images["class_id"] = [f"digit-{label}" for label in labels]
    images["class_name"] = [NAMES[label] for label in labels]
    return assign_roles(images, {BASE: base_per_class, SYN: syn_per_class, TRAIN: train_per_class}, seed)


def render(scan: np.ndarray, size: int, seed: int, image_id: str) -> np.ndarray:
    """Draw one scan as ink on paper.

    Parameters
    ----------
    scan
        Ink from 0 to 16, shape ``(8, 8)``.
    size
        Height and width in px.
    seed, image_id
        What the colours of paper and ink and the fall of the light are derived from.

    Returns
    -------
    numpy.ndarray
        uint8 RGB, shape ``(size, size, 3)``.
    """
    generator = np.random.default_rng(derive_seed(seed, "digits", "look", image_id))
    paper = generator.uniform(*PAPER_LEVEL) * (1 + generator.uniform(-PAPER_TINT, PAPER_TINT, 3))
    ink = generator.uniform(*INK_LEVEL) + generator.uniform(-INK_TINT, INK_TINT, 3)
    density = _enlarge(scan, size)[:, :, None]
    look = (paper * (1 - density) + ink * density) * _light(size, generator)[:, :, None]
    return np.asarray(np.rint(255 * np.clip(look, 0.0, 1.0)), dtype=np.uint8)


def _enlarge(scan: np.ndarray, size: int) -> np.ndarray:
    """Return the ink density in [0, 1], shape ``(size, size)``."""
    border = math.ceil(MARGIN)
    cells = Image.fromarray(np.pad(scan / FULL_INK, border).astype(np.float32))
    frame = (border - MARGIN, border - MARGIN, border + len(scan) + MARGIN, border + len(scan) + MARGIN)
    enlarged = cells.resize((size, size), Image.Resampling.BICUBIC, box=frame)
    # Bicubic interpolation overshoots beside strokes.
    return np.clip(np.asarray(enlarged, dtype=np.float64), 0.0, 1.0)


def _light(size: int, generator: np.random.Generator) -> np.ndarray:
    """Return light that fades in one direction, one at the centre, shape ``(size, size)``."""
    direction = generator.uniform(0.0, 2 * math.pi)
    across = (np.arange(size) + 0.5) / size - 0.5
    along = across[None, :] * math.cos(direction) + across[:, None] * math.sin(direction)
    return np.asarray(1 + generator.uniform(0.0, LARGEST_FADING) * along)


def _row_of_image(image_id: str) -> int:
    return int(image_id.removeprefix("digit-")) - 1
