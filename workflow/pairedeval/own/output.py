"""Tables that the commands on own files write: never over a file that is read, whole or not at all."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.files import atomic_path


def check_output(output: str, inputs: Iterable[str | None], what: str) -> None:
    """Refuse to write a table over a file that is read.

    Parameters
    ----------
    output
        File to write.
    inputs
        Files that are read; None for one that was not given.
    what
        What is written, for the message.

    Raises
    ------
    RecordsError
        If `output` is one of `inputs`, under whatever name.
    """
    if any(given is not None and Path(given).resolve() == Path(output).resolve() for given in inputs):
        raise RecordsError(f"{output}: the {what} would replace an input file; give --output another name")


def write_csv(table: pd.DataFrame, path: str) -> None:
    """Write a table as CSV, atomically.

    Raises
    ------
    RecordsError
        If the file cannot be written.
    """
    if Path(path).is_dir():
        raise RecordsError(f"{path}: is a folder; name a file")
    try:
        with atomic_path(path) as temporary:
            table.to_csv(temporary, index=False, lineterminator="\n")
    except OSError as error:
        raise RecordsError(f"{path}: cannot be written ({error.strerror}); name another file") from None
