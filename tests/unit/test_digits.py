"""The images of study digits."""

from pathlib import Path

import numpy as np
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.files import read_table
from pairedeval.images import ImageStore
from pairedeval.sources.digits import build_index, load_scans, make_images, render


def test_the_index_of_the_default_study() -> None:
    _, labels = load_scans()
    index = build_index(labels, 20260908, base_per_class=20, syn_per_class=60)
    assert len(index) == 1797
    assert index["role"].value_counts().to_dict() == {"train": 997, "syn": 600, "base": 200}
    halves = index[index["role"] != "train"].groupby(["class_id", "role", "split"]).size()
    assert set(halves.unstack(["role", "split"]).to_numpy().ravel()) == {10, 30}
    assert len(halves) == 40
    assert index.loc[0, ["image_id", "class_id", "class_name", "label"]].tolist() == [
        "digit-0001",
        "digit-0",
        "zero",
        0,
    ]
    assert (index["label"] == labels).all()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 8, 9] * 9, "class digit-7 has no images"),
        (
            [*range(10)] * 3 + [*range(9)],
            "class digit-9 has 3 images, too few for 2 of role syn after 2 of other roles",
        ),
    ],
)
def test_an_empty_or_small_class_is_named(labels: list[int], message: str) -> None:
    with pytest.raises(PairedEvalError, match=message):
        build_index(np.array(labels), 1, base_per_class=2, syn_per_class=2, train_per_class=0)


def test_a_slice_is_written_and_made_again_to_the_same_bytes(tmp_path: Path) -> None:
    paths = [(tmp_path / f"{run}.parquet", tmp_path / f"{run}.zip") for run in ("first", "second")]
    for index, clean in paths:
        make_images(index, clean, size=32, seed=1, base_per_class=2, syn_per_class=2, train_per_class=1)
    assert paths[0][0].read_bytes() == paths[1][0].read_bytes()
    assert paths[0][1].read_bytes() == paths[1][1].read_bytes()
    index = read_table(paths[0][0])
    with ImageStore(paths[0][1]) as store:
        assert store.conditions == ("clean",)
        assert store.image_ids("clean") == tuple(index["image_id"])
        scans, _ = load_scans()
        image_id = index["image_id"].iloc[-1]
        expected = render(scans[int(image_id.removeprefix("digit-")) - 1], 32, 1, image_id)
        assert np.array_equal(store.read("clean", image_id), expected)


def test_images_too_small_for_the_corruptions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PairedEvalError, match=r"images\.size is 31 px, too small for the corruptions; use at least 32"):
        make_images(
            tmp_path / "index.parquet", tmp_path / "clean.zip", size=31, seed=1, base_per_class=2, syn_per_class=2
        )


def test_ink_is_darker_than_paper_and_keeps_off_the_border() -> None:
    scans, _ = load_scans()
    for number in range(0, 200, 10):
        image = render(scans[number], 64, 1, f"digit-{number:04d}").astype(float).mean(axis=2)
        blank = render(np.zeros((8, 8)), 64, 1, f"digit-{number:04d}").astype(float).mean(axis=2)
        border = np.ones((64, 64), dtype=bool)
        border[4:-4, 4:-4] = False
        assert np.abs(image[border] - blank[border]).max() <= 2
        assert (image <= blank + 1).all()
        assert (blank - image).max() > 60


def test_the_look_belongs_to_the_image() -> None:
    scan = np.zeros((8, 8))
    looks = {render(scan, 32, seed, image).tobytes() for seed, image in [(1, "a"), (1, "b"), (2, "a"), (1, "a")]}
    assert len(looks) == 3
