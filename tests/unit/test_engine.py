"""Inference jobs: resuming, batch sizes, memory, and what a record file says about its origin."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from pairedeval.errors import ImageError, ModelError
from pairedeval.files import write_table
from pairedeval.images import write_store
from pairedeval.inference import engine
from pairedeval.inference.checkpoints import Checkpoints
from pairedeval.inference.engine import Execution, infer_probes, infer_records
from pairedeval.inference.inputs import read_image_set, read_pixels
from pairedeval.models.loaded import ClassSet, LoadedModel
from pairedeval.models.registry import ModelEntry, TrainingRecipe
from pairedeval.models.training import train
from pairedeval.probes import read_probes
from pairedeval.records import read_records
from pairedeval.scoring import outside_mass, score_common
from pairedeval.seeds import digest

ENTRY = ModelEntry("net", "nets", "timm", "test_byobnet", (), 32, "softmax", "", TrainingRecipe("plain", 2, 0.003))
CONDITIONS = ("fog-2", "fog-4", "noise-2")
FACTS = {"study": "tiny", "source": "es", "config_digest": "0", "simulated": True}
CLASSES = ("digit-0", "digit-1", "digit-2")


class Study:
    """Images, index and weights of a tiny study, and the calls under test with short argument lists."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index = folder / "index.parquet"
        self.clean = folder / "clean.zip"
        self.perturbed = folder / "es.zip"
        self.weights = folder / "net.safetensors"

    def arguments(self, name: str) -> dict[str, object]:
        stores = [self.clean, self.perturbed]
        return {"index": self.index, "stores": stores, "work": self.folder / "work" / name, "facts": FACTS}

    def infer(self, name: str = "net", entry: ModelEntry = ENTRY, **changes: object) -> Path:
        output = self.folder / f"{name}.parquet"
        infer_records(entry, self.weights, output=output, **{**self.arguments(name), "role": "base", **changes})
        return output

    def probe(self, name: str = "probes", **changes: object) -> Path:
        output = self.folder / f"{name}.npz"
        infer_probes(ENTRY, self.weights, output=output, **{**self.arguments(name), **changes})
        return output


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Study:
    study = Study(tmp_path_factory.mktemp("study"))
    generator = np.random.default_rng(0)
    index = pd.DataFrame({"image_id": [f"image-{number:02d}" for number in range(45)]})
    index["label"] = (np.arange(45) % 3).astype(np.int32)
    index["class_id"] = [CLASSES[label] for label in index["label"]]
    index["class_name"] = [("red", "green", "blue")[label] for label in index["label"]]
    index["role"] = ["train"] * 30 + ["base"] * 15
    index["split"] = [""] * 30 + ["development", "evaluation", "evaluation"] * 5
    pixels = generator.integers(0, 120, size=(45, 40, 40, 3))
    pixels[np.arange(45), :, :, index["label"]] += 60
    write_table(index, study.index)
    write_store(study.clean, (("clean", i, p.astype(np.uint8)) for i, p in zip(index["image_id"], pixels, strict=True)))
    write_store(
        study.perturbed,
        (
            (condition, index["image_id"][row], (pixels[row] + 20 * (place + 1)).astype(np.uint8))
            for place, condition in enumerate(CONDITIONS)
            for row in range(30, 45)
        ),
    )
    images = read_image_set(study.index, "train")
    train(
        ENTRY, read_pixels(study.clean, "clean", images.image_ids), images.labels, images.classes, study.weights, seed=1
    )
    return study


class Stopped(Exception):  # noqa: N818  a stand-in for a killed process
    """Raised instead of keeping one more condition."""


@pytest.fixture
def runs(monkeypatch):
    """Count the conditions that the model is run on; stop at the end of a chosen one."""
    plain = Checkpoints.save

    class Runs:
        done = 0
        stop_at: int | None = None

    def counted(self, *arguments):
        if Runs.done == Runs.stop_at:
            raise Stopped
        Runs.done += 1
        plain(self, *arguments)

    monkeypatch.setattr(Checkpoints, "save", counted)
    return Runs


def test_records_and_their_origin(study):
    frame, metadata = read_records(study.infer())
    assert frame["condition"].unique().tolist() == ["clean", *CONDITIONS]
    assert (frame.groupby("condition").size() == 15).all()
    assert (frame["label"] == frame["image_id"].str[-2:].astype(int) % 3).all()
    assert {"torch", "timm", "open_clip_torch", "numpy", "pillow"} <= set(metadata["versions"])
    expected = {**FACTS, "model": "net", "group": "nets", "candidates": list(CLASSES), "precision": "float32"}
    assert expected.items() <= metadata.items()
    assert metadata["candidate_digest"] == digest("\n".join(CLASSES))
    assert "softmax over the candidates" in metadata["scoring_protocol"]


