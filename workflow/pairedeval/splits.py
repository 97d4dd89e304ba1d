"""Roles and halves of images: a SHA-256 order within each class decides, never the order of the rows.

The paper fixes the identities of its images by an outcome-independent SHA-256 ordering of seed, source, class
and image, and halves them within each class (Appendices C and F; seed 20260908).
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pairedeval.errors import PairedEvalError
from pairedeval.records import DEVELOPMENT, EVALUATION
from pairedeval.seeds import digest

BASE = "base"
SYN = "syn"
TRAIN = "train"
NO_SPLIT = ""


def role_of_source(source: str) -> str:
    """Return the role of the images of a source; Syn-B, ES and Diverse share the base images.

    Examples
    --------
    >>> role_of_source("syn"), role_of_source("es")
    ('syn', 'base')
    """
    return SYN if source == "syn" else BASE


def rank_within_class(class_ids: pd.Series, image_ids: pd.Series, seed: int, source: str) -> pd.Series:
    """Return the rank (0, 1, ...) of every image in the SHA-256 order of its class.

    Parameters
    ----------
    class_ids, image_ids
        Class and image of every row, on one index.
    seed
        Seed of the ordering.
    source
        What is ordered; other sources get independent orders.

    Returns
    -------
    pandas.Series
        Integer ranks on the index of `image_ids`.

    Examples
    --------
    >>> images = pd.DataFrame({"class_id": ["a", "a", "b"], "image_id": ["1", "2", "3"]})
    >>> sorted(rank_within_class(images["class_id"], images["image_id"], 20260908, "syn")[:2])
    [0, 1]
    """
    keys = [digest(seed, source, *pair) for pair in zip(class_ids, image_ids, strict=True)]
    return pd.Series(keys, index=image_ids.index).groupby(class_ids).rank().astype(int) - 1


def assign_roles(images: pd.DataFrame, counts: Mapping[str, int | None], seed: int) -> pd.DataFrame:
    """Give every image a role by its rank in its class, and halve the roles that are evaluated.

    Parameters
    ----------
    images
        Columns ``image_id`` and ``class_id``, further ones are kept; any row order.
    counts
        Images per class of each role, in the order in which roles are served, for example
        ``{"base": 20, "syn": 60, "train": None}``; None takes the rest of each class.
    seed
        Seed of the ordering and of the halves.

    Returns
    -------
    pandas.DataFrame
        The images that got a role, with columns ``role`` and ``split`` (`DEVELOPMENT`, `EVALUATION`, or
        `NO_SPLIT` for ``train``), sorted by image id.

    Raises
    ------
    PairedEvalError
        If an image stands twice or a class has too few images.
    """
    _refuse_repeated(images["image_id"])
    rank = rank_within_class(images["class_id"], images["image_id"], seed, "roles")
    role = pd.Series("", index=images.index)
    first = 0
    for name, count in counts.items():
        _refuse_short(images["class_id"], name, first, 1 if count is None else count)
        last = len(images) if count is None else first + count
        role[(rank >= first) & (rank < last)] = name
        first = last
    chosen = images.assign(role=role, split=NO_SPLIT).loc[role != ""].sort_values("image_id", ignore_index=True)
    for name in counts:
        if name != TRAIN:
            rows = chosen["role"] == name
            chosen.loc[rows, "split"] = halve(chosen[rows], seed, name)
    return chosen


def halve(images: pd.DataFrame, seed: int, source: str) -> pd.Series:
    """Split images into a development and an evaluation half within each class.

    A class of odd size has one image to spare. Classes of odd size take turns, in the SHA-256 order of their
    ids, so the halves differ by at most one image in all: 200 classes of five images give 500 and 500.

    Parameters
    ----------
    images
        Columns ``image_id`` and ``class_id``; any row order.
    seed
        Seed of the split.
    source
        Source or role of the images.

    Returns
    -------
    pandas.Series
        `DEVELOPMENT` or `EVALUATION` on the index of `images`.

    Raises
    ------
    PairedEvalError
        If a class has a single image, which cannot be in both halves.

    Examples
    --------
    >>> images = pd.DataFrame({"class_id": list("aaabbb"), "image_id": list("123456")})
    >>> int((halve(images, 20260908, "base") == DEVELOPMENT).sum())
    3
    """
    sizes = images.groupby("class_id").size()
    single = sizes.index[sizes < 2]
    if len(single):
        raise PairedEvalError(
            f"{source}: class {single[0]} has one image, a split within classes needs two; choose more per class"
        )
    odd = sorted(sizes.index[sizes % 2 == 1], key=lambda class_id: digest(seed, source, "odd class", class_id))
    development = (sizes // 2).add(pd.Series(np.arange(len(odd)) % 2, index=odd), fill_value=0).astype(int)
    rank = rank_within_class(images["class_id"], images["image_id"], seed, f"{source} halves")
    in_development = rank < images["class_id"].map(development)
    return pd.Series(np.where(in_development, DEVELOPMENT, EVALUATION), index=images.index)


def _refuse_repeated(image_ids: pd.Series) -> None:
    repeated = image_ids[image_ids.duplicated()]
    if len(repeated):
        raise PairedEvalError(f"image {repeated.iloc[0]} stands twice in the list of images; keep one")


def _refuse_short(class_ids: pd.Series, role: str, used: int, count: int) -> None:
    sizes = class_ids.value_counts(sort=False)
    short = sizes.index[sizes < used + count]
    if len(short):
        name = sorted(short)[0]
        raise PairedEvalError(
            f"class {name} has {sizes[name]} images, too few for {count} of role {role} after {used} of other roles; "
            f"lower images.{role}_per_class in the configuration of the study"
        )
