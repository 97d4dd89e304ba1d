"""Image sets: one ZIP of image files per set, and the one way in which image bytes become pixels.

A set holds members ``<condition>/<image_id><suffix>`` in condition order, then by image id. Images that were made here
are lossless PNGs; photographs keep the bytes of their published files, with suffix ``.jpeg``. The members are stored
(where it is worth it, the PNG is compressed itself) and dated 1980, so the same images give the same bytes.
"""

import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from PIL import Image, UnidentifiedImageError

from pairedeval.errors import ImageError
from pairedeval.files import atomic_path
from pairedeval.seeds import digest

MADE, PUBLISHED = SUFFIXES = (".png", ".jpeg")
EPOCH = (1980, 1, 1, 0, 0, 0)
SMALL = 1 << 16  # bytes of pixels
Member = tuple[str, str, np.ndarray]
Original = tuple[str, str, bytes]


class ImageStore:
    """A readable image set; use it as a context manager.

    Every process opens its own store, because a ZIP handle must not be shared between processes.

    Parameters
    ----------
    path
        ``results/<study>/images/<set>.zip``.

    Raises
    ------
    ImageError
        If the file is missing, no ZIP, or holds a member that is not ``<condition>/<image_id><suffix>`` or an image
        twice.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._zip = _open_zip(self.path)
        self._members: dict[str, dict[str, zipfile.ZipInfo]] = {}
        try:
            for info in self._zip.infolist():
                self._enter(info)
        except ImageError:
            self._zip.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions in the order of the set."""
        return tuple(self._members)

    def image_ids(self, condition: str) -> tuple[str, ...]:
        """Image ids of one condition, ascending; an unknown condition is an `ImageError`."""
        if condition not in self._members:
            raise ImageError(f"{self.path}: no condition {condition}; make the image set again with this condition")
        return tuple(self._members[condition])

    def read(self, condition: str, image_id: str) -> np.ndarray:
        """Return the pixels of one image, uint8 of shape ``(height, width, 3)``.

        Raises
        ------
        ImageError
            If the image is missing or damaged; the message names file and member.
        """
        info = self._info(condition, image_id)
        return decode_image(self._read(info), f"{self.path}: {info.filename}")

    def fingerprint(self, condition: str, image_ids: Iterable[str]) -> str:
        """Return a digest of images by checksum and size as the ZIP lists them: as telling as the bytes, and quick."""
        listed = (self._info(condition, image_id) for image_id in image_ids)
        return digest(*((info.CRC, info.file_size) for info in listed))

    def read_bytes(self, condition: str, image_id: str) -> bytes:
        """Return the stored file of one image; the checksum of the ZIP is checked."""
        return self._read(self._info(condition, image_id))

    def suffix(self, condition: str, image_id: str) -> str:
        """Return which of `SUFFIXES` the file of one image has."""
        return Path(self._info(condition, image_id).filename).suffix

    def _read(self, info: zipfile.ZipInfo) -> bytes:
        try:
            return self._zip.read(info)
        except (zipfile.BadZipFile, OSError, EOFError) as error:
            raise ImageError(f"{self.path}: {info.filename} is damaged ({error}); make the image set again") from error

    def _info(self, condition: str, image_id: str) -> zipfile.ZipInfo:
        try:
            return self._members[condition][image_id]
        except KeyError:
            raise ImageError(f"{self.path}: {condition}/{image_id} is missing; make the image set again") from None

    def _enter(self, info: zipfile.ZipInfo) -> None:
        condition, _, file = info.filename.partition("/")
        image_id, point, kind = file.rpartition(".")
        if not condition or not image_id or "/" in file or point + kind not in SUFFIXES:
            raise ImageError(
                f"{self.path}: member {info.filename} is not <condition>/<image_id> with {' or '.join(SUFFIXES)}; "
                "make the image set again"
            )
        if image_id in self._members.setdefault(condition, {}):
            raise ImageError(f"{self.path}: image {image_id} of {condition} stands twice; make the image set again")
        self._members[condition][image_id] = info


def decode_image(data: bytes, place: str) -> np.ndarray:
    """Turn the bytes of an image file into RGB pixels, the same way for every source.

    Grey and palette images become RGB, CMYK is converted, transparency is dropped without blending, and of
    16-bit grey the high byte is kept. An EXIF orientation is *not* applied: the usual loaders of ImageNet do
    not turn pixels either, and published accuracies refer to those pixels.

    Parameters
    ----------
    data
        A whole file: PNG, JPEG or another format that Pillow reads.
    place
        Archive and member, or file, for the message.

    Returns
    -------
    numpy.ndarray
        uint8, shape ``(height, width, 3)``.

    Raises
    ------
    ImageError
        If the bytes are empty, truncated, damaged, or no image with 8 or 16 bits a channel.
    """
    if not data:
        raise ImageError(f"{place} is empty (zero bytes); fetch or make it again")
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.load()
            return _to_rgb(image)
    except Exception as error:  # Decoders raise OSError, SyntaxError, struct.error, ... for damaged bytes.
        reason = str(error).replace(repr(error.args[0]), "") if isinstance(error, UnidentifiedImageError) else error
        raise ImageError(f"{place} cannot be decoded ({reason}); fetch or make it again") from error


