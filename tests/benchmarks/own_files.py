"""Time ``pairedeval bounds``, ``policies``, ``screen``, ``consistency`` on large, simulated files (no timed test).

Run ``OMP_NUM_THREADS=1 python tests/benchmarks/own_files.py [rows] [classes]``; without numbers it takes 1,000,000 rows
of 1,000 classes, for ``screen`` a twentieth of the rows under 18 probe conditions, one file each, and for
``consistency`` as many under six, with logits of ten classes. Prints three tables: time and peak memory of each
command, reading and Python's start included. The predictions are simulated, so only these mean something.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from machine import MEMORY_UNIT, described
from scipy.special import softmax

Sides = dict[str, pd.DataFrame]
THRESHOLD = "0.5"
POLICIES = "0.3,0.4,0.5,0.6,0.7"
# Seconds and GB of `bounds` for 1,000,000 rows of 1,000 classes on two cores.
BUDGET = (60, 4)
PROBES = 18
# Seconds of `screen` for 50,000 images without outcomes.
SCREEN_BUDGET = 20


def simulated_sides(rows: int, classes: int, accuracies: dict[str, float], prefixes: Sequence[str]) -> Sides:
    """Draw sides by name: wrong labels come from five confusable classes, and most errors persist."""
    random = np.random.default_rng(7)
    labels = np.arange(rows) % classes
    confusions = min(6, classes)
    confusable = (labels + random.integers(1, confusions, rows)) % classes
    difficulty = random.random(rows)
    names = np.array([f"class-{number:05}" for number in range(classes)], dtype=object)
    sides = {}
    for prefix, (side, accuracy) in zip(prefixes, accuracies.items(), strict=True):
        correct = 0.6 * difficulty + 0.4 * random.random(rows) < accuracy
        other = (labels + random.integers(1, confusions, rows)) % classes
        wrong = np.where(random.random(rows) < 0.5, confusable, other)
        confidence = random.beta(3, 2, rows)
        truth = np.where(correct, confidence, np.minimum(confidence, 1 - confidence) * random.random(rows))
        frame = pd.DataFrame(
            {
                "image_id": [f"{prefix}-{number:08}" for number in range(rows)],
                "label": names[labels],
                "prediction": names[np.where(correct, labels, wrong)],
                "confidence": confidence,
                "true_class_probability": truth,
            }
        )
        sides[side] = frame.iloc[random.permutation(rows)]
    return sides


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
            paths = written(simulated_sides(rows, classes, {"clean": 0.75, "perturbed": 0.55}, prefixes), folder)
            for command, more in (("bounds", []), ("policies", ["--policy-thresholds", POLICIES])):
                for output in ([], ["--json"]):
                    seconds, memory = measured([command, *paths, "--threshold", THRESHOLD, *more, *output])
                    name = " ".join([command, *output])
                    print(f"{name:20}  {pairing:7}  {seconds:7.1f}  {memory:14.2f}", flush=True)
        print(f"budget of bounds at 1,000,000 rows {BUDGET[0]:3}  {BUDGET[1]:14}")
        print()
        time_screen(rows // 20, classes, folder)
        print()
        time_consistency(rows // 20, folder)


def time_screen(images: int, classes: int, folder: str) -> None:
    """Print the table of ``screen``: one model, and outcomes of all images under one real condition."""
    probes = {f"probe-{number:02}": 0.7 - 0.02 * number for number in range(PROBES)}
    accuracies = {"clean": 0.75, **probes, "real": 0.5}
    *paths, real = written(simulated_sides(images, classes, accuracies, ["image"] * len(accuracies)), folder)
    print(f"screen: {images:,} images, {PROBES} probe files\noptions               seconds  peak memory GB")
    for options in ([], ["--json"], ["--output", str(Path(folder) / "ranking.csv")], ["--outcomes", real]):
        seconds, memory = measured(["screen", *paths, *options])
        print(f"{' '.join(options[:1]):20}  {seconds:7.1f}  {memory:14.2f}", flush=True)
    print(f"budget at 50,000      {SCREEN_BUDGET:7}")


def simulated_views(images: int, classes: int, views: int) -> Sides:
    """Draw an original and its views by name, each with one column of logits a class."""
    random = np.random.default_rng(7)
    labels = np.arange(images) % classes
    original = random.normal(size=(images, classes)) + 2 * np.eye(classes)[labels]
    sides = {}
    for view in range(views):
        logits = original + 0.3 * random.normal(size=(images, classes)) * (view > 0)
        probabilities = softmax(logits, axis=1)
        names = [f"logit_{label}" for label in range(classes)]
        sides[f"view-{view}"] = pd.DataFrame(logits, columns=names).assign(
            image_id=[f"image-{number:08}" for number in range(images)],
            label=labels,
            prediction=logits.argmax(axis=1),
            confidence=probabilities.max(axis=1),
            true_class_probability=probabilities[np.arange(images), labels],
        )
    return sides


def time_consistency(images: int, folder: str) -> None:
    """Print the table of ``consistency``: one model, six probes."""
    paths = written(simulated_views(images, 10, 7), folder)
    print(f"consistency: {images:,} images, 6 probe files, 10 logits\noptions               seconds  peak memory GB")
    for options in ([], ["--json"], ["--output", str(Path(folder) / "images.csv")]):
        seconds, memory = measured(["consistency", *paths, *options])
        print(f"{' '.join(options[:1]):20}  {seconds:7.1f}  {memory:14.2f}", flush=True)


def written(sides: Sides, folder: str) -> list[str]:
    """Write each side to a CSV file; return the paths. Sides that are kept would count as memory of the commands."""
    paths = [str(Path(folder) / f"{name}.csv") for name in sides]
    for path, side in zip(paths, sides.values(), strict=True):
        side.to_csv(path, index=False)
    return paths


if __name__ == "__main__":
    main()
