"""The images of study paper, from a tiny publication: roles, halves, labels among the candidates of the role."""

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import ImageError, PairedEvalError
from pairedeval.files import read_metadata, read_table
from pairedeval.images import ImageStore
from pairedeval.inference.inputs import read_image_set
from pairedeval.sources.facts import read_facts
from pairedeval.sources.imagenet import build_index, choose_syn, count_overlap, make_images, read_syn_list
from pairedeval.sources.validation import open_validation
from support.imagenet_fixture import Publication, encode, photograph, publish, published_synsets, write_facts

SEED = 20260908
SYN_PER_CLASS = 4
Make = Callable[..., tuple[pd.DataFrame, Path]]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Publication:
    return publish(tmp_path_factory.mktemp("published"))


@pytest.fixture
def make(published: Publication, tmp_path: Path) -> Make:
    """Make the images of the tiny study; changes are arguments of the call."""

    def call(**changes: object) -> tuple[pd.DataFrame, Path]:
        arguments = {
            "validation": published.validation,
            "labels": published.files["validation_labels.txt"],
            "archive": published.archive("es"),
            "facts": read_facts(published.facts),
            "seed": SEED,
            "syn_per_class": SYN_PER_CLASS,
            **changes,
        }
        make_images(tmp_path / "index.parquet", tmp_path / "clean.zip", **arguments)
        return read_table(tmp_path / "index.parquet"), tmp_path / "clean.zip"

    return call


def test_roles_halves_and_labels(make: Make, published: Publication, tmp_path: Path) -> None:
    index, _ = make()
    assert list(index) == ["image_id", "class_id", "class_name", "label", "role", "split"]
    assert index["role"].value_counts().to_dict() == {"syn": 20, "base": 6}
    assert index[["image_id", "role"]].apply(tuple, axis=1).is_monotonic_increasing
    assert (index["class_id"] == index["image_id"].map(published.classes)).all()
    assert set(index.groupby(["role", "class_id", "split"]).size()["syn"]) == {2}
    assert set(index.groupby(["role", "class_id", "split"]).size()["base"]) == {1}
    base = index[index["role"] == "base"]
    assert dict(zip(base["image_id"], base["class_id"], strict=True)) == published.base
    for role, rows in index.groupby("role"):
        candidates = sorted(rows["class_id"].unique())
        assert [candidates[label] for label in rows["label"]] == rows["class_id"].tolist()
        assert len(candidates) == {"syn": 5, "base": 3}[role]
        assert read_image_set(tmp_path / "index.parquet", role).classes.ids == tuple(candidates)
    names = index.drop_duplicates("class_id").set_index("class_id")["class_name"]
    assert names[published_synsets()[1]] == "goldfish"


def test_the_images_with_both_roles_are_counted(make: Make, tmp_path: Path) -> None:
    index, _ = make()
    facts = read_metadata(tmp_path / "index.parquet")
    rows = index.groupby("image_id")
    both = [image_id for image_id, part in rows if len(part) == 2]
    split = index.set_index(["image_id", "role"])["split"]
    crossed = [i for i in both if split[i, "syn"] == "development" and split[i, "base"] == "evaluation"]
    assert len(both) > 0
    assert facts["shared_images"] == len(both)
    assert facts["shared_development_evaluation"] == len(crossed)
    assert count_overlap(index[index["role"] == "syn"]) == {"shared_images": 0, "shared_development_evaluation": 0}


def test_clean_images_are_the_files_of_the_validation_set(make: Make, published: Publication, tmp_path: Path) -> None:
    index, clean = make(workers=3)
    facts = read_facts(published.facts).validation
    with ImageStore(clean) as store, open_validation(published.validation, facts, published.classes) as validation:
        assert store.image_ids("clean") == tuple(sorted(set(index["image_id"])))
        for image_id in store.image_ids("clean"):
            assert store.read_bytes("clean", image_id) == validation.read(image_id)
            assert store.suffix("clean", image_id) == ".jpeg"
    described = read_metadata(tmp_path / "index.parquet")
    assert described["validation"]["sha256"] == sha256(published.validation.read_bytes()).hexdigest()
    assert described["syn_images"] == "SHA-256 order within each class"
    syn = index[index["role"] == "syn"]
    lines = sorted(f"{row.class_id}/{row.image_id}.JPEG\n" for row in syn.itertuples())
    assert described["syn_sha256"] == sha256("".join(lines).encode()).hexdigest()


def test_made_again_to_the_same_bytes(make: Make, tmp_path: Path) -> None:
    _, clean = make()
    first = clean.read_bytes(), (tmp_path / "index.parquet").read_bytes()
    make(workers=2)
    assert (clean.read_bytes(), (tmp_path / "index.parquet").read_bytes()) == first


def test_syn_images_come_first_in_the_order_of_their_digests(published: Publication) -> None:
    images = pd.DataFrame({"image_id": list(published.classes), "class_id": list(published.classes.values())})
    chosen = choose_syn(images.sample(frac=1, random_state=1), SYN_PER_CLASS, SEED)
    for class_id in set(published.classes.values()):
        members = [image_id for image_id, other in published.classes.items() if other == class_id]
        keys = {i: sha256(f"{SEED}\x1fsyn\x1f{class_id}\x1f{i}".encode()).hexdigest() for i in members}
        assert sorted(sorted(members, key=keys.get)[:SYN_PER_CLASS]) == [i for i in chosen if i in members]
    assert choose_syn(images, SYN_PER_CLASS, SEED + 1) != chosen


