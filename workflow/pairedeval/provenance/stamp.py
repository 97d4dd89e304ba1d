"""What the running job writes into its files, for those that leave the folder of their study.

Only what cannot differ between two equal results goes into files that other jobs read: a byte that changes there would
rerun everything behind it. Figures, tables and pages, which end the flow, name the inputs as well.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

# How a text format hides a line.
_COMMENTS = {".md": "\n<!-- {} -->\n", ".tex": "% {}\n", ".html": "<!-- {} -->\n"}


@dataclass
class _Running:
    """The job of this process; empty outside a job."""

    job: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)


_running = _Running()


@contextmanager
def stamping(job: Mapping[str, Any], inputs: Mapping[str, Any]) -> Iterator[None]:
    """Stamp the files that are written inside the block.

    Parameters
    ----------
    job
        JSON-serialisable: study, rule, wildcards, seed, version.
    inputs
        JSON-serialisable: digests of settings and of input files.
    """
    _running.job, _running.inputs = job, inputs
    try:
        yield
    finally:
        _running.job, _running.inputs = {}, {}


def job_stamp() -> dict[str, Any]:
    """Return the running job, for files that other jobs read; empty outside a job."""
    return dict(_running.job)


def full_stamp() -> dict[str, Any]:
    """Return the running job, its settings' digest and its inputs, for files that end the flow; empty outside a job."""
    return {**_running.job, **_running.inputs}


def stamped(text: str, suffix: str) -> str:
    r"""Return a text of a format with comments, ended by one that holds `full_stamp`.

    Examples
    --------
    >>> with stamping({"rule": "table_06"}, {"inputs": {}}):
    ...     stamped("A & B", ".tex"), stamped("a,b", ".csv")
    ('A & B% provenance: {"rule": "table_06", "inputs": {}}\n', 'a,b')
    """
    if not _running.job or suffix not in _COMMENTS:
        return text
    # Two hyphens would end a comment of HTML; JSON can write them otherwise.
    line = json.dumps(full_stamp()).replace("--", r"-\u002d")
    return text + _COMMENTS[suffix].format(f"provenance: {line}")
