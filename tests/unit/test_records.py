import numpy as np
import pytest

from pairedeval.errors import RecordsError
from pairedeval.records import EVALUATION, block, check_records, read_records, write_records


def test_records_come_back_sorted(tmp_path, records):
    path = tmp_path / "m.parquet"
    write_records(records.sample(frac=1, random_state=0), path, {"model": "m"})
    frame, metadata = read_records(path)
    assert metadata == {"model": "m"}
    assert list(zip(frame["condition"], frame["image_id"], strict=True)) == sorted(
        zip(records["condition"], records["image_id"], strict=True)
    )


def test_a_block_holds_the_same_image_at_each_position(records):
    evaluation = block(records.sample(frac=1, random_state=1), EVALUATION)
    assert evaluation.conditions == ("fog-2",)
    assert list(evaluation.labels) == [0, 0, 1, 1]
    assert list(evaluation.image_ids) == ["image-01", "image-02", "image-11", "image-12"]
    np.testing.assert_array_equal(evaluation.clean.confidence, [0.8, 0.7, 0.8, 0.7])
    np.testing.assert_array_equal(evaluation.perturbed.confidence, [[0.5, 0.4, 0.5, 0.4]])
    np.testing.assert_array_equal(evaluation.perturbed.prediction, [[0, 1, 1, 0]])


def edited(records, column, value, rows=slice(0, 1)):
    frame = records.copy()
    frame.iloc[rows, frame.columns.get_loc(column)] = value
    return frame


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("confidence", np.nan, "r: condition clean, image image-00: confidence is not a probability"),
        ("confidence", 1.5, "r: condition clean, image image-00: confidence is not a probability"),
        ("true_class_probability", -0.1, "r: condition clean, image image-00: true_class_probability is not a prob"),
        ("true_class_probability", 0.95, "r: condition clean, image image-00: true_class_probability exceeds"),
        ("true_class_probability", 0.5, "r: condition clean, image image-00: the prediction is correct, so"),
        ("split", "test", "r: condition clean, image image-00: split is neither"),
        ("split", "evaluation", "r: condition fog-2, image image-00: split differs from that in another condition"),
        ("image_id", "image-01", "r: condition clean, image image-01: the image stands twice"),
        ("image_id", "new", "r: condition clean has 6 of 7 images"),
        ("label", 1, "r: condition clean, image image-00: "),
    ],
)
def test_a_broken_row_is_named(records, column, value, message):
    frame = edited(records, column, value)
    if column == "label":
        frame["prediction"] = 5
        message = "r: condition fog-2, image image-00: label differs from that in another condition"
    with pytest.raises(RecordsError) as caught:
        check_records(frame, "r")
    assert str(caught.value).startswith(message)


def test_missing_columns_and_empty_records_are_refused(records):
    with pytest.raises(RecordsError, match="r: missing column split; a record file has condition, image_id"):
        check_records(records.drop(columns="split"), "r")
    with pytest.raises(RecordsError, match="r: no records"):
        check_records(records.iloc[:0], "r")


def test_nothing_is_written_when_a_row_is_broken(tmp_path, records):
    with pytest.raises(RecordsError):
        write_records(edited(records, "confidence", 2.0), tmp_path / "m.parquet", {})
    assert list(tmp_path.iterdir()) == []


def test_a_block_needs_clean_records(records):
    with pytest.raises(RecordsError, match="r: no clean records in the evaluation split"):
        block(records[records["condition"] != "clean"], EVALUATION, "r")
