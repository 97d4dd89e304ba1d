"""What the paper study takes: accelerator hours, memory and disk, counted from the registry, as a document.

``python -m pairedeval.models.budget`` writes ``config/models/README.md``; its options put in the speeds of your site.
"""

import argparse
import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import pandas as pd

from pairedeval.files import write_text
from pairedeval.models.cost import Cost, count_cost
from pairedeval.models.needs import IMAGES_A_SECOND
from pairedeval.models.registry import ModelEntry, read_registry

REGISTRY = Path("config/models/paper.csv")
DOCUMENT = Path("config/models/README.md")

# Images of a job and their conditions, the unperturbed one included, which every job runs (Section 3.3). The probes are
# 18 corruptions, 9 further ones and 30 transforms of the base images; the records of syn_b are made from them.
RUNS = {"syn": (10_000, 1 + 18), "probes": (1_000, 1 + 27 + 30), "es": (1_000, 1 + 54), "diverse": (1_000, 1 + 162)}
IMAGES = sum(images * conditions for images, conditions in RUNS.values())
STORED_IMAGES = 10_000 * 18 + 1_000 * 57
RECORDS = IMAGES - 1_000 * 58 + 1_000 * 19
PROBE_OUTPUTS = 1_000 * 58 * 200
PROMPTS = 1_000 * 80
# Measured on photographs of 500 x 375 pixels, on one core: corrupting one and writing it as PNG, the size of the PNG,
# reading and preprocessing it; and the size of a record.
PNG_SECONDS = 0.06
PNG_BYTES = 0.3e6
READING_SECONDS = 1 / IMAGES_A_SECOND
RECORD_BYTES = 18

SPEED_HELP = {
    "float32": "TFLOP/s that the accelerator sustains in float32",
    "mixed": "TFLOP/s that it sustains in mixed precision",
    "images": "images a second that the workers of a job decode",
}

OPENING = """\
# The models of the paper study

`paper.csv` lists the 44 classifiers of the paper (Table 41), one row each; the columns are explained in
`workflow/pairedeval/models/registry.py`, and `access` and `note` are for people. `digits.csv` and `smoke.csv` list
small models that their studies train. This page is written by `python -m pairedeval.models.budget`, which counts
parameters, operations and memory on the architectures themselves, without weights.

## What a run takes

"""

ASSUMPTIONS = """
Assumed: {float32:g} TFLOP/s sustained in float32 and {mixed:g} in mixed precision, about 60 and 35 percent of
the peak of an accelerator of the year 2020; {images:,g} images a second from the workers that decode, the work of
{workers:.0f} cores. A model takes the longer of both times: in mixed precision decoding is the longer one for
{decoding} models. Nothing here was timed on such an accelerator; put in what yours sustains
(`python -m pairedeval.models.budget --help`).

The table says for each model: its parameters in millions; GFLOP for one image, where a multiplication and an addition
count as two; images of a batch, and accelerator memory in GB for it in either precision (`batch_size` and
`gpu_memory_mb` of the registry; a batch that does not fit is halved); GB of its weights in float32 (files published
in half precision take half); hours of one accelerator for all sources, probes and class vectors.

"""

HAND = """
## What needs a hand

Weights are fetched from where the column `source` says, on a machine with access to the network. Files in
`<folder>/<model>/` are taken instead, where `<folder>` is the study's setting `weights`; this is the way for

* files that are not open: those of DINOv3, whose authors send personal addresses after a form;
* tokenizers: six image-text models need a tokenizer of a hub and the package `transformers`. Without access to the hub,
  put the tokenizer's files into `<folder>/<model>/tokenizer/`;
* any file that you have already, under the name it was published with.

A file must be the published one where its name or the registry carries a digest. It is read without executing code, and
must fit the architecture and its number of parameters. Other weights are a change of the registry: the tag in the
column `weights`, with its `source`.

## What is particular

Access and licences are as their pages said when the registry was written; read them before use.

| model | access | note |
|---|---|---|
"""


@dataclass(frozen=True)
class Speeds:
    """What an accelerator and the workers beside it are assumed to sustain.

    Attributes
    ----------
    float32, mixed
        Operations in float32 and in automatic mixed precision, in TFLOP/s.
    images
        Decoded and preprocessed images a second, from all workers of a job.
    """

    float32: float = 12.0
    mixed: float = 110.0
    images: float = 1000.0


