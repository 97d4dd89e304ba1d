"""Compare the inference engine with a plain loop on the same models and images (never a timed test).

Run ``python tests/benchmarks/engine.py [images] [threads]``: images a condition, of which there are three (JPEG
photographs, and two conditions of lossless PNG), and threads of the job. Without numbers it takes 2,048 images and
all cores beside a CUDA device, 64 images and two threads on a CPU. The models are those of three libraries' usual
architectures with random weights, so that only speed and rounding mean something; the photographs are cut from the two
that scikit-learn ships, 500 x 375 pixels as is usual in ImageNet.

The plain loop is torch's loader over files, a new one for each condition, with as many workers as the job has threads;
float32 is float32 in both.
*Forward* is the model alone, on a batch that lies on the device: the share of it that the engine reaches is the use of
the device. Agreement of bfloat16 with float32 is measured as in Table 30.
"""

import io
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import open_clip
import timm
import torch
from machine import described
from PIL import Image
from sklearn.datasets import load_sample_images
from torch.nn.functional import normalize
from torch.utils.data import DataLoader, Dataset

from pairedeval.images import ImageStore, write_originals, write_store
from pairedeval.inference.checkpoints import Checkpoints
from pairedeval.inference.engine import condition_outputs
from pairedeval.inference.execution import Execution, arranged, reproducible
from pairedeval.inference.sets import ImageSets
from pairedeval.models.loaded import LoadedModel, autocast
from pairedeval.scoring import score_common

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
CUDA = DEVICE.type == "cuda"
CLASSES = 1000
BATCH_SIZE = 256 if CUDA else 16
FORWARD_PASSES = 10 if CUDA else 4
VARIANTS: dict[str, dict[str, bool]] = {"engine": {}, "channels last": {"channels_last": True}}
if CUDA:
    VARIANTS["compiled"] = {"channels_last": True, "compile": True}


@dataclass(frozen=True)
class Case:
    """A model as each library gives it."""

    name: str
    transform: Callable[[Image.Image], torch.Tensor]
    forward: Callable[[torch.Tensor], torch.Tensor]
    scoring: str

    def loaded(self, precision: str) -> LoadedModel:
        """Return it as the engine takes it."""
        return LoadedModel(
            name=self.name,
            scoring=self.scoring,
            scale=float("nan"),
            bias=float("nan"),
            class_ids=tuple(map(str, range(CLASSES))),
            preprocess=lambda images: torch.stack([self.transform(Image.fromarray(image)) for image in images]),
            forward=self.forward,
            preprocessing="",
            device=DEVICE,
            precision=precision,
        )


def timm_case(name: str) -> Case:
    """Build a supervised classifier."""
    model = timm.create_model(name).eval().to(DEVICE)
    transform = timm.data.create_transform(**timm.data.resolve_model_data_config(model))
    return Case(f"{name} (timm)", transform, model, "logits")


def open_clip_case(name: str) -> Case:
    """Build an image-text model with random class vectors."""
    model, _, transform = open_clip.create_model_and_transforms(name)
    model.eval().to(DEVICE)
    vectors = normalize(torch.randn(model.visual.output_dim, CLASSES, device=DEVICE), dim=0)
    return Case(
        f"{name} (OpenCLIP)", transform, lambda batch: model.encode_image(batch, normalize=True) @ vectors, "cosine"
    )


CASES: tuple[Callable[[], Case], ...] = (
    partial(timm_case, "vit_base_patch16_224"),
    partial(open_clip_case, "ViT-L-14"),
    partial(timm_case, "convnext_base"),
)


class Files(Dataset[torch.Tensor]):
    """Image files, read as in any script."""

    def __init__(self, paths: Sequence[Path], transform: Callable[[Image.Image], torch.Tensor]) -> None:
        self._paths = paths
        self._transform = transform

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, place: int) -> torch.Tensor:
        with Image.open(self._paths[place]) as image:
            return self._transform(image.convert("RGB"))


class Study:
    """Images in sets and as files."""

    def __init__(self, folder: Path, images: int) -> None:
        self.image_ids = [f"image-{number:05}" for number in range(images)]
        self.sets = [folder / "clean.zip", folder / "syn.zip"]
        random = np.random.default_rng(0)
        pictures = list(self._pictures(random))
        write_originals(self.sets[0], (("clean", i, _jpeg(p)) for i, p in zip(self.image_ids, pictures, strict=True)))
        noisy = {"bright": 20, "dark": -20}
        write_store(
            self.sets[1],
            (
                (condition, image_id, np.clip(picture.astype(int) + change, 0, 255).astype(np.uint8))
                for condition, change in noisy.items()
                for image_id, picture in zip(self.image_ids, pictures, strict=True)
            ),
        )
        self.files = {condition: self._extracted(folder, condition) for condition in ("clean", *noisy)}

    def _pictures(self, random: np.random.Generator) -> Iterator[np.ndarray]:
        photographs = load_sample_images().images
        for number, _ in enumerate(self.image_ids):
            photograph = Image.fromarray(photographs[number % 2])
            left, top = random.integers(0, 140), random.integers(0, 52)
            yield np.asarray(photograph.crop((left, top, left + 500, top + 375)))

    def _extracted(self, folder: Path, condition: str) -> list[Path]:
        with ImageStore(self.sets[condition != "clean"]) as store:
            paths = [folder / condition / image_id for image_id in self.image_ids]
            (folder / condition).mkdir()
            for path in paths:
                path.write_bytes(store.read_bytes(condition, path.name))
        return paths


