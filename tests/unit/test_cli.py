import pytest

from pairedeval.cli import main
from pairedeval.records import write_records

HEADER = "image_id,label,prediction,confidence,true_class_probability\n"


def test_check_describes_files_and_their_pairing(tmp_path, capsys):
    (tmp_path / "clean.csv").write_text(HEADER + "a,0,0,0.9,0.9\nb,1,0,0.6,0.4\n")
    (tmp_path / "perturbed.csv").write_text(HEADER + "b,1,1,0.6,0.6\na,0,1,0.7,0.2\n")
    assert main(["check", str(tmp_path / "clean.csv"), str(tmp_path / "perturbed.csv")]) == 0
    out = capsys.readouterr().out
    assert "2 rows, 2 images, 2 classes, 1 cell\n" in out
    assert "accuracy 50.0%, confidence 0.6000 to 0.9000" in out
    assert "The sides hold the same images: the pairing is known." in out


def test_check_takes_record_files(tmp_path, capsys, records):
    write_records(records, tmp_path / "m.parquet", {})
    assert main(["check", str(tmp_path / "m.parquet")]) == 0
    assert "12 rows, 6 images, 2 classes, 2 cells" in capsys.readouterr().out


def test_labels_in_another_order_are_noticed(tmp_path, capsys):
    rows = "".join(f"i{i},{i % 10},{(i + 1) % 10},0.9,0.01\n" for i in range(100))
    (tmp_path / "clean.csv").write_text(HEADER + rows)
    assert main(["check", str(tmp_path / "clean.csv")]) == 0
    assert "far below chance; do labels and predictions number the classes alike?" in capsys.readouterr().out


def test_unusable_input_is_one_line_and_exit_2(tmp_path, capsys):
    assert main(["check", str(tmp_path / "none.csv")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"pairedeval: {tmp_path / 'none.csv'}: no such file; check the path\n"


def test_a_command_is_needed(capsys):
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2
    assert "COMMAND" in capsys.readouterr().err
