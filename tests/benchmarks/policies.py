"""Time the policy comparisons of the paper's panel, with simulated records (never a timed test).

Run ``OMP_NUM_THREADS=1 python tests/benchmarks/policies.py [models]``; without a number it takes all 44 models. Each
model has 2 Syn, 2 Syn-B, 3 ES and 3 Diverse cells, five policies, eleven weights and three levels. The last column
times the same from record files that hold every condition of the source.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from identification import SHAPES, simulated_block
from machine import described

from pairedeval.policies.summaries import established, policy_checks, realized_selection, undominated_actions
from pairedeval.policies.tidy import PolicyTables, compare_records, compare_source
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION, RecordBlock, write_records

CELLS = {"syn": 2, "syn_b": 2, "es": 3, "diverse": 3}
# Seconds for the 44 models of the paper on two cores.
BUDGET = 15


def records_of(block: RecordBlock) -> pd.DataFrame:
    """Lay out a block as records; the development records are the same predictions once more."""
    sides = [(CLEAN, block.clean), *((name, None) for name in block.conditions)]
    parts = []
    for row, (condition, side) in enumerate(sides):
        columns = [
            getattr(block.perturbed, name)[row - 1] if side is None else getattr(side, name)
            for name in ("prediction", "confidence", "true_class_probability")
        ]
        frame = pd.DataFrame(dict(zip(("prediction", "confidence", "true_class_probability"), columns, strict=True)))
        frame = frame.assign(condition=condition, label=block.labels)
        for split in (DEVELOPMENT, EVALUATION):
            parts.append(frame.assign(split=split, image_id=[f"{split}-{place:05}" for place in range(len(frame))]))
    return pd.concat(parts, ignore_index=True)


def compare(source: str, seed: int, folder: Path) -> tuple[PolicyTables, float, float]:
    """Time one model, from records in memory and from its file."""
    block = simulated_block(source, seed)
    chosen = [block.conditions[(seed + step) % len(block.conditions)] for step in range(CELLS[source])]
    records, metadata = records_of(block), {"source": source, "model": f"model-{seed}", "group": "simulated"}
    path = folder / f"{source}-{seed}.parquet"
    write_records(records, path, metadata)
    records = records[records["condition"].isin([CLEAN, *chosen])]
    start = time.perf_counter()
    tables = compare_records(records, metadata, chosen)
    middle = time.perf_counter()
    compare_source([path], pd.DataFrame({"source": source, "model": metadata["model"], "condition": chosen}))
    end = time.perf_counter()
    path.unlink()
    return tables, middle - start, end - middle


def main() -> None:
    """Print the table."""
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 44
    with described(f"policies, {models} models, simulated records"):
        summarise(compare_all(models))


def compare_all(models: int) -> list[PolicyTables]:
    """Print the time of the comparisons of each source, and return their tables."""
    found, totals = [], np.zeros(3)
    print("source     cells  seconds  with reading")
    with tempfile.TemporaryDirectory() as folder:
        for source in SHAPES:
            runs = [compare(source, seed, Path(folder)) for seed in range(models)]
            found += [tables for tables, _, _ in runs]
            times = np.array([models * CELLS[source], *(sum(run[part] for run in runs) for part in (1, 2))])
            totals += times
            print(f"{source:8} {times[0]:7.0f} {times[1]:8.2f} {times[2]:13.2f}", flush=True)
    print(f"all      {totals[0]:7.0f} {totals[1]:8.2f} {totals[2]:13.2f}")
    print(f"{'budget of 44 models':30} {BUDGET:8}")
    return found


def summarise(found: list[PolicyTables]) -> None:
    """Print the time of the summaries."""
    bounds, comparisons, selections = (
        pd.concat([getattr(tables, name) for tables in found], ignore_index=True)
        for name in ("bounds", "comparisons", "selections")
    )
    start = time.perf_counter()
    established(comparisons)
    realized_selection(selections)
    undominated_actions(bounds)
    policy_checks(bounds, comparisons, selections)
    counts = f"{len(bounds):,} bounds, {len(comparisons):,} comparisons, {len(selections):,} selections"
    print(f"summaries of {counts}: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
