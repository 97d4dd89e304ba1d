"""The no-flip certificate on anyone's logits: half of the images calibrates, the other half judges it (Section 3.4)."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pairedeval.consistency.certificate import calibrate, certify
from pairedeval.identification.levels import STRICTNESS
from pairedeval.own.answers import Answer
from pairedeval.own.consistency_errors import value_or_none
from pairedeval.own.consistency_files import ViewedModel
from pairedeval.seeds import digest
from pairedeval.states import conditional_mean


@dataclass(frozen=True)
class Certification:
    """The certificate of one model.

    Attributes
    ----------
    beta
        Largest probability that an image is certified and flips under any probe.
    threshold
        Clean margin above which an image is certified; infinite if there are too few calibration images for `beta`.
    calibration
        Images that calibrate, bool, shape ``(n,)``; the others are judged.
    certified
        Images of the other half that are certified, bool, shape ``(n,)``.
    worst
        Largest margin that any probe can overcome, shape ``(n,)``.
    margins
        Clean margins, shape ``(n,)``.
    """

    beta: float
    threshold: float
    calibration: np.ndarray
    certified: np.ndarray
    worst: np.ndarray
    margins: np.ndarray


def calibration_half(image_ids: np.ndarray) -> np.ndarray:
    """Choose the images that calibrate: the first half, rounded down, in the SHA-256 order of the ids; no labels.

    Other than `pairedeval.splits.halve`, it does not balance classes, because the certificate knows no labels.

    Examples
    --------
    >>> int(calibration_half(np.array(["a", "b", "c", "d", "e"])).sum())
    2
    """
    order = np.argsort([digest("no-flip certificate", image) for image in image_ids])
    calibration = np.zeros(len(image_ids), dtype=bool)
    calibration[order[: len(image_ids) // 2]] = True
    return calibration


def images_needed(beta: float) -> int:
    """Return how many images, of both halves, make the threshold finite.

    Examples
    --------
    >>> images_needed(0.05), images_needed(0.3)
    (38, 6)
    """
    return 2 * (math.ceil(1 / Fraction(str(float(beta)))) - 1)


def certify_model(model: ViewedModel, beta: float) -> Certification | None:
    """Calibrate the certificate on one half of the images and certify the other; None for a model without logits."""
    if model.margins is None or model.displacements is None:
        return None
    worst = model.displacements.max(axis=0)
    calibration = calibration_half(model.clean["image_id"].to_numpy())
    threshold = float(calibrate(worst[calibration], beta))
    certified = ~calibration & certify(model.margins, threshold)
    return Certification(beta, threshold, calibration, certified, worst, model.margins)


def certificate_answer(model: ViewedModel, found: Certification) -> Answer:
    """Say what the certificate certifies and whether its bound holds on the half that did not calibrate it.

    Returns
    -------
    dict
        ``beta``, ``calibration_images``, ``evaluated_images``, ``threshold`` (None if infinite), ``images_needed`` (of
        both halves, for a finite threshold); shares of the evaluated images: ``certified``, ``flip_rate`` (flipped by
        any probe), ``certified_and_flipped`` (to be compared with beta), ``accuracy``; shares of the certified ones,
        None without any: ``flip_rate_of_certified``, ``certified_accuracy``; and ``violations``, flips of any image
        whose margin is above what the probe can overcome, beyond rounding, of which the inequality of Section 3.3
        allows none.
    """
    judged, certified = ~found.calibration, found.certified
    flipped, correct = np.asarray(model.flips.any(axis=0)), model.correct
    above = model.flips & (found.margins > np.asarray(model.displacements) * (1 + STRICTNESS))
    return {
        "beta": found.beta,
        "calibration_images": int(found.calibration.sum()),
        "evaluated_images": int(judged.sum()),
        "threshold": None if math.isinf(found.threshold) else found.threshold,
        "images_needed": images_needed(found.beta),
        "certified": _share(certified, judged),
        "flip_rate": _share(flipped, judged),
        "certified_and_flipped": _share(certified & flipped, judged),
        "accuracy": _share(correct, judged),
        "flip_rate_of_certified": _share(flipped, certified),
        "certified_accuracy": _share(correct, certified),
        "violations": int(above.sum()),
    }


def _share(flags: np.ndarray, of: np.ndarray) -> float | None:
    return value_or_none(float(conditional_mean((flags & of).sum(), of.sum())))
