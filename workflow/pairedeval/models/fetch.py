"""Published weights: fetched from where their authors put them, or taken from a folder of the user, then checked.

Files are checked against the digests that their names or addresses carry, read without executing code, fitted into the
architecture that the registry names, and written as one safetensors file a model, tensors unchanged.
"""

import hashlib
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag

from pairedeval.errors import ModelError, PairedEvalError
from pairedeval.files import file_digest
from pairedeval.models.network import build_network
from pairedeval.models.registry import ModelEntry
from pairedeval.models.versions import software_versions
from pairedeval.models.weights import write_weights
from pairedeval.sources.fetch import explained, fetch_url

# Names of weight files on the hub by library, the preferred one first, as the libraries themselves look for them.
HUB_FILES = {
    "open_clip": ("open_clip_model.safetensors", "open_clip_pytorch_model.bin"),
    "timm": ("model.safetensors", "pytorch_model.bin"),
}
# Torch's convention: a file name ends in the start of the file's SHA-256.
_NAMED_DIGEST = re.compile(r"-([0-9a-f]{8,64})\.\w+$")


@dataclass(frozen=True)
class _Source:
    """One part of the registry's column `source`: names that the file may have, and where it is."""

    text: str
    names: tuple[str, ...]
    md5: str = ""


@dataclass(frozen=True)
class _File:
    """A published file on this machine, and what is recorded about it."""

    path: Path
    facts: dict[str, Any]


def fetch_weights(entry: ModelEntry, output: str | Path, *, work: str | Path, local: str | Path | None = None) -> None:
    """Write the published weights of a model as one safetensors file, with a JSON file of facts beside it.

    Parameters
    ----------
    entry
        Model with published weights.
    output
        ``results/<study>/models/<model>.safetensors``.
    work
        Folder for files as they are published; an interrupted transfer goes on there. Removed at the end.
    local
        Folder of files that the user fetched: those in ``<local>/<model>/`` are taken instead of published ones.

    Raises
    ------
    ModelError
        If a file cannot be fetched, is not the published one, would need code to be executed, or does not fit the
        architecture or its number of parameters in the registry.
    """
    files = [_obtain(entry, source, Path(work), local) for source in _sources(entry)]
    network = build_network(entry, "meta")
    network.adopt([file.path for file in files])
    if entry.parameters and network.parameters != entry.parameters:
        raise ModelError(
            f"{entry.model}: {network.parameters:,} parameters, but the registry says {entry.parameters:,}; "
            f"correct the registry's architecture or its column parameters"
        )
    facts = {
        "model": entry.model,
        "library": entry.library,
        "architecture": entry.architecture,
        "options": dict(entry.options),
        "weights": entry.weights,
        "input_size": entry.input_size,
        "preprocessing": str(network.transform),
        "parameters": network.parameters,
        "files": [file.facts for file in files],
        "versions": software_versions(),
    }
    write_weights(network.module, output, facts)
    shutil.rmtree(work, ignore_errors=True)


def _sources(entry: ModelEntry) -> list[_Source]:
    if not entry.source:
        raise ModelError(f"{entry.model}: the registry does not say where its weights are; fill its column source")
    sources = []
    for text in entry.source.split():
        if text.startswith("hf:"):
            sources.append(_Source(text.removeprefix("hf:"), HUB_FILES[entry.library]))
        else:
            address, fragment = urldefrag(text)
            name = address.rpartition("/")[2]
            sources.append(_Source(address, (name,), fragment.removeprefix("md5=")))
    return sources


def _obtain(entry: ModelEntry, source: _Source, work: Path, local: str | Path | None) -> _File:
    own = [] if local is None else [Path(local) / entry.model / name for name in source.names]
    path = next((candidate for candidate in own if candidate.is_file()), None)
    if path is not None:
        facts = {"origin": str(path), "sha256": file_digest(path)}
    else:
        try:
            path, facts = _fetch(source, work)
        except PairedEvalError as error:
            folder = Path(local or "<folder of own files>") / entry.model
            raise ModelError(f"{entry.model}: {error}, or put {' or '.join(source.names)} into {folder}") from error
    _check(path, source, facts["sha256"])
    return _File(path, {"name": path.name, "bytes": path.stat().st_size, **facts})


def _fetch(source: _Source, work: Path) -> tuple[Path, dict[str, Any]]:
    if "://" in source.text:
        path = work / source.names[0]
        return path, {"origin": source.text, "sha256": fetch_url(source.text, path, work=work)}
    return _fetch_from_hub(source.text, source.names, work)


def _fetch_from_hub(repository: str, names: Sequence[str], work: Path) -> tuple[Path, dict[str, Any]]:
    """Fetch the first of some files that a repository has, at the commit that its revision has now."""
    from huggingface_hub import HfApi, get_token, hf_hub_url
    from huggingface_hub.hf_api import RepoFile

    name, _, revision = repository.partition("@")
    api, token = HfApi(), get_token()
    with explained(f"{api.endpoint}/{name}"):
        commit = api.model_info(name, revision=revision or "main").sha
        listed = api.get_paths_info(name, list(names), revision=commit)
        files = {entry.path: entry for entry in listed if isinstance(entry, RepoFile)}
        if not files:
            raise FileNotFoundError(f"it has no file {' or '.join(names)} at commit {commit}")
    file = next(files[candidate] for candidate in names if candidate in files)
    sha256 = fetch_url(
        hf_hub_url(name, file.path, revision=commit, endpoint=api.endpoint),
        work / file.path,
        work=work,
        size=file.size,
        sha256=file.lfs.sha256 if file.lfs else "",
        headers={"Authorization": f"Bearer {token}"} if token else {},
    )
    return work / file.path, {"origin": f"hf:{name}", "commit": commit, "sha256": sha256}


def _check(path: Path, source: _Source, sha256: str) -> None:
    named = _NAMED_DIGEST.search(path.name)
    if named and not sha256.startswith(named[1]):
        raise ModelError(f"{path}: its SHA-256 is {sha256}, not {named[1]}... as its name says; fetch it again")
    if source.md5:
        with path.open("rb") as file:
            md5 = hashlib.file_digest(file, "md5").hexdigest()
        if not md5.startswith(source.md5):
            raise ModelError(f"{path}: its MD5 is {md5}, the published one starts with {source.md5}; fetch it again")