def _jpeg(pixels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=92)
    return buffer.getvalue()


def plain_loop(case: Case, study: Study, execution: Execution) -> list[np.ndarray]:
    """Run a model as a script would: one loader a condition, one batch after the other."""
    outputs = []
    for paths in study.files.values():
        data = Files(paths, case.transform)
        loader = DataLoader(data, execution.batch_size, num_workers=execution.threads, pin_memory=CUDA)
        with torch.inference_mode(), autocast(DEVICE, execution.precision):
            parts = [case.forward(batch.to(DEVICE, non_blocking=True)).float().cpu() for batch in loader]
        outputs.append(torch.cat(parts).numpy())
    return outputs


def engine(model: LoadedModel, study: Study, execution: Execution) -> list[np.ndarray]:
    """Run a model by the engine, checkpoints included."""
    shape = (len(study.image_ids), CLASSES)
    switches = reproducible(execution.computing_threads(DEVICE))
    with switches, tempfile.TemporaryDirectory() as work, ImageSets(study.sets) as sets:
        checkpoints = Checkpoints(work, "benchmark", shape)
        return [np.array(part) for _, part in condition_outputs(model, study.image_ids, sets, checkpoints, execution)]


@contextmanager
def timed(seconds: list[float]) -> Iterator[None]:
    """Append the time that the device needs for a block."""
    start = time.perf_counter()
    yield
    if CUDA:
        torch.cuda.synchronize()
    seconds.append(time.perf_counter() - start)


def forward_speed(model: LoadedModel, batch: torch.Tensor, execution: Execution) -> float:
    """Return the images a second of the model alone, with the threads that the engine leaves to it."""
    seconds: list[float] = []
    with reproducible(execution.computing_threads(DEVICE)):
        model.outputs(batch)
        batch = batch.to(DEVICE)
        with torch.inference_mode(), autocast(DEVICE, model.precision), timed(seconds):
            for _ in range(FORWARD_PASSES):
                model.forward(batch)
    return len(batch) * FORWARD_PASSES / seconds[0]


def agreement(outputs: Sequence[np.ndarray], reference: Sequence[np.ndarray], scoring: str) -> str:
    """Compare two runs by the measures of Table 30."""
    labels = np.arange(len(reference[0])) % CLASSES
    one, two = (score_common(np.stack(run), labels, scoring) for run in (outputs, reference))
    same = (one.prediction == two.prediction).mean()
    difference = np.abs(one.confidence - two.confidence).mean()
    return f"same prediction {same:.2%}, mean difference of confidence {difference:.1e}"


def compare(case: Case, study: Study, threads: int, precision: str) -> list[np.ndarray]:
    """Print one line for the plain loop and one for each form of the engine; return the outputs of the engine."""
    execution = Execution(precision=precision, batch_size=BATCH_SIZE, threads=threads)
    images = len(study.image_ids) * len(study.files)
    pictures = [np.asarray(Image.open(path).convert("RGB")) for path in study.files["clean"][:BATCH_SIZE]]
    batch = case.loaded(precision).preprocess(pictures)
    case.loaded(precision).outputs(batch)  # The first pass on a device takes longer.
    seconds: list[float] = []
    with timed(seconds):
        reference = plain_loop(case, study, execution)
    plain = images / seconds.pop()
    print(f"{case.name:28} {precision:9} plain loop    {plain:8.1f} img/s", flush=True)
    results = {}
    for variant, options in VARIANTS.items():
        chosen = replace(execution, **options)
        model = arranged(case.loaded(precision), chosen)
        alone = forward_speed(model, batch, chosen)
        with timed(seconds):
            results[variant] = engine(model, study, chosen)
        speed = images / seconds.pop()
        difference = max(np.abs(a - b).max() for a, b in zip(results[variant], reference, strict=True))
        figures = f"{speed:8.1f} img/s  ratio {speed / plain:5.2f}  forward {alone:8.1f}  use {speed / alone:4.0%}"
        print(f"{'':28} {'':9} {variant:13} {figures}  difference {difference:.0e}", flush=True)
    return results["engine"]


def main() -> None:
    """Print the table."""
    images = int(sys.argv[1]) if len(sys.argv) > 1 else 2048 if CUDA else 64
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count() or 1 if CUDA else 2
    where = torch.cuda.get_device_name() if CUDA else "no CUDA device"
    title = f"inference engine, {where}, 3 x {images} images, batches of {BATCH_SIZE}, {threads} threads"
    with described(title), tempfile.TemporaryDirectory() as folder, reproducible(threads):
        study = Study(Path(folder), images)
        for build in CASES:
            torch.manual_seed(0)
            case = build()
            exact = compare(case, study, threads, "float32")
            half = compare(case, study, threads, "bfloat16")
            print(f"{'':28} bfloat16 against float32: {agreement(half, exact, case.scoring)}", flush=True)
    if CUDA:
        print(f"peak memory of the device {torch.cuda.max_memory_allocated() / 1e9:.1f} GB")


if __name__ == "__main__":
    main()
