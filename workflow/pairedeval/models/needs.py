"""What a job with a published model asks of a scheduler; hints that change no result.

This module is imported while the workflow is planned: it needs nothing outside the standard library.
"""

from dataclasses import dataclass
from math import ceil

BASE_MEMORY_MB = 4000
# The float32 weights twice, as the module and as the file behind it, and half as much for copies.
BYTES_A_PARAMETER = 2.5 * 4
BASE_MINUTES = 30
# Twice the expected time: a job that ends early harms nobody, one that is stopped goes on at its last condition.
MARGIN = 2
# What an accelerator of the year 2020 sustains, in GFLOP/s, and how many images a second one worker decodes.
GIGAFLOPS_A_SECOND = {"float32": 12e3, "float16": 110e3, "bfloat16": 110e3}
IMAGES_A_SECOND = 150


@dataclass(frozen=True)
class Needs:
    """Hints of the registry; 0 where it says nothing.

    Attributes
    ----------
    gpu_memory_mb
        Memory of the accelerator for inference in any precision at `batch_size`, in MB.
    batch_size
        Largest batch that this memory holds.
    gigaflops
        Operations for one image in 10^9; a multiplication and an addition count as two.
    """

    gpu_memory_mb: int = 0
    batch_size: int = 0
    gigaflops: int = 0


NOTHING_SAID = Needs()


def memory_mb(parameters: int) -> int:
    """Return the main memory, in MB, for a job that loads a model of so many parameters.

    Examples
    --------
    >>> memory_mb(0), memory_mb(6_724_223_976)
    (4000, 71243)
    """
    return BASE_MEMORY_MB + ceil(parameters * BYTES_A_PARAMETER / 1e6)


def runtime_minutes(needs: Needs, images: int, precision: str = "float32", workers: int = 1) -> int:
    """Return minutes for a job that runs a model on so many images.

    Parameters
    ----------
    needs
        Hints about the model.
    images
        Images of all conditions together.
    precision
        Arithmetic of the forward pass.
    workers
        Processes that decode images.

    Examples
    --------
    >>> runtime_minutes(Needs(gigaflops=36), 190_000, workers=8)
    49
    """
    seconds = images * max(needs.gigaflops / GIGAFLOPS_A_SECOND[precision], 1 / (IMAGES_A_SECOND * workers))
    return BASE_MINUTES + ceil(MARGIN * seconds / 60)