def test_a_given_list_of_syn_images_is_taken(make: Make, published: Publication, tmp_path: Path) -> None:
    chosen = choose_syn(
        pd.DataFrame({"image_id": list(published.classes), "class_id": list(published.classes.values())}), 2, seed=7
    )
    lines = [f"val/{published.classes[i]}/{i}.JPEG,{n}" if n % 2 else i for n, i in enumerate(reversed(chosen))]
    (tmp_path / "syn.txt").write_text("\n".join([*lines, "", ""]))
    index, _ = make(syn_list=tmp_path / "syn.txt", syn_per_class=2)
    assert index.loc[index["role"] == "syn", "image_id"].tolist() == chosen
    digest = sha256((tmp_path / "syn.txt").read_bytes()).hexdigest()
    assert read_metadata(tmp_path / "index.parquet")["syn_images"] == f"list with SHA-256 {digest}"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["ILSVRC2012_val_00000001", "tench.jpg"], "line 2: 'tench.jpg' names no validation image; correct it"),
        (["ILSVRC2012_val_00000009"], "line 1: 'ILSVRC2012_val_00000009' names no validation image"),
        (["ILSVRC2012_val_00000001", "x/ILSVRC2012_val_00000001.JPEG"], "line 2: \\S+ also stands in line 1; keep one"),
        (["ILSVRC2012_val_00000001"], "class n2 has 0 images, Syn takes 1 of each class; correct the list or"),
        (["ILSVRC2012_val_00000001", "ILSVRC2012_val_00000002", "ILSVRC2012_val_00000003"], "class n1 has 2 images"),
    ],
)
def test_a_wrong_list_of_syn_images_is_explained(lines: list[str], message: str, tmp_path: Path) -> None:
    classes = {"ILSVRC2012_val_00000001": "n1", "ILSVRC2012_val_00000002": "n2", "ILSVRC2012_val_00000003": "n1"}
    (tmp_path / "syn.txt").write_text("\n".join(lines))
    with pytest.raises(PairedEvalError, match=rf"syn\.txt: {message}"):
        read_syn_list(tmp_path / "syn.txt", classes, 1)
    with pytest.raises(
        PairedEvalError, match=r"none\.txt: not a readable list of images \(.*\); correct images\.syn_list"
    ):
        read_syn_list(tmp_path / "none.txt", classes, 1)


def test_too_few_images_for_syn_are_explained(make: Make) -> None:
    with pytest.raises(PairedEvalError, match=r"the validation labels: class n\d+ has 6 images, Syn takes 7 of each"):
        make(syn_per_class=7)


def test_the_labels_of_roles_are_independent() -> None:
    classes = {f"i{number}": class_id for number, class_id in enumerate("ddccbbaa")}
    names = dict(zip("abcd", ("ant", "bee", "cat", "dog"), strict=True))
    index = build_index(classes, {"syn": list(classes), "base": ["i0", "i1", "i4", "i5"]}, names, SEED)
    found = index.pivot_table(index="image_id", columns="role", values="label")
    assert found["syn"].tolist() == [3, 3, 2, 2, 1, 1, 0, 0]
    assert found["base"].dropna().tolist() == [1, 1, 0, 0]
    assert index["label"].dtype == np.int32


def test_a_base_image_of_another_class_than_its_label_is_named(
    make: Make, published: Publication, tmp_path: Path
) -> None:
    image_id = min(published.base)
    classes = {**published.classes, image_id: "n99999999"}
    (tmp_path / "labels.txt").write_text("\n".join(classes.values()))
    message = rf"ES\.zip: {image_id} is of class {published.base[image_id]}, of n99999999 by the validation labels"
    with pytest.raises(PairedEvalError, match=message):
        make(labels=tmp_path / "labels.txt")


def test_a_missing_validation_set_leaves_nothing_behind(make: Make, tmp_path: Path) -> None:
    with pytest.raises(PairedEvalError, match=r"images\.validation: not set; .* register at image-net\.org"):
        make(validation=None)
    assert list(tmp_path.glob("*.parquet")) == list(tmp_path.glob("*.zip")) == []


def test_a_damaged_validation_image_is_found(make: Make, published: Publication, tmp_path: Path) -> None:
    folder = tmp_path / "validation"
    folder.mkdir()
    for image_id in published.classes:
        (folder / f"{image_id}.JPEG").write_bytes(encode(photograph(1)))
    image_id = min(published.base)
    data = (folder / f"{image_id}.JPEG").read_bytes()
    (folder / f"{image_id}.JPEG").write_bytes(data[: len(data) // 2])
    facts = read_facts(published.facts)
    facts = replace(facts, validation=replace(facts.validation, size=30 * 1536))
    with pytest.raises(ImageError, match=rf"validation: {image_id} cannot be decoded"):
        make(validation=folder, facts=facts, workers=2)
    assert not (tmp_path / "clean.zip").exists()


def test_facts_are_those_of_the_archive(make: Make, published: Publication, tmp_path: Path) -> None:
    other = dict(list(published.base.items())[1:])
    facts = write_facts(tmp_path / "facts.yaml", other, published.classes, published.files)
    with pytest.raises(ImageError, match=r"ImageNet-ES\.zip: 6 reference images, published are 5; fetch the archive"):
        make(facts=read_facts(facts))
