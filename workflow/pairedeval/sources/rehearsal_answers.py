"""What the simulated models answer to the simulated images; `pairedeval.sources.rehearsal` says it in formulas."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairedeval.scoring import COMMON_COSINE_SCALE, COSINE, Scores
from pairedeval.seeds import derive_seed
from pairedeval.sources.rehearsal_conditions import Perturbation
from pairedeval.sources.rehearsal_images import CONFUSABLE, Images
from pairedeval.sources.rehearsal_models import ATTRACTORS, ModelTraits, Taste

LISTED = 1 + CONFUSABLE
SLOTS = LISTED + ATTRACTORS
# Standard deviation of the logarithm of damage over images under one condition, the same for all models.
ENCOUNTER = 0.6
# Standard deviation of a score once nothing of the image is left, and the part of its variance that models share.
NOISE, SHARED_NOISE = 0.55, 0.5
# Scores of the attractors: mean and standard deviation over conditions where nothing is left, minus what all leaves.
ATTRACTION, ATTRACTION_SPREAD, REPULSION = 1.1, 0.6, 1.5
# Part of the gain that stays when nothing of the image is left; the higher the power, the later the gain fades.
FADED_GAIN, FADING_POWER = 0.65, 3
# Candidates without a slot share this part of the probability that the answer leaves; so they never hold the answer.
BACKGROUND = 0.5
SMALLEST_BACKGROUND = 1e-9


@dataclass(frozen=True)
class Answers:
    """Logits of the few candidates of each image that can hold the answer.

    Attributes
    ----------
    logits
        Minus infinity where a class already stands in an earlier slot, shape ``(conditions, n, SLOTS)``.
    classes
        Candidate index of each slot: true class, confusable classes, attractors, shape ``(n, SLOTS)``.
    """

    logits: np.ndarray
    classes: np.ndarray


def answer(
    model: ModelTraits, taste: Taste, images: Images, conditions: Sequence[Perturbation], seed: int, stream: str
) -> Answers:
    """Let a model answer to all images under all conditions.

    Parameters
    ----------
    model, taste
        The model, and what it makes of the images.
    images
        Images of one role.
    conditions
        Conditions; one of severity 0 has no noise.
    seed
        Seed of the study.
    stream
        Name of the noise: others are independent, and under one name models share a part.
    """
    shape = (len(conditions), len(images.labels), SLOTS)
    common = np.random.default_rng(derive_seed(seed, "rehearsal", "noise", stream))
    own = np.random.default_rng(derive_seed(seed, "rehearsal", "noise", stream, model.model))
    left = _evidence_left(model, taste, images, conditions, ENCOUNTER * common.standard_normal(shape[:2]))
    listed = np.column_stack([images.labels, images.confusable])
    clean = taste.scores + np.column_stack([model.skill - images.difficulty, images.pull])
    attraction = ATTRACTION + ATTRACTION_SPREAD * own.standard_normal((shape[0], ATTRACTORS))
    attracted = listed[:, :, None] == taste.attractors
    scores = math.sqrt(SHARED_NOISE) * common.standard_normal(shape, dtype=np.float32)
    scores += math.sqrt(1 - SHARED_NOISE) * own.standard_normal(shape, dtype=np.float32)
    scores *= NOISE * np.sqrt(1 - left**2)
    scores[..., :LISTED] += left * clean.astype(np.float32)
    image, slot, attractor = np.nonzero(attracted)
    scores[:, image, slot] += (1 - left)[:, image, 0] * attraction[:, attractor]
    scores[..., LISTED:] += (1 - left) * attraction[:, None].astype(np.float32) - np.float32(REPULSION) * left
    scores[..., LISTED:][:, attracted.any(axis=1)] = -np.inf
    classes = np.column_stack([listed, np.tile(taste.attractors, (shape[1], 1))])
    gain = model.gain * (1 - (1 - FADED_GAIN) * (1 - left) ** FADING_POWER)
    return Answers(gain * scores.astype(np.float64), classes)


def score(answers: Answers) -> Scores:
    """Score answers by the common protocol: as `pairedeval.scoring.score_common` scores their `outputs`."""
    probabilities, _ = _probabilities(answers.logits)
    best = probabilities.argmax(axis=-1)
    return Scores(
        prediction=answers.classes[np.arange(best.shape[1]), best],
        confidence=np.take_along_axis(probabilities, best[..., None], axis=-1)[..., 0],
        true_class_probability=probabilities[..., 0],
    )


def outputs(answers: Answers, taste: Taste, scoring: str) -> tuple[np.ndarray, np.ndarray]:
    """Return what the model puts out for every candidate.

    Parameters
    ----------
    answers, taste
        Answers, and what the model makes of the images.
    scoring
        ``cosine`` or ``logits``.

    Returns
    -------
    candidates
        Cosine similarities or logits, float32, shape ``(conditions, n, candidates)``.
    outside
        Log of the summed exponentials of the logits outside the candidates, shape ``(conditions, n)``; minus infinity
        for cosine similarities.
    """
    probabilities, background = _probabilities(answers.logits)
    present = np.isfinite(answers.logits[0])
    held = (taste.background[answers.classes] * present).sum(axis=1)
    with np.errstate(divide="ignore"):
        logits = np.log(probabilities)
    full = (np.log(background / (1 - held))[..., None] + np.log(taste.background)).astype(np.float32)
    for slot in range(SLOTS):
        images = np.flatnonzero(present[:, slot])
        full[:, images, answers.classes[images, slot]] = logits[:, images, slot]
    if scoring == COSINE:
        cosines = full / np.float32(COMMON_COSINE_SCALE) + taste.level[:, None].astype(np.float32)
        return cosines, np.full(background.shape, -np.inf)
    remaining = np.maximum(1 - probabilities.max(axis=-1), SMALLEST_BACKGROUND) * taste.outside
    return full, np.log(remaining / (1 - remaining))


def _evidence_left(
    model: ModelTraits, taste: Taste, images: Images, conditions: Sequence[Perturbation], encounter: np.ndarray
) -> np.ndarray:
    """Return the share of the evidence that survives, float32, shape ``(conditions, n, 1)``."""
    factors = np.exp(images.fragility + model.vulnerability + taste.fragility[:, None])
    loads = np.array([[condition.severity * share for share in condition.shares] for condition in conditions])
    left = np.exp(-(loads @ factors.T) * np.exp(encounter))
    return np.asarray(left[..., None], dtype=np.float32)


def _probabilities(logits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities of the slots, and that of all other candidates together, shape ``(conditions, n)``."""
    probabilities = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    background = np.maximum(BACKGROUND * (1 - probabilities.max(axis=-1)), SMALLEST_BACKGROUND)
    return probabilities * (1 - background)[..., None], background
