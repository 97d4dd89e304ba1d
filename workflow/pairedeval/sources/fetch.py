"""Fetching published files: resumed after an interruption, checked by size and SHA-256, in place whole or not at all.

Transfers are those of huggingface_hub, for addresses elsewhere too: they resume, retry and follow redirections. What
was received of a file stays in a work folder until the file is complete, also when the process is killed.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from pairedeval.errors import PairedEvalError
from pairedeval.files import file_digest
from pairedeval.progress import transfer_bar
from pairedeval.seeds import digest

REFUSED = (401, 403)
RANGE_NOT_SATISFIABLE = 416


def fetch_url(
    url: str,
    target: str | Path,
    *,
    work: str | Path,
    size: int = 0,
    sha256: str = "",
    headers: Mapping[str, str] | None = None,
) -> str:
    """Fetch one file; a transfer that was cut or killed goes on where it stopped.

    Parameters
    ----------
    url
        Address.
    target
        Where the file is wanted.
    work
        Folder that keeps what was received of an unfinished file; on the file system of `target`.
    size, sha256
        Published size in bytes and digest; 0 and empty where none is published.
    headers
        Further headers of the request.

    Returns
    -------
    str
        SHA-256 of the file.

    Raises
    ------
    PairedEvalError
        If the transfer fails (what was received is kept), or another file is there (nothing is kept).
    """
    from huggingface_hub.file_download import http_get

    partial = Path(work) / f"{digest(url, size, sha256)[:16]}.part"
    partial.parent.mkdir(parents=True, exist_ok=True)
    with explained(url, partial), partial.open("ab") as received:
        http_get(
            url,
            received,
            resume_size=received.tell(),
            # Parts of a compressed transfer could not be joined.
            headers={**(headers or {}), "Accept-Encoding": "identity"},
            expected_size=size or None,
            displayed_filename=Path(target).name,
            tqdm_class=cast("type[Any]", transfer_bar),  # A function serves as well.
        )
    try:
        found = check_file(partial, size, sha256, place=url)
    except PairedEvalError:
        partial.unlink()
        raise
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    partial.replace(target)
    return found


def check_file(path: str | Path, size: int, sha256: str, place: str | Path | None = None) -> str:
    """Refuse a file that is not the published one, and return its SHA-256.

    Parameters
    ----------
    path
        The file.
    size, sha256
        Published size in bytes and digest; 0 and empty are not checked.
    place
        What the message calls the file, its path by default.
    """
    found_size = Path(path).stat().st_size
    if size and found_size != size:
        raise PairedEvalError(f"{place or path}: {found_size:,} bytes, the published file has {size:,}; fetch it again")
    found = file_digest(path)
    if sha256 and found != sha256:
        raise PairedEvalError(f"{place or path}: its SHA-256 is {found}, the published one {sha256}; fetch it again")
    return found


@contextmanager
def explained(place: str, partial: Path | None = None) -> Iterator[None]:
    """Turn the errors of a transfer into one sentence.

    Parameters
    ----------
    place
        What is fetched.
    partial
        What was received so far; it is dropped if it cannot become the file.
    """
    try:
        yield
    except Exception as error:  # The kinds of errors depend on the version of the library and its transport.
        status = getattr(getattr(error, "response", None), "status_code", None)
        # A plain error without number: the answer was complete, but of another length than published.
        other_file = status == RANGE_NOT_SATISFIABLE or (type(error) is OSError and error.errno is None)
        if partial is not None and other_file:
            partial.unlink(missing_ok=True)
        reason = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
        remedy = "check the connection and run again, which resumes"
        if status in REFUSED:
            remedy = "accept its terms on its page, sign in with HF_TOKEN and run again"
        raise PairedEvalError(f"{place}: cannot be fetched ({reason}); {remedy}") from error
