"""The images of a role: a role's own candidates, and images that have two roles."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import ImageError
from pairedeval.files import write_table
from pairedeval.inference.inputs import read_image_set

ROWS = [
    ("i2", "n2", "bee", 1, "syn", "development"),
    ("i1", "n1", "ape", 0, "syn", "evaluation"),
    ("i3", "n3", "cat", 2, "syn", "evaluation"),
    ("i3", "n3", "cat", 1, "base", "development"),
    ("i2", "n2", "bee", 0, "base", "evaluation"),
]


def write_index(folder: Path, rows: list[tuple[str, str, str, int, str, str]] = ROWS) -> Path:
    columns = ["image_id", "class_id", "class_name", "label", "role", "split"]
    path = folder / "index.parquet"
    write_table(pd.DataFrame(rows, columns=columns), path)
    return path


def test_candidates_are_the_classes_of_the_role(tmp_path: Path) -> None:
    index = write_index(tmp_path)
    syn, base = read_image_set(index, "syn"), read_image_set(index, "base")
    assert syn.classes.ids == ("n1", "n2", "n3")
    assert base.classes.ids == ("n2", "n3")
    assert base.classes.names == ("bee", "cat")


def test_an_image_with_two_roles_has_a_label_and_a_split_in_each(tmp_path: Path) -> None:
    index = write_index(tmp_path)
    syn, base = read_image_set(index, "syn"), read_image_set(index, "base")
    assert (syn.image_ids, syn.labels.tolist()) == (("i1", "i2", "i3"), [0, 1, 2])
    assert (base.image_ids, base.labels.tolist()) == (("i2", "i3"), [0, 1])
    assert base.splits == ("evaluation", "development")
    assert syn.splits == ("evaluation", "development", "evaluation")
    assert base.labels.dtype == np.int32


def test_a_label_among_the_classes_of_another_role_is_refused(tmp_path: Path) -> None:
    index = write_index(tmp_path, [*ROWS[:4], ("i2", "n2", "bee", 1, "base", "evaluation")])
    with pytest.raises(
        ImageError, match=r"image i2: label 1 is not the position of n2 .* of role base; make the index"
    ):
        read_image_set(index, "base")


def test_an_image_twice_in_a_role_is_refused(tmp_path: Path) -> None:
    index = write_index(tmp_path, [*ROWS, ROWS[-1]])
    with pytest.raises(ImageError, match=r"index\.parquet: image i2 has role base twice; make the index again"):
        read_image_set(index, "base")
    assert len(read_image_set(index, "syn").image_ids) == 3
