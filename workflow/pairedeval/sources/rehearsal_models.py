"""The models of study ``rehearsal``: what each of them would be good at, by its group and size."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from pairedeval.errors import ModelError
from pairedeval.models.registry import ModelEntry
from pairedeval.scoring import COSINE, LOGITS
from pairedeval.seeds import derive_seed
from pairedeval.sources.rehearsal_conditions import FAMILIES
from pairedeval.sources.rehearsal_images import CONFUSABLE, Images

# Score of the true class of an ordinary image, for a model of 300 million parameters.
SKILL: Mapping[str, float] = MappingProxyType(
    {
        "SSL": 2.85,
        "openai": 2.45,
        "laion": 2.5,
        "datacomp": 2.6,
        "dfn": 2.75,
        "metaclip": 2.6,
        "siglip": 2.75,
        "pe-core": 2.8,
        "supervised": 2.5,
        "other-clip": 2.2,
    }
)
SKILL_PER_DECADE = 0.6
ORDINARY_PARAMETERS = 3e8
# Standard deviations of what is a model's own: skill, scores of single classes of an image, and the logarithms of the
# fragility that single images have for it, of its vulnerability and of its gain.
OWN_SKILL, OWN_SCORE, OWN_FRAGILITY, OWN_VULNERABILITY, OWN_GAIN = 0.15, 0.6, 0.3, 0.25, 0.12
# Part of the variance of those scores that models of one group share.
GROUP_PART = 0.5
# Logits per unit of score: image-text models scored with 100 x cosine are the more confident ones.
GAIN: Mapping[str, float] = MappingProxyType({COSINE: 2.6, LOGITS: 2.0})
# A better model also suffers less: vulnerability per unit of skill above the ordinary.
SKILL_VULNERABILITY = -0.35
ORDINARY_SKILL = 2.5
# Classes that a model names when it sees little, chosen from those that attract any model.
ATTRACTORS, ATTRACTOR_POOL = 5, 14
# Cosine similarity of an image with a class that is certain: mean and standard deviation over images.
LEVEL, LEVEL_SPREAD = 0.12, 0.01
# Of the probability that the answer leaves, the part of the classes outside the candidates: its range over images.
OUTSIDE = (0.2, 0.8)


@dataclass(frozen=True)
class ModelTraits:
    """What a model brings to every image.

    Attributes
    ----------
    model, group
        Names of the model and of its group.
    skill
        Score of the true class of an ordinary image.
    vulnerability
        Logarithm of the factor on the damage of each of `FAMILIES`, shape ``(families,)``.
    gain
        Logits per unit of score.
    scoring
        ``cosine`` or ``logits``.
    scale, bias
        Logit scale and bias of its own rule; NaN if it has none.
    """

    model: str
    group: str
    skill: float
    vulnerability: np.ndarray
    gain: float
    scoring: str
    scale: float
    bias: float


@dataclass(frozen=True)
class Taste:
    """What a model makes of the single images and classes of a role.

    Attributes
    ----------
    scores
        Added to the scores of the true class and of the confusable ones, shape ``(n, 1 + CONFUSABLE)``.
    fragility
        Added to the logarithm of the damage, shape ``(n,)``.
    attractors
        Candidates that it names when it sees little, shape ``(ATTRACTORS,)``.
    background
        Shares of all candidates in the probability of those that never hold the answer, shape ``(candidates,)``.
    level
        Cosine similarity of each image with a class that is certain, shape ``(n,)``.
    outside
        Part of the probability that the answer leaves which classes outside the candidates have, shape ``(n,)``.
    """

    scores: np.ndarray
    fragility: np.ndarray
    attractors: np.ndarray
    background: np.ndarray
    level: np.ndarray
    outside: np.ndarray


def model_traits(entry: ModelEntry, seed: int) -> ModelTraits:
    """Draw a model from its group and size.

    Raises
    ------
    ModelError
        If the registry does not say the number of parameters, or the simulation knows nothing of the group.
    """
    if not entry.parameters:
        raise ModelError(f"{entry.model}: the simulation takes skill from size; fill the column parameters")
    if entry.group not in SKILL:
        raise ModelError(f"{entry.model}: the simulation knows no group {entry.group}; use one of {', '.join(SKILL)}")
    random = np.random.default_rng(derive_seed(seed, "rehearsal", "model", entry.model))
    scoring = COSINE if entry.library == "open_clip" else LOGITS
    decades = math.log10(entry.parameters / ORDINARY_PARAMETERS)
    skill = SKILL[entry.group] + SKILL_PER_DECADE * decades + OWN_SKILL * random.standard_normal()
    own = OWN_VULNERABILITY * random.standard_normal(len(FAMILIES))
    gain = GAIN[scoring] * math.exp(OWN_GAIN * random.standard_normal())
    scale, bias = _own_rule(entry.scoring, random.random()) if scoring == COSINE else (math.nan, math.nan)
    return ModelTraits(
        model=entry.model,
        group=entry.group,
        skill=skill,
        vulnerability=SKILL_VULNERABILITY * (skill - ORDINARY_SKILL) + own,
        gain=gain,
        scoring=scoring,
        scale=scale,
        bias=bias,
    )


def taste_of(model: ModelTraits, images: Images, role: str, seed: int) -> Taste:
    """Draw what a model makes of the images of a role; models of one group share a part of it."""
    candidates = len(images.candidates)
    shape = (len(images.labels), 2 + CONFUSABLE)
    common, own = (
        np.random.default_rng(derive_seed(seed, "rehearsal", "taste", role, who)) for who in (model.group, model.model)
    )
    mixed = math.sqrt(GROUP_PART) * common.standard_normal(shape) + math.sqrt(1 - GROUP_PART) * own.standard_normal(
        shape
    )
    pool = np.random.default_rng(derive_seed(seed, "rehearsal", "attractors", role)).permutation(candidates)
    background = own.uniform(0.5, 1.5, candidates)
    return Taste(
        scores=OWN_SCORE * mixed[:, 1:],
        fragility=OWN_FRAGILITY * mixed[:, 0],
        attractors=own.choice(pool[:ATTRACTOR_POOL], ATTRACTORS, replace=False),
        background=background / background.sum(),
        level=LEVEL + LEVEL_SPREAD * own.standard_normal(shape[0]),
        outside=own.uniform(*OUTSIDE, shape[0]),
    )


def _own_rule(scoring: str, drawn: float) -> tuple[float, float]:
    """Return logit scale and bias of an image-text model: most learn a scale near 100, a few a far lower one."""
    if scoring == "sigmoid":
        scale = 110 + 8 * drawn
        return scale, -scale * LEVEL
    return 100 * (1 - 0.85 * drawn**8), math.nan
