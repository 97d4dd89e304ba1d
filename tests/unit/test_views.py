"""View jobs: logits against a direct loop, one decoding an image, resuming, metadata, and what is refused."""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.datasets import load_digits

from pairedeval.consistency.views import LEVELS, OPERATORS, ORIGINAL, WITHHELD, Views, read_views
from pairedeval.errors import ImageError, ModelError, PairedEvalError
from pairedeval.files import write_table
from pairedeval.images import ImageStore, write_store
from pairedeval.inference import view_cost
from pairedeval.inference import views as module
from pairedeval.inference.checkpoints import Checkpoints
from pairedeval.inference.execution import Execution
from pairedeval.inference.inputs import read_image_set, read_pixels
from pairedeval.inference.view_sets import operators_at, view_logits
from pairedeval.inference.views import run_views
from pairedeval.models.configuration import load_configuration
from pairedeval.models.loaded import ClassSet
from pairedeval.models.registry import ModelEntry, TrainingRecipe
from pairedeval.models.small import build_classifier
from pairedeval.models.variants import MAIN, RARE, VARIANTS, train_seeds, training_set
from pairedeval.models.variants import WITHHELD as WITHOUT
from pairedeval.models.weights import read_weights
from pairedeval.perturb.operator_table import read_operators
from pairedeval.perturb.operators import apply_operator

SEED = 20260908
SEEDS = 2
IMAGES = 8
CONDITIONS = ("fog-2", "noise-4")
CLASSES = ("digit-0", "digit-1", "digit-2", "digit-3")
AFFECTED = {MAIN: (), RARE: ("digit-0", "digit-2"), WITHOUT: ("digit-1", "digit-2")}
VARIANT = {"levels": MAIN, "shifted": MAIN, "rare": RARE, "withheld": WITHOUT}
FACTS = {"study": "tiny", "config_digest": "0", "simulated": False}
LINEAR = ModelEntry("linear", "lines", "linear", "softmax", (), 16, "softmax", "", TrainingRecipe("shift", 2, 0.01))
NETWORK = ModelEntry("net", "nets", "timm", "test_byobnet", (), 32, "softmax", "", TrainingRecipe("plain", 1, 0.003))
ENTRIES = {entry.model: entry for entry in (LINEAR, NETWORK)}


@dataclass(frozen=True)
class Study:
    """Images, operators and networks of a tiny study, and the call under test with a short argument list."""

    folder: Path
    operators: Path

    @property
    def index(self) -> Path:
        return self.folder / "index.parquet"

    def store(self, kind: str) -> Path:
        return self.folder / ("shifted.zip" if kind == "shifted" else "clean.zip")

    def weights(self, entry: ModelEntry, variant: str) -> list[Path]:
        return [self.folder / variant / entry.model / f"{number}.safetensors" for number in range(1, SEEDS + 1)]

    def run(self, kind: str, entry: ModelEntry = LINEAR, name: str = "views", **changes: object) -> Path:
        output = self.folder / f"{name}.npz"
        arguments = {
            "weights": self.weights(entry, VARIANT.get(kind, MAIN)),
            "index": self.index,
            "stores": [self.store(kind)],
            "operators": self.operators,
            "work": self.folder / "work" / name,
            "seed": SEED,
            "facts": FACTS,
            "execution": Execution(device="cpu"),
            **changes,
        }
        run_views(entry, kind=kind, output=output, **arguments)
        return output

    def views(self, kind: str, entry: ModelEntry = LINEAR, **changes: object) -> Views:
        return read_views(self.run(kind, entry, **changes))


