"""A copy of the repository in which the smoke study runs once, is killed on its way and goes on."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".snakemake*", "results", "__pycache__", ".*_cache", "*.egg-info")
SMOKE = ("--configfile", "config/smoke.yaml")


@dataclass(frozen=True)
class Checkout:
    """A working copy, and the ways to run something in it."""

    folder: Path

    def python(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        """Run Python so that it imports the package of this copy."""
        run = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or run.returncode == 0, run.stdout + run.stderr
        return run

    def snakemake(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        """Run Snakemake on the smoke study, unless the arguments name another configuration."""
        study = () if "--configfile" in arguments else SMOKE
        profile = ("--workflow-profile", "workflow/profiles/default")
        return self.python("-m", "snakemake", "--cores", "2", *profile, *arguments, *study, check=check)

    def planned(self, *arguments: str) -> dict[str, int]:
        """Return the number of jobs of each rule that would run."""
        out = self.snakemake("--dry-run", *arguments).stdout
        table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", out, re.MULTILINE | re.DOTALL)
        return {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", table[1], re.M)} if table else {}

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.folder / "workflow"), "PYTHONWARNINGS": ""}

    @property
    def results(self) -> Path:
        return self.folder / "results/smoke"


@pytest.fixture(scope="session")
def checkout(root, tmp_path_factory) -> Checkout:
    """Return an untouched copy, for plans."""
    folder = tmp_path_factory.mktemp("plan") / "pairedeval"
    shutil.copytree(root, folder, ignore=LEFT_OUT)
    return Checkout(folder)


@pytest.fixture(scope="session")
def killed(root, tmp_path_factory) -> Checkout:
    """Return a copy whose run was killed without warning as soon as it had written its first records."""
    folder = tmp_path_factory.mktemp("study") / "pairedeval"
    shutil.copytree(root, folder, ignore=LEFT_OUT)
    copy = Checkout(folder)
    run = subprocess.Popen(
        [sys.executable, "-m", "pairedeval.run", *SMOKE, "--cores", "2"],
        cwd=folder,
        env=copy.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 400
    while not list(copy.results.glob("records/*/*.parquet")):
        assert run.poll() is None, "the study ended before it had records"
        assert time.monotonic() < deadline, "no records after 400 s"
        time.sleep(0.2)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    return copy


@pytest.fixture(scope="session")
def finished(killed) -> Checkout:
    """Return the copy after the killed run was started again and came to its end."""
    # A model that has records was certainly finished; another one may have been killed in its last moment.
    used = {path.stem for path in killed.results.glob("records/*/*.parquet")}
    models = [killed.results / f"models/{name}.safetensors" for name in used]
    before = {path: path.stat().st_mtime_ns for path in models}
    run = killed.python("-m", "pairedeval.run", *SMOKE, "--cores", "2")
    assert run.stdout.endswith(f"The report is at {killed.results / 'report.html'}\n")
    kept = {path: path.stat().st_mtime_ns for path in before}
    assert before
    assert kept == before, "a finished model was trained again"
    return killed


@pytest.fixture(scope="session")
def consistent(finished) -> Checkout:
    """Return the copy after the second part was made as well."""
    finished.snakemake("consistency")
    return finished
