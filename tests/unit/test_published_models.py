"""Published checkpoints of every library, as tiny stand-ins: fetched, loaded and compared with the library itself."""

import json
from dataclasses import replace

import numpy as np
import open_clip
import pytest
import timm
import torch
import torchvision
from PIL import Image
from safetensors import safe_open

from pairedeval.errors import ModelError
from pairedeval.models.fetch import fetch_weights
from pairedeval.models.heads import head_path
from pairedeval.models.imagenet import imagenet_classes, prompt_templates
from pairedeval.models.loaded import ClassSet
from pairedeval.models.network import build_network
from pairedeval.models.pool import load_model
from pairedeval.models.prompts import build_head, tokenize_prompts
from pairedeval.models.registry import entry_from_values, entry_values, read_registry
from pairedeval.models.weights import read_weights
from support.dino_reference import dinov2_logits, dinov3_logits
from support.stand_ins import write_stand_ins

TEMPLATES = ("a photo of a {}.", "the {}")
# Eight of the 1,000 classes, among them the two that share a name.
SOME = (0, 107, 657, 744, 817, 836, 837, 999)


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    """Return entries by name, the folder of published files, and the folder of what was fetched."""
    folder = tmp_path_factory.mktemp("stand-ins")
    registry, local = write_stand_ins(folder)
    entries = {entry.model: entry for entry in read_registry(registry)}
    for entry in entries.values():
        # The same way as a job of the workflow gets its entry.
        given = entry_from_values(json.loads(json.dumps(entry_values(entry))))
        fetch_weights(given, folder / f"{entry.model}.safetensors", work=folder / "work", local=local)
    return entries, local, folder


@pytest.fixture(scope="module")
def heads(pool):
    """Make the class vectors of the image-text models."""
    entries, _, folder = pool
    for name in ("tiny-clip", "tiny-sigmoid"):
        weights, tokens = folder / f"{name}.safetensors", folder / f"{name}.tokens.safetensors"
        tokenize_prompts(entries[name], TEMPLATES, tokens)
        build_head(entries[name], weights, tokens, head_path(weights), device="cpu")


@pytest.fixture(scope="module")
def images():
    generator = np.random.default_rng(0)
    shapes = [(90, 120, 3), (120, 80, 3), (250, 250, 3)]
    return [generator.integers(0, 256, size=shape, dtype=np.uint8) for shape in shapes]


@pytest.fixture(scope="module")
def classes():
    known = imagenet_classes()
    return ClassSet(tuple(known.ids[place] for place in SOME), tuple(known.names[place] for place in SOME))


def loaded(pool, name, classes):
    entries, _, folder = pool
    return load_model(entries[name], folder / f"{name}.safetensors", classes, device="cpu")


def outputs(model, images):
    return model.outputs(model.preprocess(images))


@pytest.mark.parametrize("name", ["tiny-clip", "tiny-sigmoid"])
def test_image_text_models_equal_the_library_on_the_published_file(pool, heads, images, classes, name):
    entries, local, _ = pool
    file = next((local / name).glob("open_clip*"))
    model, _, transform = open_clip.create_model_and_transforms(name, pretrained=str(file))
    model.eval()
    known = imagenet_classes()
    head = open_clip.build_zero_shot_classifier(model, open_clip.get_tokenizer(name), known.names, TEMPLATES)
    with torch.no_grad():
        features = model.encode_image(
            torch.stack([transform(Image.fromarray(image)) for image in images]), normalize=True
        )
    ours = loaded(pool, name, classes)
    np.testing.assert_allclose(outputs(ours, images), (features @ head).numpy()[:, SOME], atol=1e-6)
    assert ours.class_ids == classes.ids
    assert ours.scale == pytest.approx(np.exp(3.0))
    assert np.isnan(ours.bias) if entries[name].scoring == "softmax" else ours.bias == -10


def test_classes_of_one_name_tie_exactly(pool, heads, images, classes):
    found = outputs(loaded(pool, "tiny-clip", classes), images)
    np.testing.assert_array_equal(found[:, SOME.index(657)], found[:, SOME.index(744)])
    np.testing.assert_array_equal(found[:, SOME.index(836)], found[:, SOME.index(837)])
    assert len(np.unique(found[0])) == len(SOME) - 2


