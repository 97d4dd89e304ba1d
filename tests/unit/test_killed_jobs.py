"""Jobs killed at random moments and started again: the result is bit by bit that of an uninterrupted job."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from pairedeval.files import write_table
from pairedeval.images import write_store
from pairedeval.inference.engine import Execution
from pairedeval.models.registry import ModelEntry, TrainingRecipe
from pairedeval.models.small import build_classifier
from pairedeval.models.weights import write_weights
from support.killed import Job

CLASSES = ("a", "b", "c")
ENTRY = ModelEntry("net", "nets", "timm", "test_byobnet", (), 32, "softmax", "", TrainingRecipe("plain", 1, 0.1))
CORRUPTIONS = "condition,corruption,severity,pool\n" + "".join(
    f"{kind}-{severity},{kind},{severity},primary\n"
    for kind in ("fog", "snow", "contrast", "brightness")
    for severity in (2, 4)
)
CONDITIONS = tuple(f"c{number:02}" for number in range(9))
IMAGES = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder with images, their index, and a model with random weights."""
    folder = tmp_path_factory.mktemp("killed")
    generator = np.random.default_rng(0)
    image_ids = [f"image-{number:02}" for number in range(IMAGES)]
    index = pd.DataFrame({"image_id": image_ids, "label": (np.arange(IMAGES) % 3).astype(np.int32), "role": "syn"})
    index["class_id"] = index["class_name"] = [CLASSES[label] for label in index["label"]]
    index["split"] = ["development", "evaluation"] * (IMAGES // 2)
    write_table(index, folder / "index.parquet")
    for name, conditions in (("clean", ["clean"]), ("syn", CONDITIONS)):
        members = [(condition, image_id) for condition in conditions for image_id in image_ids]
        pictures = generator.integers(0, 256, (len(members), 48, 48, 3), dtype=np.uint8)
        write_store(folder / f"{name}.zip", ((*member, p) for member, p in zip(members, pictures, strict=True)))
    torch.manual_seed(0)
    write_weights(build_classifier(ENTRY, 3), folder / "net.safetensors", {"class_ids": CLASSES})
    (folder / "corruptions.csv").write_text(CORRUPTIONS, encoding="utf-8")
    return folder


def restarted(job: Job, most: int, seed: int) -> list[list[str]]:
    """Kill a job `most` times; return the finished parts of each sequence of restarts, in their order."""
    random = np.random.default_rng(seed)
    seconds = job.seconds()
    whole = job.output.read_bytes()
    sequences, kills = [], 0
    while kills < most:
        job.start_afresh()
        # A job can be killed when its result stands and only its working folder is left to remove.
        while not job.output.exists():
            if not job.run(random.uniform(0.1, 1.0) * seconds if kills < most else None):
                kills += 1
        assert job.output.read_bytes() == whole
        sequences.append(job.finished_parts())
    return sequences


def check(sequences: list[list[str]], parts: set[str]) -> None:
    """Nothing that was finished is made again; the log may lack a line where the kill came just before it."""
    for finished in sequences:
        assert len(finished) == len(set(finished))
    assert set().union(*sequences) == parts


@pytest.mark.parametrize(("name", "threads", "kills"), [("records", 1, 20), ("probes", 2, 10)])
def test_inference_killed_at_random_moments(name: str, threads: int, kills: int, folder: Path, tmp_path: Path) -> None:
    arguments = {
        "index": folder / "index.parquet",
        "stores": [folder / "clean.zip", folder / "syn.zip"],
        "role": "syn",
        "facts": {"study": "tiny", "source": "syn"},
        "execution": Execution(batch_size=5, threads=threads),
    }
    job = Job(name, (ENTRY, folder / "net.safetensors"), arguments, tmp_path)
    check(restarted(job, kills, seed=threads), {"clean", *CONDITIONS})


def test_making_images_killed_at_random_moments(folder: Path, tmp_path: Path) -> None:
    arguments = {"index": folder / "index.parquet", "clean": folder / "clean.zip", "conditions": folder, "seed": 1}
    job = Job("images", ("syn",), arguments, tmp_path)
    parts = {f"{line.split(',')[0]}-000" for line in CORRUPTIONS.splitlines()[1:]}
    check(restarted(job, 10, seed=3), parts)


def test_workers_end_with_a_killed_parent(folder: Path, tmp_path: Path) -> None:
    arguments = {"index": folder / "index.parquet", "clean": folder / "clean.zip", "conditions": folder, "seed": 1}
    job = Job("images", ("syn",), {**arguments, "workers": 2}, tmp_path)
    process = job.start()
    children = eventually(lambda: [child for child in children_of(process.pid) if "spawn_main" in command(child)])
    process.kill()
    process.join()
    assert eventually(lambda: not any(map(alive, children)))


def eventually(look: Callable[[], Any], seconds: float = 60) -> Any:
    """Return the first result that is true."""
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)
    return found


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that ended may wait for its parent to notice."""
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"
