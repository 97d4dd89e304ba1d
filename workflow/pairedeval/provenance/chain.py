"""The chain of a result file: what it was made of, back to the sources, compared with what is on disk."""

import os
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pairedeval.errors import PairedEvalError
from pairedeval.files import file_digest
from pairedeval.provenance.digests import cached_digest
from pairedeval.provenance.origins import CONFIGURATIONS, DIGESTS, FOLDER, Origin, place_of, read_origin

MADE, SOURCE, MEASURED, UNKNOWN = "made", "source", "measured", "unknown"
STUDIES = Path("results")
# What jobs took is written by Snakemake itself.
BENCHMARKS = "benchmarks"


@dataclass(frozen=True)
class Link:
    """One file of a chain.

    Attributes
    ----------
    path
        As the jobs name it: relative to where the workflow ran, or absolute.
    kind
        ``made`` by a job, a ``source`` from outside the study, ``measured`` by Snakemake (what a job took), or
        ``unknown``: a file of the study whose origin nobody has noted.
    sha256
        Of the file on disk; None if there is none.
    origin
        How the file was made; None unless `kind` is ``made``.
    """

    path: str
    kind: str
    sha256: str | None
    origin: Origin | None


@dataclass(frozen=True)
class Chain:
    """All files behind a result.

    Attributes
    ----------
    path
        The result, as its job names it.
    links
        The result and what is behind it, by path; a file stands before what it was made of.
    """

    path: str
    links: dict[str, Link]

    @property
    def problems(self) -> dict[str, list[str]]:
        """What does not fit together, by path; empty if every file on disk is the one that was made and used."""
        users: dict[str, list[Origin]] = {}
        for link in self.links.values():
            if link.origin is not None:
                for path in link.origin.inputs:
                    users.setdefault(path, []).append(link.origin)
        found = {path: _problems(link, users.get(path, [])) for path, link in self.links.items()}
        return {path: problems for path, problems in found.items() if problems}


def trace(file: str | Path) -> Chain:
    """Follow a result back to the sources of its study.

    Parameters
    ----------
    file
        File of a study, or a copy of one elsewhere, which is recognised by its content.

    Raises
    ------
    PairedEvalError
        If there is no such file, or no study in the folder ``results`` has noted that it made it.
    """
    path = Path(file)
    if not path.is_file():
        raise PairedEvalError(f"{path}: no such file; check the path")
    study, first = _find_in_its_study(path) or _find_by_content(path)
    links: dict[str, Link] = {}
    waiting = deque([first])
    while waiting:
        name = waiting.popleft()
        if name not in links:
            links[name] = study.link(name)
            origin = links[name].origin
            waiting.extend(origin.inputs if origin else ())
    return Chain(first, links)


def chain_answer(chain: Chain) -> dict[str, Any]:
    """Return a chain as plain values: ``file``, ``files`` (attributes of `Link` and `Origin`) and ``problems``."""
    return {
        "file": chain.path,
        "files": [asdict(link) for link in chain.links.values()],
        "problems": [{"path": path, "problems": problems} for path, problems in chain.problems.items()],
    }


@dataclass(frozen=True)
class _Study:
    """Where a study is, and how its jobs called that folder."""

    root: Path
    folder: str

    def link(self, path: str) -> Link:
        origin = read_origin(self._on_disk(place_of(path, self.folder, FOLDER)))
        return Link(path, self._kind(path, origin), self._digest(path), origin)

    def _on_disk(self, path: str | Path) -> Path:
        if Path(path).is_relative_to(self.folder):
            return self.root / Path(path).relative_to(self.folder)
        # Other paths are relative to the folder in which the workflow ran.
        return self.root.parents[len(Path(self.folder).parts) - 1] / path

    def _digest(self, path: str) -> str | None:
        cache = self._on_disk(place_of(path, self.folder, DIGESTS))
        try:
            return cached_digest(self._on_disk(path), cache, remember=False)
        except FileNotFoundError:
            return None

    def _kind(self, path: str, origin: Origin | None) -> str:
        if origin is not None:
            return MADE
        if not Path(path).is_relative_to(self.folder):
            return SOURCE
        return MEASURED if Path(path).is_relative_to(Path(self.folder, BENCHMARKS)) else UNKNOWN


def _find_in_its_study(path: Path) -> tuple[_Study, str] | None:
    """Look for the origin of a file in the folders above it; links are not followed, as results may be links."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100
    for root in absolute.parents:
        origin = read_origin(place_of(absolute, root, FOLDER))
        if origin is not None:
            return _Study(root, origin.folder), origin.file
    return None


def _find_by_content(path: Path) -> tuple[_Study, str]:
    """Look for a file with the same content in every study."""
    sha256 = file_digest(path)
    for root in sorted(STUDIES.resolve().glob("*/")):
        for place in sorted(root.joinpath(FOLDER).rglob("*.json")):
            if not any(place.is_relative_to(root / other) for other in (DIGESTS, CONFIGURATIONS)):
                origin = read_origin(place)
                if origin is not None and origin.sha256 == sha256:
                    return _Study(root, origin.folder), origin.file
    raise PairedEvalError(
        f"{path}: no study in the folder {STUDIES} has noted that it made this file; "
        f"if it is a result, remove it and make it again"
    )


def _problems(link: Link, users: Sequence[Origin]) -> list[str]:
    """Compare a file on disk with the one that was made, and with the one that each user read."""
    if link.sha256 is None:
        return ["no longer on disk"]
    problems = []
    if link.kind == UNKNOWN:
        problems.append("no job has noted that it made this file; remove it and run the study again")
    if link.origin is not None and link.origin.sha256 != link.sha256:
        job = " ".join([link.origin.rule, *link.origin.wildcards.values()])
        problems.append(f"the file on disk is not the one that {job} made")
    others = [user.file for user in users if user.inputs[link.path] != link.sha256]
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        problems.append(f"the file on disk is not the one that was used for {others[0]}{more}")
    return problems
