"""Where published files come from: a copy of the user, an installed package, the hub, or an address of their own."""

import logging
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pairedeval.errors import PairedEvalError
from pairedeval.files import atomic_path, file_digest, write_json
from pairedeval.sources.facts import SourceFile
from pairedeval.sources.fetch import check_file, explained, fetch_url


@dataclass(frozen=True)
class HubFile:
    """What the hub says about one file of a dataset.

    Attributes
    ----------
    url, headers
        Where it is, at a fixed commit, and what to send along.
    size, sha256
        In bytes, and the digest of large files; empty for small ones.
    facts
        What is recorded: repository, revision, commit, licence, access, date.
    """

    url: str
    headers: Mapping[str, str]
    size: int
    sha256: str
    facts: Mapping[str, Any]


def fetch_source(
    file: SourceFile, target: str | Path, record: str | Path, *, work: str | Path, copy: str | Path | None = None
) -> None:
    """Put one published file in place, and record what it is and where it comes from.

    Parameters
    ----------
    file
        What is published about it.
    target
        Where it is wanted; a link if `copy` is given.
    record
        JSON to write: ``file``, ``size``, ``sha256``, ``origin`` (``copy``, ``package``, ``hub`` or ``url``),
        ``place``, and what the hub says.
    work
        Folder for the parts of an unfinished transfer, removed at the end.
    copy
        A copy that is already on this machine, used instead of fetching.

    Raises
    ------
    PairedEvalError
        If the file cannot be had, or is another one than the published one.
    """
    target = Path(target)
    packaged = _packaged(file)
    facts: dict[str, Any]
    if copy is not None:
        facts = {"origin": "copy", **_link(file, Path(copy), target)}
    elif packaged is not None:
        with atomic_path(target) as temporary:
            shutil.copyfile(packaged, temporary)
        facts = {"origin": "package", "place": file.package, "sha256": file.sha256}
    else:
        try:
            facts = _fetch(file, target, work)
        except PairedEvalError as error:
            raise PairedEvalError(f"{error}, or name a copy under images.copies") from error
    write_json({"file": file.name, "size": target.stat().st_size, **facts}, record)
    shutil.rmtree(work, ignore_errors=True)


def find_on_hub(file: SourceFile) -> HubFile:
    """Ask the hub for a file of a dataset: commit, size, digest, licence.

    The endpoint is that of huggingface_hub (``HF_ENDPOINT``), and so is the way to sign in for gated datasets.

    Raises
    ------
    PairedEvalError
        If the hub cannot be asked or knows no such file, or its size is not the one that is known of its commit.
    """
    from huggingface_hub import HfApi, get_token, hf_hub_url
    from huggingface_hub.hf_api import RepoFile

    api = HfApi()
    with explained(f"{api.endpoint}/datasets/{file.repository}"):
        dataset = api.dataset_info(file.repository, revision=file.revision)
        listed = api.get_paths_info(file.repository, [file.name], revision=dataset.sha, repo_type="dataset")
        found = next((entry for entry in listed if isinstance(entry, RepoFile)), None)
        if found is None:
            raise FileNotFoundError(f"no file {file.name} at commit {dataset.sha}")
    _check_known(file, str(dataset.sha), found.size)
    token = get_token()
    facts = {
        "repository": file.repository,
        "revision": file.revision,
        "commit": dataset.sha,
        "licence": dataset.card_data.get("license") if dataset.card_data else None,
        "gated": dataset.gated,
        "last_modified": dataset.last_modified.isoformat() if dataset.last_modified else None,
    }
    return HubFile(
        url=hf_hub_url(file.repository, file.name, repo_type="dataset", revision=dataset.sha),
        headers={"Authorization": f"Bearer {token}"} if token else {},
        size=found.size,
        sha256=found.lfs.sha256 if found.lfs else "",
        facts=facts,
    )


def _fetch(file: SourceFile, target: Path, work: str | Path) -> dict[str, Any]:
    if not file.repository:
        if not file.url:
            raise PairedEvalError(f"{file.name}: there is no address for it; add one to the facts about the sources")
        sha256 = fetch_url(file.url, target, work=work, size=file.size, sha256=file.sha256)
        return {"origin": "url", "place": file.url, "sha256": sha256}
    hub = find_on_hub(file)
    sha256 = fetch_url(hub.url, target, work=work, size=hub.size, sha256=hub.sha256, headers=hub.headers)
    return {"origin": "hub", "place": hub.url, "sha256": sha256, "hub_sha256": hub.sha256, **hub.facts}


def _check_known(file: SourceFile, commit: str, size: int) -> None:
    known = file.known_sizes.get(commit)
    if known is None:
        if file.known_sizes:
            logging.warning("%s: commit %s is not the one that was described; it is recorded", file.name, commit)
    elif known != size:
        raise PairedEvalError(
            f"{file.name}: the hub offers {size:,} bytes at commit {commit}, which is known to have {known:,}; "
            "look at the dataset's page, and correct the facts about the sources if it is right"
        )


def _packaged(file: SourceFile) -> Path | None:
    """Return the copy inside an installed package, if it is the published file."""
    package, _, path = file.package.partition("/")
    # Found without importing it: the package may be heavy.
    spec = find_spec(package) if package else None
    for folder in (spec.submodule_search_locations or []) if spec else []:
        candidate = Path(folder) / path
        if candidate.is_file() and file_digest(candidate) == file.sha256:
            return candidate
    return None


def _link(file: SourceFile, copy: Path, target: Path) -> dict[str, Any]:
    if not copy.is_file():
        raise PairedEvalError(f"{copy}: no such file; correct images.copies, or leave {file.name} out to fetch it")
    sha256 = check_file(copy, file.size, file.sha256)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    target.symlink_to(copy.resolve())
    return {"place": str(copy.resolve()), "sha256": sha256}
