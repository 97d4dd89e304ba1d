"""The images of study ``rehearsal``, which do not exist: their ids, roles and halves, and what makes each one hard."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pairedeval.records import DEVELOPMENT, EVALUATION
from pairedeval.seeds import derive_seed, digest
from pairedeval.sources.rehearsal_conditions import FAMILIES
from pairedeval.splits import BASE, SYN, halve

CLASSES = 1000
BASE_CLASSES = 200
IMAGES_PER_CLASS = {SYN: 10, BASE: 5}
# Images with both roles, and those of them that are development images of Syn and evaluation images of the base.
SHARED, CROSSED = 209, 63
DRAWS = 8

# Wrong answers of an image are `CONFUSABLE` classes, drawn from the `NEIGHBOURS` of its class, the nearest most often.
NEIGHBOURS, CONFUSABLE = 10, 6
NEAREST_FIRST = 0.35
# Standard deviations: of difficulty and of the logarithm of fragility, over classes and over images.
CLASS_DIFFICULTY, IMAGE_DIFFICULTY = 0.4, 1.2
CLASS_FRAGILITY, IMAGE_FRAGILITY = 0.2, 0.75
FAMILY_FRAGILITY = np.array([{"screen": 1.0, "print": 1.0}.get(family, 0.5) for family in FAMILIES])
# What a unit of difficulty adds to the logarithm of fragility.
HARD_FRAGILITY = 0.15
# Part of the general fragility in that of each family: an image that stands any loss of quality may lie at the frame.
GENERAL_PART = np.array([{"frame": 0.2, "screen": 0.3, "print": 0.3}.get(family, 1.0) for family in FAMILIES])
# Pull of the confusable classes: mean of the first, step to the next one, standard deviation. More candidates crowd.
FIRST_PULL, PULL_STEP, PULL_SPREAD = 0.0, 0.3, 0.5
CROWDING = {SYN: 0.9, BASE: 0.0}
# Of every 500 images the most doubtful 11 show their first confusable class rather than their label.
MISLABELLED = 11 / 500
MISLABELLED_PULL = 2.8


@dataclass(frozen=True)
class Images:
    """The images of one role.

    Attributes
    ----------
    image_ids, labels, splits
        Id, candidate index of the true class (int32) and half, shape ``(n,)``.
    candidates
        Class ids, sorted.
    difficulty
        What the score of the true class lacks, shape ``(n,)``.
    fragility
        Logarithm of the factor on the damage of each of `FAMILIES`, shape ``(n, families)``.
    confusable
        Candidate indices that resemble the image, shape ``(n, CONFUSABLE)``.
    pull
        Their scores before a model looks, shape ``(n, CONFUSABLE)``.
    doubt
        Rank of the image within its half by how doubtful its label is, 0 most, shape ``(n,)``.
    """

    image_ids: np.ndarray
    labels: np.ndarray
    splits: np.ndarray
    candidates: tuple[str, ...]
    difficulty: np.ndarray
    fragility: np.ndarray
    confusable: np.ndarray
    pull: np.ndarray
    doubt: np.ndarray


def build_index(seed: int) -> pd.DataFrame:
    """List the images of the study in the form of the other studies.

    Returns
    -------
    pandas.DataFrame
        One row per role and image: ``image_id``, ``class_id``, ``class_name``, ``label`` (position of the class among
        the sorted class ids of the role), ``role``, ``split``; sorted by image id, then role. Syn has ten images of
        each of 1,000 classes, the base five of each of 200; 209 images have both roles, 63 of them as development
        images of Syn and as evaluation images of the base (Section 3.3, Appendix F).
    """
    classes = [f"class-{number:04d}" for number in range(1, CLASSES + 1)]
    chosen = sorted(sorted(classes, key=lambda class_id: digest(seed, "rehearsal", BASE, class_id))[:BASE_CLASSES])
    numbers = np.tile(np.arange(1, IMAGES_PER_CLASS[SYN] + 1), (CLASSES, 1))
    syn = _rows(classes, numbers, SYN, seed)
    draws = _draw_base(derive_seed(seed, "rehearsal", "shared images"))
    crossed = np.stack([_crossed(syn, _rows(chosen, numbers, BASE, seed)) for numbers in draws])
    numbers = draws[_choose_draws(crossed), np.arange(BASE_CLASSES)]
    index = pd.concat([syn, _rows(chosen, numbers, BASE, seed)])
    return index.sort_values(["image_id", "role"], ignore_index=True)


def describe_images(index: pd.DataFrame, role: str, seed: int) -> Images:
    """Draw what makes the images of a role hard; an image with two roles is as hard and as fragile in both.

    Parameters
    ----------
    index
        Result of `build_index`, or some of its classes.
    role
        ``syn`` or ``base``.
    seed
        Seed of the study.
    """
    rows = index[index["role"] == role].sort_values("image_id", ignore_index=True)
    candidates = np.unique(rows["class_id"].to_numpy(dtype=str))
    random = np.random.default_rng(derive_seed(seed, "rehearsal", "confusable classes", role))
    confusable = _confusable(rows["label"].to_numpy(), len(candidates), random)
    pull = FIRST_PULL + CROWDING[role] - PULL_STEP * np.arange(CONFUSABLE)
    pull = pull + PULL_SPREAD * random.standard_normal((len(rows), CONFUSABLE))
    doubt = pd.Series(random.random(len(rows))).groupby(rows["split"]).rank().to_numpy(dtype=int) - 1
    mislabelled = doubt < MISLABELLED * rows.groupby("split")["split"].transform("size").to_numpy()
    pull[mislabelled, 0] += MISLABELLED_PULL
    difficulty, fragility = _hardness(index, seed)
    return Images(
        image_ids=rows["image_id"].to_numpy(dtype=str),
        labels=rows["label"].to_numpy(dtype=np.int32),
        splits=rows["split"].to_numpy(dtype=str),
        candidates=tuple(candidates.tolist()),
        difficulty=difficulty.loc[rows["image_id"]].to_numpy(),
        fragility=fragility.loc[rows["image_id"]].to_numpy(),
        confusable=confusable,
        pull=pull,
        doubt=doubt,
    )


def _rows(classes: list[str], numbers: np.ndarray, role: str, seed: int) -> pd.DataFrame:
    """List images by class and number, with their halves."""
    rows = pd.DataFrame({"class_id": np.repeat(classes, numbers.shape[1]), "number": numbers.ravel()})
    rows["label"] = np.repeat(np.arange(len(classes), dtype=np.int32), numbers.shape[1])
    rows["class_name"] = "class " + rows["class_id"].str[-4:].str.lstrip("0")
    rows["image_id"] = "simulated-" + rows["class_id"].str[-4:] + "-" + rows["number"].astype(str).str.zfill(2)
    rows = rows.assign(role=role, split=halve(rows, seed, role))
    return rows[["image_id", "class_id", "class_name", "label", "role", "split"]]


def _draw_base(seed: int) -> np.ndarray:
    """Draw the base images of each class several times, as numbers, shape ``(DRAWS, classes, images per class)``.

    A class shares one image with Syn, a few classes share two; the others are numbered beyond those of Syn.
    """
    random = np.random.default_rng(seed)
    fresh = IMAGES_PER_CLASS[SYN] + 1 + np.arange(IMAGES_PER_CLASS[BASE])
    numbers = np.tile(fresh, (DRAWS, BASE_CLASSES, 1))
    shared = random.permuted(np.tile(np.arange(1, IMAGES_PER_CLASS[SYN] + 1), (DRAWS, BASE_CLASSES, 1)), axis=2)
    twice = random.permutation(BASE_CLASSES)[: SHARED - BASE_CLASSES]
    numbers[..., 0] = shared[..., 0]
    numbers[:, twice, 1] = shared[:, twice, 1]
    return numbers


def _crossed(syn: pd.DataFrame, base: pd.DataFrame) -> np.ndarray:
    """Count the images of each base class that are development images of Syn and evaluation images of the base."""
    development = syn.loc[syn["split"] == DEVELOPMENT, "image_id"]
    crossed = base["image_id"].isin(development) & (base["split"] == EVALUATION)
    return np.asarray(crossed.to_numpy().reshape(BASE_CLASSES, -1).sum(axis=1))


def _choose_draws(crossed: np.ndarray) -> np.ndarray:
    """Choose a draw for each class so that `CROSSED` images are crossed in all; the halves of a class are its own.

    Parameters
    ----------
    crossed
        Crossed images by draw and class, shape ``(draws, classes)``.

    Returns
    -------
    numpy.ndarray
        Draw of each class: the first one, but for those classes, from the first on, that have to change the sum.

    Examples
    --------
    >>> counts = np.zeros((2, 100), dtype=int)
    >>> counts[1] = 1
    >>> int(_choose_draws(counts).sum())
    63
    """
    chosen = np.zeros(crossed.shape[1], dtype=np.int64)
    missing = CROSSED - int(crossed[0].sum())
    for place in range(len(chosen)):
        step = int(np.sign(missing))
        other = np.flatnonzero(crossed[:, place] - crossed[0, place] == step)
        if step and len(other):
            chosen[place] = other[0]
            missing -= step
    return chosen


def _confusable(labels: np.ndarray, candidates: int, random: np.random.Generator) -> np.ndarray:
    """Draw the confusable classes of each image from the neighbours of its class, without repetition."""
    steps = random.permuted(np.tile(np.arange(1, candidates), (candidates, 1)), axis=1)[:, :NEIGHBOURS]
    neighbours = (np.arange(candidates)[:, None] + steps) % candidates
    # Sorting by weight plus Gumbel noise draws without replacement, near neighbours first.
    keys = random.gumbel(size=(len(labels), NEIGHBOURS)) - NEAREST_FIRST * np.arange(NEIGHBOURS)
    chosen = np.argsort(-keys, axis=1)[:, :CONFUSABLE]
    drawn: np.ndarray = np.take_along_axis(neighbours[labels], chosen, axis=1)
    return drawn


def _hardness(index: pd.DataFrame, seed: int) -> tuple[pd.Series, pd.DataFrame]:
    """Draw difficulty and fragility by image id: a part of the class, a part of the image."""
    images = index.drop_duplicates("image_id").sort_values("image_id")
    class_ids, place = np.unique(images["class_id"].to_numpy(dtype=str), return_inverse=True)
    random = np.random.default_rng(derive_seed(seed, "rehearsal", "hardness"))
    classes, own = random.standard_normal((2, len(class_ids))), random.standard_normal((2, len(images)))
    family = random.standard_normal((len(images), len(FAMILIES)))
    difficulty = CLASS_DIFFICULTY * classes[0, place] + IMAGE_DIFFICULTY * own[0]
    general = CLASS_FRAGILITY * classes[1, place] + IMAGE_FRAGILITY * own[1]
    general = general + HARD_FRAGILITY * difficulty
    fragility = general[:, None] * GENERAL_PART + FAMILY_FRAGILITY * family
    ids = images["image_id"].to_numpy()
    return pd.Series(difficulty, index=ids), pd.DataFrame(fragility, index=ids)
