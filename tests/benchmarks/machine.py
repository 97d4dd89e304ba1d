"""What a benchmark says of the machine it ran on."""

import os
import platform
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

# Unit of the peak memory that the system reports, in bytes.
MEMORY_UNIT = 1 if platform.system() == "Darwin" else 1024


def processor() -> str:
    """Name the processor as the system does."""
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


@contextmanager
def described(title: str) -> Iterator[None]:
    """Print title and machine before a benchmark, and its peak memory after it."""
    versions = f"Python {platform.python_version()}, numpy {np.__version__}"
    print(f"{title}\n{platform.system()}, {processor()}, {os.cpu_count()} cores, {versions}", flush=True)
    yield
    peaks = [resource.getrusage(whose).ru_maxrss for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"peak memory {max(peaks) * MEMORY_UNIT / 1e9:.2f} GB")
