import gzip

import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.own.pairing import join_sides
from pairedeval.own.predictions import read_predictions

HEADER = "image_id,label,prediction,confidence,true_class_probability\n"
GOOD = HEADER + "a,cat,cat,0.9,0.9\nb,dog,cat,0.6,0.3\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="side.csv"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return write


def test_csv_gzip_parquet_and_column_order_are_one(write, tmp_path):
    frame = read_predictions(write(GOOD))
    frame[["confidence", "prediction", "true_class_probability", "label", "image_id"]].to_parquet(
        tmp_path / "s.parquet"
    )
    pd.testing.assert_frame_equal(read_predictions(write(GOOD, "side.csv.gz")), frame)
    pd.testing.assert_frame_equal(read_predictions(tmp_path / "s.parquet"), frame)


def test_labels_are_text_and_nothing_is_taken_for_missing(write):
    frame = read_predictions(write(HEADER + "007,NA,NA,0.9,0.9\nnan,01,1,0.6,0.3\n"))
    assert list(frame["image_id"]) == ["007", "nan"]
    assert list(frame["label"]) == ["NA", "01"]
    assert list(frame["prediction"]) == ["NA", "1"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("c,cat,cat,nan,0.9", "row 3 (image c): confidence is not a number"),
        ("c,cat,cat,,0.9", "row 3 (image c): confidence is not a number"),
        ("c,cat,cat,0.9,x", "row 3 (image c): true_class_probability is not a number"),
        ("c,cat,cat,7.3,7.3", "row 3 (image c): confidence lies outside [0, 1]; logits or similarities need a softmax"),
        ("c,cat,dog,0.5,0.6", "row 3 (image c): true_class_probability exceeds confidence"),
        ("c,cat,cat,0.6,0.5", "row 3 (image c): the prediction is correct, so confidence and"),
        ("a,cat,cat,0.6,0.6", "row 3 (image a): the image id stands twice"),
        ("c,,cat,0.6,0.6", "row 3 (image c): label is empty"),
        (",cat,cat,0.6,0.6", "row 3 (image ): image_id is empty"),
    ],
)
def test_a_broken_row_is_named(write, row, message):
    path = write(GOOD + row + "\n")
    with pytest.raises(RecordsError) as caught:
        read_predictions(path)
    assert str(caught.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty file"),
        (HEADER, "no rows"),
        ("image_id,label\na,b\n", "missing column prediction, confidence, true_class_probability"),
    ],
)
def test_a_file_without_rows_or_columns_is_refused(write, text, message):
    with pytest.raises(RecordsError, match=message):
        read_predictions(write(text))


def test_missing_and_damaged_files_are_named(tmp_path, write):
    with pytest.raises(RecordsError, match=r"none\.csv: no such file"):
        read_predictions(tmp_path / "none.csv")
    path = tmp_path / "cut.csv.gz"
    path.write_bytes(gzip.compress(GOOD.encode() * 50)[:40])
    with pytest.raises(RecordsError, match=r"cut\.csv\.gz: not a readable CSV file"):
        read_predictions(path)


def test_rounding_noise_is_accepted_and_clipped(write):
    frame = read_predictions(write(HEADER + "a,cat,cat,1.0000000000000002,1.0000000000000002\n"))
    assert frame["confidence"].max() == 1.0


def sides(clean, perturbed):
    columns = ["image_id", "label", "prediction", "confidence", "true_class_probability"]
    return [pd.DataFrame([(*row, "x", 0.5, 0.1) for row in rows], columns=columns) for rows in (clean, perturbed)]


def test_equal_ids_are_paired_in_one_order():
    joined = join_sides(*sides([("b", "1"), ("a", "0")], [("a", "0"), ("b", "1")]), "cell")
    assert joined.paired
    assert list(joined.clean["image_id"]) == list(joined.perturbed["image_id"]) == ["a", "b"]


def test_foreign_ids_leave_the_pairing_unknown():
    assert not join_sides(*sides([("a", "0")], [("z", "0")]), "cell").paired


@pytest.mark.parametrize(
    ("clean", "perturbed", "message"),
    [
        ([("a", "0"), ("b", "0")], [("a", "0"), ("c", "0")], "cell: images on the clean side only: 1, for example b"),
        ([("a", "0")], [("a", "0"), ("c", "0")], "cell: images on the perturbed side only: 1, for example c"),
        ([("a", "0"), ("b", "1")], [("a", "1"), ("b", "0")], "cell: image a has label 0 on the clean side and 1 on"),
        ([("a", "0"), ("b", "1")], [("c", "0"), ("d", "0")], "cell: class 0 has 1 clean and 2 perturbed records"),
    ],
)
def test_sides_that_cannot_be_matched_are_refused(clean, perturbed, message):
    with pytest.raises(RecordsError) as caught:
        join_sides(*sides(clean, perturbed), "cell")
    assert str(caught.value).startswith(message)
