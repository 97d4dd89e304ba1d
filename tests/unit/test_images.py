"""The image store and the decoder: what users hand in is damaged, grey, transparent or deep."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pairedeval.errors import ImageError
from pairedeval.images import ImageStore, decode_image, encode_png, merge_stores, write_originals, write_store
from support.imagenet_fixture import DAMAGED, photograph, real_world_files


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


def test_photographs_keep_their_bytes_beside_made_images(store: Path, tmp_path: Path) -> None:
    data = encoded(photograph(1), "JPEG")
    write_originals(tmp_path / "photographs.zip", [("l1-k01", "a.b", data), ("l1-k01", "b", encode_png(picture()))])
    merge_stores([store, tmp_path / "photographs.zip"], tmp_path / "merged.zip")
    with ImageStore(tmp_path / "merged.zip") as images, zipfile.ZipFile(tmp_path / "merged.zip") as archive:
        assert archive.namelist()[-2:] == ["l1-k01/a.b.jpeg", "l1-k01/b.jpeg"]
        assert archive.namelist()[0] == "snow-2/a.png"
        assert images.image_ids("l1-k01") == ("a.b", "b")
        assert images.read_bytes("l1-k01", "a.b") == data
        assert np.array_equal(images.read("l1-k01", "a.b"), np.asarray(Image.open(io.BytesIO(data))))
        assert np.array_equal(images.read("l1-k01", "b"), picture())
        assert images.suffix("l1-k01", "b") == ".jpeg"
        assert images.suffix("fog-2", "a") == ".png"


def test_photographs_out_of_order_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="image a of l1-k01 is out of order"):
        write_originals(tmp_path / "set.zip", [("l1-k01", "b", b"1"), ("l1-k01", "a", b"2")])


def test_the_fingerprint_tells_other_images(store: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.zip"
    write_store(other, [("snow-2", "a", picture(1)), ("snow-2", "b", picture(9)), ("fog-2", "a", picture(3))])
    with ImageStore(store) as ours, ImageStore(other) as theirs:
        assert ours.fingerprint("snow-2", "a") == theirs.fingerprint("snow-2", "a")
        assert ours.fingerprint("snow-2", "ab") != theirs.fingerprint("snow-2", "ab")


@pytest.mark.parametrize("name", ["a.png", "fog/a.jpg", "fog/deep/a.png", "/a.png", "fog/.png", "fog/a.JPEG"])
def test_a_member_of_another_shape_is_named(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as archive:
        archive.writestr(name, b"")
    with pytest.raises(ImageError, match=rf"set\.zip: member {name} is not <condition>/<image_id> with \.png"):
        ImageStore(tmp_path / "set.zip")


def test_an_image_in_two_files_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as archive:
        archive.writestr("fog-2/a.png", encode_png(picture()))
        archive.writestr("fog-2/a.jpeg", encode_png(picture()))
    with pytest.raises(ImageError, match=r"set\.zip: image a of fog-2 stands twice"):
        ImageStore(tmp_path / "set.zip")


def test_a_missing_image_and_a_missing_condition_are_named(store: Path) -> None:
    with ImageStore(store) as images:
        with pytest.raises(ImageError, match=r"set\.zip: fog-2/b is missing; make the image set again"):
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


@pytest.fixture(scope="module")
def real_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("real") / "photographs.zip"
    write_originals(path, [("clean", name, data) for name, data in sorted(real_world_files().items())])
    return path


@pytest.mark.parametrize("name", sorted(set(real_world_files()) - set(DAMAGED)))
def test_files_of_real_folders_are_read_through_the_store(name: str, real_world: Path) -> None:
    rgb = np.asarray(photograph(5)).astype(float)
    with ImageStore(real_world) as images:
        pixels = images.read("clean", name)
    assert pixels.dtype == np.uint8
    assert pixels.shape == (32, 40, 3)
    grey = name in ("grey", "grey16")
    expected = np.repeat(rgb.mean(axis=2, keepdims=True), 3, axis=2) if grey else rgb
    assert np.abs(pixels - expected).mean() < (25 if name == "palette" else 12)
    assert not grey or (pixels[:, :, 0] == pixels[:, :, 1]).all()
    if name in ("png", "alpha"):
        assert np.array_equal(pixels, np.asarray(photograph(5)))


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files_of_real_folders_are_named(name: str, real_world: Path) -> None:
    with ImageStore(real_world) as images, pytest.raises(ImageError, match=rf"photographs\.zip: clean/{name}\.jpeg "):
        images.read("clean", name)
