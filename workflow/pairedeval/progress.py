"""Progress of long jobs: a bar for a person, a line now and then for a log."""

import sys
from typing import Any

from tqdm import tqdm

SECONDS_BETWEEN_LINES = 30.0


def progress_bar(total: int, description: str, unit: str) -> "tqdm[None]":
    """Return a bar on standard error with speed and time left; update it by hand.

    On a terminal it is redrawn twice a second and vanishes at its end, since jobs run beside each other there.
    Elsewhere it is written every half minute.

    Parameters
    ----------
    total
        Number of steps.
    description
        What is done.
    unit
        What one step is, such as ``img``.
    """
    return _bar(total=total, desc=description, unit=unit)


def transfer_bar(**options: Any) -> "tqdm[None]":
    """Return such a bar for a transfer; the options are those that huggingface_hub gives to its bars."""
    return _bar(**options)


def _bar(**options: Any) -> "tqdm[None]":
    interval = 0.5 if sys.stderr.isatty() else SECONDS_BETWEEN_LINES
    return tqdm(
        **options,
        file=sys.stderr,
        mininterval=interval,
        maxinterval=interval,
        leave=False,
        dynamic_ncols=True,
        delay=interval,
    )
