import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.run import main, only_run, report_path, run_study


def test_a_second_run_is_refused_while_the_first_one_lives(tmp_path):
    lock = tmp_path / "lock"
    with only_run(lock), pytest.raises(PairedEvalError, match="a study is already running here"), only_run(lock):
        pass
    with only_run(lock):
        assert lock.exists()


def test_it_starts_only_beside_the_snakefile(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PairedEvalError, match="workflow/profiles/default: no such folder; start from the folder"):
        run_study([])
    monkeypatch.setattr("sys.argv", ["run"])
    assert main() == 2
    assert "start from the folder that holds the Snakefile" in capsys.readouterr().err


def test_the_report_is_that_of_the_named_study(root, monkeypatch):
    monkeypatch.chdir(root)
    assert report_path(["--cores", "2"]) == root / "results/digits/report.html"
    assert report_path(["--configfile", "config/smoke.yaml"]) == root / "results/smoke/report.html"
