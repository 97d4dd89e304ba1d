"""The validation set as users have it: tar, flat folder, class folders, names with classes; and everything else."""

import shutil
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.sources.facts import ValidationFacts, read_facts
from pairedeval.sources.validation import open_validation, read_validation_labels
from support.imagenet_fixture import Publication, publish

FIRST = "ILSVRC2012_val_00000001"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Publication:
    return publish(tmp_path_factory.mktemp("published"), base_per_class=1)


@pytest.fixture(scope="module")
def facts(published: Publication) -> ValidationFacts:
    return read_facts(published.facts).validation


@pytest.fixture
def folder(published: Publication, tmp_path: Path) -> Path:
    target = tmp_path / "validation"
    with tarfile.open(published.validation) as archive:
        archive.extractall(target, filter="data")
    return target


def contents(path: Path, facts: ValidationFacts, published: Publication) -> dict[str, bytes]:
    with open_validation(path, facts, published.classes) as opened:
        return {image_id: opened.read(image_id) for image_id in reversed(published.classes)}


def sort_by_class(folder: Path, classes: dict[str, str]) -> None:
    for image_id, class_id in classes.items():
        (folder / class_id).mkdir(exist_ok=True)
        (folder / f"{image_id}.JPEG").rename(folder / class_id / f"{image_id}.JPEG")


def name_by_class(folder: Path, classes: dict[str, str]) -> None:
    for image_id, class_id in classes.items():
        (folder / f"{image_id}.JPEG").rename(folder / f"{image_id}_{class_id}.JPEG")


@pytest.mark.parametrize("arrange", [None, sort_by_class, name_by_class])
def test_every_arrangement_gives_the_bytes_of_the_tar(
    arrange: object, folder: Path, facts: ValidationFacts, published: Publication
) -> None:
    expected = {path.stem: path.read_bytes() for path in folder.iterdir()}
    assert len(expected) == 30
    assert contents(published.validation, facts, published) == expected
    if arrange:
        arrange(folder, published.classes)
    (folder / "README.txt").write_text("unrelated")
    assert contents(folder, facts, published) == expected


def test_what_was_read_is_recorded(folder: Path, facts: ValidationFacts, published: Publication) -> None:
    with open_validation(published.validation, facts, published.classes) as opened:
        assert opened.facts == {"kind": "tar", "size": facts.size, "sha256": facts.sha256}
    with open_validation(folder, facts, published.classes) as opened:
        assert opened.facts == {"kind": "folder", "size": sum(path.stat().st_size for path in folder.iterdir())}


@pytest.mark.parametrize(("path", "problem"), [(None, "not set"), ("/no/such.tar", "there is nothing at /no/such.tar")])
def test_missing_images_are_asked_for(path: str | None, problem: str, published: Publication) -> None:
    facts = ValidationFacts(images=50_000, size=6_744_924_160, sha256="")
    message = (
        f"images.validation: {problem}; the ImageNet validation images cannot be fetched for you: register at "
        r"image-net.org, accept the terms, download ILSVRC2012_img_val.tar \(6,744,924,160 bytes\), and set "
        "images.validation to it or to a folder with its images"
    )
    with pytest.raises(PairedEvalError, match=message), open_validation(path, facts, {}):
        pass


def test_another_tar_is_refused(facts: ValidationFacts, published: Publication, tmp_path: Path) -> None:
    short = tmp_path / "short.tar"
    short.write_bytes(published.validation.read_bytes()[:-10240])
    with pytest.raises(PairedEvalError, match=r"short\.tar: 61,440 bytes, but ILSVRC2012_img_val\.tar has 71,680"):
        contents(short, facts, published)
    other = tmp_path / "other.tar"
    other.write_bytes(published.validation.read_bytes()[:-1] + b"x")
    with pytest.raises(PairedEvalError, match=r"other\.tar: its SHA-256 is not that of ILSVRC2012_img_val\.tar"):
        contents(other, facts, published)


def test_a_file_that_is_no_tar_is_refused(published: Publication, tmp_path: Path) -> None:
    text = tmp_path / "text.tar"
    text.write_bytes(b"x" * 20_000)
    known = ValidationFacts(30, 20_000, sha256(text.read_bytes()).hexdigest())
    with pytest.raises(PairedEvalError, match=r"text\.tar: not a readable tar \(.+\); download it again"):
        contents(text, known, published)


def test_a_folder_with_other_images_is_refused(folder: Path, facts: ValidationFacts, published: Publication) -> None:
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(
        PairedEvalError,
        match=r"validation: its images would fill a tar of 30,720 bytes, the published one has 71,680; use the images",
    ):
        contents(folder, facts, published)


def test_a_missing_image_is_named(folder: Path, facts: ValidationFacts, published: Publication) -> None:
    (folder / f"{FIRST}.JPEG").unlink()
    with pytest.raises(PairedEvalError, match=rf"1 of 30 validation images are missing, first {FIRST}; use all images"):
        contents(folder, facts, published)


def test_an_image_in_the_folder_of_another_class_is_named(
    folder: Path, facts: ValidationFacts, published: Publication
) -> None:
    (folder / "n00000001").mkdir()
    shutil.move(folder / f"{FIRST}.JPEG", folder / "n00000001")
    message = (
        rf"n00000001/{FIRST}\.JPEG is of class {published.classes[FIRST]} by the validation labels; sort the images"
    )
    with pytest.raises(PairedEvalError, match=message):
        contents(folder, facts, published)


def test_an_image_twice_and_one_too_many_are_named(
    folder: Path, facts: ValidationFacts, published: Publication
) -> None:
    (folder / "copy").mkdir()
    shutil.copy(folder / f"{FIRST}.JPEG", folder / "copy")
    with pytest.raises(PairedEvalError, match=rf"image {FIRST} stands twice; keep one file an image"):
        contents(folder, facts, published)
    shutil.move(folder / "copy" / f"{FIRST}.JPEG", folder / "copy/ILSVRC2012_val_00000031.JPEG")
    with pytest.raises(PairedEvalError, match=r"00000031\.JPEG is beyond the 30 validation images; remove it"):
        contents(folder, facts, published)


def test_labels_are_those_of_the_numbers(published: Publication) -> None:
    labels = read_validation_labels(published.files["validation_labels.txt"], 30)
    assert dict(zip(labels["image_id"], labels["class_id"], strict=True)) == published.classes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n01440764\n", "1 labels for 2 validation images"),
        ("n01440764\n449\n", "line 2: '449' is no WordNet id"),
        (None, "not a readable list of labels"),
    ],
)
def test_other_labels_are_refused(text: str | None, message: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "labels.txt").write_text(text)
    with pytest.raises(PairedEvalError, match=rf"labels\.txt: {message}.*; fetch the file again"):
        read_validation_labels(tmp_path / "labels.txt", 2)
