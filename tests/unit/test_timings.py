import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.timings import collect_timings

HEADER = "s\th:m:s\tmax_rss\tmax_vms\n"


def test_jobs_of_a_rule_are_added_up(tmp_path):
    (tmp_path / "train").mkdir()
    (tmp_path / "train/a.tsv").write_text(HEADER + "10.5\t0:00:10\t512.0\t900\n")
    (tmp_path / "train/b.tsv").write_text(HEADER + "4.5\t0:00:04\t600.0\t900\n")
    (tmp_path / "table_06.tsv").write_text(HEADER + "0.4\t0:00:00\t-\t-\n")
    timings = collect_timings([tmp_path / f for f in ("train/a.tsv", "train/b.tsv", "table_06.tsv")], tmp_path)
    assert list(timings["rule"]) == ["train", "table_06"]
    assert list(timings.loc[0, ["jobs", "seconds", "max_memory_mb"]]) == [2, 15.0, 600.0]
    assert timings["max_memory_mb"].isna().tolist() == [False, True]


@pytest.mark.parametrize("text", ["", "nothing\n", HEADER])
def test_a_file_that_is_no_benchmark_is_named(tmp_path, text):
    (tmp_path / "train.tsv").write_text(text)
    with pytest.raises(PairedEvalError, match=r"train\.tsv: not a benchmark file"):
        collect_timings([tmp_path / "train.tsv"], tmp_path)
