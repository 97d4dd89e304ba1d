import json

import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.files import (
    atomic_path,
    read_metadata,
    read_table,
    remove_leftovers,
    write_json,
    write_table,
    write_text,
)


def test_a_table_comes_back_with_its_metadata(tmp_path):
    frame = pd.DataFrame({"model": ["a", "b"], "width": [0.5, float("nan")]})
    write_table(frame, tmp_path / "new" / "t.parquet", {"study": "digits"})
    pd.testing.assert_frame_equal(read_table(tmp_path / "new" / "t.parquet"), frame)
    assert read_metadata(tmp_path / "new" / "t.parquet") == {"study": "digits"}


def test_the_same_table_has_the_same_bytes(tmp_path):
    frame = pd.DataFrame({"model": ["a", "b"], "width": [0.5, 1.0]}, index=[7, 3])
    for name in ("one.parquet", "two.parquet"):
        write_table(frame, tmp_path / name, {"b": 1, "a": 2})
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "result.txt"
    write_text("old", target)

    def write_half():
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_json_refuses_nan_and_keeps_the_old_file(tmp_path):
    write_json({"b": 1, "a": [1.5]}, tmp_path / "facts.json")
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json({"a": float("nan")}, tmp_path / "facts.json")
    assert json.loads((tmp_path / "facts.json").read_text()) == {"a": [1.5], "b": 1}


@pytest.mark.parametrize(("content", "message"), [(None, "no such file"), (b"PAR1 cut", "not a readable Parquet file")])
def test_an_unreadable_table_is_named(tmp_path, content, message):
    path = tmp_path / "t.parquet"
    if content:
        path.write_bytes(content)
    with pytest.raises(PairedEvalError, match=message) as caught:
        read_table(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_metadata_of_foreign_files_is_empty(tmp_path):
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "t.parquet")
    assert read_metadata(tmp_path / "t.parquet") == {}


def test_only_leftovers_of_the_file_itself_are_removed(tmp_path):
    kept = [
        tmp_path / name for name in (".a.b.7.part.json", ".a.7.part.csv", "a.json", ".b.7.part.json", ".a.x.part.json")
    ]
    for path in (*kept, tmp_path / ".a.7.part.json", tmp_path / ".a.88.part.json"):
        path.write_text("")
    remove_leftovers(tmp_path / "a.json")
    remove_leftovers(tmp_path / "absent/a.json")
    assert sorted(tmp_path.iterdir()) == sorted(kept)
