"""The 44 models of the paper: every architecture is built on the meta device and compared with its row."""

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import open_clip
import pytest
import timm
import torch
import torchvision
from open_clip.transformer import QuickGELU
from torch import nn

from pairedeval.models.budget import REGISTRY, RUNS, Speeds, budget, count_costs, document
from pairedeval.models.cost import count_cost, needs_of
from pairedeval.models.fetch import HUB_FILES
from pairedeval.models.network import build_network
from pairedeval.models.registry import read_registry

ROOT = Path(__file__).parents[2]
ENTRIES = {entry.model: entry for entry in read_registry(ROOT / REGISTRY)}
ROWS = list(csv.DictReader((ROOT / REGISTRY).read_text(encoding="utf-8").splitlines()))
IMAGE_TEXT = [entry for entry in ENTRIES.values() if entry.library == "open_clip"]
# Table 41: parameters in millions; the order is the paper's.
PUBLISHED = """
DINOv2-vitg14-lc__meta SSL 1144
DINOv3-ViT7B16-lc__meta SSL 6716
EVA02-L-14__merged2b_s4b_b131k other-clip 428
MAE-ViT-B-ft__meta SSL 87
MAE-ViT-L-ft__meta SSL 304
PE-Core-L-14-336__meta pe-core 671
PE-Core-bigG-14-448__meta pe-core 2419
RN101-quickgelu__openai openai 120
RN50-quickgelu__cc12m other-clip 102
RN50-quickgelu__openai openai 102
RN50-quickgelu__yfcc15m other-clip 102
ViT-B-16-SigLIP__webli siglip 203
ViT-B-16-quickgelu__openai openai 150
ViT-B-16__datacomp_xl_s13b_b90k datacomp 150
ViT-B-16__dfn2b dfn 150
ViT-B-16__laion2b_s34b_b88k laion 150
ViT-B-16__laion400m_e32 laion 150
ViT-B-32-quickgelu__metaclip_fullcc metaclip 151
ViT-B-32-quickgelu__openai openai 151
ViT-B-32__datacomp_xl_s13b_b90k datacomp 151
ViT-B-32__laion2b_s34b_b79k laion 151
ViT-B-32__laion400m_e32 laion 151
ViT-H-14-CLIPA__datacomp1b datacomp 968
ViT-H-14-quickgelu__dfn5b dfn 986
ViT-H-14__laion2b_s32b_b79k laion 986
ViT-L-14-quickgelu__metaclip_fullcc metaclip 428
ViT-L-14-quickgelu__openai openai 428
ViT-L-14__datacomp_xl_s13b_b90k datacomp 428
ViT-L-14__laion2b_s32b_b82k laion 428
ViT-L-14__laion400m_e32 laion 428
ViT-SO400M-14-SigLIP__webli siglip 877
ViT-SO400M-16-SigLIP2-384__webli siglip 1136
ViT-bigG-14-worldwide-378__metaclip2_worldwide metaclip 3631
ViT-bigG-14__laion2b_s39b_b160k laion 2540
ViT-g-14__laion2b_s34b_b88k laion 1367
ViT-gopt-16-SigLIP2-384__webli siglip 1872
alexnet-sup__tv supervised 61
coca_ViT-L-14__laion2b_s13b_b90k laion 638
convnext-b-sup__timm supervised 89
convnext_base_w__laion2b_s13b_b82k laion 179
convnext_large_d_320__laion2b_s29b_b131k_ft_soup laion 352
efficientnet-b4-sup__timm supervised 19
resnet50-sup__timm supervised 26
vit-b16-sup__timm supervised 87
"""
# The whole model with its linear layer; the published figure is the backbone.
COUNTED_OTHERWISE = {"DINOv3-ViT7B16-lc__meta": 6724}
QUICK_GELU_TRAINED = ["ViT-B-16__dfn2b", "ViT-B-32__laion400m_e32"]
FOREIGN_TOKENIZERS = {
    "ViT-B-16-SigLIP__webli": ("timm/ViT-B-16-SigLIP", 64),
    "ViT-SO400M-14-SigLIP__webli": ("timm/ViT-B-16-SigLIP", 16),
    "ViT-SO400M-16-SigLIP2-384__webli": ("timm/ViT-SO400M-16-SigLIP2-384", 64),
    "ViT-gopt-16-SigLIP2-384__webli": ("timm/ViT-gopt-16-SigLIP2-384", 64),
    "ViT-H-14-CLIPA__datacomp1b": ("bert-base-uncased", 32),
    "ViT-bigG-14-worldwide-378__metaclip2_worldwide": ("facebook/xlm-v-base", 77),
}


