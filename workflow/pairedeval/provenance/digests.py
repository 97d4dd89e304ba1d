"""SHA-256 of files; that of a large file is computed again only when its size or its time of change differs."""

import json
from pathlib import Path

from pairedeval.files import file_digest

# Reading a small file costs no more than reading what is remembered about it.
SMALL = 1 << 18  # bytes


def cached_digest(path: str | Path, cache: Path, *, remember: bool) -> str:
    """Return the SHA-256 of a file that was perhaps read before.

    Parameters
    ----------
    path
        The file.
    cache
        JSON file that remembers digest, size and time of change; absent or outdated is no harm.
    remember
        Write `cache` where it lacks a large file.

    Returns
    -------
    str
        64 hex digits.
    """
    state = Path(path).stat()
    if state.st_size <= SMALL:
        return file_digest(path)
    seen = {"size": state.st_size, "modified": state.st_mtime_ns}
    known = _read(cache)
    if {key: known.get(key) for key in seen} == seen:
        return str(known["sha256"])
    found = file_digest(path)
    if remember:
        cache.parent.mkdir(parents=True, exist_ok=True)
        # Half a line, after a crash or beside another job, is as good as none: no need to wait for the disk.
        cache.write_text(json.dumps({**seen, "sha256": found}), encoding="utf-8")
    return found


def _read(cache: Path) -> dict[str, object]:
    try:
        known: dict[str, object] = json.loads(cache.read_text(encoding="utf-8"))
        return known
    except (OSError, ValueError):
        return {}
