import subprocess
import sys
from pathlib import Path

import pytest

from pairedeval.cli import main
from pairedeval.own.screening_ranking import RISKS
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


def test_the_help_of_screen_names_every_score_and_the_rule_for_ties(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["screen", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert caught.value.code == 0
    assert f"one of {', '.join(RISKS).replace('mean', 'mean (default)', 1)}" in told
    assert "images of equal risk stand in the order of their ids" in told


def test_screen_never_writes_over_its_input(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("fog.csv").write_text("kept")
    assert main(["screen", "clean.csv", "fog.csv", "--output", str(tmp_path / "fog.csv")]) == 2
    assert "the ranking would replace an input file" in capsys.readouterr().err
    assert Path("fog.csv").read_text() == "kept"


def test_screen_ranks_images_without_torch(tmp_path):
    """The likeliest failure stands first; neither torch nor scikit-learn is needed."""
    (tmp_path / "clean.csv").write_text(HEADER + "a,0,0,0.9,0.9\nb,1,1,0.8,0.8\nc,1,0,0.6,0.4\n")
    (tmp_path / "fog-4.csv").write_text(HEADER + "b,1,0,0.7,0.2\na,0,0,0.6,0.6\nc,1,1,0.5,0.5\n")
    program = (
        "import sys; sys.modules['torch'] = sys.modules['sklearn'] = None; "
        "from pairedeval.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "screen", "clean.csv", "fog-4.csv", "--output", "ranking.csv"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert told.startswith("clean.csv: 2 of 3 images are correct, 1 probe condition\n")
    assert (tmp_path / "ranking.csv").read_text() == (
        "rank,image_id,risk,prediction,confidence,why\n"
        '1,b,-0.2,1,0.8,"mean probability 0.20 over 1 probe, wrong in 1; lowest 0.20 under fog-4"\n'
        '2,a,-0.6,0,0.9,"mean probability 0.60 over 1 probe, wrong in 0; lowest 0.60 under fog-4"\n'
    )


def test_a_probe_is_needed(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["screen", "clean.csv", "--budget", "0.2"])
    assert caught.value.code == 2
    assert "the following arguments are required: PROBE" in capsys.readouterr().err
