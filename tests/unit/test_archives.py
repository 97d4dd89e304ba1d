"""The archives of captures: everything is parsed from names, and everything unexpected is named."""

import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from pairedeval.errors import ImageError
from pairedeval.perturb.conditions import Capture, read_captures
from pairedeval.sources.archives import CaptureArchive, check_base, check_captures
from pairedeval.sources.facts import SourceFacts, read_facts
from support.imagenet_fixture import CAPTURES, REFERENCES, Publication, capture_bytes, publish, write_archive

PLACE = "ImageNet-ES/es-test"
Members = dict[str, bytes]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Publication:
    return publish(tmp_path_factory.mktemp("published"), base_per_class=1)


@pytest.fixture(scope="module")
def facts(published: Publication) -> SourceFacts:
    return read_facts(published.facts)


@pytest.fixture(scope="module")
def conditions(root: Path) -> tuple[Capture, ...]:
    return read_captures(root / "resources/conditions/captures.csv", "es")


@pytest.fixture
def members(published: Publication) -> Members:
    with zipfile.ZipFile(published.archive("es")) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist() if not info.is_dir()}


@pytest.fixture
def refused(
    tmp_path: Path, facts: SourceFacts, conditions: tuple[Capture, ...], published: Publication
) -> Callable[[Members], str]:
    """Write members as an archive, check it as the workflow does, and return the message."""

    def check(members: Members) -> str:
        path = write_archive(tmp_path / "es.zip", members)
        with pytest.raises(ImageError) as raised, CaptureArchive(path, facts.archive("es")) as archive:
            check_captures(archive, conditions, check_base(archive, facts.base))
        assert "\n" not in str(raised.value)
        return str(raised.value).removeprefix(f"{path}: ")

    return check


@pytest.mark.parametrize(("source", "number"), [("es", 54), ("diverse", 162)])
def test_conditions_and_images_are_parsed_from_names(
    source: str, number: int, published: Publication, facts: SourceFacts, root: Path
) -> None:
    conditions = read_captures(root / "resources/conditions/captures.csv", source)
    with CaptureArchive(published.archive(source), facts.archive(source)) as archive:
        assert check_base(archive, facts.base) == dict(sorted(published.base.items()))
        found = check_captures(archive, conditions, published.base)
        assert list(found) == [condition.condition for condition in conditions]
        assert len(found) == number
        for condition in conditions:
            for image_id, photograph in found[condition.condition].items():
                expected = capture_bytes(source, condition.light, condition.setting, image_id)
                assert archive.read(photograph) == expected
                assert photograph.class_id == published.base[image_id]


def test_a_missing_image_is_named(members: Members, refused: Callable[[Members], str], published: Publication) -> None:
    image_id, class_id = min(published.base.items())
    del members[f"{PLACE}/{CAPTURES}/l5/param_10/{class_id}/{image_id}.JPEG"]
    assert refused(members).startswith(f"l5/param_10 with 2 images for 3 base images lacks {image_id}; fetch the")


def test_an_image_of_another_class_or_no_base_image_is_named(
    members: Members, refused: Callable[[Members], str], published: Publication
) -> None:
    image_id, class_id = min(published.base.items())
    folder = f"{PLACE}/{CAPTURES}/l1/param_2"
    data = members.pop(f"{folder}/{class_id}/{image_id}.JPEG")
    assert f"l1/param_2 with 3 images for 3 base images holds n99999999/{image_id}, which is of class {class_id}" in (
        refused({**members, f"{folder}/n99999999/{image_id}.JPEG": data})
    )
    stranger = f"{folder}/{class_id}/ILSVRC2012_val_00049999.JPEG"
    message = refused({**members, f"{folder}/{class_id}/{image_id}.JPEG": data, stranger: data})
    assert f"holds {class_id}/ILSVRC2012_val_00049999, which is no base image" in message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("l5/param_27/", "l5/param_28/", "1 unknown conditions, first l5/param_28"),
        ("l5/", "l4/", "27 unknown conditions, first l4/param_1; fetch the archive again"),
        ("l1/param_3/", None, "1 missing conditions, first l1/param_3"),
    ],
)
def test_unknown_and_missing_conditions_are_named(
    old: str, new: str | None, message: str, members: Members, refused: Callable[[Members], str]
) -> None:
    changed = {}
    for name, data in members.items():
        if f"{CAPTURES}/{old}" not in name:
            changed[name] = data
        elif new is not None:
            changed[name.replace(f"{CAPTURES}/{old}", f"{CAPTURES}/{new}")] = data
    assert refused(changed).startswith(message)


@pytest.mark.parametrize(
    "name",
    [
        f"{PLACE}/{CAPTURES}/l1/param_01/n01443537/ILSVRC2012_val_00000994.JPEG",
        f"{PLACE}/{CAPTURES}/l1/n01443537/ILSVRC2012_val_00000994.JPEG",
        f"{PLACE}/{CAPTURES}/l1/param_1/n01443537/copy/ILSVRC2012_val_00000994.JPEG",
        f"{PLACE}/{CAPTURES}/l1/param_1/n01443537/ILSVRC2012_val_00000994 (1).JPEG",
        f"{PLACE}/{CAPTURES}/l1/param_1/n01443537/ILSVRC2012_val_00000994.png",
        f"{PLACE}/{REFERENCES}/ILSVRC2012_val_00000994.JPEG",
    ],
)
def test_a_name_that_does_not_parse_is_named(name: str, members: Members, refused: Callable[[Members], str]) -> None:
    folder = f"{PLACE}/{name.split('/')[2]}"
    assert refused({**members, name: b""}).startswith(f"{name} is not named as the images of {folder} are; fetch")


