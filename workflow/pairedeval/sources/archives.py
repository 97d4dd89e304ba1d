"""The published archives of captures, ImageNet-ES and ImageNet-ES Diverse: what they hold, read from member names.

A name says everything: ``<captures>/<light>/param_<k>/<class id>/<file name>``. The order of the members says nothing.
Nothing is ever unpacked under a name from the archive, and an archive with names that point outside it is refused.
"""

import re
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from pairedeval.errors import ImageError
from pairedeval.perturb.conditions import Capture
from pairedeval.seeds import digest
from pairedeval.sources.facts import ArchiveFacts, BaseFacts

IMAGE_SUFFIXES = (".jpeg", ".jpg", ".png")
FILE_SUFFIX = ".JPEG"
_FILE = rf"(?P<class_id>n\d{{8}})/(?P<image_id>ILSVRC2012_val_\d{{8}}){re.escape(FILE_SUFFIX)}"
_REFERENCE = re.compile(_FILE)
_CAPTURE = re.compile(rf"(?P<light>l\d+)/param_(?P<setting>[1-9]\d*)/{_FILE}")
READ_ERRORS = (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, zlib.error)
AGAIN = "fetch the archive again, or look at what its authors changed"


@dataclass(frozen=True)
class Photograph:
    """One image in an archive: class and member."""

    class_id: str
    member: zipfile.ZipInfo


Photographs = dict[str, Photograph]


class CaptureArchive:
    """A readable archive of captures; use it as a context manager.

    Parameters
    ----------
    path
        The ZIP as it is published.
    facts
        Where it keeps references and captures.

    Attributes
    ----------
    references
        Displayed originals by image id.
    captures
        By light and number k of the setting: captures by image id.

    Raises
    ------
    ImageError
        If the file is no ZIP, a name points outside it or stands twice, or an image below the two folders has another
        name than the publication says.
    """

    def __init__(self, path: str | Path, facts: ArchiveFacts) -> None:
        self.path = Path(path)
        self._zip = _open(self.path)
        try:
            _check_names(self.path, self._zip.namelist())
            self.references = self._find(facts.references, _REFERENCE).get((), {})
            found = self._find(facts.captures, _CAPTURE)
            self.captures = {(light, int(setting)): images for (light, setting), images in found.items()}
            if not self.references or not self.captures:
                raise ImageError(
                    f"{self.path}: no images below {facts.references if not self.references else facts.captures}; "
                    f"this is not {facts.file}"
                )
        except ImageError:
            self._zip.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def read(self, photograph: Photograph) -> bytes:
        """Return the bytes of an image file, whose checksum is checked; damage is an `ImageError`."""
        try:
            return self._zip.read(photograph.member)
        except READ_ERRORS as error:
            raise ImageError(f"{self.place(photograph)} is damaged ({error}); fetch the archive again") from error

    def place(self, photograph: Photograph) -> str:
        """Return what messages call an image: archive and member."""
        return f"{self.path}: {photograph.member.filename}"

    def _find(self, folder: str, pattern: re.Pattern[str]) -> dict[tuple[str, ...], Photographs]:
        """Group the images below a folder by the parts of their names before the class."""
        found: dict[tuple[str, ...], Photographs] = {}
        for info in self._zip.infolist():
            name = info.filename.removeprefix(f"{folder}/")
            if name == info.filename or PurePosixPath(name).suffix.lower() not in IMAGE_SUFFIXES:
                continue
            match = pattern.fullmatch(name)
            if match is None:
                raise ImageError(f"{self.path}: {info.filename} is not named as the images of {folder} are; {AGAIN}")
            *group, class_id, image_id = match.groups()
            images = found.setdefault(tuple(group), {})
            if image_id in images:
                raise ImageError(f"{self.path}: {info.filename}: the image also stands in another class; {AGAIN}")
            images[image_id] = Photograph(class_id, info)
        return found


def check_base(archive: CaptureArchive, facts: BaseFacts) -> dict[str, str]:
    """Check the displayed originals against the published list.

    Returns
    -------
    dict
        Class id by image id, in ascending order of image ids.

    Raises
    ------
    ImageError
        If their number, names or classes are others.
    """
    classes = {image_id: archive.references[image_id].class_id for image_id in sorted(archive.references)}
    if len(classes) != facts.images:
        raise ImageError(f"{archive.path}: {len(classes):,} reference images, published are {facts.images:,}; {AGAIN}")
    candidates = digest("\n".join(sorted(set(classes.values()))))
    if candidates != facts.candidates_sha256:
        raise ImageError(f"{archive.path}: the reference images are of other classes than the published ones; {AGAIN}")
    if list_digest(classes) != facts.list_sha256:
        raise ImageError(f"{archive.path}: the list of reference images is not the published one; {AGAIN}")
    return classes


def list_digest(classes: Mapping[str, str]) -> str:
    """Return the SHA-256 of a list of images: sorted lines ``<class id>/<file name>``, each ended by a line feed.

    Parameters
    ----------
    classes
        Class id by image id.
    """
    lines = sorted(f"{class_id}/{image_id}{FILE_SUFFIX}\n" for image_id, class_id in classes.items())
    return digest("".join(lines))


def check_captures(
    archive: CaptureArchive, conditions: Iterable[Capture], base: Mapping[str, str]
) -> dict[str, Photographs]:
    """Check that an archive holds every condition with every base image, and nothing else.

    Parameters
    ----------
    archive
        The archive.
    conditions
        The capture conditions of the source.
    base
        Class id by image id.

    Returns
    -------
    dict
        Captures by condition id, in the order of `conditions`.

    Raises
    ------
    ImageError
        If a condition is missing or unknown, or an image is missing, unknown or in another class.
    """
    wanted = {(capture.light, capture.setting): capture.condition for capture in conditions}
    unknown = sorted(set(archive.captures) - set(wanted))
    missing = sorted(set(wanted) - set(archive.captures))
    for what, keys in (("unknown", unknown), ("missing", missing)):
        if keys:
            light, setting = keys[0]
            raise ImageError(f"{archive.path}: {len(keys)} {what} conditions, first {light}/param_{setting}; {AGAIN}")
    for (light, setting), images in archive.captures.items():
        _check_images(f"{archive.path}: {light}/param_{setting}", images, base)
    return {condition: archive.captures[key] for key, condition in wanted.items()}


def _check_images(place: str, images: Photographs, base: Mapping[str, str]) -> None:
    """Refuse the images of one condition if they are not the base images."""
    found = {image_id: photograph.class_id for image_id, photograph in images.items()}
    if found == base:
        return
    for image_id in sorted(set(base) | set(found)):
        class_id = found.get(image_id)
        if class_id != base.get(image_id):
            what = "is no base image" if image_id not in base else f"is of class {base[image_id]}"
            problem = f"lacks {image_id}" if class_id is None else f"holds {class_id}/{image_id}, which {what}"
            raise ImageError(f"{place} with {len(found):,} images for {len(base):,} base images {problem}; {AGAIN}")


def _check_names(path: Path, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/"):
            raise ImageError(f"{path}: member {name!r} points outside the archive; do not unpack it, fetch it again")
        if name in seen:
            raise ImageError(f"{path}: member {name} stands twice; {AGAIN}")
        seen.add(name)


def _open(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except FileNotFoundError:
        raise ImageError(f"{path}: no such archive; fetch it, or name a copy under images.copies") from None
    except READ_ERRORS as error:
        raise ImageError(f"{path}: not a readable archive ({error}); fetch it again") from error
