"""The images of study ``paper``: validation images of ImageNet in the roles ``syn`` and ``base`` (Section 3.3).

Base images are those that ImageNet-ES displayed, listed by its archive. The images of Syn are listed by a SHA-256 order
within each class, or by a file: the paper's own list stands only in its supplement. An image may have both roles (in
the paper 209 do); it then stands in two rows of the index, because the roles differ in their candidates.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import PairedEvalError
from pairedeval.files import file_digest, write_table
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION
from pairedeval.sources.archives import CaptureArchive, check_base, list_digest
from pairedeval.sources.facts import SourceFacts
from pairedeval.sources.photographs import Copy, copy_photographs
from pairedeval.sources.validation import ValidationSet, open_validation, read_validation_labels
from pairedeval.splits import BASE, SYN, halve, rank_within_class

# The archive whose references are the base images.
BASE_SOURCE = "es"
_IMAGE = re.compile(r"ILSVRC2012_val_\d{8}")


def make_images(
    index_path: str | Path,
    clean_path: str | Path,
    *,
    validation: str | Path | None,
    labels: str | Path,
    archive: str | Path,
    facts: SourceFacts,
    seed: int,
    syn_per_class: int,
    syn_list: str | Path | None = None,
    workers: int = 1,
) -> None:
    """Write the index and the unperturbed images of the study.

    Parameters
    ----------
    index_path
        Target Parquet; columns as in `build_index`.
    clean_path
        Target ZIP with condition ``clean``: the files of the validation set as they are.
    validation
        The published tar, or a folder with its images.
    labels
        Class ids of the validation images, in the order of their numbers.
    archive
        ImageNet-ES.
    facts
        Published numbers and digests.
    seed
        Seed of the Syn images and of the halves.
    syn_per_class
        Images of Syn a class.
    syn_list
        List of the Syn images, one a line, instead of the SHA-256 order.
    workers
        Threads that decode every image once.

    Raises
    ------
    PairedEvalError
        If anything is missing or is not what was published; see the functions that read it.
    """
    images = read_validation_labels(labels, facts.validation.images)
    classes = dict(zip(images["image_id"], images["class_id"], strict=True))
    with CaptureArchive(archive, facts.archive(BASE_SOURCE)) as capture_archive:
        base = check_base(capture_archive, facts.base)
    _check_classes(base, classes, str(archive))
    if syn_list is None:
        syn, origin = choose_syn(images, syn_per_class, seed), "SHA-256 order within each class"
    else:
        syn, origin = read_syn_list(syn_list, classes, syn_per_class), f"list with SHA-256 {file_digest(syn_list)}"
    index = build_index(classes, {SYN: syn, BASE: list(base)}, class_names(), seed)
    with open_validation(validation, facts.validation, classes) as opened:
        _copy_clean(opened, sorted(set(index["image_id"])), clean_path, workers)
        described = {"validation": dict(opened.facts), "syn_images": origin}
    described["syn_sha256"] = list_digest({image_id: classes[image_id] for image_id in syn})
    overlap = count_overlap(index)
    logging.info("images with both roles: %s; Syn development and base evaluation: %s", *overlap.values())
    write_table(index, index_path, {"images": "ImageNet validation", "seed": seed, **described, **overlap})


def build_index(
    classes: Mapping[str, str], roles: Mapping[str, Sequence[str]], names: Mapping[str, str], seed: int
) -> pd.DataFrame:
    """Return one row per role and image.

    Parameters
    ----------
    classes
        Class id by image id.
    roles
        Image ids by role.
    names
        Name by class id.
    seed
        Seed of the halves.

    Returns
    -------
    pandas.DataFrame
        ``image_id``, ``class_id``, ``class_name``, ``label`` (position of the class among the sorted class ids of the
        role), ``role``, ``split``; sorted by image id, then role.

    Examples
    --------
    >>> classes = {"1": "b", "2": "b", "3": "a", "4": "a"}
    >>> index = build_index(classes, {"base": ["1", "2"], "syn": list(classes)}, {"a": "ape", "b": "bee"}, seed=1)
    >>> index.loc[index["image_id"] == "1", ["role", "label", "class_name"]].values.tolist()
    [['base', 0, 'bee'], ['syn', 1, 'bee']]
    """
    return (
        pd.concat([_rows(role, image_ids, classes, names, seed) for role, image_ids in roles.items()])
        .sort_values(["image_id", "role"], ignore_index=True)
        .reset_index(drop=True)
    )


def choose_syn(images: pd.DataFrame, per_class: int, seed: int) -> list[str]:
    """Choose the images of Syn: the first of each class in the SHA-256 order of `splits.rank_within_class`.

    Parameters
    ----------
    images
        Columns ``image_id`` and ``class_id``.
    per_class
        Images a class.
    seed
        Seed of the order.
    """
    _check_counts(images["class_id"], per_class, "the validation labels", at_least=True)
    rank = rank_within_class(images["class_id"], images["image_id"], seed, SYN)
    return sorted(images.loc[rank < per_class, "image_id"])


def read_syn_list(path: str | Path, classes: Mapping[str, str], per_class: int) -> list[str]:
    """Read a list of Syn images, one a line; a line may say more than the image, such as folder and suffix.

    Parameters
    ----------
    path
        Text file.
    classes
        Class id by image id of all validation images.
    per_class
        Images a class that the list must have.

    Raises
    ------
    PairedEvalError
        If a line names no validation image, an image stands twice, or a class has another number of images.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PairedEvalError(f"{path}: not a readable list of images ({error}); correct images.syn_list") from error
    chosen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        match = _IMAGE.search(line)
        if match is None or match[0] not in classes:
            raise PairedEvalError(f"{path}: line {number}: {line.strip()!r} names no validation image; correct it")
        if match[0] in chosen:
            raise PairedEvalError(f"{path}: line {number}: {match[0]} also stands in line {chosen[match[0]]}; keep one")
        chosen[match[0]] = number
    counted = pd.Series([classes[image_id] for image_id in chosen], dtype=object)
    _check_counts(counted, per_class, str(path), among=set(classes.values()))
    return sorted(chosen)