def test_an_image_in_two_classes_is_named(
    members: Members, refused: Callable[[Members], str], published: Publication
) -> None:
    image_id = min(published.base)
    name = f"{PLACE}/{REFERENCES}/n99999999/{image_id}.JPEG"
    message = refused({**members, name: b""})
    assert f"{image_id}.JPEG: the image also stands in another class; fetch the archive again" in message


@pytest.mark.parametrize("name", ["../evil.JPEG", "/etc/passwd", "a/../../b.txt", "C:/evil.txt", "a\\..\\b.JPEG"])
def test_names_that_point_outside_are_refused(
    name: str, members: Members, refused: Callable[[Members], str], tmp_path: Path
) -> None:
    before = sorted(path.name for path in tmp_path.rglob("*"))
    assert refused({**members, name: b"x"}).startswith(f"member {name!r} points outside the archive; do not unpack it")
    assert sorted(path.name for path in tmp_path.rglob("*")) == sorted([*before, "es.zip"])


def test_a_member_twice_is_refused(members: Members, tmp_path: Path, facts: SourceFacts) -> None:
    path = write_archive(tmp_path / "es.zip", members)
    name = next(name for name in members if CAPTURES in name)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(name, b"again")
    with pytest.raises(ImageError, match=rf"es\.zip: member {name} stands twice"):
        CaptureArchive(path, facts.archive("es"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"images": 4}, "3 reference images, published are 4; fetch the archive again"),
        ({"candidates_sha256": "0" * 64}, "the reference images are of other classes than the published ones"),
        ({"list_sha256": "0" * 64}, "the list of reference images is not the published one"),
    ],
)
def test_other_base_images_are_refused(
    change: dict[str, object], message: str, published: Publication, facts: SourceFacts
) -> None:
    opened = CaptureArchive(published.archive("es"), facts.archive("es"))
    with opened as archive, pytest.raises(ImageError, match=message):
        check_base(archive, replace(facts.base, **change))


def test_digests_of_the_base_images_are_those_of_their_description(published: Publication, facts: SourceFacts) -> None:
    """Recompute them with another tool than the code: a digest over bytes of the described text."""
    text = b"".join(f"{c}/{i}.JPEG\n".encode() for c, i in sorted((c, i) for i, c in published.base.items()))
    assert facts.base.list_sha256 == sha256(text).hexdigest()


def test_another_archive_and_none_are_explained(published: Publication, facts: SourceFacts, tmp_path: Path) -> None:
    with pytest.raises(
        ImageError, match=r"ES\.zip: no images below ImageNet-ES-Div\S+_resize2; this is not ImageNet-ES-D"
    ):
        CaptureArchive(published.archive("es"), facts.archive("diverse"))
    with pytest.raises(ImageError, match=r"none\.zip: no such archive; fetch it, or name a copy under images\.copies"):
        CaptureArchive(tmp_path / "none.zip", facts.archive("es"))
    (tmp_path / "page.zip").write_text("<html>quota exceeded</html>")
    with pytest.raises(ImageError, match=r"page\.zip: not a readable archive \(.+\); fetch it again"):
        CaptureArchive(tmp_path / "page.zip", facts.archive("es"))
    half = tmp_path / "half.zip"
    data = published.archive("es").read_bytes()
    half.write_bytes(data[: len(data) // 2])
    with pytest.raises(ImageError, match=r"half\.zip: not a readable archive"):
        CaptureArchive(half, facts.archive("es"))


def test_a_damaged_member_is_named(published: Publication, facts: SourceFacts, tmp_path: Path) -> None:
    with CaptureArchive(published.archive("es"), facts.archive("es")) as archive:
        photograph = next(iter(archive.captures["l1", 1].values()))
    data = bytearray(published.archive("es").read_bytes())
    data[photograph.member.header_offset + 200] ^= 0xFF
    (tmp_path / "es.zip").write_bytes(bytes(data))
    message = rf"es\.zip: {photograph.member.filename} is damaged \(Bad CRC-32"
    with (
        CaptureArchive(tmp_path / "es.zip", facts.archive("es")) as archive,
        pytest.raises(ImageError, match=message),
    ):
        archive.read(photograph)


def test_members_beyond_four_gigabytes_are_read(
    members: Members, facts: SourceFacts, conditions: tuple[Capture, ...], published: Publication, tmp_path: Path
) -> None:
    path = tmp_path / "large.zip"
    with path.open("wb") as file:
        file.truncate((1 << 32) + 5)  # A hole: it takes no space on the disk.
    with zipfile.ZipFile(path, "a") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with CaptureArchive(path, facts.archive("es")) as archive:
        found = check_captures(archive, conditions, check_base(archive, facts.base))
        image_id = min(published.base)
        photograph = found["l5-k10"][image_id]
        assert photograph.member.header_offset > 1 << 32
        assert archive.read(photograph) == capture_bytes("es", "l5", 10, image_id)


def test_more_members_than_a_plain_zip_can_count(members: Members, facts: SourceFacts, tmp_path: Path) -> None:
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(66_000):
            archive.writestr(f"ImageNet-ES/es-train/{number}.JPEG", b"")
        for name, data in members.items():
            archive.writestr(name, data)
    with CaptureArchive(path, facts.archive("es")) as archive:
        assert len(archive.captures) == 54
