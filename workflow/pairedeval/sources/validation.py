"""The ImageNet validation set as its users have it: the published tar, or a folder with its images.

The images cannot be fetched for a user, who agrees to the terms of use first. A folder may be flat or have one folder
a class, and a name may carry the class (``ILSVRC2012_val_00000293_n01440764.JPEG``): other distributions do so.
"""

import logging
import re
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pandas as pd

from pairedeval.errors import ImageError, PairedEvalError
from pairedeval.files import file_digest
from pairedeval.labels.imagenet import validation_image
from pairedeval.sources.facts import ValidationFacts

TAR = "ILSVRC2012_img_val.tar"
_NAME = re.compile(r"(?P<image_id>ILSVRC2012_val_\d{8})(?:_(?P<class_id>n\d{8}))?\.(?:JPEG|jpeg|jpg)")
_CLASS = re.compile(r"n\d{8}")
Entry = TypeVar("Entry", Path, tarfile.TarInfo)


@dataclass(frozen=True)
class ValidationSet:
    """The validation images, ready to be read.

    Attributes
    ----------
    path
        The tar or the folder.
    read
        From an image id to the bytes of its file.
    facts
        What is recorded about the set.
    """

    path: Path
    read: Callable[[str], bytes]
    facts: Mapping[str, str | int]


def read_validation_labels(path: str | Path, images: int) -> pd.DataFrame:
    """Read the class ids of the validation images, one a line in the order of their numbers.

    Parameters
    ----------
    path
        ``validation_labels.txt``.
    images
        Number of validation images.

    Returns
    -------
    pandas.DataFrame
        ``image_id`` and ``class_id``, ascending image ids.

    Raises
    ------
    PairedEvalError
        If the file cannot be read or has another number of lines, or a line is no WordNet id.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise PairedEvalError(f"{path}: not a readable list of labels ({error}); fetch the file again") from error
    if len(lines) != images:
        raise PairedEvalError(f"{path}: {len(lines):,} labels for {images:,} validation images; fetch the file again")
    wrong = next((number for number, line in enumerate(lines, start=1) if not _CLASS.fullmatch(line)), None)
    if wrong is not None:
        raise PairedEvalError(f"{path}: line {wrong}: {lines[wrong - 1]!r} is no WordNet id; fetch the file again")
    return pd.DataFrame({"image_id": [validation_image(number) for number in range(1, images + 1)], "class_id": lines})


@contextmanager
def open_validation(
    path: str | Path | None, facts: ValidationFacts, classes: Mapping[str, str]
) -> Iterator[ValidationSet]:
    """Open the validation set, once it is known to be the published one.

    Parameters
    ----------
    path
        The tar or a folder; None if the study names none.
    facts
        Published number of images, size and digest of the tar.
    classes
        Class id by image id.

    Raises
    ------
    PairedEvalError
        If there is nothing at `path`, a tar is not the published one, or a folder does not hold its images.
    """
    if path is None or not Path(path).exists():
        problem = "not set" if path is None else f"there is nothing at {path}"
        raise PairedEvalError(
            f"images.validation: {problem}; the ImageNet validation images cannot be fetched for you: register at "
            f"image-net.org, accept the terms, download {TAR} ({facts.size:,} bytes), and set images.validation to it "
            "or to a folder with its images"
        )
    place = Path(path)
    if place.is_dir():
        yield _open_folder(place, facts, classes)
        return
    with _open_tar(place, facts) as archive:
        yield _read_tar(place, archive, facts, classes)


def _open_folder(folder: Path, facts: ValidationFacts, classes: Mapping[str, str]) -> ValidationSet:
    files = _by_image(folder, ((str(path.relative_to(folder)), path) for path in folder.rglob("*")), facts, classes)
    sizes = [path.stat().st_size for path in files.values()]
    # What these images would fill as a tar tells resized or converted copies, without reading 6 GB.
    blocks = sum(tarfile.BLOCKSIZE * (1 - (-size // tarfile.BLOCKSIZE)) for size in sizes)
    if abs(blocks - facts.size) > 2 * tarfile.RECORDSIZE:
        raise PairedEvalError(
            f"{folder}: its images would fill a tar of {blocks:,} bytes, the published one has {facts.size:,}; "
            f"use the images of {TAR} as they are, neither resized nor converted"
        )
    return ValidationSet(folder, lambda image_id: files[image_id].read_bytes(), {"kind": "folder", "size": sum(sizes)})


@contextmanager
def _open_tar(path: Path, facts: ValidationFacts) -> Iterator[tarfile.TarFile]:
    size = path.stat().st_size
    if size != facts.size:
        raise PairedEvalError(
            f"{path}: {size:,} bytes, but {TAR} has {facts.size:,}; download it again, or unpack what you have "
            "and set images.validation to the folder"
        )
    logging.info("%s: computing the SHA-256 of %s bytes", path, f"{size:,}")
    if file_digest(path) != facts.sha256:
        raise PairedEvalError(f"{path}: its SHA-256 is not that of {TAR}; download it again")
    try:
        with tarfile.open(path, "r:") as archive:
            yield archive
    except tarfile.TarError as error:
        raise PairedEvalError(f"{path}: not a readable tar ({error}); download it again") from error


def _read_tar(
    path: Path, archive: tarfile.TarFile, facts: ValidationFacts, classes: Mapping[str, str]
) -> ValidationSet:
    members = _by_image(path, ((member.name, member) for member in archive if member.isfile()), facts, classes)

    def read(image_id: str) -> bytes:
        file = archive.extractfile(members[image_id])
        return file.read() if file else b""

    return ValidationSet(path, read, {"kind": "tar", "size": facts.size, "sha256": facts.sha256})


def _by_image(
    place: Path, entries: Iterable[tuple[str, Entry]], facts: ValidationFacts, classes: Mapping[str, str]
) -> dict[str, Entry]:
    """Index entries by image id; names that are no validation image are passed over."""
    found: dict[str, Entry] = {}
    for name, entry in entries:
        *folders, file = Path(name).parts
        match = _NAME.fullmatch(file)
        if match is None:
            continue
        image_id = match["image_id"]
        stated = match["class_id"] or next((part for part in reversed(folders) if _CLASS.fullmatch(part)), None)
        if image_id not in classes:
            raise ImageError(f"{place}: {name} is beyond the {facts.images:,} validation images; remove it")
        if stated not in (None, classes[image_id]):
            raise ImageError(
                f"{place}: {name} is of class {classes[image_id]} by the validation labels; sort the images again, "
                "or use the tar"
            )
        if image_id in found:
            raise ImageError(f"{place}: image {image_id} stands twice; keep one file an image")
        found[image_id] = entry
    missing = sorted(set(classes) - set(found))
    if missing:
        raise ImageError(
            f"{place}: {len(missing):,} of {facts.images:,} validation images are missing, first {missing[0]}; "
            f"use all images of {TAR}"
        )
    return found
