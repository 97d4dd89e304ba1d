"""Run a study: ``python -m pairedeval.run --configfile config/digits.yaml --cores all [targets]``.

Around Snakemake it adds what a person would otherwise do by hand: it refuses to start beside another run,
clears the lock that a killed run left behind, and says at the end where the report is.
"""

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from pairedeval.errors import PairedEvalError

PROFILE = Path("workflow/profiles/default")
LOCK = Path(".snakemake-run.lock")


@contextmanager
def only_run(lock: Path = LOCK) -> Iterator[None]:
    """Hold the lock of this folder; a second run is refused while the first one lives.

    Raises
    ------
    PairedEvalError
        If another run holds the lock.
    """
    with lock.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PairedEvalError(
                f"{lock.resolve().parent}: a study is already running here; wait for it to end or stop it first"
            ) from None
        yield


def run_study(arguments: list[str]) -> int:
    """Run Snakemake with the default profile and return its exit status."""
    if not PROFILE.is_dir():
        raise PairedEvalError(f"{PROFILE}: no such folder; start from the folder that holds the Snakefile")
    snakemake = [sys.executable, "-m", "snakemake"]
    with only_run():
        # A lock left over is stale: no run is alive, or only_run would have refused.
        subprocess.run([*snakemake, "--unlock", "--quiet"], check=False, capture_output=True)
        return subprocess.call([*snakemake, "--workflow-profile", str(PROFILE), *arguments])


def report_path(arguments: list[str]) -> Path:
    """Return where the report of the study named by ``--configfile`` stands."""
    named = arguments.index("--configfile") + 1 if "--configfile" in arguments else 0
    config = Path(arguments[named]) if named else Path("config/digits.yaml")
    study = yaml.safe_load(config.read_text(encoding="utf-8"))["study"]
    return Path("results", study, "report.html").resolve()


def main() -> int:
    """Run, and say where the report is."""
    arguments = sys.argv[1:]
    try:
        status = run_study(arguments)
    except PairedEvalError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    report = report_path(arguments)
    if status == 0 and report.exists():
        print(f"The report is at {report}")
    return status


if __name__ == "__main__":
    sys.exit(main())
