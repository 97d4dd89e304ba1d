"""Accepted labels as data: reading, refusing, looking up, and the published formats."""

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.files import write_table
from pairedeval.labels.annotations import (
    Annotations,
    annotation_table,
    membership,
    read_annotations,
    write_annotations,
)
from pairedeval.labels.imagenet import read_synsets
from pairedeval.labels.mistakes import clean_predictions, count_matches, match_mistakes, read_mistakes
from pairedeval.labels.real import read_real
from pairedeval.records import write_records

EXAMPLE = Annotations(
    annotation_table({"a": ["cat", "fox"], "b": [], "c": ["dog", "cat"], "d": ["fox"]}), "example", "Somebody's labels."
)
FACTS = {"name": "n", "description": "d"}


@pytest.fixture(scope="module")
def timm_files():
    """What timm ships of ReaL: the published bytes, and the classes in index order."""
    (package,) = find_spec("timm").submodule_search_locations  # found without importing torch
    folder = Path(package) / "data/_info"
    return folder / "imagenet_real_labels.json", folder / "imagenet_synsets.txt"


def test_annotations_survive_their_file(tmp_path):
    write_annotations(EXAMPLE, tmp_path / "a.parquet")
    found = read_annotations(tmp_path / "a.parquet")
    assert found.table.to_dict("list") == EXAMPLE.table.to_dict("list")
    assert (found.name, found.description) == ("example", "Somebody's labels.")


def test_membership_follows_images_and_candidates():
    found = membership(EXAMPLE, ["c", "b", "d"], ["dog", "bird", "cat"])
    assert found.accepted.tolist() == [[True, False, True], [False] * 3, [False] * 3]
    assert found.annotated.tolist() == [True, False, True]
    assert found.compatible.tolist() == [True, False, False]
    assert found.accepts(np.array([[2, 0, 1], [1, 1, 2]])).tolist() == [[True, False, False], [False] * 3]


@pytest.mark.parametrize(
    ("table", "facts", "message"),
    [
        (pd.DataFrame({"image_id": ["a"]}), FACTS, "missing column accepted; annotations have image_id and accepted"),
        (pd.DataFrame({"image_id": ["a", "a"], "accepted": ""}), FACTS, "image a stands twice; keep one row an image"),
        (pd.DataFrame({"image_id": ["a", "b"], "accepted": ["x", None]}), FACTS, "row 2: accepted is no text"),
        (pd.DataFrame({"image_id": [1], "accepted": ["x"]}), FACTS, "row 1: image_id is no text"),
        (pd.DataFrame({"image_id": ["a"], "accepted": ["x"]}), {"name": "n"}, "no description of the annotations"),
    ],
)
def test_unusable_annotations_are_refused(table, facts, message, tmp_path):
    write_table(table, tmp_path / "a.parquet", facts)
    with pytest.raises(PairedEvalError, match=rf"a\.parquet: {message}"):
        read_annotations(tmp_path / "a.parquet")


def test_an_image_without_row_is_named():
    with pytest.raises(PairedEvalError, match="annotations: no row for image z; annotate every evaluation image"):
        membership(EXAMPLE, ["a", "z"], ["cat"])


def test_other_class_ids_are_noticed():
    with pytest.raises(PairedEvalError, match="no accepted label is one of the candidates n01 to n02"):
        membership(EXAMPLE, ["a"], ["n01", "n02"])


def test_no_accepted_label_at_all_is_no_mistake():
    assert not membership(EXAMPLE, ["b"], ["n01"]).annotated.any()


def test_real_has_its_published_sizes(timm_files):
    labels = read_real(*timm_files)
    sizes = labels.table["accepted"].str.split().str.len().value_counts().sort_index()
    assert sizes.tolist() == [3163, 39394, 5408, 1319, 411, 161, 88, 41, 13, 2]
    # The file starts [], [970, 795], [230, 231], [809]: alp and ski, Shetland sheepdog and collie, soup bowl.
    assert labels.table.head(4).to_numpy().tolist() == [
        ["ILSVRC2012_val_00000001", ""],
        ["ILSVRC2012_val_00000002", "n09193705 n04228054"],
        ["ILSVRC2012_val_00000003", "n02105855 n02106030"],
        ["ILSVRC2012_val_00000004", "n04263257"],
    ]
    assert labels.table["image_id"].iloc[-1] == "ILSVRC2012_val_00050000"
    found = membership(labels, ["ILSVRC2012_val_00000003", "ILSVRC2012_val_00000001"], ["n02105855", "n04263257"])
    assert found.accepted.tolist() == [[True, False], [False, False]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lists: lists[:-1], "not a list of 50,000 lists of class indices"),
        (
            lambda lists: [*lists[:6], [1000], *lists[7:]],
            r"image 7: \[1000\] is no list of class indices from 0 to 999",
        ),
        (lambda lists: [*lists[:6], 5, *lists[7:]], "image 7: 5 is no list of class indices"),
        (lambda lists: [*lists[:6], [True], *lists[7:]], r"image 7: \[True\] is no list"),
    ],
)
def test_another_real_file_is_refused(change, message, timm_files, tmp_path):
    lists = json.loads(timm_files[0].read_text())
    (tmp_path / "real.json").write_text(json.dumps(change(lists)))
    with pytest.raises(PairedEvalError, match=message):
        read_real(tmp_path / "real.json", timm_files[1])