def note(model):
    return next(row["note"] for row in ROWS if row["model"] == model)


@cache
def built(model):
    return build_network(ENTRIES[model], "meta")


@cache
def costs():
    return count_costs(list(ENTRIES.values()))


def test_models_groups_and_published_counts_are_those_of_the_paper():
    table = [line.split() for line in PUBLISHED.strip().splitlines()]
    assert [[row["model"], row["group"], row["published_millions"]] for row in ROWS] == table
    assert len({entry.group for entry in ENTRIES.values()}) == 10
    counts = Counter(entry.library for entry in ENTRIES.values())
    assert counts == {"open_clip": 35, "timm": 6, "torchvision": 1, "dinov2": 1, "dinov3": 1}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["model"])
def test_every_architecture_builds_and_has_its_parameters(row):
    counted = built(row["model"]).parameters
    assert counted == int(row["parameters"])
    assert round(counted / 1e6) == COUNTED_OTHERWISE.get(row["model"], int(row["published_millions"]))
    assert all(parameter.is_meta for parameter in built(row["model"]).module.parameters())


def test_a_difference_from_the_published_count_is_explained():
    for model in COUNTED_OTHERWISE:
        backbone = built(model).module.backbone
        assert round(sum(parameter.numel() for parameter in backbone.parameters()) / 1e6) == 6716
        assert "published count is the backbone alone" in note(model)


def test_image_text_models_are_named_by_their_rows():
    for entry in IMAGE_TEXT:
        assert entry.model == f"{entry.architecture}__{entry.weights}"
        published = open_clip.get_pretrained_cfg(entry.architecture, entry.weights)
        assert entry.source == f"hf:{published['hf_hub'].rstrip('/')}"
    assert HUB_FILES["open_clip"][-1] == open_clip.constants.HF_WEIGHTS_NAME


def test_preprocessing_is_that_of_the_tag():
    for entry in IMAGE_TEXT:
        published = open_clip.get_pretrained_cfg(entry.architecture, entry.weights)
        settings = open_clip.transform.merge_preprocess_dict(open_clip.transform.PreprocessCfg(), published)
        settings["size"] = entry.input_size
        expected = open_clip.transform.image_transform_v2(open_clip.transform.PreprocessCfg(**settings), is_train=False)
        assert str(built(entry.model).transform) == str(expected)


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ("ViT-B-16-SigLIP__webli", ("Resize(size=(224, 224), interpolation=bicubic", "mean=(0.5, 0.5, 0.5)")),
        ("PE-Core-bigG-14-448__meta", ("Resize(size=(448, 448), interpolation=bilinear", "mean=(0.5, 0.5, 0.5)")),
        ("ViT-H-14-CLIPA__datacomp1b", ("Resize(size=(224, 224), interpolation=bilinear", "mean=(0.485,")),
        ("ViT-H-14-quickgelu__dfn5b", ("Resize(size=(224, 224), interpolation=bicubic", "mean=(0.48145466,")),
        ("ViT-bigG-14-worldwide-378__metaclip2_worldwide", ("Resize(size=(378, 378)", "mean=(0.48145466,")),
        ("ViT-L-14__laion2b_s32b_b82k", ("Resize(size=224,", "CenterCrop(size=(224, 224))", "mean=(0.5, 0.5, 0.5)")),
        ("ViT-L-14__laion400m_e32", ("Resize(size=224,", "CenterCrop(size=(224, 224))", "mean=(0.48145466,")),
        ("MAE-ViT-B-ft__meta", ("Resize(size=256, interpolation=bicubic", "CenterCrop(size=(224, 224))", "0.4850")),
        ("DINOv2-vitg14-lc__meta", ("Resize(size=256, interpolation=bicubic", "CenterCrop(size=(224, 224))", "0.4850")),
        (
            "DINOv3-ViT7B16-lc__meta",
            ("Resize(size=256, interpolation=bicubic", "CenterCrop(size=(224, 224))", "0.4850"),
        ),
        ("resnet50-sup__timm", ("Resize(size=235, interpolation=bicubic", "CenterCrop(size=(224, 224))", "0.4850")),
        ("vit-b16-sup__timm", ("Resize(size=248, interpolation=bicubic", "CenterCrop(size=(224, 224))", "0.5000")),
        ("efficientnet-b4-sup__timm", ("Resize(size=365, interpolation=bicubic", "CenterCrop(size=(320, 320))")),
        ("alexnet-sup__tv", ("crop_size=[224]", "resize_size=[256]", "BILINEAR")),
    ],
)
def test_preprocessing_that_differs_between_families(model, parts):
    text = str(built(model).transform)
    assert all(part in text for part in parts), text


