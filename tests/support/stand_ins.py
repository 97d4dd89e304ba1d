"""Tiny models of every library with random weights, in the form in which each library publishes its checkpoints."""

import csv
import json
from argparse import Namespace
from pathlib import Path

import open_clip
import timm
import torch
import torchvision
from safetensors.torch import save_file

from support.dino_reference import dinov2_checkpoint, dinov3_checkpoint

COLUMNS = ("model", "group", "library", "architecture", "options", "input_size", "scoring", "weights", "preprocessing")
HUB = "hf:example/none"
SITE = "http://127.0.0.1:9"
TEXT = {"context_length": 16, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 1}
TOWERS = {
    # A class of its own for each: CLIP, and CustomTextCLIP with a bias as SigLIP has it.
    "tiny-clip": {"embed_dim": 32, "vision_cfg": {"image_size": 32, "layers": 1, "width": 64, "patch_size": 16}},
    "tiny-sigmoid": {
        "embed_dim": 32,
        "init_logit_bias": -10,
        "custom_text": True,
        "vision_cfg": {"image_size": 32, "timm_model_name": "test_byobnet", "timm_pool": "avg", "timm_proj": "linear"},
    },
}


def write_stand_ins(folder: Path) -> tuple[Path, Path]:
    """Write a registry of seven models and their published files.

    Returns
    -------
    tuple of Path
        The registry, and the folder of own files: ``<folder>/<model>/<file>`` as `fetch_weights` takes them.
    """
    local = folder / "weights"
    torch.manual_seed(1)
    generator = torch.Generator().manual_seed(1)
    rows = [
        _image_text(folder, local, "tiny-clip", "softmax", "open_clip_model.safetensors"),
        _image_text(folder, local, "tiny-sigmoid", "sigmoid", "open_clip_pytorch_model.bin"),
        _timm(local),
        _mae(local),
        _torchvision(local),
    ]
    width, heads = "embed_dim=32 num_heads=2", 2
    state, head = dinov2_checkpoint(32, depth=5, side=5, hidden=85, generator=generator)
    files = {"pretrain.pth": state, "linear4_head.pth": head}
    rows.append(_dino(local, "dinov2", "vit_giant_patch14_dinov2", f"{width} depth=5 img_size=70", 42, files))
    state, head = dinov3_checkpoint(32, depth=2, heads=heads, hidden=64, generator=generator)
    files = {"pretrain.pth": state, "linear_head.pth": head}
    rows.append(_dino(local, "dinov3", "vit_7b_patch16_dinov3", f"{width} depth=2", 64, files))
    registry = folder / "stand_ins.csv"
    with registry.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([(*COLUMNS, "source"), *rows])
    return registry, local


def _save(state, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".safetensors":
        save_file({name: tensor.contiguous() for name, tensor in state.items()}, path)
    else:
        torch.save(state, path)


def _image_text(folder: Path, local: Path, name: str, scoring: str, file: str):
    configuration = folder / f"{name}.json"
    configuration.write_text(json.dumps({**TOWERS[name], "text_cfg": TEXT}), encoding="utf-8")
    open_clip.add_model_config(configuration)
    model = open_clip.create_model(name)
    # Published scales differ from the untrained one.
    model.logit_scale.data.fill_(3.0)
    _save(model.state_dict(), local / name / file)
    return (name, "image-text", "open_clip", str(configuration), "", 32, scoring, "random", "", HUB)


def _timm(local: Path):
    model = timm.create_model("test_byobnet", num_classes=1000)
    _save(model.state_dict(), local / "tiny-timm/model.safetensors")
    return ("tiny-timm", "supervised", "timm", "test_byobnet", "", 160, "softmax", "r160_in1k", "", HUB)


def _mae(local: Path):
    options = {"global_pool": "avg", "img_size": 64, "embed_dim": 32, "depth": 2, "num_heads": 2}
    model = timm.create_model("vit_base_patch16_224", num_classes=1000, **options)
    # As its training script saves: arguments and other state beside the model.
    stored = {"model": model.state_dict(), "epoch": 99, "args": Namespace(model="vit_base_patch16")}
    _save(stored, local / "tiny-mae/mae_finetuned_vit_tiny.pth")
    written = " ".join(f"{name}={value}" for name, value in options.items())
    source = f"{SITE}/mae_finetuned_vit_tiny.pth"
    return ("tiny-mae", "SSL", "timm", "vit_base_patch16_224", written, 64, "softmax", "finetuned", "imagenet", source)


def _torchvision(local: Path):
    model = torchvision.models.squeezenet1_1()
    _save(model.state_dict(), local / "tiny-torchvision/squeezenet1_1.pth")
    source = f"{SITE}/squeezenet1_1.pth"
    return (
        "tiny-torchvision",
        "supervised",
        "torchvision",
        "squeezenet1_1",
        "",
        224,
        "softmax",
        "IMAGENET1K_V1",
        "",
        source,
    )


def _dino(local: Path, library: str, architecture: str, options: str, size: int, files):
    for name, state in files.items():
        _save(state, local / f"tiny-{library}" / name)
    source = " ".join(f"{SITE}/{name}" for name in files)
    return (f"tiny-{library}", "SSL", library, architecture, options, size, "softmax", "linear", "imagenet", source)
