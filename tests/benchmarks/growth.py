"""Time the engine against enumeration and an integer programme, and its growth (never a timed test).

Run ``OMP_NUM_THREADS=1 python tests/benchmarks/growth.py``. The methods take the same cells in one run: ten classes in
which most errors persist. The records are simulated, so only the times and their ratios mean something.
"""

import runpy
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from identification import THRESHOLD, simulated_cells
from machine import described

from pairedeval.identification import LEVELS, identify
from pairedeval.identification.enumerate import enumerated_bounds
from pairedeval.identification.heavy_labels import fewest_marked
from pairedeval.records import Predictions, RecordBlock

# The integer programme that the tests compare with, and the classes that they draw.
INTEGER_PROGRAMME = Path(__file__).parent.parent / "unit/test_wrong_block.py"
CLASSES = 10
ENUMERATED = (5, 6, 7)
PROGRAMMED = (10, 20, 40, 60)
CLASS_SIZES = (5, 50, 500, 5000)
CONDITIONS = (18, 54, 162, 648)
ACCURACIES = (0.3, 0.7)
REPETITIONS = 3


def seconds(work: Callable[[], object], repetitions: int = 1) -> float:
    """Return the shortest duration of a piece of work, each time without what the engine remembers of earlier ones."""
    durations = []
    for _ in range(repetitions):
        fewest_marked.cache_clear()
        start = time.perf_counter()
        work()
        durations.append(time.perf_counter() - start)
    return min(durations)


def joined(blocks: list[RecordBlock]) -> RecordBlock:
    """Make one cell of blocks that hold one class each; label 0 becomes the class, other labels stay apart."""
    sizes = [len(block.labels) for block in blocks]
    labels = np.repeat(np.arange(len(blocks)), sizes)

    def side(parts: list[Predictions]) -> Predictions:
        prediction, confidence, truth = (
            np.concatenate(columns, axis=-1) for columns in zip(*(vars(part).values() for part in parts), strict=True)
        )
        return Predictions(np.where(prediction == 0, labels, len(blocks) + prediction), confidence, truth)

    clean, perturbed = side([block.clean for block in blocks]), side([block.perturbed for block in blocks])
    return RecordBlock(labels, np.arange(len(labels)), ("x",), clean, perturbed)


def compare() -> None:
    """Print the engine's time beside that of enumeration and of the integer programme, on the same cells."""
    tests = runpy.run_path(str(INTEGER_PROGRAMME))

    def programme(blocks: list[RecordBlock]) -> None:
        for block, sign in product(blocks, (1, -1)):
            tests["programme"](block, sign)

    print(f"\none cell of {CLASSES} classes: the programme gives five-state H alone, the others all targets and levels")
    print("records a class  compared with      seconds  engine s  ratio")
    for size in (*ENUMERATED, *PROGRAMMED):
        blocks = [tests["random_class"](seed, size, (0.4, 0.2), 4) for seed in range(CLASSES)]
        cell = joined(blocks)
        ours = seconds(partial(identify, cell, THRESHOLD), REPETITIONS)
        if size in ENUMERATED:
            name, theirs = "enumeration", seconds(partial(enumerated_bounds, cell, 0, THRESHOLD), REPETITIONS)
        else:
            name, theirs = "integer programme", seconds(partial(programme, blocks))
        print(f"{size:15}  {name:17}  {theirs:8.3f}  {ours:8.4f}  {theirs / ours:5.0f}", flush=True)


def growth(title: str, shapes: dict[int, tuple[int, int, int]]) -> None:
    """Print the time per level of blocks with so many conditions, classes and records."""
    print(f"\n{title:>15}     pairs    I0 s  I0+Ik s  all levels s")
    for name, (conditions, classes, records) in shapes.items():
        block = simulated_cells((conditions, classes, records, classes, ACCURACIES), seed=0)
        times = [seconds(partial(identify, block, THRESHOLD, LEVELS[:levels]), REPETITIONS) for levels in (1, 2, 3)]
        print(f"{name:15} {conditions * records:9} {times[0]:7.3f} {times[1]:8.3f} {times[2]:13.3f}", flush=True)


def main() -> None:
    """Print the tables."""
    with described("growth and alternatives of the identification engine, simulated records"):
        compare()
        growth("records a class", {size: (18, CLASSES, CLASSES * size) for size in CLASS_SIZES})
        growth("conditions", {number: (number, 1000, 5000) for number in CONDITIONS})


if __name__ == "__main__":
    main()
