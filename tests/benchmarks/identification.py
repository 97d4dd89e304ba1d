"""Time the identification engine on the full shape of the paper, with simulated records (never a timed test).

Run ``OMP_NUM_THREADS=1 python tests/benchmarks/identification.py [models]``; without a number it takes all 44 models.
Prints one table; the records are simulated, so only the times mean something.
"""

import sys
import time
from collections.abc import Iterator

import numpy as np
from machine import described

from pairedeval.identification import LEVELS, identify
from pairedeval.identification.enumerate import enumerated_bounds
from pairedeval.records import Predictions, RecordBlock
from pairedeval.states import cell_metrics

# conditions, true classes, evaluation records, candidate classes, range of perturbed accuracies
Shape = tuple[int, int, int, int, tuple[float, float]]
SHAPES: dict[str, Shape] = {
    "syn": (18, 1000, 5000, 1000, (0.3, 0.7)),
    "syn_b": (18, 200, 500, 200, (0.5, 0.8)),
    "es": (54, 200, 500, 200, (0.1, 0.8)),
    "diverse": (162, 200, 500, 200, (0.02, 0.7)),
}
THRESHOLD = 0.5
# Seconds for the 44 models of the paper on two cores.
BUDGETS = (10, 60)


def simulated_block(source: str, seed: int) -> RecordBlock:
    """Draw one model on one of the paper's sources."""
    return simulated_cells(SHAPES[source], seed)


def simulated_cells(shape: Shape, seed: int) -> RecordBlock:
    """Draw one model: wrong labels come from five confusable classes, and most errors persist."""
    conditions, classes, records, candidates, accuracies = shape
    random = np.random.default_rng(seed)
    labels = np.sort(np.arange(records) % classes)
    confusable = (labels + random.integers(1, 6, records)) % candidates
    difficulty = random.random(records)

    def side(shape: tuple[int, ...], accuracy: np.ndarray) -> Predictions:
        correct = 0.6 * difficulty + 0.4 * random.random(shape) < accuracy
        other = (labels + random.integers(1, 6, shape)) % candidates
        wrong = np.where(random.random(shape) < 0.5, confusable, other)
        confidence = random.beta(3, 2, shape)
        truth = np.where(correct, confidence, (1 - confidence) * random.random(shape) * 0.9)
        return Predictions(np.where(correct, labels, wrong), np.maximum(confidence, truth), truth)

    return RecordBlock(
        labels=labels,
        image_ids=np.arange(records),
        conditions=tuple(f"c{number}" for number in range(conditions)),
        clean=side((records,), np.array(0.75)),
        perturbed=side((conditions, records), random.uniform(*accuracies, (conditions, 1))),
    )


def timed(work: Iterator[object]) -> float:
    """Return the seconds that it takes to exhaust an iterator."""
    start = time.perf_counter()
    for _ in work:
        pass
    return time.perf_counter() - start


def benchmark(source: str, models: int) -> list[float]:
    """Time observed values, I0 with Ik, all levels, and enumeration of three cells scaled to all."""
    blocks = [simulated_block(source, seed) for seed in range(models)]
    cells = models * SHAPES[source][0]
    observed = timed(cell_metrics(block, THRESHOLD) for block in blocks)
    analytic = timed(identify(block, THRESHOLD, LEVELS[:2]) for block in blocks)
    everything = timed(identify(block, THRESHOLD) for block in blocks)
    sampled = timed(enumerated_bounds(blocks[0], condition, THRESHOLD) for condition in range(3))
    return [cells, observed, analytic, everything, sampled / 3 * cells]


def main() -> None:
    """Print the table."""
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 44
    with described(f"identification, {models} models, simulated records"):
        rows = {source: benchmark(source, models) for source in SHAPES}
        rows["all"] = [sum(column) for column in zip(*rows.values(), strict=True)]
        print("source    cells  metrics s  I0+Ik s  all levels s  enumeration s  ratio")
        for source, (cells, observed, analytic, everything, enumerated) in rows.items():
            times = f"{observed:10.2f} {analytic:8.2f} {everything:13.2f} {enumerated:14.0f}"
            print(f"{source:8} {cells:6.0f} {times} {enumerated / everything:6.0f}")
        print(f"{'budget of 44 models':26} {BUDGETS[0]:8} {BUDGETS[1]:13}")


if __name__ == "__main__":
    main()
