"""DINO classifiers written out in plain torch, with the parameter names of the published files.

They are the independent side of the tests, and their state dicts are checkpoints in the published form.
"""

import math

import torch
from torch.nn import functional


def linear(state, name, x):
    return functional.linear(x, state[f"{name}.weight"], state.get(f"{name}.bias"))


def norm(state, name, x, epsilon):
    return functional.layer_norm(x, x.shape[-1:], state[f"{name}.weight"], state[f"{name}.bias"], epsilon)


def attention(state, name, x, heads, rotate=lambda q: q):
    batch, tokens, width = x.shape
    qkv = linear(state, f"{name}.qkv", x).reshape(batch, tokens, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
    query, key, value = rotate(qkv[0]), rotate(qkv[1]), qkv[2]
    weights = (query @ key.transpose(-1, -2) / math.sqrt(width // heads)).softmax(-1)
    return linear(state, f"{name}.proj", (weights @ value).transpose(1, 2).reshape(batch, tokens, width))


def patches(state, images):
    kernel = state["patch_embed.proj.weight"]
    return functional.conv2d(images, kernel, state["patch_embed.proj.bias"], stride=kernel.shape[-1])


def dinov2_logits(state, head, images, heads, depth):
    """Logits of DINOv2's four-layer linear classifier."""
    grid = patches(state, images)
    side, stored = grid.shape[-1], math.isqrt(state["pos_embed"].shape[1] - 1)
    tokens = torch.cat([state["cls_token"].expand(len(images), -1, -1), grid.flatten(2).transpose(1, 2)], dim=1)
    tokens = tokens + torch.cat([state["pos_embed"][:, :1], bicubic(state["pos_embed"][:, 1:], stored, side)], dim=1)
    last = []
    for block in (f"blocks.{place}" for place in range(depth)):
        mixed = attention(state, f"{block}.attn", norm(state, f"{block}.norm1", tokens, 1e-6), heads)
        tokens = tokens + state[f"{block}.ls1.gamma"] * mixed
        gate, value = linear(state, f"{block}.mlp.w12", norm(state, f"{block}.norm2", tokens, 1e-6)).chunk(2, dim=-1)
        tokens = tokens + state[f"{block}.ls2.gamma"] * linear(state, f"{block}.mlp.w3", functional.silu(gate) * value)
        last.append(norm(state, "norm", tokens, 1e-6))
    features = [*(part[:, 0] for part in last[-4:]), last[-1][:, 1:].mean(dim=1)]
    return functional.linear(torch.cat(features, dim=1), head["weight"], head["bias"])


def bicubic(table, stored, side):
    """Keys' cubic convolution (a = -0.75) by hand, sampled at the points that DINOv2's scale factor implies."""
    step = stored / (side + 0.1)
    weights = torch.zeros(side, stored, dtype=torch.float64)
    for target in range(side):
        place = step * (target + 0.5) - 0.5
        for source in range(math.floor(place) - 1, math.floor(place) + 3):
            weights[target, min(max(source, 0), stored - 1)] += cubic(abs(place - source))
    grid = table.double().reshape(stored, stored, -1)
    return torch.einsum("ai,bj,ijc->abc", weights, weights, grid).reshape(1, side * side, -1).float()


def cubic(distance, a=-0.75):
    if distance <= 1:
        return (a + 2) * distance**3 - (a + 3) * distance**2 + 1
    if distance < 2:
        return a * distance**3 - 5 * a * distance**2 + 8 * a * distance - 4 * a
    return 0.0


def dinov3_logits(state, head, images, heads, depth):
    """Logits of DINOv3's linear classifier."""
    grid = patches(state, images)
    rows, columns = grid.shape[-2:]
    first = [state[name].expand(len(images), -1, -1) for name in ("cls_token", "storage_tokens")]
    skipped = sum(part.shape[1] for part in first)
    tokens = torch.cat([*first, grid.flatten(2).transpose(1, 2)], dim=1)
    across, down = ((2 * (torch.arange(count) + 0.5) / count - 1) for count in (columns, rows))
    places = torch.stack([down.repeat_interleave(columns), across.repeat(rows)], dim=1)
    angles = (2 * math.pi * places[:, :, None] / state["rope_embed.periods"].float()).flatten(1).repeat(1, 2)

    def rotate(x):
        kept, turned = x[:, :, :skipped], x[:, :, skipped:]
        half = turned.shape[-1] // 2
        quarter_turn = torch.cat([-turned[..., half:], turned[..., :half]], dim=-1)
        return torch.cat([kept, turned * angles.cos() + quarter_turn * angles.sin()], dim=2)

    for block in (f"blocks.{place}" for place in range(depth)):
        mixed = attention(state, f"{block}.attn", norm(state, f"{block}.norm1", tokens, 1e-5), heads, rotate)
        tokens = tokens + state[f"{block}.ls1.gamma"] * mixed
        inner = norm(state, f"{block}.norm2", tokens, 1e-5)
        inner = functional.silu(linear(state, f"{block}.mlp.w1", inner)) * linear(state, f"{block}.mlp.w2", inner)
        tokens = tokens + state[f"{block}.ls2.gamma"] * linear(state, f"{block}.mlp.w3", inner)
    tokens = norm(state, "norm", tokens, 1e-5)
    features = torch.cat([tokens[:, 0], tokens[:, skipped:].mean(dim=1)], dim=1)
    return functional.linear(features, head["weight"], head["bias"])


def dinov2_checkpoint(width, depth, side, hidden, generator):
    """Random backbone and linear layer in the form of ``dinov2_*_pretrain.pth`` and ``dinov2_*_linear4_head.pth``."""
    state = {**_tokens(width, 14, generator), "pos_embed": _draw(generator, 1, 1 + side * side, width)}
    for block in (f"blocks.{place}" for place in range(depth)):
        state |= _attention(block, width, generator, bias=True)
        state |= _linear(f"{block}.mlp.w12", width, 2 * hidden, generator)
        state |= _linear(f"{block}.mlp.w3", hidden, width, generator)
    return state, _head(5 * width, generator)


def dinov3_checkpoint(width, depth, heads, hidden, generator):
    """Random backbone and linear layer in the form of DINOv3's 7B files; periods as released, in bfloat16."""
    exponents = torch.arange(width // heads // 4) * 4 * heads / width
    state = {
        **_tokens(width, 16, generator),
        "storage_tokens": _draw(generator, 1, 4, width),
        "rope_embed.periods": (100.0**exponents).bfloat16(),
        **_norm("local_cls_norm", width, generator),
    }
    for block in (f"blocks.{place}" for place in range(depth)):
        state |= _attention(block, width, generator, bias=False)
        for name, (inputs, outputs) in {"w1": (width, hidden), "w2": (width, hidden), "w3": (hidden, width)}.items():
            state |= _linear(f"{block}.mlp.{name}", inputs, outputs, generator)
    return state, _head(2 * width, generator)


def _draw(generator, *shape, scale=1.0):
    return scale * torch.randn(*shape, generator=generator)


def _linear(name, inputs, outputs, generator, bias=True):
    state = {f"{name}.weight": _draw(generator, outputs, inputs, scale=inputs**-0.5)}
    return {**state, f"{name}.bias": _draw(generator, outputs, scale=0.1)} if bias else state


def _norm(name, width, generator):
    return {
        f"{name}.weight": 1 + _draw(generator, width, scale=0.1),
        f"{name}.bias": _draw(generator, width, scale=0.1),
    }


def _tokens(width, patch, generator):
    return {
        "cls_token": _draw(generator, 1, 1, width),
        "mask_token": _draw(generator, 1, width),
        "patch_embed.proj.weight": _draw(generator, width, 3, patch, patch, scale=(3 * patch * patch) ** -0.5),
        "patch_embed.proj.bias": _draw(generator, width, scale=0.1),
        **_norm("norm", width, generator),
    }


def _attention(block, width, generator, bias):
    return {
        **_norm(f"{block}.norm1", width, generator),
        **_norm(f"{block}.norm2", width, generator),
        **_linear(f"{block}.attn.qkv", width, 3 * width, generator, bias),
        **_linear(f"{block}.attn.proj", width, width, generator),
        f"{block}.ls1.gamma": _draw(generator, width, scale=0.5),
        f"{block}.ls2.gamma": _draw(generator, width, scale=0.5),
    }


def _head(inputs, generator):
    head = _linear("head", inputs, 1000, generator)
    return {"weight": head["head.weight"], "bias": head["head.bias"]}
