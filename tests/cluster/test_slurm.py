"""The cluster of the tests itself."""

import subprocess
import sys
from pathlib import Path

import pytest

from cluster.slurm import one_node, wait_until

DAEMONS = {"munged", "slurmctld", "slurmscriptd", "slurmd", "slurmstepd"}
WORK = "sleep 86399"
JOB = ("sbatch", "--output=/dev/null", f"--wrap=srun {WORK}")
PROGRAM = f"""
import time
from cluster.slurm import one_node

with one_node() as cluster:
    cluster.command(*{JOB!r})
    time.sleep(600)
"""


def processes() -> set[int]:
    """Return the processes of any cluster, and of this job on it."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name = (folder / "comm").read_text().strip()
            arguments = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            # It has ended meanwhile.
            continue
        # A process without arguments has ended and waits for its parent to notice.
        if arguments and (name in DAEMONS or arguments.strip().endswith(WORK)):
            found.add(int(folder.name))
    return found


def test_a_stopped_cluster_leaves_no_process_behind():
    before = processes()
    with one_node() as cluster:
        cluster.command(*JOB)
        # The daemons, a second step and the work.
        wait_until(lambda: len(processes() - before) >= len(DAEMONS) + 2, 60, "the job")
    assert processes() <= before


def test_a_terminated_process_leaves_no_cluster_behind(root):
    before = processes()
    run = subprocess.Popen([sys.executable, "-c", PROGRAM], cwd=root / "tests", stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: len(processes() - before) >= len(DAEMONS) + 2, 60, "the job")
    finally:
        run.terminate()
        run.wait(60)
    assert processes() <= before


def test_a_daemon_that_does_not_start_is_named(monkeypatch):
    monkeypatch.setattr("cluster.slurm.CONFIGURATION", "SlurmctldHost=localhost\nNoSuchKey=1\n")
    before = processes()
    with pytest.raises(AssertionError, match=r"(?s)slurmctld ended.*NoSuchKey"), one_node():
        pass
    assert processes() <= before
