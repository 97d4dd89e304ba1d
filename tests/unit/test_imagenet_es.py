"""Captures as image sets of the study: bytes kept, conditions in the order of the table, originals compared."""

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import ImageError, PairedEvalError
from pairedeval.files import write_table
from pairedeval.images import ImageStore, decode_image, encode_png, write_originals
from pairedeval.sources.facts import read_facts
from pairedeval.sources.imagenet_es import extract_captures
from support.imagenet_fixture import (
    CAPTURES,
    REFERENCES,
    Publication,
    capture_bytes,
    encode,
    photograph,
    publish,
    read_conditions,
    write_archive,
)

Extract = Callable[..., Path]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Publication:
    return publish(tmp_path_factory.mktemp("published"))


@pytest.fixture
def members(published: Publication) -> dict[str, bytes]:
    with zipfile.ZipFile(published.archive("es")) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist() if not info.is_dir()}


@pytest.fixture
def extract(published: Publication, tmp_path: Path, root: Path) -> Extract:
    """Extract the captures of a source, given index and clean images of the tiny study."""
    references = {}
    with zipfile.ZipFile(published.archive("es")) as archive:
        for image_id, class_id in sorted(published.base.items()):
            references[image_id] = archive.read(f"ImageNet-ES/es-test/{REFERENCES}/{class_id}/{image_id}.JPEG")
    index, clean = tmp_path / "index.parquet", tmp_path / "clean.zip"
    rows = [(image_id, class_id, "base") for image_id, class_id in published.base.items()]
    rows += [(image_id, class_id, "syn") for image_id, class_id in published.classes.items()]
    write_table(pd.DataFrame(rows, columns=["image_id", "class_id", "role"]), index)
    write_originals(clean, [("clean", image_id, data) for image_id, data in references.items()])

    def call(source: str = "es", **changes: object) -> Path:
        arguments = {
            "archive": published.archive(source),
            "facts": read_facts(published.facts),
            "index": index,
            "clean": clean,
            "conditions": root / "resources/conditions/captures.csv",
            "target": tmp_path / f"{source}.zip",
            "report": tmp_path / f"{source}.json",
            **changes,
        }
        extract_captures(source, **arguments)
        return tmp_path / f"{source}.zip"

    return call


@pytest.mark.parametrize(("source", "number"), [("es", 54), ("diverse", 162)])
def test_captures_keep_their_bytes_in_the_order_of_the_table(
    source: str, number: int, extract: Extract, published: Publication, root: Path
) -> None:
    with ImageStore(extract(source)) as store:
        assert list(store.conditions) == read_conditions(root / "resources/conditions/captures.csv", source)
        assert len(store.conditions) == number
        for condition in store.conditions:
            light, setting = condition.split("-k")
            assert store.image_ids(condition) == tuple(sorted(published.base))
            for image_id in store.image_ids(condition):
                expected = capture_bytes(source, light, int(setting), image_id)
                assert store.read_bytes(condition, image_id) == expected
        assert np.array_equal(store.read(condition, image_id), decode_image(expected, "x"))


def test_only_the_needed_members_are_taken(extract: Extract) -> None:
    with zipfile.ZipFile(extract("es")) as archive:
        names = archive.namelist()
    assert len(names) == 54 * 6
    assert all(name.endswith(".jpeg") and name.count("/") == 1 for name in names)


def test_the_order_of_the_archive_and_the_number_of_workers_change_nothing(
    extract: Extract, members: dict[str, bytes], tmp_path: Path
) -> None:
    first = extract("es").read_bytes()
    again = write_archive(tmp_path / "again.zip", dict(reversed(members.items())))
    assert extract("es", archive=again, workers=3).read_bytes() == first


def test_displayed_originals_are_compared_with_the_clean_images(
    extract: Extract, members: dict[str, bytes], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    extract("es")
    report = json.loads((tmp_path / "es.json").read_text())
    assert report == {
        "source": "es",
        "archive": "ImageNet-ES.zip",
        "conditions": 54,
        "images": 324,
        "references": {"identical": 6, "same_pixels": 0, "different": 0},
    }
    assert caplog.text == ""
    names = sorted(name for name in members if REFERENCES in name)
    members[names[0]] = encode_png(decode_image(members[names[0]], "x"))
    members[names[1]] = encode(photograph(99))
    members[names[2]] = encode(photograph(99, (64, 64)))
    extract("es", archive=write_archive(tmp_path / "other.zip", members))
    report = json.loads((tmp_path / "es.json").read_text())
    assert report["references"] == {"identical": 3, "same_pixels": 1, "different": 2}
    assert "3 displayed originals differ from the validation images" in caplog.text


@pytest.mark.parametrize(("data", "reason"), [(b"", "is empty"), (b"\xff\xd8 no jpeg", "cannot be decoded")])
def test_a_damaged_capture_is_found_and_nothing_is_left(
    data: bytes, reason: str, extract: Extract, members: dict[str, bytes], tmp_path: Path
) -> None:
    name = sorted(name for name in members if f"{CAPTURES}/l5/param_27/" in name)[-1]
    path = write_archive(tmp_path / "damaged.zip", {**members, name: data})
    with pytest.raises(ImageError, match=rf"damaged\.zip: {name} {reason}.*; fetch"):
        extract("es", archive=path, workers=2)
    assert not (tmp_path / "es.zip").exists()


def test_other_base_images_in_the_index_are_refused(extract: Extract, published: Publication, tmp_path: Path) -> None:
    rows = [(image_id, class_id, "base") for image_id, class_id in list(published.base.items())[1:]]
    write_table(pd.DataFrame(rows, columns=["image_id", "class_id", "role"]), tmp_path / "other.parquet")
    with pytest.raises(PairedEvalError, match=r"other\.parquet: its base images are not those that the archive of es"):
        extract("es", index=tmp_path / "other.parquet")


def test_a_source_without_archive_is_named(extract: Extract, published: Publication) -> None:
    facts = read_facts(published.facts)
    with pytest.raises(PairedEvalError, match="source es has no archive of captures"):
        extract("es", facts=replace(facts, archives={}))
