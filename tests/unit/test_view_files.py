"""View files: the same bytes, the parts that analyses take, and what is refused."""

import time
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from pairedeval.consistency.views import LEVELS, OPERATORS, ORIGINAL, WITHHELD, Views, read_views, write_views
from pairedeval.errors import RecordsError
from pairedeval.records import DEVELOPMENT, EVALUATION

NAMES = (ORIGINAL, *(f"{operator}-{level}" for level in LEVELS[:2] for operator in OPERATORS))


@pytest.fixture
def views() -> Views:
    generator = np.random.default_rng(3)
    return Views(
        logits=generator.normal(size=(2, 2, 13, 4, 3)).astype(np.float32),
        conditions=("clean", "fog-2"),
        views=NAMES,
        image_ids=("a", "b", "c", "d"),
        labels=np.array([0, 2, 1, WITHHELD], dtype=np.int32),
        splits=(DEVELOPMENT, EVALUATION, EVALUATION, DEVELOPMENT),
        classes=("n0", "n1", "n2"),
        metadata={"study": "digits", "model": "vit", "group": "vit"},
    )


def test_round_trip(views, tmp_path):
    write_views(views, tmp_path / "vit.npz")
    again = read_views(tmp_path / "vit.npz")
    for name in ("logits", "labels"):
        stored = getattr(again, name)
        np.testing.assert_array_equal(stored, getattr(views, name))
        assert stored.dtype == getattr(views, name).dtype
    same = ("conditions", "views", "image_ids", "splits", "classes", "metadata")
    assert [getattr(again, name) for name in same] == [getattr(views, name) for name in same]


def test_same_bytes_at_any_time(views, tmp_path, monkeypatch):
    write_views(views, tmp_path / "now.npz")
    later = time.time() + 10 * 365 * 86400
    monkeypatch.setattr(time, "time", lambda: later)
    write_views(views, tmp_path / "later.npz")
    assert (tmp_path / "now.npz").read_bytes() == (tmp_path / "later.npz").read_bytes()


def test_contract_names(views, tmp_path):
    write_views(views, tmp_path / "vit.npz")
    with zipfile.ZipFile(tmp_path / "vit.npz") as archive:
        members = {name.removesuffix(".npy") for name in archive.namelist()}
    assert members == {
        *("logits", "conditions", "views", "image_ids", "labels", "splits", "classes", "metadata"),
    }


@pytest.mark.parametrize("level", [1, 2])
def test_one_level_of_one_condition(views, level):
    # The order of the views in the file does not matter, but for the original.
    order = [0, *np.random.default_rng(0).permutation(np.arange(1, 13))]
    mixed = replace(views, logits=views.logits[:, :, order], views=tuple(NAMES[place] for place in order))
    for stored in (views, mixed):
        found = stored.at_level(level, "fog-2")
        assert found.shape == (2, 7, 4, 3)
        for position, name in enumerate([ORIGINAL, *(f"{operator}-{level}" for operator in OPERATORS)]):
            np.testing.assert_array_equal(found[:, position], views.logits[:, 1, NAMES.index(name)])
        np.testing.assert_array_equal(stored.at_level(level, "fog-2", EVALUATION), found[:, :, 1:3])


def test_halves(views):
    assert views.in_split(DEVELOPMENT).tolist() == [True, False, False, True]
    assert views.in_split(EVALUATION).tolist() == [False, True, True, False]


@pytest.mark.parametrize(("level", "condition", "name"), [(3, "clean", "noise-3"), (1, "fog-4", "fog-4")])
def test_logits_that_are_not_there(views, level, condition, name):
    with pytest.raises(RecordsError, match=rf"^vit: no logits for {name}; remove it and run the views of this"):
        views.at_level(level, condition)


def with_value(views, value):
    logits = views.logits.copy()
    logits[1, 1, 2, 3, 0] = value
    return {"logits": logits}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda views: {"logits": views.logits[:, :1]}, r"logits has shape \(1, 13, 4, 3\) instead of \(2, 13, 4, 3\)"),
        (lambda views: {"logits": views.logits[0]}, r"logits has shape \(13, 4, 3\) instead of \(2, 13, 4, 3\)"),
        (lambda views: {"labels": views.labels[1:]}, r"labels has shape \(3,\) instead of \(4,\)"),
        (lambda views: {"splits": views.splits[1:]}, r"splits has shape \(3,\) instead of \(4,\)"),
        (lambda views: {"conditions": ("clean", "clean")}, r"conditions holds a value twice"),
        (lambda views: {"views": (*NAMES[:-1], ORIGINAL)}, r"views holds a value twice"),
        (lambda views: {"image_ids": ("a", "b", "a", "d")}, r"image_ids holds a value twice"),
        (lambda views: {"classes": ("n0", "n1", "n0")}, r"classes holds a value twice"),
        (lambda views: {"views": (*NAMES[1:], ORIGINAL)}, r"the first view is not original"),
        (lambda views: with_value(views, np.nan), r"condition fog-2, view blur-1, image d: NaN or infinite logit"),
        (lambda views: with_value(views, -np.inf), r"condition fog-2, view blur-1, image d: NaN or infinite logit"),
        (lambda views: {"labels": views.labels + np.int32(1)}, r"a label is outside the 3 classes"),
        (lambda views: {"labels": views.labels - np.int32(1)}, r"a label is outside the 3 classes"),
    ],
)
def test_arrays_that_do_not_fit(views, tmp_path, change, message):
    with pytest.raises(RecordsError, match=rf"vit\.npz: {message}; remove it and run the views"):
        write_views(replace(views, **change(views)), tmp_path / "vit.npz")
    assert not list(tmp_path.iterdir())


def test_missing_and_damaged_files(views, tmp_path):
    path = tmp_path / "vit.npz"
    with pytest.raises(RecordsError, match=r"vit\.npz: no such file; run the views of this configuration first"):
        read_views(path)
    write_views(views, path)
    whole = path.read_bytes()
    broken = bytearray(whole)
    broken[len(whole) // 4] ^= 0xFF
    for content in (b"", b"text", whole[: len(whole) // 2], bytes(broken)):
        path.write_bytes(content)
        with pytest.raises(RecordsError, match=r"vit\.npz: not a readable view file \(.*\); remove it and run"):
            read_views(path)


def test_a_file_of_another_kind(tmp_path):
    path = tmp_path / "vit.npz"
    np.savez(path, logits=np.zeros((1, 1)))
    with pytest.raises(RecordsError, match=r"vit\.npz: not a readable view file"):
        read_views(path)


def test_files_never_run_code(tmp_path):
    np.savez(tmp_path / "vit.npz", logits=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(RecordsError, match=r"vit\.npz: not a readable view file"):
        read_views(tmp_path / "vit.npz")
