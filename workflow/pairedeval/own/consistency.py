"""``pairedeval consistency``: how stable predictions are under probes, and what that says beyond confidence.

Label stability LS, confidence deviation CD, consistency score CS and the gap CAG as in `pairedeval.consistency`, with
the probe conditions of anyone's files in the place of the six operators.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pairedeval.consistency.quantities import (
    DEFAULT_WEIGHT,
    confidence_deviation,
    consistency_accuracy_gap,
    consistency_score,
    label_stability,
    regime,
)
from pairedeval.errors import RecordsError
from pairedeval.own.answers import Answer
from pairedeval.own.consistency_certificate import Certification, certificate_answer, certify_model
from pairedeval.own.consistency_errors import (
    CONFIDENCE,
    DEVIATION,
    SCORE,
    STABILITY,
    class_answers,
    detection_answer,
)
from pairedeval.own.consistency_files import ViewedModel, pair_views
from pairedeval.own.functions import check_share
from pairedeval.own.screening_files import UNNAMED

DEFAULT_TOLERANCE = 0.05
DEFAULT_BETA = 0.05


@dataclass(frozen=True)
class ModelConsistency:
    """What the views of one model say.

    Attributes
    ----------
    model
        Predictions of all views.
    quantities
        Confidence, LS, CD and CS of each image, shape ``(n,)``, by the names of
        `pairedeval.own.consistency_errors.RISK_SIGNS`.
    certification
        The no-flip certificate; None without logits.
    answer
        See `consistency_answer`.
    """

    model: ViewedModel
    quantities: Mapping[str, np.ndarray]
    certification: Certification | None
    answer: Answer


def decision_consistency(
    clean: pd.DataFrame,
    probes: Mapping[str, pd.DataFrame],
    weight: float = DEFAULT_WEIGHT,
    tolerance: float = DEFAULT_TOLERANCE,
    beta: float = DEFAULT_BETA,
) -> list[Answer]:
    """Measure how stable predictions are under probes, and what that says beyond confidence (arXiv 2610.36640).

    Parameters
    ----------
    clean
        Predictions, one row an image: columns ``image_id``, ``label``, ``prediction``, ``confidence`` and
        ``true_class_probability``; ``model`` where there are several; ``logit_<label>`` per class for the certificate.
    probes
        The same images under each probe condition, by its name; a column ``condition`` makes several of one.
    weight
        Weight of label stability in the consistency score, a share.
    tolerance
        Gaps between accuracy and mean consistency up to this size are balanced, a share.
    beta
        Largest probability that an image is certified and flips, between 0 and 1.

    Returns
    -------
    list of dict
        One a model, see `consistency_answer`; rates are shares.

    Raises
    ------
    RecordsError
        If a row, side or setting cannot be used.

    Examples
    --------
    Two images, a correct and a wrong one; fog flips the wrong one alone.

    >>> columns = ["image_id", "label", "prediction", "confidence", "true_class_probability"]
    >>> clean = pd.DataFrame([("a", "cat", "cat", 0.75, 0.75), ("b", "cat", "dog", 0.75, 0.25)], columns=columns)
    >>> fog = pd.DataFrame([("a", "cat", "cat", 0.75, 0.75), ("b", "cat", "cat", 0.5, 0.5)], columns=columns)
    >>> answer = decision_consistency(clean, {"fog": fog})[0]
    >>> answer["label_stability"], answer["confidence_deviation"], answer["gap"], answer["auroc"]["consistency_score"]
    (0.5, 0.125, -0.1875, 1.0)
    """
    models = pair_views(clean, probes.items())
    return [found.answer for found in measure_models(models, weight, tolerance, beta)]


def measure_models(
    models: Sequence[ViewedModel],
    weight: float = DEFAULT_WEIGHT,
    tolerance: float = DEFAULT_TOLERANCE,
    beta: float = DEFAULT_BETA,
) -> list[ModelConsistency]:
    """Measure each model; parameters as for `decision_consistency`.

    Raises
    ------
    RecordsError
        If a setting cannot be used.
    """
    check_share(weight, "weight")
    check_share(tolerance, "tolerance")
    check_beta(beta)
    return [_measured(model, weight, tolerance, beta) for model in models]


def check_beta(beta: float) -> None:
    """Refuse a beta outside (0, 1), or NaN."""
    if not 0 < beta < 1:
        raise RecordsError(f"beta {beta:g} lies outside (0, 1); give a probability such as 0.05")


def _measured(model: ViewedModel, weight: float, tolerance: float, beta: float) -> ModelConsistency:
    stability, deviation = label_stability(model.predictions), confidence_deviation(model.confidence)
    quantities = {
        CONFIDENCE: model.confidence[0],
        STABILITY: stability,
        DEVIATION: deviation,
        SCORE: consistency_score(stability, deviation, weight),
    }
    certification = certify_model(model, beta)
    answer = consistency_answer(model, quantities, certification, weight, tolerance)
    return ModelConsistency(model, quantities, certification, answer)


def consistency_answer(
    model: ViewedModel,
    quantities: Mapping[str, np.ndarray],
    certification: Certification | None,
    weight: float,
    tolerance: float,
) -> Answer:
    """Return what the views of one model say as the plain values that ``--json`` prints.

    Returns
    -------
    dict
        ``model`` (None if unnamed), ``n``, ``conditions``, ``weight`` and ``tolerance``; ``accuracy`` and ``errors`` of
        the clean predictions; the means ``label_stability``, ``confidence_deviation`` and ``consistency_score``;
        ``error_stability``, the mean LS of wrong predictions; ``gap`` (CAG) and its ``regime``; ``flips`` with a
        ``flip_rate`` per ``condition``; ``auroc`` and ``comparison`` (see
        `pairedeval.own.consistency_errors.detection_answer`); ``classes`` (see `class_answers` there);
        ``certificate`` (see `pairedeval.own.consistency_certificate.certificate_answer`), None without logits. None
        stands for undefined values.
    """
    correct, stability = model.correct, quantities[STABILITY]
    gap = float(consistency_accuracy_gap(correct, quantities[SCORE]))
    rates = model.flips.mean(axis=1).tolist()
    return {
        "model": None if model.name == UNNAMED else model.name,
        "n": len(correct),
        "conditions": list(model.conditions),
        "weight": float(weight),
        "tolerance": float(tolerance),
        "accuracy": float(correct.mean()),
        "errors": int((~correct).sum()),
        **{name: float(quantities[name].mean()) for name in (STABILITY, DEVIATION, SCORE)},
        "error_stability": None if correct.all() else float(stability[~correct].mean()),
        "gap": gap,
        "regime": regime(gap, tolerance),
        "flips": [
            {"condition": condition, "flip_rate": rate} for condition, rate in zip(model.conditions, rates, strict=True)
        ],
        **detection_answer(quantities, correct),
        "classes": class_answers(model.clean["label"], correct, stability),
        "certificate": None if certification is None else certificate_answer(model, certification),
    }