def test_damaged_files_are_named(timm_files, tmp_path):
    (tmp_path / "real.json").write_text("[[1, 2")
    with pytest.raises(PairedEvalError, match=r"real\.json: not a readable JSON file"):
        read_real(tmp_path / "real.json", timm_files[1])
    with pytest.raises(PairedEvalError, match=r"absent\.txt: not a readable list of classes"):
        read_synsets(tmp_path / "absent.txt")


def test_classes_in_another_order_are_refused(timm_files, tmp_path):
    first, second, *others = timm_files[1].read_text().split()
    (tmp_path / "synsets.txt").write_text("\n".join([second, first, *others]))
    with pytest.raises(PairedEvalError, match="not the 1,000 WordNet ids in ascending order"):
        read_synsets(tmp_path / "synsets.txt")


# The documented format, with entries of the published files.
MISTAKES = {
    "ILSVRC2012_val_00000001.JPEG": {
        "top_prediction": 2,
        "failure category": "Fine-grained error with OOV",
        "failure severity": "Minor",
    },
    "ILSVRC2012_val_00000002.JPEG": {
        "top_prediction": 1,
        "failure category": "Spurious Correlation",
        "failure severity": "Major",
    },
}


@pytest.fixture
def mistakes(tmp_path):
    """Two resources that share one mistake, under differently written categories."""
    synsets = [f"n{number:03d}" for number in range(1000)]
    first = next(iter(MISTAKES))
    other = {first: MISTAKES[first] | {"failure category": "Fine-grained with OOV"}}
    tables = []
    for name, entries in {"vit3b_mistakes": MISTAKES, "greedy_soups_mistakes": other}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(entries))
        tables.append(read_mistakes(tmp_path / f"{name}.json", synsets))
    return pd.concat(tables, ignore_index=True)


def test_mistakes_are_read_with_one_spelling(mistakes):
    assert mistakes.to_numpy().tolist() == [
        ["vit3b_mistakes", "ILSVRC2012_val_00000001", "n002", "fine-grained with oov", "minor"],
        ["vit3b_mistakes", "ILSVRC2012_val_00000002", "n001", "spurious correlation", "major"],
        ["greedy_soups_mistakes", "ILSVRC2012_val_00000001", "n002", "fine-grained with oov", "minor"],
    ]


def test_mistakes_match_by_image_and_predicted_label(mistakes, records, tmp_path):
    """Appendix J.3: sources with the same clean images repeat the distinct matches."""
    images = {"image-01": "ILSVRC2012_val_00000001", "image-02": "ILSVRC2012_val_00000002"}
    named = records.assign(image_id=records["image_id"].replace(images), true_class_probability=0.1)
    paths = []
    for model, answers in {"right": ("n002", "n003"), "wrong": ("n000", "n002")}.items():
        candidates = ["n000", "n001", "n002", "n003"]
        for source in ("es", "diverse"):
            frame = named.assign(
                prediction=np.select(
                    [named["image_id"] == image for image in images.values()],
                    [candidates.index(answer) for answer in answers],
                    named["prediction"],
                )
            )
            correct = frame["prediction"] == frame["label"]
            frame["true_class_probability"] = np.where(correct, frame["confidence"], 0.1)
            paths.append(tmp_path / f"{source}-{model}.parquet")
            metadata = {"source": source, "model": model, "group": "g", "candidates": candidates}
            write_records(frame, paths[-1], metadata)
    predictions = clean_predictions(paths)
    assert len(predictions) == 2 * 2 * 4  # sources, models, evaluation images
    matches = match_mistakes(predictions, mistakes)
    assert set(matches["model"]) == {"right"}
    assert count_matches(matches).iloc[0].to_dict() == {
        "source_matches": 4,
        "distinct_matches": 2,
        "images": 1,
        "models": 1,
    }


@pytest.mark.parametrize(
    "entry",
    [
        {"top_prediction": 1000, "failure category": "x", "failure severity": "y"},
        {"top_prediction": 1, "failure category": "x"},
        5,
    ],
)
def test_another_file_of_mistakes_is_refused(entry, tmp_path):
    (tmp_path / "m.json").write_text(json.dumps({"a.JPEG": entry}))
    with pytest.raises(PairedEvalError, match=r"m\.json: image a\.JPEG: .* lacks a class index as top_prediction"):
        read_mistakes(tmp_path / "m.json", ["n"] * 1000)
    (tmp_path / "m.json").write_text("[]")
    with pytest.raises(PairedEvalError, match="no object of image names"):
        read_mistakes(tmp_path / "m.json", ["n"] * 1000)