def budget(entries: Sequence[ModelEntry], costs: Sequence[Cost], speeds: Speeds) -> pd.DataFrame:
    """Return what each model takes.

    Parameters
    ----------
    entries, costs
        Models and their counts, in the same order.
    speeds
        What is assumed.

    Returns
    -------
    DataFrame
        One row per model: `model`, `parameters`, `operations` (of one image), `batch_size`, `gpu_memory_mb`,
        `weight_bytes` (in float32), `float32_hours` and `mixed_hours` of one accelerator.
    """
    frame = pd.DataFrame(
        {
            "model": [entry.model for entry in entries],
            "parameters": [cost.parameters for cost in costs],
            "operations": [cost.operations for cost in costs],
            "batch_size": [entry.needs.batch_size for entry in entries],
            "gpu_memory_mb": [entry.needs.gpu_memory_mb for entry in entries],
        }
    )
    frame["weight_bytes"] = frame["parameters"] * 4
    # Class vectors are made once a model, in float32.
    prompts = pd.Series([cost.prompt_operations for cost in costs]) * PROMPTS / (speeds.float32 * 1e12)
    for name, rate in (("float32", speeds.float32), ("mixed", speeds.mixed)):
        seconds = (frame["operations"] * IMAGES / (rate * 1e12)).clip(lower=IMAGES / speeds.images) + prompts
        frame[f"{name}_hours"] = seconds / 3600
    return frame


def count_costs(entries: Sequence[ModelEntry]) -> list[Cost]:
    """Count the costs of models; models of one architecture are counted once."""
    counted: dict[object, Cost] = {}
    for entry in entries:
        architecture = (entry.library, entry.architecture, entry.options, entry.input_size)
        counted[architecture] = counted.get(architecture) or count_cost(entry)
    return [counted[entry.library, entry.architecture, entry.options, entry.input_size] for entry in entries]


def document(table: pd.DataFrame, remarks: Sequence[Mapping[str, str]], speeds: Speeds) -> str:
    """Return the text of ``config/models/README.md``.

    Parameters
    ----------
    table
        What `budget` returns.
    remarks
        Rows of the registry: columns `model`, `access` and `note` are shown.
    speeds
        What is assumed.
    """
    assumed = ASSUMPTIONS.format(
        float32=speeds.float32,
        mixed=speeds.mixed,
        images=speeds.images,
        workers=speeds.images * READING_SECONDS,
        decoding=(table["operations"] / (speeds.mixed * 1e12) < 1 / speeds.images).sum(),
    )
    particular = "".join(f"| `{row['model']}` | {row['access']} | {row['note']} |\n" for row in remarks)
    return OPENING + _totals(table) + assumed + _model_table(table) + HAND + particular


def _totals(table: pd.DataFrame) -> str:
    models = len(table)
    largest = table.iloc[int(table["gpu_memory_mb"].to_numpy().argmax())]
    weights, pictures = table["weight_bytes"].sum() / 1e9, STORED_IMAGES * PNG_BYTES / 1e9
    probes, records = models * PROBE_OUTPUTS * 4 / 1e9, models * RECORDS * RECORD_BYTES / 1e9
    rows = [
        ("models", f"{models}, {table['parameters'].sum() / 1e9:.1f} billion parameters"),
        ("images through each model", f"{IMAGES:,}"),
        ("accelerator hours", f"{table['float32_hours'].sum():.0f} in float32, {table['mixed_hours'].sum():.0f} mixed"),
        ("accelerator memory", f"{largest['gpu_memory_mb'] / 1e3:.0f} GB for `{largest['model']}`, the largest"),
        ("main memory of a job", "4 GB, and 2.5 times its weights"),
        ("core hours for the perturbed images", f"{STORED_IMAGES * PNG_SECONDS / 3600:.0f}"),
        ("disk", f"{weights:.0f} GB weights, {pictures:.0f} GB perturbed images, {probes + records:.0f} GB results"),
        ("disk for originals and captures", "33 GB of archives and that of ES Diverse, and what is taken out of them"),
    ]
    return "| what | how much |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in rows)


def _model_table(table: pd.DataFrame) -> str:
    columns = {
        "model": [f"`{model}`" for model in table["model"]],
        "parameters": (table["parameters"] / 1e6).map("{:.1f}".format),
        "GFLOP": (table["operations"] / 1e9).map("{:.1f}".format),
        "batch": table["batch_size"].map(str),
        "memory": (table["gpu_memory_mb"] / 1e3).map("{:.0f}".format),
        "weights": (table["weight_bytes"] / 1e9).map("{:.1f}".format),
        "hours float32": table["float32_hours"].map("{:.1f}".format),
        "hours mixed": table["mixed_hours"].map("{:.1f}".format),
    }
    lines = [" | ".join(columns), " | ".join(["---", *["---:"] * (len(columns) - 1)])]
    lines += [" | ".join(cells) for cells in zip(*columns.values(), strict=True)]
    return "".join(f"| {line} |\n" for line in lines)


def _main() -> None:
    parser = argparse.ArgumentParser(description="Write what the paper study takes, counted from its registry.")
    parser.add_argument("--registry", type=Path, default=REGISTRY)
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    for field in fields(Speeds):
        parser.add_argument(f"--{field.name}", type=float, default=field.default, help=SPEED_HELP[field.name])
    arguments = parser.parse_args()
    speeds = Speeds(arguments.float32, arguments.mixed, arguments.images)
    entries = read_registry(arguments.registry)
    with arguments.registry.open(encoding="utf-8", newline="") as file:
        remarks = list(csv.DictReader(file))
    write_text(document(budget(entries, count_costs(entries), speeds), remarks, speeds), arguments.output)


if __name__ == "__main__":
    _main()
