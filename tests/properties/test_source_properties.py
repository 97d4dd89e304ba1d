"""Sources: what must hold whatever the order of rows and members, and whatever the halves and classes."""

import random
import zipfile
from collections import Counter
from pathlib import Path

import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pairedeval.images import ImageStore, write_originals
from pairedeval.sources.archives import CaptureArchive
from pairedeval.sources.facts import ArchiveFacts
from pairedeval.sources.imagenet import build_index, choose_syn, count_overlap
from pairedeval.splits import BASE, SYN

FACTS = ArchiveFacts(file="a.zip", references="a/t/r", captures="a/t/c")
FILES = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
numbers = st.integers(1, 27)
seeds = st.integers(0, 2**32)


def image(number: int) -> str:
    return f"ILSVRC2012_val_{number:08d}"


@st.composite
def labelled_images(draw: st.DrawFn) -> dict[str, str]:
    """Draw classes of two to seven images each, under shuffled numbers."""
    sizes = draw(st.lists(st.integers(2, 7), min_size=1, max_size=6))
    classes = [f"n{position:08d}" for position, size in enumerate(sizes) for _ in range(size)]
    random.Random(draw(seeds)).shuffle(classes)
    return {image(number): class_id for number, class_id in enumerate(classes, start=1)}


@given(
    members=st.dictionaries(
        st.tuples(st.sampled_from(["l1", "l2", "l7"]), numbers, st.integers(1, 9)), st.binary(max_size=8), min_size=1
    ),
    seed=seeds,
)
@FILES
def test_the_order_of_members_changes_nothing(
    members: dict[tuple[str, int, int], bytes], seed: int, tmp_path: Path
) -> None:
    names = {f"a/t/c/{light}/param_{k}/n00000001/{image(i)}.JPEG": data for (light, k, i), data in members.items()}
    order = [*names, "a/t/r/n00000001/ILSVRC2012_val_00000001.JPEG"]
    random.Random(seed).shuffle(order)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in order:
            archive.writestr(name, names.get(name, b"reference"))
    with CaptureArchive(tmp_path / "a.zip", FACTS) as opened:
        found = {
            (light, k, int(image_id[-8:])): opened.read(photograph)
            for (light, k), images in opened.captures.items()
            for image_id, photograph in images.items()
        }
    assert found == members


@given(files=st.dictionaries(st.text("abc-._", min_size=1, max_size=6), st.binary(max_size=20), min_size=1))
@FILES
def test_a_store_of_photographs_gives_back_every_byte(files: dict[str, bytes], tmp_path: Path) -> None:
    write_originals(tmp_path / "set.zip", [("l1-k01", image_id, files[image_id]) for image_id in sorted(files)])
    with ImageStore(tmp_path / "set.zip") as store:
        assert store.image_ids("l1-k01") == tuple(sorted(files))
        assert {image_id: store.read_bytes("l1-k01", image_id) for image_id in files} == files


@given(classes=labelled_images(), per_class=st.integers(1, 2), seed=seeds)
@settings(deadline=None)
def test_every_class_gives_the_same_number_of_syn_images_in_any_order(
    classes: dict[str, str], per_class: int, seed: int
) -> None:
    images = pd.DataFrame({"image_id": list(classes), "class_id": list(classes.values())})
    chosen = choose_syn(images, per_class, seed)
    assert Counter(classes[image_id] for image_id in chosen) == dict.fromkeys(set(classes.values()), per_class)
    assert choose_syn(images.iloc[::-1], per_class, seed) == chosen
    # More images of a class keep those that were chosen before.
    assert set(choose_syn(images, 1, seed)) <= set(chosen)


@given(classes=labelled_images(), data=st.data(), seed=seeds)
@settings(deadline=None)
def test_labels_are_positions_among_the_classes_of_the_role(
    classes: dict[str, str], data: st.DataObject, seed: int
) -> None:
    shown = data.draw(st.sets(st.sampled_from(sorted(set(classes.values()))), min_size=1))
    base = [image_id for image_id, class_id in classes.items() if class_id in shown]
    names = {class_id: class_id[::-1] for class_id in classes.values()}
    index = build_index(classes, {SYN: list(classes), BASE: base}, names, seed)
    for role, candidates in ((SYN, sorted(set(classes.values()))), (BASE, sorted(shown))):
        rows = index[index["role"] == role]
        assert [candidates[label] for label in rows["label"]] == rows["class_id"].tolist()
        assert set(rows["class_name"]) == {names[class_id] for class_id in candidates}
        sizes = rows.groupby(["class_id", "split"]).size()
        for class_id in candidates:
            assert abs(sizes.get((class_id, "development"), 0) - sizes.get((class_id, "evaluation"), 0)) <= 1
    assert count_overlap(index)["shared_images"] == len(base)
