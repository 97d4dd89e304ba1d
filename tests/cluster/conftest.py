"""The smoke study on a SLURM cluster of one node, with one job cancelled in the middle of its work."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cluster.slurm import MORTAL, Cluster, Job, one_node, wait_until

# All that a study needs; its results come to lie beside them.
CHECKOUT = ("Snakefile", "workflow", "config", "resources", "envs")
STUDY = ("--workflow-profile", "workflow/profiles/slurm", "--configfile", "config/smoke.yaml")
# This cluster keeps no accounts, and jobs of a few seconds are worth asking after more often than every 40 seconds.
HERE = ("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "1")
HERE += ("--seconds-between-status-checks", "1", "--latency-wait", "10")
# The models of this study need no GPU; its inference shows that one can be had.
HERE += ("--set-resources", "infer:gpu=1")


class Run:
    """The study on its way, in a copy of the repository."""

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        self.cluster = cluster
        self.results = folder / "results/smoke"
        self._folder = folder
        self._log = folder / "snakemake.log"
        self._process = self._start()

    def _start(self) -> subprocess.Popen:
        environment = {
            **self.cluster.environment,
            "PYTHONPATH": str(self._folder / "workflow"),
            "PYTHONWARNINGS": "",
            "PYTHONDONTWRITEBYTECODE": "",
            "OMP_NUM_THREADS": "1",
        }
        words = [*MORTAL, sys.executable, "-m", "snakemake", *STUDY, *HERE]
        with self._log.open("w") as log:
            return subprocess.Popen(words, cwd=self._folder, env=environment, stdout=log, stderr=log)

    def wait_until(self, condition: Callable[[], object], awaited: str) -> None:
        """Return when the condition holds; fail if the run ends before."""

        def holds() -> object:
            assert self._process.poll() is None, f"the run ended before {awaited}:\n{self.log[-4000:]}"
            return condition()

        wait_until(holds, 1200, awaited)

    def finish(self) -> int:
        """Wait for the end and return the exit status."""
        return self._process.wait(2400)

    def kill(self) -> None:
        """End Snakemake, if it still runs."""
        self._process.kill()
        self._process.wait()

    @property
    def log(self) -> str:
        """What Snakemake has said so far."""
        return self._log.read_text()

    def running(self, comment: str) -> list[Job]:
        """Return the running jobs whose comment starts like this."""
        return [job for job in self.cluster.jobs() if job.state == "RUNNING" and job.comment.startswith(comment)]

    def checkpoints(self, job: Job) -> dict[Path, int]:
        """Return when each finished condition of an inference job was stored, in nanoseconds."""
        source, _, model = job.comment.removeprefix("rule_infer_wildcards_").partition("_")
        found = {}
        for path in self.results.glob(f"work/infer/{source}/{model}/*/[!.]*.npy"):
            try:
                found[path] = path.stat().st_mtime_ns
            except FileNotFoundError:
                # The job has ended well and removes its folder.
                continue
        return found


@dataclass(frozen=True)
class Finished:
    """The study after its run.

    Attributes
    ----------
    run
        The run.
    status
        Exit status of Snakemake.
    jobs
        All jobs.
    killed
        The one that was cancelled.
    checkpoints
        Its checkpoints at its end, when the next attempt began, and when that one had added to them.
    """

    run: Run
    status: int
    jobs: list[Job]
    killed: Job
    checkpoints: list[dict[Path, int]]


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Return a running cluster."""
    with one_node() as node:
        yield node


@pytest.fixture(scope="session")
def finished(root, tmp_path_factory, cluster) -> Iterator[Finished]:
    """Run the study to its end; one inference job is cancelled as soon as it has some checkpoints."""
    folder = tmp_path_factory.mktemp("study")
    for name in CHECKOUT:
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy2
        copy(root / name, folder / name)
    run = Run(folder, cluster)
    try:
        killed, checkpoints = cancel_one(run)
        yield Finished(run, run.finish(), cluster.jobs(), killed, checkpoints)
    finally:
        run.kill()


def cancel_one(run: Run) -> tuple[Job, list[dict[Path, int]]]:
    """Cancel an inference job that has some checkpoints and see the next attempt at work."""
    # The source with the most conditions: there is time to hit a job.
    victim: list[Job] = []

    def at_work() -> bool:
        victim[:] = [job for job in run.running("rule_infer_wildcards_diverse_") if len(run.checkpoints(job)) >= 5]
        return bool(victim)

    run.wait_until(at_work, "an inference job with checkpoints")
    killed = victim[0]
    run.cluster.cancel(killed)
    checkpoints = [run.checkpoints(killed)]
    run.wait_until(lambda: run.running(killed.comment), "the next attempt")
    checkpoints.append(run.checkpoints(killed))
    run.wait_until(lambda: len(run.checkpoints(killed)) > len(checkpoints[0]), "its first new checkpoint")
    checkpoints.append(run.checkpoints(killed))
    return killed, checkpoints
