"""Simulated view files of every kind: errors, flips, ties and complete metadata, without images or models."""

from pathlib import Path
from typing import Any

import numpy as np

from pairedeval.consistency.views import LEVELS, OPERATORS, ORIGINAL, WITHHELD, Views
from pairedeval.perturb.conditions import PRIMARY, read_corruptions
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION
from pairedeval.seeds import derive_seed

KINDS = ("levels", "shifted", "rare", "withheld", "attacked")
ATTACKS = (
    {"condition": "plain-2", "epsilon": 2, "stability_weight": 0.0},
    {"condition": "plain-4", "epsilon": 4, "stability_weight": 0.0},
    {"condition": "plain-8", "epsilon": 8, "stability_weight": 0.0},
    {"condition": "adaptive-4-1", "epsilon": 4, "stability_weight": 1.0},
    {"condition": "adaptive-4-5", "epsilon": 4, "stability_weight": 5.0},
)
# Logits are whole multiples of this: margins, confidences and whole images tie.
STEP = 0.25
_RARE_SHARE = 0.02
_CONDITIONS = Path(__file__).parents[2] / "resources" / "conditions"


def example_views(
    kind: str = "levels",
    model: str = "alpha",
    group: str = "a",
    seeds: int = 2,
    images: int = 120,
    classes: int = 4,
    seed: int = 0,
) -> Views:
    """Simulate one view file.

    Images, labels, halves and the difficulty of each image depend on `seed`, `images` and `classes` alone: they are the
    same for all models and kinds. Classes take turns; of every two images of a class one belongs to each half. The last
    two classes are the rare or the withheld ones. Attacked files hold the evaluation images alone. Logits are multiples
    of `STEP`.

    Parameters
    ----------
    kind
        One of `KINDS`.
    model, group
        Names; the model also sets how good it is.
    seeds
        Number of training seeds.
    images
        Number of images; attacked files hold half of them.
    classes
        Number of classes, withheld ones included; at least four.
    seed
        Other seeds are other images.
    """
    random = np.random.default_rng(derive_seed(seed, "images", images, classes))
    labels, difficulty = np.arange(images) % classes, random.random(images)
    half = np.array([DEVELOPMENT, EVALUATION])[np.arange(images) // classes % 2]
    kept = np.flatnonzero(half == EVALUATION) if kind == "attacked" else np.arange(images)
    conditions = _conditions(kind)
    names = [ORIGINAL, *(f"{operator}-{level}" for level in _levels(kind) for operator in OPERATORS)]
    logits = np.stack(
        [
            _logits(kind, model, number, conditions, names, labels[kept], difficulty[kept], classes, seed)
            for number in range(seeds)
        ]
    )
    known = classes - 2 if kind == "withheld" else classes
    return Views(
        logits=(np.round(logits[..., :known] / STEP) * STEP).astype(np.float32),
        conditions=conditions,
        views=tuple(names),
        image_ids=tuple(f"image-{place:04}" for place in kept),
        labels=np.where(labels[kept] < known, labels[kept], WITHHELD).astype(np.int32),
        splits=tuple(half[kept].tolist()),
        classes=tuple(f"class-{number:02}" for number in range(known)),
        metadata=_metadata(kind, model, group, seeds, classes),
    )


def _conditions(kind: str) -> tuple[str, ...]:
    if kind == "shifted":
        rows = read_corruptions(_CONDITIONS / "corruptions.csv")
        return tuple(row.condition for row in rows if row.pool == PRIMARY)
    return (CLEAN, *(str(attack["condition"]) for attack in ATTACKS)) if kind == "attacked" else (CLEAN,)


def _levels(kind: str) -> tuple[int, ...]:
    return LEVELS if kind == "levels" else LEVELS[:1]


def _logits(
    kind: str,
    model: str,
    number: int,
    conditions: tuple[str, ...],
    names: list[str],
    labels: np.ndarray,
    difficulty: np.ndarray,
    classes: int,
    seed: int,
) -> np.ndarray:
    """Simulate one training seed, shape ``(conditions, views, images, classes)``."""
    skill = np.random.default_rng(derive_seed(model, "skill")).uniform(3, 5)
    random = np.random.default_rng(derive_seed(seed, kind, model, number))
    one_hot = np.eye(classes)[labels]
    signal = skill * (1 - difficulty)[:, None] * one_hot
    if kind == "rare":
        signal[:, -2:] -= 3
    if kind == "withheld":
        signal[labels >= classes - 2] *= 0.3
    original = signal + random.normal(0, 0.8, (len(labels), classes))
    shift = np.stack([_shift(condition, one_hot, random) for condition in conditions])
    moved = random.normal(0, 0.3, (len(conditions), len(names), len(labels), classes)) * (0.5 + 2 * difficulty[:, None])
    strength = np.array([0 if name == ORIGINAL else int(name.rsplit("-", 1)[1]) for name in names])
    # Operators undo part of what a condition has done to the original.
    remaining = np.where(strength > 0, 0.6, 1.0)[:, None, None]
    return original + remaining * shift[:, None] + moved * strength[:, None, None]


def _shift(condition: str, one_hot: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return what a condition adds to the logits: noise for corruptions, weight on the next class for attacks."""
    if condition == CLEAN:
        return np.zeros_like(one_hot)
    family, number = condition.split("-")[:2]
    if family not in ("plain", "adaptive"):
        return random.normal(0, 0.5 * int(number), one_hot.shape)
    strength = 0.6 * int(number) / (1 if family == "plain" else float(condition.rsplit("-", 1)[1]) + 1)
    return strength * (np.roll(one_hot, 1, axis=1) - one_hot)


def _metadata(kind: str, model: str, group: str, seeds: int, classes: int) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "study": "example",
        "model": model,
        "group": group,
        "kind": kind,
        "seeds": seeds,
        "config_digest": "0" * 64,
        "versions": {"numpy": np.__version__},
        "simulated": False,
    }
    rare = [f"class-{number:02}" for number in (classes - 2, classes - 1)]
    frequent_share = (1 - 2 * _RARE_SHARE) / (classes - 2)
    extra: dict[str, dict[str, Any]] = {
        "levels": {"cost": {"single_seconds": 0.001, "views_seconds": 0.009}},
        "shifted": {},
        "rare": {"class_shares": [frequent_share] * (classes - 2) + [_RARE_SHARE] * 2, "rare_classes": rare},
        "withheld": {"withheld_classes": rare},
        "attacked": {"attacks": [dict(attack) for attack in ATTACKS]},
    }
    return facts | extra[kind]
