"""Tables that the commands on own files write: never over an input, whole or not at all."""

import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.own.output import check_output, write_csv


def test_an_output_of_its_own():
    check_output("new.csv", ["clean.csv", None, "blur.csv"], "ranking")


@pytest.mark.parametrize("output", ["clean.csv", "./clean.csv", "sub/../clean.csv", "link.csv"])
def test_an_output_that_is_an_input(output, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clean.csv").write_text("read")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.csv").symlink_to("clean.csv")
    with pytest.raises(RecordsError) as caught:
        check_output(output, [None, "blur.csv", "clean.csv"], "ranking")
    assert str(caught.value) == f"{output}: the ranking would replace an input file; give --output another name"


def test_a_table_as_csv(tmp_path):
    frame = pd.DataFrame({"image_id": ["a", "b,c"], "risk": [0.1, float("nan")]}, index=[7, 3])
    write_csv(frame, str(tmp_path / "new" / "table.csv"))
    assert (tmp_path / "new" / "table.csv").read_bytes() == b'image_id,risk\na,0.1\n"b,c",\n'


def test_what_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("kept")
    frame = pd.DataFrame({"image_id": ["a"]})
    with pytest.raises(RecordsError, match=r": is a folder; name a file$"):
        write_csv(frame, str(tmp_path))
    with pytest.raises(RecordsError, match=r"table\.csv: cannot be written \(.+\); name another file$"):
        write_csv(frame, str(tmp_path / "file" / "table.csv"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "kept"
