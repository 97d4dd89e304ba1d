"""Time the screening of both recaptured sources on the full shape of the paper, files included (never a timed test).

Run ``OMP_NUM_THREADS=1 python tests/benchmarks/screening.py [models]``; without a number it takes all 44 models. Writes
simulated responses and records to a temporary folder, then prints one table: 54 and 162 conditions, 1,000 images of 200
classes, two halves, every score, three budgets, 200 class draws and 2,000 draws of ten model groups. In the workflow
the two sources are two jobs, so that two cores need the time of the longer one and of the summaries.
"""

import sys
import tempfile
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
from correspondence import GROUPS, write_source
from identification import SHAPES
from machine import described

from pairedeval.files import read_table, write_table
from pairedeval.records import CLEAN
from pairedeval.screening.all_summaries import summarise_screening
from pairedeval.screening.probe_sets import ProbeSets, read_probe_sets
from pairedeval.screening.responses import IMAGE_SCORES
from pairedeval.screening.tidy import ScreeningTables, screen_source
from pairedeval.tiers import TIERS

SOURCES = ("es", "diverse")
SEED = 20260908
CONDITIONS = Path(__file__).parents[2] / "resources/conditions"
# Seconds for the 44 models of the paper on two cores.
BUDGET = 300


def write_responses(folder: Path, sets: ProbeSets, images: pd.DataFrame, model: int) -> tuple[Path, Path]:
    """Write responses and image scores of one model: easy images keep high probabilities under every probe."""
    random = np.random.default_rng(model)
    conditions = (CLEAN, *sets.corruptions_all, *sets.transforms_all)
    facts = {"model": f"m{model}", "group": f"g{model % GROUPS}"}
    shape = (len(conditions), len(images))
    ease = random.random(len(images))
    confidence = 0.6 * ease + 0.4 * random.random(shape)
    correct = random.random(shape) < 0.4 + 0.6 * confidence
    table = pd.DataFrame({name: np.tile(images[name], shape[0]) for name in images})
    table = table.assign(condition=np.repeat(conditions, shape[1]), confidence=confidence.ravel())
    table["prediction"] = np.where(correct.ravel(), table["label"], (table["label"] + 1) % SHAPES["es"][3])
    table["true_class_probability"] = np.where(correct.ravel(), table["confidence"], 0.1 * table["confidence"])
    for name in ("confidence", "true_class_probability"):
        table[f"native_{name}"] = table[name] ** 2
    scores = images.assign(**{name: random.random(len(images)) for name in IMAGE_SCORES})
    paths = (folder / f"responses/m{model:02d}.parquet", folder / f"image_scores/m{model:02d}.parquet")
    write_table(table, paths[0], facts)
    write_table(scores, paths[1], facts)
    return paths


def simulated_tiers(source: str) -> pd.DataFrame:
    """Give a third of the conditions to each tier."""
    conditions = [f"c{number}" for number in range(SHAPES[source][0])]
    return pd.DataFrame({"condition": conditions, "tier": np.resize(TIERS, len(conditions))})


def simulated_captures() -> pd.DataFrame:
    """Name the simulated conditions in the table of captures."""
    captures = pd.read_csv(CONDITIONS / "captures.csv")
    return captures.assign(condition=[f"c{number}" for number in captures.groupby("source").cumcount()])


def main() -> None:
    """Print the table."""
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 44
    sets = read_probe_sets(CONDITIONS / "corruptions.csv", CONDITIONS / "transforms.csv")
    title = f"screening, {models} models, simulated responses and records, files read and checked"
    with described(title), tempfile.TemporaryDirectory() as folder:
        records = {source: write_source(Path(folder), source, models) for source in SOURCES}
        first = read_table(records["es"][0])
        images = first.loc[first["condition"] == CLEAN, ["image_id", "label", "split"]].reset_index(drop=True)
        paths = [write_responses(Path(folder), sets, images, model) for model in range(models)]
        tables = [time_source(source, paths, records[source], sets) for source in SOURCES]
        time_summaries(tables)
    print(f"{'budget of 44 models on two cores':35} {BUDGET:8} s")


def time_source(source: str, paths: list[tuple[Path, Path]], records: list[Path], sets: ProbeSets) -> ScreeningTables:
    """Print the time of one source, and return its tables."""
    responses, image_scores = (list(side) for side in zip(*paths, strict=True))
    start = time.perf_counter()
    tables = screen_source(responses, image_scores, records, simulated_tiers(source), sets, SEED)
    seconds = time.perf_counter() - start
    print(f"screen {source:8} {len(records) * SHAPES[source][0]:6} cells a half {seconds:9.2f} s", flush=True)
    return tables


def time_summaries(found: list[ScreeningTables]) -> None:
    """Print the time of all summaries."""
    tables = ScreeningTables(
        **{
            field.name: pd.concat([getattr(part, field.name) for part in found], ignore_index=True)
            for field in fields(ScreeningTables)
        }
    )
    start = time.perf_counter()
    summarise_screening(tables, simulated_captures(), SEED)
    print(f"summaries of {len(tables.cells):,} rows {time.perf_counter() - start:15.2f} s", flush=True)


if __name__ == "__main__":
    main()
