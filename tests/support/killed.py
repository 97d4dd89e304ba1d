"""Jobs in processes of their own, to be killed at any moment."""

import shutil
import time
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from pairedeval.inference.checkpoints import Checkpoints
from pairedeval.inference.engine import infer_probes, infer_records
from pairedeval.perturb import make

# What takes long to import is imported once, in a process from which each job is forked.
PRELOADED = ["pytest", "timm", "imagecorruptions", "pairedeval.inference.engine", "pairedeval.models.small"]
PRELOADED += ["pairedeval.perturb.make"]
JOBS: dict[str, tuple[Callable[..., None], str, str]] = {
    "records": (infer_records, "output", "net.parquet"),
    "probes": (infer_probes, "output", "net.npz"),
    "images": (make.perturb_set, "target", "set.zip"),
}


class Job:
    """One job that is started again and again.

    Parameters
    ----------
    name
        One of `JOBS`.
    positional, named
        Arguments of the job, but for its result and its working folder.
    folder
        Empty folder for both.
    """

    def __init__(self, name: str, positional: tuple[Any, ...], named: Mapping[str, Any], folder: Path) -> None:
        _, result, file = JOBS[name]
        self.output = folder / file
        self.work = folder / "work"
        self._log = folder / "log"
        self._arguments = (name, positional, {**named, result: self.output, "work": self.work}, self._log)
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload(PRELOADED)

    def start(self) -> BaseProcess:
        """Start the job."""
        process = self._context.Process(target=_run, args=self._arguments)
        process.start()
        return process

    def run(self, seconds: float | None = None) -> bool:
        """Run the job, and kill it after some seconds; return whether it ended before."""
        process = self.start()
        process.join(seconds)
        process.kill()
        process.join()
        if process.exitcode not in {0, -9}:
            raise AssertionError(f"the job failed with exit code {process.exitcode}")
        return process.exitcode == 0

    def start_afresh(self) -> None:
        """Remove all that the job left."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.output.unlink(missing_ok=True)
        self._log.unlink(missing_ok=True)

    def seconds(self) -> float:
        """Run the job to its end and return how long that takes once the modules are loaded."""
        self.run()
        self.start_afresh()
        start = time.perf_counter()
        self.run()
        return time.perf_counter() - start

    def finished_parts(self) -> list[str]:
        """Return the names of the parts that the job has finished since it started afresh."""
        return self._log.read_text(encoding="utf-8").split()


def _run(name: str, positional: tuple[Any, ...], named: dict[str, Any], log: Path) -> None:
    """Run a job that logs what it has finished: conditions that are stored, or shards."""

    def logged(function: Callable[..., Any], part: Callable[..., str]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            result = function(*arguments)
            with log.open("a", encoding="utf-8") as file:
                file.write(part(*arguments) + "\n")
            return result

        return call

    Checkpoints.save = logged(Checkpoints.save, lambda self, condition, *rest: condition)  # type: ignore[method-assign]
    if named.get("workers", 1) == 1:
        make._make_shard = logged(make._make_shard, lambda shard: shard.path.stem.rsplit("-", 1)[0])
    JOBS[name][0](*positional, **named)
