"""Training of small models: the same bits on every run, facts beside the weights, and refusals on loading."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from pairedeval.errors import ModelError
from pairedeval.models.augmentation import augment
from pairedeval.models.loaded import ClassSet
from pairedeval.models.pool import load_model
from pairedeval.models.registry import ModelEntry, TrainingRecipe
from pairedeval.models.small import resize
from pairedeval.models.training import shuffled_batches, train
from pairedeval.models.two_tower import one_image_a_class

CLASSES = ClassSet(ids=("c-0", "c-1", "c-2"), names=("red", "green", "blue"))
TEMPLATES = ("a {} patch", "something {}")
LINEAR = ModelEntry("linear", "linear", "linear", "softmax", (), 8, "softmax", "", TrainingRecipe("plain", 20, 0.01))
NETWORK = ModelEntry("net", "net", "timm", "test_byobnet", (), 32, "softmax", "", TrainingRecipe("robust", 2, 0.003))
TOWERS = ModelEntry(
    "clip", "clip", "open_clip", "test_byobnet", (), 32, "sigmoid", "", TrainingRecipe("shift", 1, 0.003)
)


def patches(images: int = 30) -> tuple[list[np.ndarray], np.ndarray]:
    """Noisy patches; the class is the brightest channel."""
    generator = np.random.default_rng(0)
    labels = np.arange(images) % 3
    pixels = generator.integers(0, 120, size=(images, 40, 40, 3))
    pixels[np.arange(images), :, :, labels] += 100
    return list(pixels.astype(np.uint8)), labels


def trained(entry: ModelEntry, folder: Path, seed: int = 1) -> Path:
    path = folder / f"{entry.model}.safetensors"
    images, labels = patches()
    train(entry, images, labels, CLASSES, path, seed=seed, templates=TEMPLATES)
    return path


@pytest.mark.parametrize("entry", [LINEAR, NETWORK, TOWERS], ids=lambda entry: entry.library)
def test_training_gives_the_same_bytes_again(tmp_path, entry):
    first = trained(entry, tmp_path / "first")
    torch.manual_seed(99)  # The state that a caller leaves behind must not matter.
    again = trained(entry, tmp_path / "again")
    other = trained(entry, tmp_path / "other", seed=2)
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()
    assert first.with_suffix(".json").read_bytes() == again.with_suffix(".json").read_bytes()


def test_training_leaves_the_callers_random_state_alone(tmp_path):
    before = torch.get_rng_state()
    trained(LINEAR, tmp_path)
    assert torch.equal(before, torch.get_rng_state())


def test_a_trained_model_predicts(tmp_path):
    images, labels = patches(60)
    model = load_model(LINEAR, trained(LINEAR, tmp_path), CLASSES)
    outputs = model.outputs(model.preprocess(images[30:]))
    assert (outputs.dtype, outputs.shape) == (np.float32, (30, 3))
    assert (outputs.argmax(axis=1) == labels[30:]).all()
    assert (model.scoring, model.class_ids) == ("logits", CLASSES.ids)
    assert np.isnan(model.scale)
    assert np.isnan(model.bias)


def test_facts_beside_the_weights(tmp_path):
    facts = json.loads(trained(LINEAR, tmp_path).with_suffix(".json").read_text())
    losses = facts["loss_per_epoch"]
    assert len(losses) == 20
    assert losses[-1] < losses[0] / 2
    assert facts["training_accuracy"] == 1.0
    assert facts["recipe"]["epochs"] == 20
    assert facts["class_ids"] == list(CLASSES.ids)
    assert facts["parameters"] == 3 * 8 * 8 * 3 + 3
    assert (
        facts["versions"]["torch"] == torch.__version__.split("+")[0] or facts["versions"]["torch"] == torch.__version__
    )


def test_unknown_architectures_and_options(tmp_path):
    for entry in (replace(NETWORK, architecture="nonesuch"), replace(NETWORK, options=(("colour", 1),))):
        with pytest.raises(ModelError, match=r"^net: timm cannot build '.*' with options .*; correct the registry$"):
            trained(entry, tmp_path)


def test_two_towers_need_templates(tmp_path):
    images, labels = patches()
    with pytest.raises(ModelError, match=r"^clip: no prompt templates; an image-text model needs at least one"):
        train(TOWERS, images, labels, CLASSES, tmp_path / "clip.safetensors", seed=1)


def test_missing_and_damaged_weights_name_file_and_remedy(tmp_path):
    path = trained(LINEAR, tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    with pytest.raises(
        ModelError, match=r"linear\.safetensors: damaged or of another model \(.*\); remove it and train"
    ):
        load_model(LINEAR, path, CLASSES)
    path.write_bytes(whole)
    with pytest.raises(
        ModelError, match=r"linear\.safetensors: damaged or of another model \(.*\); remove it and train"
    ):
        load_model(replace(LINEAR, input_size=16), path, CLASSES)
    path.unlink()
    with pytest.raises(ModelError, match=r"linear\.safetensors: no such file; train or fetch the model first"):
        load_model(LINEAR, path, CLASSES)
    path.with_suffix(".json").write_text("{")
    with pytest.raises(ModelError, match=r"linear\.json: damaged or of another model"):
        load_model(LINEAR, path, CLASSES)


def test_weights_of_other_classes_are_refused(tmp_path):
    other = replace(CLASSES, ids=("c-0", "c-1", "c-9"))
    with pytest.raises(ModelError, match=r"linear\.safetensors: trained on other classes than the study's; remove it"):
        load_model(LINEAR, trained(LINEAR, tmp_path), other)


def test_weight_files_never_run_code(tmp_path):
    class Harmful:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "ran",))

    trained(LINEAR, tmp_path)
    torch.save({"weight": Harmful()}, tmp_path / "linear.pth")
    with pytest.raises(ModelError, match=r"linear\.pth: damaged or of another model"):
        load_model(LINEAR, tmp_path / "linear.pth", CLASSES)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"precision": "int8"}, r"^precision 'int8' is unknown; choose float32, bfloat16, float16$"),
        ({"device": "abacus"}, r"^device 'abacus' is not available; use auto, cpu"),
    ],
)
def test_unknown_precision_and_device(tmp_path, arguments, message):
    with pytest.raises(ModelError, match=message):
        load_model(LINEAR, trained(LINEAR, tmp_path), CLASSES, **arguments)


def test_a_model_to_be_trained_needs_its_file():
    with pytest.raises(ModelError, match=r"^linear: no weight file; train or fetch the model first"):
        load_model(LINEAR, None, CLASSES)


def test_half_precision_stays_close(tmp_path):
    path = trained(NETWORK, tmp_path)
    images, _ = patches()
    full, half = (load_model(NETWORK, path, CLASSES, precision=precision) for precision in ("float32", "bfloat16"))
    batch = full.preprocess(images)
    assert half.outputs(batch).dtype == np.float32
    np.testing.assert_allclose(half.outputs(batch), full.outputs(batch), atol=0.1)
    assert (half.outputs(batch) != full.outputs(batch)).any()


def test_images_of_different_sizes_are_resized_one_by_one():
    images = [np.full((40, 40, 3), 51, np.uint8), np.full((20, 60, 3), 102, np.uint8)]
    batch = resize(images, 8)
    assert batch.shape == (2, 3, 8, 8)
    torch.testing.assert_close(batch[:, 0, 0, 0], torch.tensor([0.2, 0.4]))


def test_batches_cover_all_images_evenly():
    batches = shuffled_batches(130)
    assert sorted(torch.cat(batches).tolist()) == list(range(130))
    assert [len(batch) for batch in batches] == [44, 44, 42]


def test_one_image_of_each_class_per_batch():
    targets = torch.tensor([0, 0, 0, 1, 1, 2, 2])
    batches = one_image_a_class(targets)
    assert [targets[batch].tolist() for batch in batches] == [[0, 1, 2], [0, 1, 2]]
    assert len(set(torch.cat(batches).tolist())) == 6


def test_augmentations():
    pixels = torch.rand(5, 3, 16, 16)
    assert torch.equal(augment(pixels, "plain"), pixels)
    shifted = augment(pixels, "shift")
    # One pixel at most: the centre of each image is found among the nine shifts of the original.
    for image, moved in zip(pixels, shifted, strict=True):
        centres = [image[:, 1 + y : 15 + y, 1 + x : 15 + x] for y in (-1, 0, 1) for x in (-1, 0, 1)]
        assert any(torch.equal(moved[:, 1:15, 1:15], centre) for centre in centres)
    robust = augment(pixels, "robust")
    assert robust.shape == pixels.shape
    assert 0 <= robust.min() <= robust.max() <= 1
    assert not torch.equal(robust, pixels)
