"""DINOv2 and DINOv3: frozen backbones with the linear ImageNet classifiers that Meta published beside them.

The backbones are timm's; what the published classifiers compute beyond them stands here: which tokens the linear
layer sees, DINOv2's resampling of position embeddings, and DINOv3's stored periods of the rotary embedding.
"""

from pathlib import Path
from typing import Any

import timm
import torch
from timm.models import eva, vision_transformer
from torch import nn
from torch.nn import functional

from pairedeval.models.classifiers import IMAGENET_CLASSES, standard_transform
from pairedeval.models.network import Network
from pairedeval.models.registry import ModelEntry
from pairedeval.models.weights import read_weights, readable

# DINOv2's linear layer sees the class tokens of so many last blocks.
LAYERS = 4
# Added to the number of patches a side before the scale factor is formed, as DINOv2's own code does.
RESAMPLING_OFFSET = 0.1


class DinoV2Classifier(nn.Module):
    """Class tokens of the last four blocks and the mean patch token of the last, each normed, then a linear layer."""

    backbone: Any

    def __init__(self, architecture: str, options: dict[str, Any]) -> None:
        super().__init__()
        # Position embeddings keep their published size, 37 x 37 patches, and are resampled for each batch.
        self.backbone = timm.create_model(architecture, num_classes=0, dynamic_img_size=True, **options)
        self.head = nn.Linear((LAYERS + 1) * self.backbone.num_features, IMAGENET_CLASSES)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return logits, shape ``(batch, 1000)``, of normalised images, shape ``(batch, 3, size, size)``."""
        backbone = self.backbone
        patches = backbone.patch_embed(images)
        first = backbone.cls_token.expand(len(images), -1, -1)
        tokens = torch.cat([first, patches.flatten(1, 2)], dim=1)
        tokens = tokens + resample_positions(backbone.pos_embed, patches.shape[1]).to(tokens.dtype)
        normed = []
        for place, block in enumerate(backbone.blocks):
            tokens = block(tokens)
            if place >= len(backbone.blocks) - LAYERS:
                normed.append(backbone.norm(tokens))
        logits: torch.Tensor = self.head(
            torch.cat([*(part[:, 0] for part in normed), normed[-1][:, 1:].mean(1)], dim=1)
        )
        return logits


class DinoV3Classifier(nn.Module):
    """The normed class token and the mean of the normed patch tokens, then a linear layer."""

    backbone: Any

    def __init__(self, architecture: str, options: dict[str, Any]) -> None:
        super().__init__()
        self.backbone = timm.create_model(architecture, num_classes=0, **options)
        self.head = nn.Linear(2 * self.backbone.num_features, IMAGENET_CLASSES)
        # The published periods are rounded to bfloat16; timm would compute its own. As a persistent buffer they
        # come from the weight file.
        self.backbone.rope.register_buffer("periods", self.backbone.rope.periods, persistent=True)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return logits, shape ``(batch, 1000)``, of normalised images, shape ``(batch, 3, size, size)``."""
        backbone = self.backbone
        tokens = backbone.forward_features(images)
        patches = tokens[:, backbone.num_prefix_tokens :]
        logits: torch.Tensor = self.head(torch.cat([tokens[:, 0], patches.mean(1)], dim=1))
        return logits


def resample_positions(table: torch.Tensor, side: int) -> torch.Tensor:
    """Resample a table of position embeddings the way DINOv2's own code does.

    That is bicubic without antialiasing, by a scale factor with `RESAMPLING_OFFSET`, which moves the sampling points;
    timm's antialiased resampling gives other logits at 224 pixels.

    Parameters
    ----------
    table
        Embedding of the class token, then of the patches row by row, shape ``(1, 1 + n * n, width)``.
    side
        Patches a side of the images, at most as many as the table has.

    Returns
    -------
    Tensor
        Shape ``(1, 1 + side * side, width)``, float32 unless nothing is resampled.
    """
    stored = round((table.shape[1] - 1) ** 0.5)
    if side == stored:
        return table
    grid = table[:, 1:].float().reshape(1, stored, stored, -1).permute(0, 3, 1, 2)
    factor = (side + RESAMPLING_OFFSET) / stored
    grid = functional.interpolate(grid, scale_factor=(factor, factor), mode="bicubic")
    return torch.cat([table[:, :1].float(), grid.flatten(2).transpose(1, 2)], dim=1)


def build_dino(entry: ModelEntry) -> Network:
    """Build a DINO classifier; published files are the backbone and the linear layer, in this order."""
    kind = DinoV2Classifier if entry.library == "dinov2" else DinoV3Classifier
    module = kind(entry.architecture, dict(entry.options))
    return Network(
        module=module,
        tower=module,
        forward=module,
        transform=standard_transform(entry),
        adopt=lambda files: _adopt(module, *files),
    )


def _adopt(module: DinoV2Classifier | DinoV3Classifier, backbone_file: Path, head_file: Path) -> None:
    with readable(backbone_file):
        published = read_weights(backbone_file)
        if isinstance(module, DinoV2Classifier):
            state = vision_transformer.checkpoint_filter_fn(published, module.backbone)
        else:
            periods = published["rope_embed.periods"].float()
            state = {**eva.checkpoint_filter_fn(published, module.backbone), "rope.periods": periods}
        module.backbone.load_state_dict(state, assign=True)
    with readable(head_file):
        module.head.load_state_dict(read_weights(head_file), assign=True)