def library_logits(pool, name):
    """Return the library's own model and transform on the published file."""
    entries, local, _ = pool
    entry = entries[name]
    if entry.library == "torchvision":
        model = torchvision.models.squeezenet1_1()
        model.load_state_dict(torch.load(local / name / "squeezenet1_1.pth", weights_only=True))
        return model.eval(), torchvision.models.SqueezeNet1_1_Weights.IMAGENET1K_V1.transforms()
    model = timm.create_model(entry.architecture, num_classes=1000, **dict(entry.options)).eval()
    if name == "tiny-timm":
        model.load_state_dict(read_weights(local / name / "model.safetensors"))
        configuration = timm.get_pretrained_cfg("test_byobnet.r160_in1k").to_dict()
        return model, timm.data.create_transform(**timm.data.resolve_data_config(pretrained_cfg=configuration))
    model.load_state_dict(torch.load(local / name / "mae_finetuned_vit_tiny.pth", weights_only=False)["model"])
    # MAE's evaluation: shorter side to 8/7 of the input, bicubic, centre crop, statistics of ImageNet.
    steps = torchvision.transforms
    return model, steps.Compose(
        [
            steps.Resize(73, interpolation=steps.InterpolationMode.BICUBIC),
            steps.CenterCrop(64),
            steps.ToTensor(),
            steps.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
        ]
    )


@pytest.mark.parametrize("name", ["tiny-timm", "tiny-mae", "tiny-torchvision"])
def test_classifiers_equal_the_library_on_the_published_file(pool, images, classes, name):
    model, transform = library_logits(pool, name)
    with torch.no_grad():
        expected = model(torch.stack([transform(Image.fromarray(image)) for image in images])).numpy()
    ours = loaded(pool, name, classes)
    np.testing.assert_allclose(outputs(ours, images), expected, atol=1e-5)
    assert (ours.scoring, ours.class_ids) == ("logits", imagenet_classes().ids)
    assert np.isnan([ours.scale, ours.bias]).all()


@pytest.mark.parametrize(
    ("name", "files", "logits", "depth"),
    [
        ("tiny-dinov2", ("pretrain.pth", "linear4_head.pth"), dinov2_logits, 5),
        ("tiny-dinov3", ("pretrain.pth", "linear_head.pth"), dinov3_logits, 2),
    ],
)
def test_dino_equals_its_formulas_on_the_published_files(pool, images, classes, name, files, logits, depth):
    _, local, _ = pool
    state, head = (torch.load(local / name / file, weights_only=True) for file in files)
    ours = loaded(pool, name, classes)
    batch = ours.preprocess(images)
    np.testing.assert_allclose(ours.outputs(batch), logits(state, head, batch, heads=2, depth=depth), atol=1e-5)


def test_dinov2_is_not_resampled_as_timm_does(pool, images, classes):
    entries, _, folder = pool
    network = build_network(entries["tiny-dinov2"])
    network.module.load_state_dict(read_weights(folder / "tiny-dinov2.safetensors"))
    batch = loaded(pool, "tiny-dinov2", classes).preprocess(images)
    backbone = network.module.backbone
    with torch.no_grad():
        parts = backbone.forward_intermediates(
            batch, indices=4, norm=True, return_prefix_tokens=True, intermediates_only=True
        )
        features = [*(prefix[:, 0] for _, prefix in parts), parts[-1][0].mean((2, 3))]
        timms = network.module.head(torch.cat(features, dim=1))
        ours = network.forward(batch)
    assert (timms - ours).abs().max() > 1e-3


def test_dinov3_keeps_the_published_periods(pool):
    _, local, folder = pool
    published = torch.load(local / "tiny-dinov3/pretrain.pth", weights_only=True)["rope_embed.periods"]
    stored = read_weights(folder / "tiny-dinov3.safetensors")["backbone.rope.periods"]
    torch.testing.assert_close(stored, published.float(), atol=0, rtol=0)
    exact = 100.0 ** (torch.arange(4) / 4)
    assert (stored != exact).any()


def test_facts_say_what_was_fetched(pool):
    entries, local, folder = pool
    facts = json.loads((folder / "tiny-mae.json").read_text())
    module = timm.create_model("vit_base_patch16_224", num_classes=1000, **dict(entries["tiny-mae"].options))
    assert facts["parameters"] == sum(parameter.numel() for parameter in module.parameters())
    assert facts["files"][0]["name"] == "mae_finetuned_vit_tiny.pth"
    assert facts["files"][0]["origin"] == str(local / "tiny-mae/mae_finetuned_vit_tiny.pth")
    assert facts["files"][0]["bytes"] == (local / "tiny-mae/mae_finetuned_vit_tiny.pth").stat().st_size
    assert "CenterCrop(size=(64, 64))" in facts["preprocessing"]


def test_weights_of_half_precision_stay_so_on_disk_and_are_exact_in_float32(pool, tmp_path):
    entries, local, _ = pool
    state = read_weights(local / "tiny-timm/model.safetensors")
    halves = {name: tensor.half() if tensor.is_floating_point() else tensor for name, tensor in state.items()}
    (tmp_path / "tiny-timm").mkdir()
    torch.save(halves, tmp_path / "tiny-timm/pytorch_model.bin")
    output = tmp_path / "tiny-timm.safetensors"
    fetch_weights(entries["tiny-timm"], output, work=tmp_path / "work", local=tmp_path)
    with safe_open(output, framework="pt") as file:
        assert file.get_tensor("head.fc.weight").dtype == torch.float16
    network = build_network(entries["tiny-timm"])
    network.module.load_state_dict(read_weights(output))
    weight = network.module.get_parameter("head.fc.weight")
    assert weight.dtype == torch.float32
    torch.testing.assert_close(weight, halves["head.fc.weight"].float(), atol=0, rtol=0)