def test_a_stopped_job_goes_on_where_it_stopped(study, runs):
    whole = study.infer("whole").read_bytes()
    assert runs.done == 4
    runs.done, runs.stop_at = 0, 2
    with pytest.raises(Stopped):
        study.infer("stopped")
    assert not (study.folder / "stopped.parquet").exists()
    assert len(list((study.folder / "work/stopped").rglob("*.npy"))) == 2
    runs.done, runs.stop_at = 0, None
    assert study.infer("stopped").read_bytes() == whole
    assert runs.done == 2
    assert not (study.folder / "work/stopped").exists()


@pytest.mark.parametrize("change", ["precision", "weights", "images", "damaged", "cut"])
def test_checkpoints_of_other_work_are_not_used(study, runs, tmp_path, change):
    runs.stop_at = 3
    work = tmp_path / "work"
    with pytest.raises(Stopped):
        study.infer(work=work)
    changes: dict[str, object] = {}
    other = Study(study.folder)
    missing = 1
    if change == "precision":
        changes, missing = {"execution": Execution(precision="bfloat16")}, 4
    elif change == "weights":
        other.weights, missing = tmp_path / "net.safetensors", 4
        other.weights.write_bytes(study.weights.read_bytes()[:-1] + b"\x01")
        other.weights.with_suffix(".json").write_bytes(study.weights.with_suffix(".json").read_bytes())
    elif change == "images":
        other.perturbed, missing = tmp_path / "es.zip", 3
        black = np.zeros((40, 40, 3), np.uint8)
        ids = read_image_set(study.index, "base").image_ids
        write_store(other.perturbed, ((condition, image_id, black) for condition in CONDITIONS for image_id in ids))
    elif change == "damaged":
        next(work.rglob("clean*.npy")).write_bytes(b"\x93NUMPY")
        missing = 2
    else:
        np.save(next(work.rglob("clean*.npy")), np.zeros((14, 3), np.float32))
        missing = 2
    runs.done, runs.stop_at = 0, None
    other.infer(f"other-{change}", work=work, **changes)
    assert runs.done == missing


def outputs_of(path: Path) -> np.ndarray:
    return read_probes(path).outputs


def test_batch_size_and_threads_change_outputs_by_rounding_only(study):
    reference = outputs_of(study.probe())
    for batch_size, threads in ((1, 1), (4, 1), (4, 3)):
        execution = Execution(batch_size=batch_size, threads=threads)
        np.testing.assert_allclose(outputs_of(study.probe("other", execution=execution)), reference, atol=1e-5)


def test_decoding_in_another_process_changes_no_bit(study):
    alone = outputs_of(study.probe("alone", execution=Execution(batch_size=8, threads=1)))
    beside = outputs_of(study.probe("beside", execution=Execution(batch_size=8, threads=2)))
    np.testing.assert_array_equal(beside, alone)


def test_a_condition_gives_the_same_bits_whichever_others_run(study, tmp_path):
    alone = tmp_path / "alone.zip"
    ids = read_image_set(study.index, "base").image_ids
    pixels = read_pixels(study.perturbed, "fog-4", ids)
    write_store(alone, (("fog-4", image_id, image) for image_id, image in zip(ids, pixels, strict=True)))
    single = read_probes(study.probe("alone", stores=[alone]))
    together = read_probes(study.probe("together"))
    np.testing.assert_array_equal(single.outputs, together.of(["fog-4"]))


def test_probes_hold_what_records_are_made_of(study):
    probes = read_probes(study.probe())
    assert probes.variants == ("clean", *CONDITIONS)
    assert probes.candidates == CLASSES
    assert (probes.outside == -np.inf).all()
    frame, _ = read_records(study.infer())
    scores = score_common(probes.outputs, probes.labels, probes.scoring)
    assert frame["confidence"].tolist() == scores.confidence.ravel().tolist()
    assert frame["prediction"].tolist() == scores.prediction.ravel().tolist()