def class_names() -> dict[str, str]:
    """Return OpenCLIP's name of each class by class id."""
    from pairedeval.models.imagenet import imagenet_classes

    classes = imagenet_classes()
    return dict(zip(classes.ids, classes.names, strict=True))


def count_overlap(index: pd.DataFrame) -> dict[str, int]:
    """Count the images that have both roles (Appendix F).

    Returns
    -------
    dict
        ``shared_images``, and of these ``shared_development_evaluation``: development images of Syn that are evaluation
        images of the base.
    """
    halves = index.pivot_table(index="image_id", columns="role", values="split", aggfunc="first")
    both = halves.reindex(columns=[SYN, BASE]).dropna()
    crossed = (both[SYN] == DEVELOPMENT) & (both[BASE] == EVALUATION)
    return {"shared_images": len(both), "shared_development_evaluation": int(crossed.sum())}


def _rows(
    role: str, image_ids: Sequence[str], classes: Mapping[str, str], names: Mapping[str, str], seed: int
) -> pd.DataFrame:
    rows = pd.DataFrame({"image_id": list(image_ids)})
    rows["class_id"] = rows["image_id"].map(classes)
    rows["class_name"] = rows["class_id"].map(names)
    rows["label"] = np.unique(rows["class_id"].to_numpy(dtype=str), return_inverse=True)[1].astype(np.int32)
    return rows.assign(role=role, split=halve(rows, seed, role))


def _copy_clean(opened: ValidationSet, image_ids: Sequence[str], path: str | Path, workers: int) -> None:
    def copies() -> Iterator[Copy]:
        for image_id in image_ids:
            yield Copy(CLEAN, image_id, opened.read(image_id), f"{opened.path}: {image_id}")

    copy_photographs(copies(), path, total=len(image_ids), workers=workers)


def _check_classes(base: Mapping[str, str], classes: Mapping[str, str], place: str) -> None:
    for image_id, class_id in base.items():
        if classes.get(image_id) != class_id:
            raise PairedEvalError(
                f"{place}: {image_id} is of class {class_id}, of {classes.get(image_id)} by the validation labels; "
                "fetch both again"
            )


def _check_counts(
    class_ids: pd.Series, per_class: int, place: str, among: Iterable[Any] = (), at_least: bool = False
) -> None:
    counts = class_ids.value_counts().reindex(sorted(set(class_ids) | set(among)), fill_value=0)
    wrong = counts.index[counts < per_class if at_least else counts != per_class]
    if len(wrong):
        raise PairedEvalError(
            f"{place}: class {wrong[0]} has {counts[wrong[0]]} images, Syn takes {per_class} of each class; "
            "correct the list or images.syn_per_class"
        )