def encode_png(pixels: np.ndarray) -> bytes:
    """Return the lossless PNG of uint8 RGB pixels of shape ``(height, width, 3)``.

    Examples
    --------
    >>> pixels = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    >>> bool((decode_image(encode_png(pixels), "example") == pixels).all())
    True
    """
    # Every model decodes every image again: for small pictures that costs more than the bytes it saves.
    level = 0 if pixels.nbytes <= SMALL else 1
    buffer = io.BytesIO()
    Image.fromarray(pixels, mode=None).save(buffer, format="PNG", compress_level=level)
    return buffer.getvalue()


def write_store(path: str | Path, members: Iterable[Member]) -> None:
    """Write an image set, or a shard of one, atomically.

    Parameters
    ----------
    path
        Target ZIP.
    members
        Triples (condition, image id, uint8 RGB pixels), in the order of the set: conditions in their own
        order, image ids ascending within each.

    Raises
    ------
    ImageError
        If the members are not in that order, or one stands twice.
    """
    _write_zip(path, ((condition, image_id, MADE, encode_png(pixels)) for condition, image_id, pixels in members))


def write_originals(path: str | Path, members: Iterable[Original]) -> None:
    """Write an image set of published photographs, whose files are kept byte by byte, atomically.

    Parameters
    ----------
    path
        Target ZIP.
    members
        Triples (condition, image id, bytes of the image file), in the order that `write_store` asks for.

    Raises
    ------
    ImageError
        If the members are not in that order, or one stands twice.
    """
    _write_zip(path, ((condition, image_id, PUBLISHED, data) for condition, image_id, data in members))


def merge_stores(shards: Sequence[str | Path], path: str | Path) -> None:
    """Join shards into one image set, atomically; stored files are copied as they are.

    Parameters
    ----------
    shards
        Image sets whose conditions follow each other in this order; no condition may stand in two of them.
    path
        Target ZIP.

    Raises
    ------
    ImageError
        If a shard is damaged or a condition stands in two shards.
    """
    _write_zip(path, _stored_members(shards))


def _stored_members(shards: Sequence[str | Path]) -> Iterator[tuple[str, str, str, bytes]]:
    for shard in shards:
        with ImageStore(shard) as store:
            for condition in store.conditions:
                for image_id in store.image_ids(condition):
                    data = store.read_bytes(condition, image_id)
                    yield condition, image_id, store.suffix(condition, image_id), data


def _write_zip(path: str | Path, members: Iterable[tuple[str, str, str, bytes]]) -> None:
    finished: set[str] = set()
    previous = ("", "")
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        for condition, image_id, suffix, data in members:
            if condition != previous[0]:
                finished.add(previous[0])
            elif image_id <= previous[1]:
                raise ImageError(f"{path}: image {image_id} of {condition} is out of order; write ascending image ids")
            if condition in finished:
                raise ImageError(f"{path}: condition {condition} stands twice; write each condition once")
            previous = (condition, image_id)
            archive.writestr(_member_info(f"{condition}/{image_id}{suffix}"), data)


def _member_info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=EPOCH)
    info.create_system = 3  # Unix, also when written on Windows: the bytes must not depend on the machine.
    info.external_attr = 0o644 << 16
    return info


def _open_zip(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except FileNotFoundError:
        raise ImageError(f"{path}: no such image set; check the path or make it first") from None
    except (zipfile.BadZipFile, OSError) as error:
        raise ImageError(f"{path}: not a readable image set ({error}); remove it and make it again") from error


def _to_rgb(image: Image.Image) -> np.ndarray:
    """Return uint8 RGB pixels of a loaded image."""
    if image.mode.startswith("I"):
        # Pillow's own conversion clips 16-bit grey at 255, which turns most of the image white.
        values = np.asarray(image)
        if values.min() < 0 or values.max() > 0xFFFF:
            raise ValueError(f"mode {image.mode} with values beyond 16 bits")
        return np.repeat((values >> 8).astype(np.uint8)[:, :, None], 3, axis=2)
    if image.mode == "F":
        raise ValueError("floating-point pixels have no fixed white")
    if image.mode == "P":
        image = image.convert("RGBA")  # Direct conversion warns when palette entries are transparent.
    return np.array(image.convert("RGB"))