def stub(classes: Sequence[str], value: float = 1.0) -> LoadedModel:
    """Return a model without weights."""

    def forward(batch: torch.Tensor) -> torch.Tensor:
        outputs = batch.mean(dim=(2, 3))[:, [0] * len(classes)] + torch.arange(len(classes))
        outputs[batch[:, 0, 0, 0] > 0] *= value
        return outputs

    def preprocess(images: Sequence[np.ndarray]) -> torch.Tensor:
        return torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).float() / 255

    return LoadedModel("stub", "logits", float("nan"), float("nan"), tuple(classes), preprocess, forward, "none")


def test_unusable_outputs_name_model_condition_and_image(study, monkeypatch):
    monkeypatch.setattr(engine, "load_model", lambda *_, **__: stub(CLASSES, value=float("nan")))
    with pytest.raises(ModelError, match=r"^stub: condition clean, image image-30: the output is NaN or infinite"):
        study.infer("nan")
    assert not (study.folder / "nan.parquet").exists()


def test_a_larger_set_of_classes_is_narrowed_to_the_candidates(study, monkeypatch):
    model = stub(("digit-2", "other", "digit-0", "digit-1"))
    monkeypatch.setattr(engine, "load_model", lambda *_, **__: model)
    probes = read_probes(study.probe("narrow"))
    images = read_pixels(study.clean, "clean", probes.image_ids)
    everything = model.outputs(model.preprocess(images))
    np.testing.assert_allclose(probes.of(["clean"])[0], everything[:, [2, 3, 0]], atol=1e-6)
    np.testing.assert_allclose(probes.outside[0], outside_mass(everything, np.array([2, 3, 0])), atol=1e-6)


def test_a_model_that_lacks_a_class_is_refused(study, monkeypatch):
    monkeypatch.setattr(engine, "load_model", lambda *_, **__: stub(("digit-0", "digit-2", "digit-3")))
    with pytest.raises(ModelError, match=r"^stub: no output for class digit-1; choose a model that knows all classes"):
        study.infer("lacks")


def test_a_condition_in_two_sets_is_refused(study):
    with pytest.raises(
        ImageError, match=r"clean\.zip: condition clean also stands in .*clean\.zip; keep it in one set"
    ):
        study.infer("twice", stores=[study.clean, study.clean])


def test_a_missing_image_is_named(study, tmp_path):
    short = tmp_path / "short.zip"
    write_store(short, [("fog-2", "image-30", np.zeros((40, 40, 3), np.uint8))])
    with pytest.raises(ImageError, match=r"short\.zip: fog-2/image-31 is missing"):
        study.infer("short", stores=[study.clean, short])


def test_progress_on_standard_error(study, capsys, monkeypatch):
    monkeypatch.setattr("pairedeval.progress.SECONDS_BETWEEN_LINES", 0.0)
    study.infer("shown")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.search(r"net noise-2: 100%.*60/60 .*img/s", captured.err)


def test_the_log_tells_speed_and_waiting(study, caplog):
    caplog.set_level("INFO")
    study.infer("logged")
    expected = r"net on cpu: 60 images, [\d.]+ img/s, \d+% of the time spent waiting for decoded images"
    assert re.fullmatch(expected, caplog.messages[-1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"role": "train"}, r"index\.parquet: no image has role base; make the images again"),
        (
            {"label": 2},
            r"index\.parquet: image image-30: label 2 is not the position of digit-0 among the sorted class ids",
        ),
    ],
)
def test_an_index_that_does_not_fit(study, tmp_path, change, message):
    index = pd.read_parquet(study.index)
    if "role" in change:
        index["role"] = change["role"]
    else:
        index.loc[index["image_id"] == "image-30", "label"] = change["label"]
    write_table(index, tmp_path / "index.parquet")
    with pytest.raises(ImageError, match=message):
        read_image_set(tmp_path / "index.parquet", "base")


def test_classes_are_ordered_as_text_and_names_may_repeat(tmp_path):
    index = pd.DataFrame({"image_id": ["a", "b", "c"], "class_id": ["n2", "n10", "n1"], "label": [2, 1, 0]})
    write_table(
        index.assign(class_name=["crane", "crane", "missile"], role="base", split="evaluation"), tmp_path / "i.parquet"
    )
    images = read_image_set(tmp_path / "i.parquet", "base")
    assert images.classes == ClassSet(ids=("n1", "n10", "n2"), names=("missile", "crane", "crane"))
    assert images.labels.tolist() == [2, 1, 0]


def test_facts_are_json(study):
    path = study.infer("facts", facts={**FACTS, "source": "syn"})
    assert json.loads(json.dumps(read_records(path)[1]))["source"] == "syn"
    assert read_records(study.infer("group", entry=replace(ENTRY, group="g")))[1]["group"] == "g"
