"""Files that are either whole or absent: write under a temporary name, then rename."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairedeval.errors import PairedEvalError
from pairedeval.provenance.stamp import job_stamp, stamped

if TYPE_CHECKING:
    import pandas as pd

METADATA_KEY = b"pairedeval"
PROVENANCE_KEY = b"pairedeval.provenance"


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it into place when the block ends well.

    The temporary name keeps the suffix of `path`, because many writers choose a format by it. If the block
    raises, the temporary file is removed and `path` is left as it was.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.stem}.{os.getpid()}.part{target.suffix}")
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file, as ``sha256sum`` prints it."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remove_leftovers(path: str | Path) -> None:
    """Remove what a killed writer of `path` left beside it; only for the one job that writes this file."""
    target = Path(path)
    before, after = f".{target.stem}.", f".part{target.suffix}"
    for leftover in target.parent.glob(f"{before}*{after}"):
        if leftover.name.removeprefix(before).removesuffix(after).isdecimal():
            leftover.unlink(missing_ok=True)


def write_text(text: str, path: str | Path) -> None:
    """Write UTF-8 text with line feeds, atomically; a job's Markdown, LaTeX and HTML end with where they are from."""
    with atomic_path(path) as temporary:
        temporary.write_text(stamped(text, Path(path).suffix), encoding="utf-8", newline="\n")


def write_json(value: Any, path: str | Path) -> None:
    """Write readable JSON with sorted keys, atomically; NaN is refused."""
    write_text(json.dumps(value, indent=2, sort_keys=True, allow_nan=False) + "\n", path)


def write_table(frame: "pd.DataFrame", path: str | Path, metadata: Mapping[str, Any] | None = None) -> None:
    """Write a tidy result as Parquet, atomically and without anything that changes from run to run.

    Parameters
    ----------
    frame
        Rows in their final order; the index is dropped.
    path
        Target, usually ``results/<study>/...parquet``.
    metadata
        JSON-serialisable facts kept in the file's schema, read back by `read_metadata`. In a job, the schema names
        the job as well, under the key `PROVENANCE_KEY`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    facts = json.dumps(metadata or {}, sort_keys=True, allow_nan=False).encode()
    stored = {**(table.schema.metadata or {}), METADATA_KEY: facts}
    if stamp := job_stamp():
        stored[PROVENANCE_KEY] = json.dumps(stamp).encode()
    table = table.replace_schema_metadata(stored)
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def read_table(path: str | Path, columns: list[str] | None = None) -> "pd.DataFrame":
    """Read a Parquet file; a damaged or missing one is a `PairedEvalError` that names it."""
    import pandas as pd

    with _readable(path):
        return pd.read_parquet(path, columns=columns)


def read_metadata(path: str | Path) -> dict[str, Any]:
    """Read the metadata that `write_table` stored; empty for Parquet files of other origin."""
    import pyarrow.parquet as pq

    with _readable(path):
        stored = pq.read_schema(path).metadata or {}
    facts: dict[str, Any] = json.loads(stored.get(METADATA_KEY, b"{}"))
    return facts


@contextmanager
def _readable(path: str | Path) -> Iterator[None]:
    """Turn the reader's own errors into one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise PairedEvalError(f"{path}: no such file; check the path or make it first") from None
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise PairedEvalError(f"{path}: not a readable Parquet file ({reason}); remove it and make it again") from error