def test_mismatched_activations_are_run_as_named_and_can_be_corrected():
    trained = {
        entry.model: open_clip.get_pretrained_cfg(entry.architecture, entry.weights).get("quick_gelu", False)
        for entry in IMAGE_TEXT
    }
    run = {entry.model: activation(built(entry.model)) is QuickGELU for entry in IMAGE_TEXT}
    assert [model for model in run if run[model] != trained[model]] == QUICK_GELU_TRAINED
    for model in QUICK_GELU_TRAINED:
        assert "force_quick_gelu=1" in note(model)
        entry = ENTRIES[model]
        corrected = build_network(type(entry)(**{**vars(entry), "options": (("force_quick_gelu", 1),)}), "meta")
        assert activation(corrected) is QuickGELU
        assert corrected.parameters == entry.parameters


def activation(network):
    kinds = {type(part) for part in network.module.modules()} & {QuickGELU, nn.GELU}
    return QuickGELU if QuickGELU in kinds else nn.GELU


def test_tokenizers_that_openclip_does_not_bring():
    found = {}
    for entry in IMAGE_TEXT:
        text = open_clip.get_model_config(entry.architecture)["text_cfg"]
        if "hf_tokenizer_name" in text:
            found[entry.model] = (text["hf_tokenizer_name"], text.get("context_length", 77))
            assert "transformers" in note(entry.model)
    assert found == FOREIGN_TOKENIZERS


@pytest.mark.parametrize(
    ("model", "context"),
    [("ViT-B-32__laion400m_e32", 77), ("PE-Core-L-14-336__meta", 32), ("PE-Core-bigG-14-448__meta", 72)],
)
def test_context_lengths_that_differ(model, context):
    tokens = open_clip.get_tokenizer(ENTRIES[model].architecture)(["a photo of a tench."])
    assert tokens.shape == (1, context)
    assert built(model).module.encode_text(tokens.to("meta")).shape[0] == 1


def test_sigmoid_scoring_belongs_to_the_models_with_a_bias():
    sigmoid = [entry.model for entry in IMAGE_TEXT if built(entry.model).module.logit_bias is not None]
    assert sigmoid == [entry.model for entry in ENTRIES.values() if entry.scoring == "sigmoid"]
    assert {ENTRIES[model].group for model in sigmoid} == {"siglip"}
    assert len(sigmoid) == 4


@pytest.mark.parametrize(
    "model", ["ViT-B-32__laion400m_e32", "ViT-B-16-SigLIP__webli", "coca_ViT-L-14__laion2b_s13b_b90k"]
)
def test_each_tower_runs_without_the_other(model):
    """One model of each of OpenCLIP's classes: only one tower is ever moved to an accelerator."""
    network = build_network(ENTRIES[model], "meta")
    tokens = torch.zeros(
        2, open_clip.get_model_config(ENTRIES[model].architecture)["text_cfg"].get("context_length", 77)
    )
    module = network.module
    module.visual = None
    vectors = module.encode_text(tokens.long().to("meta"))
    module.visual = network.tower
    for name, _ in list(module.named_children()):
        if name != "visual":
            setattr(module, name, None)
    images = torch.empty(3, 3, ENTRIES[model].input_size, ENTRIES[model].input_size, device="meta")
    assert (network.forward(images).shape[0], vectors.shape[0]) == (3, 2)
    assert network.forward(images).shape[1] == vectors.shape[1]