def test_identity_of_a_zero_shot_model_covers_its_head(pool, heads, classes):
    entries, _, folder = pool
    before = loaded(pool, "tiny-clip", classes).preprocessing
    assert before == loaded(pool, "tiny-clip", classes).preprocessing
    tokens, other = folder / "other.tokens.safetensors", folder / "other.head.safetensors"
    tokenize_prompts(entries["tiny-clip"], TEMPLATES[:1], tokens)
    build_head(entries["tiny-clip"], folder / "tiny-clip.safetensors", tokens, other, device="cpu")
    weights = folder / "other.safetensors"
    weights.write_bytes((folder / "tiny-clip.safetensors").read_bytes())
    assert load_model(entries["tiny-clip"], weights, classes, device="cpu").preprocessing != before


def test_a_missing_head_or_class(pool, heads, classes, tmp_path):
    entries, _, folder = pool
    weights = tmp_path / "tiny-clip.safetensors"
    weights.write_bytes((folder / "tiny-clip.safetensors").read_bytes())
    with pytest.raises(ModelError, match=r"tiny-clip\.head\.safetensors: no such file"):
        load_model(entries["tiny-clip"], weights, classes)
    strange = ClassSet((*classes.ids, "n99999999"), (*classes.names, "nothing"))
    with pytest.raises(ModelError, match=r"head\.safetensors: no vector of class n99999999; remove it and make it"):
        loaded(pool, "tiny-clip", strange)


def test_weights_are_needed_whole_and_of_the_model(pool, classes, tmp_path):
    entries, _, folder = pool
    with pytest.raises(ModelError, match=r"^tiny-timm: no weight file; train or fetch the model first"):
        load_model(entries["tiny-timm"], None, classes)
    with pytest.raises(ModelError, match=r"of another model \(.*(Missing|size mismatch).*\); remove it and train or"):
        load_model(entries["tiny-timm"], folder / "tiny-mae.safetensors", classes)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("tiny-timm", {"input_size": 224}, "input_size is 224, but the model's own preprocessing gives 160 x 160"),
        ("tiny-timm", {"weights": "r999"}, "timm cannot build 'test_byobnet' with weights 'r999' .*Invalid pretrained"),
        ("tiny-timm", {"architecture": "nonesuch"}, r"timm cannot build 'nonesuch'.*; correct the registry"),
        ("tiny-timm", {"options": (("colour", 1),)}, r"timm cannot build 'test_byobnet' .* options \{'colour': 1\}"),
        ("tiny-torchvision", {"weights": "V9"}, "torchvision cannot build 'squeezenet1_1' with weights 'V9'"),
        ("tiny-torchvision", {"architecture": "nonesuch"}, "torchvision cannot build 'nonesuch'"),
        ("tiny-clip", {"architecture": "nonesuch"}, "open_clip cannot build 'nonesuch'"),
        (
            "tiny-clip",
            {"architecture": "ViT-B-32", "weights": "none"},
            "open_clip cannot build .*the library lists no such weights",
        ),
        ("tiny-clip", {"scoring": "sigmoid"}, "scoring is 'sigmoid', but the model has no logit bias; write 'softmax'"),
        ("tiny-sigmoid", {"scoring": "softmax"}, "scoring is 'softmax', but the model has a logit bias"),
        ("tiny-dinov2", {"architecture": "nonesuch"}, "dinov2 cannot build 'nonesuch'"),
    ],
)
def test_registry_mistakes_are_named(pool, name, change, message):
    entries, _, _ = pool
    with pytest.raises(ModelError, match=rf"^{name}: {message}"):
        build_network(replace(entries[name], **change), "meta")


def test_templates_by_name_and_by_hand():
    assert len(prompt_templates("openai")) == 80
    assert len(prompt_templates("simple")) == 7
    assert all(template.count("{}") == 1 for template in prompt_templates("openai"))
    assert prompt_templates(["a {}"]) == ("a {}",)
    for wrong in ("eighty", []):
        with pytest.raises(ModelError, match="templates"):
            prompt_templates(wrong)


def test_classes_are_in_output_order():
    classes = imagenet_classes()
    assert len(set(classes.ids)) == 1000
    assert list(classes.ids) == sorted(classes.ids)
    known = dict(zip(classes.ids, classes.names, strict=True))
    assert (known["n02123045"], known["n03445777"], known["n15075141"]) == ("tabby cat", "golf ball", "toilet paper")
    assert [place for place in range(1000) if classes.names.count(classes.names[place]) > 1] == [657, 744, 836, 837]