@pytest.fixture(scope="module")
def study(tmp_path_factory, root) -> Study:
    study = Study(tmp_path_factory.mktemp("study"), root / "resources/conditions/operators.csv")
    digits = load_digits(n_class=4)
    labels = digits.target[: 60 + IMAGES]
    pixels = np.kron(digits.images[: 60 + IMAGES] * 15, np.ones((5, 5)))[..., None].repeat(3, axis=-1).astype(np.uint8)
    index = pd.DataFrame(
        {"image_id": [f"image-{number:02d}" for number in range(60 + IMAGES)], "label": labels.astype(np.int32)}
    )
    index["class_id"] = index["class_name"] = [CLASSES[label] for label in labels]
    index["role"] = ["train"] * 60 + ["syn"] * IMAGES
    index["split"] = [""] * 60 + ["development", "evaluation"] * (IMAGES // 2)
    write_table(index, study.index)
    write_store(study.store("levels"), (("clean", *pair) for pair in zip(index["image_id"], pixels, strict=True)))
    generator = np.random.default_rng(0)
    write_store(
        study.store("shifted"),
        (
            (
                condition,
                index["image_id"][row],
                (pixels[row] // 2 + generator.integers(0, 60, (40, 40, 3))).astype(np.uint8),
            )
            for condition in CONDITIONS
            for row in range(60, 60 + IMAGES)
        ),
    )
    images = read_image_set(study.index, "train")
    for variant in VARIANTS:
        chosen = training_set(
            variant, images.image_ids, images.labels, images.classes, affected=AFFECTED[variant], share=0.05, seed=SEED
        )
        known = read_pixels(study.store("levels"), "clean", chosen.image_ids)
        for entry in ENTRIES.values():
            train_seeds(entry, known, chosen, study.weights(entry, variant), seed=SEED)
    return study


def direct_logits(study: Study, entry: ModelEntry, views: Views, kind: str) -> np.ndarray:
    """Compute the logits image by image: load, apply the operator, resize, normalise, forward."""
    operators = {f"{operator.name}-{operator.level}": operator for operator in read_operators(study.operators)}
    logits = np.empty(views.logits.shape, np.float32)
    for number, path in enumerate(study.weights(entry, VARIANT[kind])):
        network = build_classifier(entry, len(views.classes)).eval()
        network.load_state_dict(read_weights(path))
        with ImageStore(study.store(kind)) as store, torch.inference_mode():
            for condition, view, image in np.ndindex(logits.shape[1:4]):
                image_id, name = views.image_ids[image], views.views[view]
                pixels = store.read(views.conditions[condition], image_id)
                if name != ORIGINAL:
                    pixels = apply_operator(pixels, operators[name], SEED, image_id)
                batch = torch.from_numpy(pixels).permute(2, 0, 1)[None].float() / 255
                side = (entry.input_size, entry.input_size)
                resized = torch.nn.functional.interpolate(batch, size=side, mode="bicubic", antialias=True)
                logits[number, condition, view, image] = network(resized.clamp(0, 1) * 2 - 1)[0].numpy()
    return logits


@pytest.fixture(autouse=True)
def one_round(monkeypatch):
    """Time nothing for long."""
    monkeypatch.setattr(view_cost, "REPEATS", 1)


@pytest.mark.parametrize("kind", module.KINDS)
@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_logits_are_those_of_a_direct_loop(study, entry, kind):
    views = study.views(kind, entry)
    assert views.logits.shape[:4] == (SEEDS, len(views.conditions), len(views.views), IMAGES)
    np.testing.assert_allclose(views.logits, direct_logits(study, entry, views, kind), atol=2e-5)
    # Seeds, conditions and views are told apart, so that nothing can be exchanged unnoticed.
    for axis in range(3):
        rows = np.moveaxis(views.logits, axis, 0).reshape(views.logits.shape[axis], -1)
        assert len(np.unique(rows, axis=0)) == len(rows)


def test_what_each_kind_holds(study):
    at_level_1 = (ORIGINAL, *(f"{operator}-1" for operator in OPERATORS))
    every_level = (ORIGINAL, *(f"{operator}-{level}" for level in LEVELS for operator in OPERATORS))
    index = pd.read_parquet(study.index).query("role == 'syn'")
    for kind in module.KINDS:
        views = study.views(kind)
        assert views.conditions == (CONDITIONS if kind == "shifted" else ("clean",))
        assert views.views == (every_level if kind == "levels" else at_level_1)
        assert views.image_ids == tuple(index["image_id"])
        assert views.splits == tuple(index["split"])
        assert views.classes == (("digit-0", "digit-3") if kind == "withheld" else CLASSES)
        assert (views.labels.dtype, views.logits.dtype) == (np.int32, np.float32)
        named = [WITHHELD if label == WITHHELD else views.classes[label] for label in views.labels]
        assert named == [name if name in views.classes else WITHHELD for name in index["class_id"]]
    assert {WITHHELD, 0, 1} == set(study.views("withheld").labels.tolist())


def test_metadata(study):
    common = {**FACTS, "model": "linear", "group": "lines", "seeds": SEEDS, "precision": "float32"}
    labels = read_image_set(study.index, "train").labels
    counts = np.bincount(labels)
    kept = np.where(np.isin(np.arange(4), [0, 2]), round(0.05 * (counts[1] + counts[3]) / 0.9), counts)
    shares = {
        "levels": counts / counts.sum(),
        "shifted": counts / counts.sum(),
        "rare": kept / kept.sum(),
        "withheld": counts[[0, 3]] / counts[[0, 3]].sum(),
    }
    for kind, expected in shares.items():
        metadata = dict(study.views(kind).metadata)
        assert {**common, "kind": kind}.items() <= metadata.items()
        assert {"torch", "timm", "numpy"} <= set(metadata["versions"])
        np.testing.assert_allclose(metadata["class_shares"], expected, rtol=1e-12)
        assert metadata.get("rare_classes") == (["digit-0", "digit-2"] if kind == "rare" else None)
        assert metadata.get("withheld_classes") == (["digit-1", "digit-2"] if kind == "withheld" else None)
        assert ("cost" in metadata) == (kind == "levels")


def test_the_cost_of_a_pass_and_of_all(study, monkeypatch):
    cost = study.views("levels", NETWORK).metadata["cost"]
    assert set(cost) == {"single_seconds", "views_seconds"}
    assert 0 < cost["single_seconds"] < cost["views_seconds"] < 1
    passes = []
    monkeypatch.setattr(module, "TIMED_IMAGES", 5)
    plain = module.measure_cost

    def watched(network, images, image_ids, operators, **options):
        counted = replace(network, forward=lambda batch: (passes.append(len(batch)), network.forward(batch))[1])
        assert len(images) == len(image_ids) == 5
        assert [operator.level for operator in operators] == [1] * 6
        return plain(counted, images, image_ids, operators, **options)

    monkeypatch.setattr(module, "measure_cost", watched)
    study.run("levels", NETWORK, execution=Execution(device="cpu", batch_size=14))
    # Two rounds: five images at once, then two, two and one with seven views each.
    assert passes == [5, 14, 14, 7] * 2


@pytest.mark.parametrize("batch_size", [1, 15, 256])
def test_views_of_decoded_images(study, batch_size):
    views = study.views("levels", NETWORK)
    configuration = load_configuration(
        NETWORK, study.weights(NETWORK, MAIN), MAIN, ClassSet(CLASSES, CLASSES), device="cpu"
    )
    pixels = read_pixels(study.store("levels"), "clean", views.image_ids)
    for level in (1, 5):
        operators = operators_at(study.operators, [level])
        for number, network in enumerate(configuration.networks):
            logits = view_logits(network, pixels, views.image_ids, operators, SEED, batch_size)
            np.testing.assert_allclose(logits, views.at_level(level, "clean")[number], atol=2e-5)


def test_every_image_is_decoded_once(study, monkeypatch):
    decoded = []
    read = ImageStore.read
    monkeypatch.setattr(ImageStore, "read", lambda self, *member: (decoded.append(member), read(self, *member))[1])
    study.run("shifted", execution=Execution(device="cpu", batch_size=10))
    ids = read_image_set(study.index, "syn").image_ids
    assert decoded == [(condition, image_id) for condition in CONDITIONS for image_id in ids]


def test_workers_and_repetition_change_no_bit(study):
    runs = [
        study.views(
            "shifted", NETWORK, name=f"run-{number}", execution=Execution("cpu", batch_size=16, threads=threads)
        )
        for number, threads in enumerate((1, 1, 2))
    ]
    for again in runs[1:]:
        np.testing.assert_array_equal(again.logits, runs[0].logits)
    first, second = (study.folder / f"run-{number}.npz" for number in (0, 1))
    assert first.read_bytes() == second.read_bytes()


def test_batch_size_changes_logits_by_rounding_only(study):
    reference = study.views("rare", NETWORK).logits
    small = study.views("rare", NETWORK, execution=Execution("cpu", batch_size=5)).logits
    np.testing.assert_allclose(small, reference, atol=1e-5)


class Stopped(Exception):  # noqa: N818  a stand-in for a killed process
    """Raised instead of keeping one more condition."""


@pytest.fixture
def kept(monkeypatch):
    """Note the conditions whose logits are kept; stop at the end of a chosen one."""
    plain = Checkpoints.save

    class Kept(list):
        stop_at: int | None = None

    conditions = Kept()

    def noted(self, condition, *rest):
        if len(conditions) == conditions.stop_at:
            raise Stopped
        conditions.append(condition)
        plain(self, condition, *rest)

    monkeypatch.setattr(Checkpoints, "save", noted)
    return conditions


@pytest.mark.parametrize("change", ["nothing", "seed", "weights", "operators"])
def test_a_stopped_job_goes_on_unless_something_changed(study, kept, tmp_path, change):
    changes: dict[str, object] = {}
    if change == "seed":
        changes["seed"] = SEED + 1
    elif change == "weights":
        changes["weights"] = [tmp_path / path.name for path in study.weights(LINEAR, MAIN)]
        for old, new in zip(study.weights(LINEAR, MAIN), changes["weights"], strict=True):
            new.write_bytes(old.read_bytes()[:-1] + b"\x01")
            new.with_suffix(".json").write_bytes(old.with_suffix(".json").read_bytes())
    elif change == "operators":
        changes["operators"] = tmp_path / "operators.csv"
        text = study.operators.read_text()
        changes["operators"].write_text(re.sub(r"(?m)^rotation,1,.*$", "rotation,1,33", text))
    whole = study.run("shifted", name=f"whole-{change}", **changes).read_bytes()
    kept.clear()
    kept.stop_at = 1
    with pytest.raises(Stopped):
        study.run("shifted", name=f"stopped-{change}")
    assert not (study.folder / f"stopped-{change}.npz").exists()
    kept.clear()
    kept.stop_at = None
    assert study.run("shifted", name=f"stopped-{change}", **changes).read_bytes() == whole
    assert kept == (list(CONDITIONS[1:]) if change == "nothing" else list(CONDITIONS))
    assert not (study.folder / f"work/stopped-{change}").exists()


def test_unusable_input(study, tmp_path):
    table = tmp_path / "operators.csv"
    table.write_text(
        "".join(line for line in study.operators.read_text().splitlines(True) if not line.startswith("jpeg,4"))
    )
    broken = tmp_path / "1.safetensors"
    broken.write_bytes(study.weights(LINEAR, MAIN)[0].read_bytes()[:-5])
    broken.with_suffix(".json").write_bytes(study.weights(LINEAR, MAIN)[0].with_suffix(".json").read_bytes())
    for kind, changes, error, message in (
        (
            "attacked",
            {},
            PairedEvalError,
            r"^attacked is no kind of view file; choose levels, shifted, rare, withheld$",
        ),
        ("levels", {"operators": table}, PairedEvalError, r"operators\.csv: no operator jpeg-4; restore the table"),
        (
            "rare",
            {"weights": study.weights(LINEAR, MAIN)},
            ModelError,
            r"1\.safetensors: not seed 1 of linear, variant r",
        ),
        ("levels", {"weights": [broken]}, ModelError, r"1\.safetensors: damaged or of another model"),
        ("levels", {"entry": replace(LINEAR, library="open_clip")}, ModelError, r"^linear: not a classifier of pixels"),
        ("levels", {"stores": [tmp_path / "no.zip"]}, ImageError, r"no\.zip"),
        ("levels", {"index": tmp_path / "no.parquet"}, PairedEvalError, r"no\.parquet: no such file"),
    ):
        with pytest.raises(error, match=message):
            study.run(kind, name="unusable", **changes)
        assert not (study.folder / "unusable.npz").exists()


def test_a_network_that_gives_no_number_is_named_with_its_view(study, tmp_path):
    from safetensors.torch import save_file

    paths = [tmp_path / path.name for path in study.weights(LINEAR, MAIN)]
    for old, new in zip(study.weights(LINEAR, MAIN), paths, strict=True):
        save_file({name: tensor * torch.inf for name, tensor in read_weights(old).items()}, new)
        new.with_suffix(".json").write_text(json.dumps(json.loads(old.with_suffix(".json").read_text())))
    with pytest.raises(ModelError, match=r"^linear: condition clean, image image-60 original: the output is NaN"):
        study.run("levels", weights=paths)
