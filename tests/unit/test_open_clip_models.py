"""Image-text models that the study trains: the zero-shot head against a loop by hand, outputs, and refusals."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from pairedeval.errors import ModelError
from pairedeval.models.loaded import ClassSet
from pairedeval.models.open_clip import open_clip_from_config, zero_shot_head
from pairedeval.models.pool import load_model
from pairedeval.models.registry import ModelEntry, TrainingRecipe
from pairedeval.models.training import train

CLASSES = ClassSet(ids=("c-0", "c-1", "c-2"), names=("red", "green", "bright blue"))
TEMPLATES = ("a {} patch", "something {}.")
RECIPE = TrainingRecipe("plain", 4, 0.002)
CLIP = ModelEntry("clip", "clip", "open_clip", "test_byobnet", (), 32, "softmax", "", RECIPE)
SIGLIP = replace(CLIP, model="pairs", scoring="sigmoid")


def patches(images: int = 60) -> tuple[list[np.ndarray], np.ndarray]:
    """Noisy patches; the class is the brightest channel."""
    generator = np.random.default_rng(0)
    labels = np.arange(images) % 3
    pixels = generator.integers(0, 120, size=(images, 40, 48, 3))
    pixels[np.arange(images), :, :, labels] += 100
    return list(pixels.astype(np.uint8)), labels


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """Return the weight files of a softmax and of a sigmoid model, trained for seconds."""
    folder = tmp_path_factory.mktemp("models")
    images, labels = patches()
    for entry in (CLIP, SIGLIP):
        train(entry, images, labels, CLASSES, folder / f"{entry.model}.safetensors", seed=1, templates=TEMPLATES)
    return {entry.model: folder / f"{entry.model}.safetensors" for entry in (CLIP, SIGLIP)}


@pytest.fixture
def parts(weights):
    """Return model, evaluation transform and tokenizer of the softmax model."""
    config = json.loads(weights["clip"].with_suffix(".json").read_text())["open_clip_config"]
    model, transform, tokenizer = open_clip_from_config(config, weights["clip"])
    return model.eval(), transform, tokenizer


def test_zero_shot_head_is_the_unit_mean_of_unit_prompt_vectors(parts):
    model, _, tokenizer = parts
    columns = []
    with torch.no_grad():
        for name in CLASSES.names:
            total = torch.zeros(64, dtype=torch.float64)
            for template in TEMPLATES:
                feature = model.encode_text(tokenizer([template.replace("{}", name)]))[0].double()
                total += feature / feature.square().sum().sqrt()
            columns.append(total / total.square().sum().sqrt())
    head = zero_shot_head(model, tokenizer, CLASSES.names, TEMPLATES)
    torch.testing.assert_close(head.double(), torch.stack(columns, dim=1), atol=1e-6, rtol=0)


def test_outputs_are_cosines_of_the_models_own_evaluation_transform(parts, weights):
    model, transform, tokenizer = parts
    images, _ = patches(4)
    loaded = load_model(CLIP, weights["clip"], CLASSES, templates=TEMPLATES)
    batch = torch.stack([transform(Image.fromarray(image)) for image in images])
    assert torch.equal(loaded.preprocess(images), batch)
    head = zero_shot_head(model, tokenizer, CLASSES.names, TEMPLATES).numpy()
    with torch.no_grad():
        features = model.encode_image(batch).numpy()
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    outputs = loaded.outputs(batch)
    assert outputs.dtype == np.float32
    np.testing.assert_allclose(outputs, features @ head, atol=1e-6)


@pytest.mark.parametrize("entry", [CLIP, SIGLIP], ids=lambda entry: entry.scoring)
def test_trained_models_classify_by_prompts(weights, entry):
    images, labels = patches()
    loaded = load_model(entry, weights[entry.model], CLASSES, templates=TEMPLATES)
    outputs = loaded.outputs(loaded.preprocess(images))
    assert (outputs.argmax(axis=1) == labels).mean() > 0.9
    assert np.abs(outputs).max() <= 1 + 1e-6
    assert loaded.scoring == "cosine"
    assert 5 < loaded.scale < 30
    assert np.isnan(loaded.bias) if entry.scoring == "softmax" else -4 < loaded.bias < -1


def test_a_wrong_scoring_rule_is_refused(weights):
    with pytest.raises(
        ModelError, match=r"^clip: scoring is 'sigmoid', but the model has no logit bias; write 'softmax'"
    ):
        load_model(replace(CLIP, scoring="sigmoid"), weights["clip"], CLASSES, templates=TEMPLATES)
    with pytest.raises(
        ModelError, match=r"^pairs: scoring is 'softmax', but the model has a logit bias; write 'sigmoid'"
    ):
        load_model(replace(SIGLIP, scoring="softmax"), weights["pairs"], CLASSES, templates=TEMPLATES)


def test_templates_are_needed(weights):
    with pytest.raises(ModelError, match=r"^clip: no prompt templates"):
        load_model(CLIP, weights["clip"], CLASSES)


def test_damaged_and_missing_weights(weights, tmp_path):
    path = tmp_path / "clip.safetensors"
    path.with_suffix(".json").write_bytes(weights["clip"].with_suffix(".json").read_bytes())
    with pytest.raises(ModelError, match=r"clip\.safetensors: no such file; train or fetch the model first"):
        load_model(CLIP, path, CLASSES, templates=TEMPLATES)
    path.write_bytes(weights["clip"].read_bytes()[:1000])
    with pytest.raises(ModelError, match=r"clip\.safetensors: damaged or of another model \(.*\); remove it"):
        load_model(CLIP, path, CLASSES, templates=TEMPLATES)
    path.with_suffix(".json").write_text("{}")
    with pytest.raises(ModelError, match=r"clip\.safetensors: its JSON file has no open_clip_config; remove both"):
        load_model(CLIP, path, CLASSES, templates=TEMPLATES)
