"""How well the scores of one model rank its failures, on all clean-correct images and on the sets of the controls.

The sets are nested choices among the clean-correct images of one half (Appendix E.1): those that share their class with
another one, the thirds of these by clean confidence, and those whose class has a clean-correct image in the other half.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pairedeval.screening.ablation import DRAWS, deranged, derangements, leave_one_out_mean, terciles
from pairedeval.screening.grouping import ALL, CLASS_KNOWN, METRICS, NON_SINGLETON, TERCILES
from pairedeval.screening.ranking import auroc, random_recall, recall_at_budgets
from pairedeval.seeds import derive_seed

KNOWN_CLASS_SCORES = ("confidence", "corruption_mean", "class_mean_correct", "class_mean_all")
NON_SINGLETON_SCORES = ("confidence", "corruption_mean", "confidence_decrease")
TERCILE_SCORES = ("confidence", "corruption_mean", "deranged_mean")


@dataclass(frozen=True)
class RankedImages:
    """A set of images and the risk scores that are compared on it.

    Attributes
    ----------
    name
        One of `grouping.IMAGE_SETS`.
    images
        Positions among the clean-correct images, int, shape ``(n,)``.
    risks
        Risk of these images by score, shape ``(n,)``; or ``(draws, n)`` for a randomised score, whose metrics are
        averaged over its draws.
    """

    name: str
    images: np.ndarray
    risks: Mapping[str, np.ndarray]


def measure(risks: Mapping[str, np.ndarray], failures: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Compute every metric of every score under every condition.

    Parameters
    ----------
    risks
        As in `RankedImages`.
    failures
        Whether each image fails, bool, shape ``(conditions, n)``.
    weights
        Copies of each image in each class draw, int, shape ``(n, draws)``; None counts each image once.

    Returns
    -------
    numpy.ndarray
        Shape ``(conditions, scores, metrics)``, with a last axis of draws if `weights` are given; the metrics are
        `grouping.METRICS`. NaN where a metric is undefined: AUROC if all images share one outcome, recall without
        failures, and every metric of a score that is NaN for some image.
    """
    rows = [np.atleast_2d(risk) for risk in risks.values()]
    stacked = np.concatenate(rows)
    ranking = auroc(stacked, failures, weights)[:, :, np.newaxis]
    recall = recall_at_budgets(stacked, failures, weights=weights)
    found = np.concatenate([ranking, recall], axis=2)
    ends = np.cumsum([len(part) for part in rows])[:-1]
    return np.stack([part.mean(axis=0) for part in np.split(found, ends)], axis=1)


def measure_random(failures: np.ndarray, conditions: Sequence[str], seed: int) -> np.ndarray:
    """Return the metrics of one random order of the images per condition, shape ``(conditions, 1, metrics)``.

    The order has recalls only; its AUROC is NaN.

    Parameters
    ----------
    failures
        Whether each image fails, bool, shape ``(conditions, n)``.
    conditions
        Their names; every condition has its own order.
    seed
        Seed of the model on this half and source.
    """
    images = failures.shape[1]
    if images == 0:
        return np.full((len(failures), 1, len(METRICS)), np.nan)
    recall = [
        random_recall(int(count), images, derive_seed(seed, "random order", condition, bits=64))
        for count, condition in zip(failures.sum(axis=1), conditions, strict=True)
    ]
    return np.insert(np.array(recall), 0, np.nan, axis=1)[:, np.newaxis]


def all_images(risks: Mapping[str, np.ndarray]) -> RankedImages:
    """Return the set of all clean-correct images with all scores."""
    return RankedImages(ALL, np.arange(len(risks["confidence"])), risks)


def control_sets(risks: Mapping[str, np.ndarray], labels: np.ndarray, seed: int) -> tuple[RankedImages, ...]:
    """Return the sets on which the identity of the image and class-level predictors are tested (Tables 25 to 27).

    Parameters
    ----------
    risks
        All risk scores of the clean-correct images, see `scores.image_risks`, shape ``(n,)`` each.
    labels
        True class of these images, shape ``(n,)``.
    seed
        Seed of the model, for the derangements.

    Returns
    -------
    tuple of RankedImages
        The images that are not alone in their class, with the corruption mean and the confidence decrease of other
        images of the class (``deranged_mean``, ``deranged_decrease``: ten draws) and ``loo_mean``, the mean of those of
        the others; the thirds of these images by clean confidence; and those of a known class.
    """
    shared = _not_alone(risks, labels, seed)
    known = np.flatnonzero(~np.isnan(risks["class_mean_correct"]))
    return (
        shared,
        *_thirds(shared),
        RankedImages(CLASS_KNOWN, known, {name: risks[name][known] for name in KNOWN_CLASS_SCORES}),
    )


def _not_alone(risks: Mapping[str, np.ndarray], labels: np.ndarray, seed: int) -> RankedImages:
    partner = derangements(labels, DRAWS, seed)
    images = np.flatnonzero((partner >= 0).all(axis=0))
    controls = {
        "deranged_mean": deranged(risks["corruption_mean"], partner),
        "deranged_decrease": deranged(risks["confidence_decrease"], partner),
        "loo_mean": leave_one_out_mean(risks["corruption_mean"], labels),
    }
    compared = {name: risks[name] for name in NON_SINGLETON_SCORES} | controls
    return RankedImages(NON_SINGLETON, images, {name: risk[..., images] for name, risk in compared.items()})


def _thirds(shared: RankedImages) -> list[RankedImages]:
    third = terciles(-shared.risks["confidence"]) if len(shared.images) else np.array([], dtype=int)
    sets = []
    for place, name in enumerate(TERCILES):
        inside = np.flatnonzero(third == place)
        risks = {score: shared.risks[score][..., inside] for score in TERCILE_SCORES}
        sets.append(RankedImages(name, shared.images[inside], risks))
    return sets
