"""Time the further checks of correspondence on the full shape of the paper, files included (never a timed test).

Run ``OMP_NUM_THREADS=1 python tests/benchmarks/correspondence.py [models]``; without a number it takes all 44 models.
Writes simulated records to a temporary folder, then prints one table; the records are simulated, so only the times mean
something. Matched support reads every file but bounds the panel's cells only: two or three conditions a model.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from identification import SHAPES, simulated_block
from machine import described

from pairedeval.identification.calibration import calibrate_source, summarise_calibration
from pairedeval.identification.correspondence import check_source
from pairedeval.identification.correspondence_summaries import (
    summarise_accuracy_only,
    summarise_decomposition,
    summarise_variance,
)
from pairedeval.identification.matched_support import evaluation_images, match_support, select_matched
from pairedeval.identification.support_summaries import summarise_strata, summarise_support
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION, RecordBlock, write_records

GROUPS = 10
PANEL_CONDITIONS = {"syn": 2, "syn_b": 2, "es": 3, "diverse": 3}
CALIBRATED = ("es", "diverse")
# Seconds of matched support for the 44 models of the paper on two cores.
BUDGET = 10


def frame_of(block: RecordBlock, split: str) -> pd.DataFrame:
    """Lay out a block as records."""
    sides = zip((CLEAN, *block.conditions), (block.clean, *_conditions(block)), strict=True)
    names = np.array([f"{split}-{number:05d}" for number in range(len(block.labels))], dtype=object)
    parts = [
        pd.DataFrame({"image_id": names, "label": block.labels, **vars(side)}).assign(condition=condition, split=split)
        for condition, side in sides
    ]
    return pd.concat(parts, ignore_index=True)


def _conditions(block: RecordBlock) -> list[object]:
    side = block.perturbed
    rows = zip(side.prediction, side.confidence, side.true_class_probability, strict=True)
    return [type(side)(*row) for row in rows]


def write_source(folder: Path, source: str, models: int) -> list[Path]:
    """Write one record file a model: evaluation records, and as many development records."""
    classes = [f"class-{number:04d}" for number in range(SHAPES[source][3])]
    paths = []
    for model in range(models):
        blocks = {EVALUATION: simulated_block(source, model), DEVELOPMENT: simulated_block(source, 1000 + model)}
        frame = pd.concat([frame_of(block, split) for split, block in blocks.items()], ignore_index=True)
        facts = {"source": source, "model": f"m{model}", "group": f"g{model % GROUPS}", "candidates": classes}
        paths.append(folder / source / f"m{model:02d}.parquet")
        write_records(frame, paths[-1], facts)
    return paths


def panel_of(models: int) -> pd.DataFrame:
    """Give every model as many conditions of each source as the panel has, ten cells aside."""
    cells = [
        (source, f"m{model}", f"c{(model * count + place) % SHAPES[source][0]}")
        for source, count in PANEL_CONDITIONS.items()
        for model in range(models)
        for place in range(count)
    ]
    return pd.DataFrame(cells, columns=["source", "model", "condition"])


def timed(work: Callable[[], pd.DataFrame]) -> tuple[float, pd.DataFrame]:
    """Return the seconds that a piece of work takes, and its result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def matched_support(paths: list[Path], panel: pd.DataFrame) -> pd.DataFrame:
    """Run the whole job of matched support."""
    cells = match_support(paths, panel, select_matched(evaluation_images(paths)))
    summarise_strata(cells)
    return summarise_support(cells)


def main() -> None:
    """Print the table."""
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 44
    title = f"further checks of correspondence, {models} models, simulated records, files read and checked"
    with described(title), tempfile.TemporaryDirectory() as folder:
        paths = {source: write_source(Path(folder), source, models) for source in SHAPES}
        time_checks(paths)
        everything = [path for files in paths.values() for path in files]
        panel = panel_of(models)
        seconds, _ = timed(lambda: matched_support(everything, panel))
        budget = f"(budget of 44 models {BUDGET} s)"
        print(f"match_support, five seeds    {len(panel):6} cells {seconds:7.2f} s  {budget}")
        for source in CALIBRATED:
            seconds, events = timed(lambda source=source: calibrate_source(paths[source]))
            summary, _ = timed(lambda events=events: summarise_calibration(events))
            print(f"calibrate {source:18} {len(events):7} rows  {seconds:7.2f} s, summary {summary:.2f} s")


def time_checks(paths: dict[str, list[Path]]) -> None:
    """Print the time of decomposition, variance and bounds from accuracy, and of their summaries."""
    checked = []
    for source, files in paths.items():
        conditions = [f"c{number}" for number in range(SHAPES[source][0])]
        tiers = pd.DataFrame({"condition": conditions, "tier": "mild"})
        seconds, cells = timed(lambda files=files, tiers=tiers: check_source(files, tiers))
        print(f"check_correspondence {source:8} {len(cells):6} cells {seconds:7.2f} s", flush=True)
        checked.append(cells)
    everything = pd.concat(checked, ignore_index=True)
    for name, summarise in {
        "decomposition": summarise_decomposition,
        "variance": lambda cells: summarise_variance(cells, seed=20260908),
        "accuracy_only": summarise_accuracy_only,
    }.items():
        seconds, _ = timed(lambda summarise=summarise: summarise(everything))
        print(f"summarise {name:18} {len(everything):7} cells {seconds:7.2f} s")


if __name__ == "__main__":
    main()
