"""The smoke study through the SLURM executor: what jobs ask for, a job that is killed, the report."""

import re
from collections import Counter

import pytest

from pairedeval.records import read_records

pytestmark = pytest.mark.timeout(3600)

# What may run where Snakemake itself runs: a second or two each, on small tables.
LIGHT = re.compile(r"all|collect_timings|report|(table|figure)_\w+")


def test_the_study_reaches_its_report(finished):
    assert finished.status == 0, finished.run.log[-4000:]
    assert "</html>" in (finished.run.results / "report.html").read_text(encoding="utf-8")


def test_every_job_but_the_light_ones_went_through_the_queue_once(finished):
    table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", finished.run.log, re.MULTILINE | re.DOTALL)[1]
    planned = {rule: int(count) for rule, count in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE)}
    assert planned["infer"] == 9
    completed = Counter(job.rule for job in finished.jobs if job.state == "COMPLETED")
    for rule, count in planned.items():
        assert completed[rule] == count or LIGHT.fullmatch(rule), rule
    assert [job.number for job in finished.jobs if job.state != "COMPLETED"] == [finished.killed.number]


def test_every_job_states_memory_and_time_and_inference_gets_a_gpu(finished):
    for job in finished.jobs:
        assert job.memory != "0", job
        assert job.limit != "UNLIMITED", job
        assert job.devices == ("gres:gpu:1" if job.rule == "infer" else ""), job


def test_a_killed_job_is_tried_again_with_twice_the_memory(finished):
    first, second = (job for job in finished.jobs if job.comment == finished.killed.comment)
    assert (first.state, second.state) == ("CANCELLED", "COMPLETED")
    assert int(second.memory.rstrip("M")) == 2 * int(first.memory.rstrip("M"))


def test_it_goes_on_from_its_checkpoints(finished):
    at_the_end, at_the_restart, afterwards = finished.checkpoints
    assert len(at_the_end) >= 5
    # Nothing of the killed job lived on, and nothing that it had finished was done again.
    assert at_the_restart == at_the_end
    assert len(afterwards) > len(at_the_end)
    assert {path: afterwards[path] for path in at_the_end} == at_the_end


def test_its_records_are_whole(finished):
    source, _, model = finished.killed.comment.removeprefix("rule_infer_wildcards_").partition("_")
    frame, _ = read_records(finished.run.results / f"records/{source}/{model}.parquet")
    assert frame["condition"].nunique() == 163
    assert frame.groupby("condition").size().nunique() == 1
    assert not [path for path in finished.run.results.glob("work/**/*") if path.is_file()]
