"""The image store and the decoder: what users hand in is damaged, grey, transparent or deep."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pairedeval.errors import ImageError
from pairedeval.images import ImageStore, decode_image, encode_png, merge_stores, write_store


def picture(value: int = 0, size: int = 8) -> np.ndarray:
    return (np.arange(size * size * 3, dtype=np.int64) + value).reshape(size, size, 3).astype(np.uint8)


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format=kind, **options)
    return buffer.getvalue()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "set.zip"
    write_store(path, [("snow-2", "a", picture(1)), ("snow-2", "b", picture(2)), ("fog-2", "a", picture(3))])
    return path


def test_a_store_returns_what_was_written_in_its_order(store: Path) -> None:
    with ImageStore(store) as images:
        assert images.conditions == ("snow-2", "fog-2")
        assert images.image_ids("snow-2") == ("a", "b")
        assert np.array_equal(images.read("fog-2", "a"), picture(3))


def test_the_same_pixels_give_the_same_bytes(store: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    write_store(again, [("snow-2", "a", picture(1)), ("snow-2", "b", picture(2)), ("fog-2", "a", picture(3))])
    assert again.read_bytes() == store.read_bytes()
    with zipfile.ZipFile(store) as archive:
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_merged_shards_equal_one_store(store: Path, tmp_path: Path) -> None:
    write_store(tmp_path / "snow.zip", [("snow-2", "a", picture(1)), ("snow-2", "b", picture(2))])
    write_store(tmp_path / "fog.zip", [("fog-2", "a", picture(3))])
    merge_stores([tmp_path / "snow.zip", tmp_path / "fog.zip"], tmp_path / "merged.zip")
    assert (tmp_path / "merged.zip").read_bytes() == store.read_bytes()


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ([("fog-2", "b"), ("fog-2", "a")], "image a of fog-2 is out of order; write ascending image ids"),
        ([("fog-2", "a"), ("fog-2", "a")], "image a of fog-2 is out of order"),
        ([("fog-2", "a"), ("snow-2", "a"), ("fog-2", "b")], "condition fog-2 stands twice; write each condition once"),
    ],
)
def test_members_out_of_order_are_refused_and_leave_no_file(
    members: list[tuple[str, str]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ImageError, match=message):
        write_store(tmp_path / "set.zip", [(*member, picture()) for member in members])
    assert list(tmp_path.iterdir()) == []


def test_a_missing_store_and_one_that_is_no_zip_are_named(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"none\.zip: no such image set; check the path or make it first"):
        ImageStore(tmp_path / "none.zip")
    (tmp_path / "text.zip").write_text("not a zip", encoding="utf-8")
    with pytest.raises(ImageError, match=r"text\.zip: not a readable image set .*; remove it and make it again"):
        ImageStore(tmp_path / "text.zip")


@pytest.mark.parametrize("name", ["a.png", "fog/a.jpg", "fog/deep/a.png", "/a.png"])
def test_a_member_of_another_shape_is_named(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as archive:
        archive.writestr(name, b"")
    with pytest.raises(ImageError, match=rf"set\.zip: member {name} is not <condition>/<image_id>\.png"):
        ImageStore(tmp_path / "set.zip")


def test_a_missing_image_and_a_missing_condition_are_named(store: Path) -> None:
    with ImageStore(store) as images:
        with pytest.raises(ImageError, match=r"set\.zip: fog-2/b\.png is missing; make the image set again"):
            images.read("fog-2", "b")
        with pytest.raises(ImageError, match=r"set\.zip: no condition rain-2"):
            images.image_ids("rain-2")


def test_a_flipped_byte_is_found(store: Path) -> None:
    data = bytearray(store.read_bytes())
    data[data.index(b"IDAT") + 6] ^= 0xFF
    store.write_bytes(bytes(data))
    with ImageStore(store) as images, pytest.raises(ImageError, match=r"set\.zip: snow-2/a\.png is damaged"):
        images.read("snow-2", "a")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", r"is empty \(zero bytes\); fetch or make it again"),
        (b"\xff\xd8\xff\xe0 no jpeg", "cannot be decoded"),
        (b"GIF89a", "cannot be decoded"),
        (encode_png(picture(size=64))[:-40], "cannot be decoded"),
        (encode_png(picture())[:20], "cannot be decoded"),
        (encoded(Image.fromarray(picture(size=64)), "JPEG")[:400], "cannot be decoded"),
        (
            encoded(Image.fromarray(np.ones((8, 8), np.float32)), "TIFF"),
            r"cannot be decoded \(floating-point pixels have no fixed white\)",
        ),
        (
            encoded(Image.fromarray(np.full((8, 8), 70000, np.int32)), "TIFF"),
            r"cannot be decoded \(mode I with values beyond 16 bits\)",
        ),
    ],
)
def test_bytes_that_are_no_image_are_refused_by_name(data: bytes, reason: str) -> None:
    with pytest.raises(ImageError, match=rf"^set\.tar: n01/x\.JPEG {reason}") as raised:
        decode_image(data, "set.tar: n01/x.JPEG")
    assert "\n" not in str(raised.value)


def test_grey_images_get_three_equal_channels() -> None:
    grey = picture()[:, :, 0]
    assert np.array_equal(decode_image(encoded(Image.fromarray(grey)), "x"), np.stack([grey] * 3, axis=2))


def test_the_high_byte_of_16_bit_grey_is_kept() -> None:
    deep = (np.arange(64, dtype=np.uint16) * 1000).reshape(8, 8)
    decoded = decode_image(encoded(Image.fromarray(deep)), "x")
    assert np.array_equal(decoded[:, :, 1], deep >> 8)
    assert decoded.dtype == np.uint8


def test_transparency_is_dropped_without_blending() -> None:
    pixels = picture()
    transparent = np.concatenate([pixels, np.zeros((8, 8, 1), np.uint8)], axis=2)
    assert np.array_equal(decode_image(encoded(Image.fromarray(transparent)), "x"), pixels)


def test_palette_images_with_transparent_entries_are_decoded() -> None:
    palette = Image.fromarray(picture()).quantize(8)
    decoded = decode_image(encoded(palette, transparency=b"\x00\x80\xff"), "x")
    assert np.array_equal(decoded, np.array(palette.convert("RGB")))


def test_cmyk_becomes_rgb() -> None:
    cmyk = Image.new("CMYK", (8, 8), (0, 255, 255, 0))
    red = decode_image(encoded(cmyk, "JPEG", quality=100), "x").astype(int)
    assert red.shape == (8, 8, 3)
    assert (np.abs(red - (255, 0, 0)) < 8).all()


def test_an_exif_orientation_is_not_applied() -> None:
    image = Image.fromarray(picture(size=16)).crop((0, 0, 16, 8))
    exif = Image.Exif()
    exif[0x0112] = 6  # Turned by 90 degrees.
    decoded = decode_image(encoded(image, "JPEG", exif=exif.tobytes(), quality=95), "x")
    assert np.array_equal(decoded, decode_image(encoded(image, "JPEG", quality=95), "x"))
    assert decoded.shape == (8, 16, 3)
