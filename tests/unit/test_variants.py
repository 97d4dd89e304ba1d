"""Training variants: exact counts, which images stay, seeds of their own, facts beside the weights, refusals."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from pairedeval.consistency.views import WITHHELD as UNKNOWN
from pairedeval.errors import ModelError
from pairedeval.models.configuration import load_configuration
from pairedeval.models.loaded import ClassSet
from pairedeval.models.registry import ModelEntry, TrainingRecipe
from pairedeval.models.training import train
from pairedeval.models.variants import MAIN, RARE, WITHHELD, labels_among, train_seeds, training_set
from pairedeval.seeds import derive_seed

SEED = 20260908
CLASSES = ClassSet(ids=("c-0", "c-1", "c-2", "c-3"), names=("red", "green", "blue", "grey"))
LINEAR = ModelEntry("linear", "linear", "linear", "softmax", (), 4, "softmax", "", TrainingRecipe("plain", 1, 0.01))


def images_of(*counts: int) -> tuple[tuple[str, ...], np.ndarray]:
    """Ids and labels of so many images of each class, the classes mixed."""
    labels = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts)).astype(np.int32)
    return tuple(f"image-{number:03d}" for number in range(len(labels))), labels


def chosen(variant: str, *counts: int, affected=(), share=0.02, seed=SEED):
    return training_set(variant, *images_of(*counts), CLASSES, affected=affected, share=share, seed=seed)


def test_main_keeps_everything():
    image_ids, labels = images_of(3, 4, 5, 6)
    found = chosen(MAIN, 3, 4, 5, 6)
    assert (found.image_ids, found.classes) == (image_ids, CLASSES)
    np.testing.assert_array_equal(found.labels, labels)
    assert found.facts() == {"variant": MAIN, "class_shares": [3 / 18, 4 / 18, 5 / 18, 6 / 18]}


@pytest.mark.parametrize(
    ("counts", "affected", "share", "kept"),
    [
        # 0.02 * 480 / 0.96 = 10, of 500 images.
        ((240, 90, 240, 95), ("c-3", "c-1"), 0.02, 10),
        # 0.1 * 20 / 0.8 = 2.5 is rounded up.
        ((10, 10, 10, 10), ("c-1", "c-3"), 0.1, 3),
        # 0.25 * 30 / 0.75 = 10: as many as there are.
        ((10, 10, 10, 10), ("c-2",), 0.25, 10),
    ],
)
def test_each_rare_class_keeps_its_share(counts, affected, share, kept):
    found = chosen(RARE, *counts, affected=affected, share=share)
    expected = [kept if class_id in affected else count for class_id, count in zip(CLASSES.ids, counts, strict=True)]
    np.testing.assert_array_equal(np.bincount(found.labels), expected)
    np.testing.assert_allclose(found.facts()["class_shares"], np.array(expected) / sum(expected), rtol=1e-15)
    assert found.facts()["rare_classes"] == sorted(affected)
    assert found.classes == CLASSES


def test_rare_images_come_first_in_sha_256_order():
    image_ids, labels = images_of(30, 20, 30, 20)
    found = chosen(RARE, 30, 20, 30, 20, affected=("c-1", "c-3"), share=0.05)
    for label in (1, 3):
        pool = [image_id for image_id, own in zip(image_ids, labels, strict=True) if own == label]

        def key(image_id, label=label):
            text = "\x1f".join((str(SEED), "consistency rare", f"c-{label}", image_id))
            return hashlib.sha256(text.encode()).hexdigest()

        stays = [image_id for image_id, own in zip(found.image_ids, found.labels, strict=True) if own == label]
        assert sorted(stays) == sorted(sorted(pool, key=key)[:3])
    assert list(found.image_ids) == sorted(found.image_ids)
    other = chosen(RARE, 30, 20, 30, 20, affected=("c-1", "c-3"), share=0.05, seed=1)
    assert other.image_ids != found.image_ids


def test_withheld_classes_are_gone():
    image_ids, labels = images_of(3, 4, 5, 6)
    found = chosen(WITHHELD, 3, 4, 5, 6, affected=("c-2", "c-0"))
    assert found.classes == ClassSet(ids=("c-1", "c-3"), names=("green", "grey"))
    assert dict(zip(found.image_ids, found.labels.tolist(), strict=True)) == {
        image_id: {1: 0, 3: 1}[label] for image_id, label in zip(image_ids, labels, strict=True) if label in (1, 3)
    }
    facts = {"variant": WITHHELD, "withheld_classes": ["c-0", "c-2"], "class_shares": [0.4, 0.6]}
    assert found.facts() == facts


def test_labels_of_unknown_classes():
    labels = labels_among(("c-1", "c-3"), CLASSES.ids, np.array([3, 0, 1, 2]))
    assert (labels.tolist(), labels.dtype) == ([1, UNKNOWN, 0, UNKNOWN], np.int32)


@pytest.mark.parametrize(
    ("variant", "affected", "share", "message"),
    [
        ("scarce", ("c-1",), 0.02, r"^training variant 'scarce' is unknown; choose main, rare, withheld$"),
        (RARE, ("c-9",), 0.02, r"rare: class c-9 has no training images; correct consistency\.rare_classes$"),
        (RARE, (), 0.02, r"rare: name classes for rare and withheld, none for main$"),
        (MAIN, ("c-1",), 0.02, r"main: name classes for rare and withheld, none for main$"),
        (WITHHELD, CLASSES.ids[:3], 0.02, r"withheld: fewer than two of 4 classes stay as they are; shorten"),
        (RARE, ("c-1",), 0.01, r"rare: a share of 0\.01 takes 0 images of each rare class, and the smallest has 10;"),
        (RARE, ("c-1",), 0.3, r"rare: a share of 0\.3 takes 13 images of each rare class, and the smallest has 10;"),
        (RARE, ("c-1", "c-2"), 0.5, r"rare: a share of 0\.5 takes 40 images of each rare class, and"),
    ],
)
def test_variants_that_cannot_be(variant, affected, share, message):
    with pytest.raises(ModelError, match=message):
        chosen(variant, 10, 10, 10, 10, affected=affected, share=share)


def trained(folder: Path, found, seeds: int = 2, entry: ModelEntry = LINEAR) -> list[Path]:
    outputs = [folder / f"{number}.safetensors" for number in range(1, seeds + 1)]
    train_seeds(entry, pixels_of(found), found, outputs, seed=SEED)
    return outputs


def pixels_of(found) -> list[np.ndarray]:
    generator = np.random.default_rng(1)
    return list(generator.integers(0, 256, size=(len(found.image_ids), 8, 8, 3), dtype=np.uint8))


def test_every_seed_trains_a_network_of_its_own(tmp_path):
    found = chosen(WITHHELD, 6, 6, 6, 6, affected=("c-0",))
    outputs = trained(tmp_path / "all", found)
    assert outputs[0].read_bytes() != outputs[1].read_bytes()
    for number, output in enumerate(outputs, start=1):
        torch.manual_seed(5)
        alone = tmp_path / f"alone-{number}.safetensors"
        own_seed = derive_seed(SEED, "consistency", WITHHELD, number)
        train(LINEAR, pixels_of(found), found.labels, found.classes, alone, seed=own_seed)
        assert output.read_bytes() == alone.read_bytes()
        facts = json.loads(output.with_suffix(".json").read_text())
        own = {**found.facts(), "seed_index": number}
        assert facts == {**json.loads(alone.with_suffix(".json").read_text()), **own}
    again = trained(tmp_path / "again", found)
    for first, second in zip(outputs, again, strict=True):
        assert first.read_bytes() == second.read_bytes()
        assert first.with_suffix(".json").read_bytes() == second.with_suffix(".json").read_bytes()


@pytest.mark.parametrize(
    "change", [{"library": "open_clip"}, {"recipe": None, "weights": "tag", "library": "timm"}], ids=["towers", "tag"]
)
def test_other_models_are_refused(tmp_path, change):
    entry = replace(LINEAR, **change)
    message = r"^linear: not a classifier of pixels that the study trains \(library linear or timm.*; take it out of"
    with pytest.raises(ModelError, match=message):
        trained(tmp_path, chosen(MAIN, 6, 6, 6, 6), entry=entry)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ModelError, match=message):
        load_configuration(entry, [tmp_path / "1.safetensors"], MAIN, CLASSES)


def test_a_configuration_knows_its_classes_and_shares(tmp_path):
    found = chosen(WITHHELD, 6, 6, 6, 6, affected=("c-0",))
    configuration = load_configuration(LINEAR, trained(tmp_path, found), WITHHELD, CLASSES, device="cpu")
    assert configuration.class_ids == ("c-1", "c-2", "c-3")
    assert configuration.facts == {"class_shares": [1 / 3, 1 / 3, 1 / 3], "withheld_classes": ["c-0"]}
    together = configuration.side_by_side()
    batch = together.preprocess(pixels_of(found)[:5])
    assert together.class_ids == configuration.class_ids * 2
    parts = [network.outputs(batch) for network in configuration.networks]
    np.testing.assert_array_equal(together.outputs(batch), np.concatenate(parts, axis=1))


def test_weights_of_another_variant_seed_or_model_are_refused(tmp_path):
    outputs = trained(tmp_path, chosen(MAIN, 6, 6, 6, 6))
    for weights, variant, entry, message in (
        (outputs, RARE, LINEAR, r"1\.safetensors: not seed 1 of linear, variant rare; remove it and train"),
        (outputs[::-1], MAIN, LINEAR, r"2\.safetensors: not seed 1 of linear, variant main"),
        (outputs, MAIN, replace(LINEAR, model="other"), r"1\.safetensors: not seed 1 of other, variant main"),
        ([tmp_path / "9.safetensors"], MAIN, LINEAR, r"9\.json: no such file; train or fetch the model first"),
    ):
        with pytest.raises(ModelError, match=message):
            load_configuration(entry, weights, variant, CLASSES)
