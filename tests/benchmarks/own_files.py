"""Time ``pairedeval bounds`` on large prediction files, with simulated predictions (never a timed test).

Run ``OMP_NUM_THREADS=1 python tests/benchmarks/own_files.py [rows] [classes]``; without numbers it takes 1,000,000 rows
of 1,000 classes. Prints one table: time and peak memory of each command, reading and Python's start included. The
predictions are simulated, so only these mean something.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from machine import MEMORY_UNIT, described

THRESHOLD = "0.5"
POLICIES = "0.3,0.4,0.5,0.6,0.7"
# Seconds and GB of `bounds` for 1,000,000 rows of 1,000 classes on two cores.
BUDGET = (60, 4)


def simulated_sides(rows: int, classes: int, prefixes: tuple[str, str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw both sides: wrong labels come from five confusable classes, and most errors persist."""
    random = np.random.default_rng(7)
    labels = np.arange(rows) % classes
    confusions = min(6, classes)
    confusable = (labels + random.integers(1, confusions, rows)) % classes
    difficulty = random.random(rows)
    names = np.array([f"class-{number:05}" for number in range(classes)], dtype=object)
    sides = []
    for prefix, accuracy in zip(prefixes, (0.75, 0.55), strict=True):
        correct = 0.6 * difficulty + 0.4 * random.random(rows) < accuracy
        other = (labels + random.integers(1, confusions, rows)) % classes
        wrong = np.where(random.random(rows) < 0.5, confusable, other)
        confidence = random.beta(3, 2, rows)
        truth = np.where(correct, confidence, np.minimum(confidence, 1 - confidence) * random.random(rows))
        side = pd.DataFrame(
            {
                "image_id": [f"{prefix}-{number:08}" for number in range(rows)],
                "label": names[labels],
                "prediction": names[np.where(correct, labels, wrong)],
                "confidence": confidence,
                "true_class_probability": truth,
            }
        )
        sides.append(side.iloc[random.permutation(rows)])
    return sides[0], sides[1]


def measured(arguments: list[str]) -> tuple[float, float]:
    """Run one command in a process of its own; return seconds and peak memory in GB."""
    program = (
        "import resource, sys; from pairedeval.cli import main; code = main(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); sys.exit(code)"
    )
    start = time.perf_counter()
    run = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    return seconds, int(run.stderr.split()[-1]) * MEMORY_UNIT / 1e9


def main() -> None:
    """Print the table."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    classes = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
    title = f"own files, simulated predictions: two files of {rows:,} rows, {classes:,} classes"
    with described(title), tempfile.TemporaryDirectory() as folder:
        print("command               pairing  seconds  peak memory GB")
        for pairing, prefixes in (("known", ("image", "image")), ("unknown", ("a", "b"))):
            paths = [str(Path(folder) / f"{side}.csv") for side in ("clean", "perturbed")]
            for path, side in zip(paths, simulated_sides(rows, classes, prefixes), strict=True):
                side.to_csv(path, index=False)
            for command, more in (("bounds", []), ("policies", ["--policy-thresholds", POLICIES])):
                for output in ([], ["--json"]):
                    seconds, memory = measured([command, *paths, "--threshold", THRESHOLD, *more, *output])
                    name = " ".join([command, *output])
                    print(f"{name:20}  {pairing:7}  {seconds:7.1f}  {memory:14.2f}", flush=True)
        print(f"budget of bounds at 1,000,000 rows {BUDGET[0]:3}  {BUDGET[1]:14}")


if __name__ == "__main__":
    main()
