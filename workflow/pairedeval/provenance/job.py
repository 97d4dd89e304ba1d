"""What a job writes down about the files that it makes."""

import json
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pairedeval import __version__
from pairedeval.files import file_digest, remove_leftovers, write_json
from pairedeval.provenance.digests import cached_digest
from pairedeval.provenance.origins import CONFIGURATIONS, DIGESTS, FOLDER, Origin, place_of, write_origin
from pairedeval.provenance.stamp import stamping
from pairedeval.seeds import digest

# Parameters that say how a job is watched and where it works, not what it computes.
_NO_SETTINGS = ("code", "work")
_LIBRARIES = (
    "numpy", "pandas", "pyarrow", "scipy", "sklearn", "torch", "torchvision", "timm", "open_clip", "transformers",
    "safetensors", "PIL", "cv2", "matplotlib", "seaborn",
)  # fmt: skip


@contextmanager
def recorded(snakemake: Any) -> Iterator[None]:
    """Stamp the files of a job while they are written, and keep the origin of each when the job ends well.

    Parameters
    ----------
    snakemake
        The object that Snakemake gives to a script. The log file stands in ``<study's folder>/logs``.
    """
    job = _describe(snakemake)
    for path in snakemake.output:
        remove_leftovers(path)
        remove_leftovers(place_of(path, job.folder, FOLDER))
    stamp = {"study": job.study, "rule": job.rule, "wildcards": job.wildcards, "seed": job.seed}
    with stamping({**stamp, "version": job.version}, {"config_digest": job.config_digest, "inputs": job.inputs}):
        yield
    _keep_configuration(snakemake.config, job)
    made = datetime.now(UTC).isoformat(timespec="seconds")
    for path in snakemake.output:
        write_origin(replace(job, file=path, sha256=file_digest(path), software=_loaded(), made=made))


def study_folder(log: str | Path) -> Path:
    """Return the folder of a study, from the log file of one of its jobs.

    Examples
    --------
    >>> study_folder("results/digits/logs/infer/es/vit.log").as_posix()
    'results/digits'
    """
    return next(parent for parent in Path(log).parents if parent.name == "logs").parent


def _describe(snakemake: Any) -> Origin:
    """Return what is known before the work: everything but the file, its digest, the libraries and the time."""
    folder = study_folder(snakemake.log[0])
    study, seed = str(snakemake.config["study"]), int(snakemake.config["seed"])
    settings = {name: value for name, value in snakemake.params.items() if name not in _NO_SETTINGS}
    return Origin(
        file="",
        sha256="",
        study=study,
        seed=seed,
        folder=folder.as_posix(),
        rule=snakemake.rule,
        wildcards=dict(snakemake.wildcards.items()),
        settings=_plain(settings),
        config_digest=_digest({"study": study, "seed": seed, "settings": settings}),
        configuration=_digest(snakemake.config),
        version=__version__,
        commit=_commit(Path(snakemake.scriptdir)),
        code=str(snakemake.params.get("code", "")),
        software={},
        inputs={path: cached_digest(path, place_of(path, folder, DIGESTS), remember=True) for path in snakemake.input},
        made="",
    )


def _keep_configuration(config: Mapping[str, Any], job: Origin) -> None:
    place = Path(job.folder, CONFIGURATIONS, f"{job.configuration}.json")
    if not place.exists():
        write_json(_plain(config), place)


def _commit(scripts: Path) -> str:
    """Return what git calls the state of the checkout of ``workflow/scripts``."""
    checkout = scripts.resolve().parent.parent
    # A copy without its own history may lie in somebody else's.
    if not (checkout / ".git").exists():
        return ""
    command = ("git", "--no-optional-locks", "-C", str(checkout), "describe", "--always", "--dirty", "--tags")
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _loaded() -> dict[str, str]:
    found = {name: getattr(sys.modules.get(name), "__version__", None) for name in _LIBRARIES}
    return {"python": platform.python_version(), **{name: str(value) for name, value in found.items() if value}}


def _digest(value: Any) -> str:
    return digest(json.dumps(_plain(value), sort_keys=True))[:16]


def _plain(value: Any) -> Any:
    """Return a value as JSON knows it; what YAML knows beyond it, such as dates, becomes text."""
    return json.loads(json.dumps(value, default=str))