def test_weights_of_the_classifiers_are_named_and_known():
    for entry in ENTRIES.values():
        if entry.library == "timm" and not entry.preprocessing:
            published = timm.get_pretrained_cfg(f"{entry.architecture}.{entry.weights}")
            assert entry.source == f"hf:{published.hf_hub_id}"
            assert published.num_classes == 1000
    alexnet = ENTRIES["alexnet-sup__tv"]
    assert alexnet.source == torchvision.models.AlexNet_Weights[alexnet.weights].url
    for model in ("MAE-ViT-B-ft__meta", "MAE-ViT-L-ft__meta"):
        module = built(model).module
        # The fine-tuned form: a norm after the averaged patch tokens, none before.
        assert (module.global_pool, type(module.norm), type(module.fc_norm).__name__) == (
            "avg",
            nn.Identity,
            "LayerNorm",
        )


def test_dinov2_has_four_layers_and_no_registers():
    module = built("DINOv2-vitg14-lc__meta").module
    assert module.head.in_features == 5 * 1536
    assert module.backbone.reg_token is None
    assert module.backbone.pos_embed.shape == (1, 1 + 37 * 37, 1536)


def test_hints_are_what_the_architectures_need():
    found = {entry.model: needs_of(cost) for entry, cost in zip(ENTRIES.values(), costs(), strict=True)}
    assert found == {entry.model: entry.needs for entry in ENTRIES.values()}


@pytest.mark.parametrize(
    ("model", "width", "layers", "patch", "hidden"),
    [("vit-b16-sup__timm", 768, 12, 16, 3072), ("MAE-ViT-L-ft__meta", 1024, 24, 16, 4096)],
)
def test_operations_equal_a_count_by_hand(model, width, layers, patch, hidden):
    tokens = (224 // patch) ** 2 + 1
    # Projections and attention, the hidden layer, patches, the linear layer: 2 for each multiplication with addition.
    block = 2 * tokens * width * 4 * width + 4 * tokens**2 * width + 4 * tokens * width * hidden
    counted = layers * block + 2 * (tokens - 1) * 3 * patch**2 * width + 2 * width * 1000
    assert count_cost(ENTRIES[model]).operations == counted


def test_activation_memory_covers_the_widest_tensors():
    tokens, width, hidden = 197, 768, 3072
    floats = count_cost(ENTRIES["vit-b16-sup__timm"]).activation_bytes / 4
    # The residual, the normed input and the hidden layer before and after its activation live together.
    assert tokens * (width + 2 * hidden) <= floats <= tokens * (4 * width + 3 * hidden)


def test_the_document_is_what_the_command_writes():
    table = budget(list(ENTRIES.values()), costs(), Speeds())
    assert document(table, ROWS, Speeds()) == (ROOT / "config/models/README.md").read_text(encoding="utf-8")


def test_budget_against_a_count_by_hand():
    entry = ENTRIES["DINOv3-ViT7B16-lc__meta"]
    cost = costs()[list(ENTRIES).index(entry.model)]
    row = budget([entry], [cost], Speeds(float32=10, mixed=100, images=50)).iloc[0]
    images = 10_000 * 19 + 1_000 * 58 + 1_000 * 55 + 1_000 * 163
    assert row["float32_hours"] == pytest.approx(images * cost.operations / 10e12 / 3600)
    # Decoding 50 images a second takes longer than 100 TFLOP/s.
    assert row["mixed_hours"] == pytest.approx(max(images * cost.operations / 100e12, images / 50) / 3600)
    assert row["weight_bytes"] == 4 * entry.parameters


def test_images_of_the_budget_are_those_of_the_condition_tables():
    folder, tables = ROOT / "resources/conditions", ("corruptions", "transforms", "captures")
    rows = {table: len((folder / f"{table}.csv").read_text(encoding="utf-8").splitlines()) - 1 for table in tables}
    assert rows == {"corruptions": 18 + 9, "transforms": 30, "captures": 54 + 162}
    conditions = {source: number for source, (_, number) in RUNS.items()}
    assert conditions["probes"] == 1 + rows["corruptions"] + rows["transforms"]
    assert conditions["es"] + conditions["diverse"] == 2 + rows["captures"]
    assert conditions["syn"] == 19
