"""The origin of a result file: one JSON file beside the results, at the same place under ``provenance/``."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pairedeval.errors import PairedEvalError
from pairedeval.files import write_json

FOLDER = "provenance"
DIGESTS = "provenance/.digests"
CONFIGURATIONS = "provenance/configurations"


@dataclass(frozen=True)
class Origin:
    """How one file was made.

    Attributes
    ----------
    file
        Path of the file, relative to where the workflow ran.
    sha256
        Of the file as it was made.
    study, seed
        Id and seed of the study; every random number follows from the seed.
    folder
        Folder of the study, as `file` names it.
    rule, wildcards
        The job that made it.
    settings
        Everything that the configuration told this job.
    config_digest
        Digest of study, seed and settings, 16 hex digits.
    configuration
        Digest of the whole configuration; it stands in ``provenance/configurations/<digest>.json``.
    version, commit, code
        Of the package; of the checkout, ``-dirty`` with changes and empty without git; digest of the job's script and
        of all package code behind it.
    software
        Versions of Python and of the libraries that the job had loaded.
    inputs
        SHA-256 of each file that the job was given, by path.
    made
        When, in UTC.
    """

    file: str
    sha256: str
    study: str
    seed: int
    folder: str
    rule: str
    wildcards: Mapping[str, str]
    settings: Mapping[str, Any]
    config_digest: str
    configuration: str
    version: str
    commit: str
    code: str
    software: Mapping[str, str]
    inputs: Mapping[str, str]
    made: str


def place_of(path: str | Path, study: str | Path, folder: str) -> Path:
    """Return where something about a file is kept.

    Parameters
    ----------
    path
        File in or outside the study's folder.
    study
        Folder of the study.
    folder
        `FOLDER` or `DIGESTS`.

    Examples
    --------
    >>> place_of("results/digits/tables/table_06.csv", "results/digits", FOLDER).as_posix()
    'results/digits/provenance/tables/table_06.csv.json'
    >>> place_of("resources/captures.csv", "results/digits", DIGESTS).as_posix()
    'results/digits/provenance/.digests/elsewhere/resources/captures.csv.json'
    """
    file = Path(path)
    if file.is_relative_to(study):
        inside = file.relative_to(study)
    else:
        inside = Path("elsewhere", *(part for part in file.parts if part not in (file.anchor, "..")))
    return Path(study, folder, inside.with_name(f"{inside.name}.json"))


def write_origin(origin: Origin) -> None:
    """Write an origin to its place, atomically."""
    write_json(asdict(origin), place_of(origin.file, origin.folder, FOLDER))


def read_origin(place: str | Path) -> Origin | None:
    """Read an origin; None if there is none.

    Raises
    ------
    PairedEvalError
        If the file is damaged.
    """
    try:
        return Origin(**json.loads(Path(place).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise PairedEvalError(
            f"{place}: not a readable origin ({error}); remove it and make the file again that it describes"
        ) from error
