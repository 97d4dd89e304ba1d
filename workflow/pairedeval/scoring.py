"""From model outputs to predictions and probabilities (Appendix E.1, Appendix F).

Outputs are float32 cosine similarities or logits; probabilities are computed in float64. The prediction is
the candidate with the largest output, the lowest index among ties, and the same under every scoring rule.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp

from pairedeval.errors import ModelError

COSINE = "cosine"
LOGITS = "logits"
COMMON_COSINE_SCALE = 100.0
COMMON_PROTOCOL = "softmax over the candidates of 100 x cosine (image-text models) or of the logits (other models)"


@dataclass(frozen=True)
class Scores:
    """Scored outputs of some images.

    Attributes
    ----------
    prediction
        Candidate index, int64.
    confidence
        Probability S of the prediction, a share, float64.
    true_class_probability
        Probability M of the true class, a share, float64; the very same number as `confidence` where the
        prediction is correct.
    """

    prediction: np.ndarray
    confidence: np.ndarray
    true_class_probability: np.ndarray


def score_common(outputs: np.ndarray, labels: np.ndarray, kind: str) -> Scores:
    """Score outputs by the common protocol of all models (Appendix F).

    Parameters
    ----------
    outputs
        Cosine similarities or logits over the candidates, shape ``(..., images, candidates)``.
    labels
        Candidate index of the true class, shape ``(images,)``.
    kind
        `COSINE` (multiplied by 100 before the softmax) or `LOGITS`.

    Examples
    --------
    >>> score_common(np.array([[0.0, np.log(3.0)]]), np.array([1]), LOGITS).confidence.round(6)
    array([0.75])
    """
    return _pick(common_probabilities(outputs, kind), outputs, labels)


def common_probabilities(outputs: np.ndarray, kind: str) -> np.ndarray:
    """Return the probabilities of all candidates under the common protocol, float64, of the shape of `outputs`.

    Parameters
    ----------
    outputs, kind
        See `score_common`.
    """
    return _softmax(outputs.astype(np.float64) * (COMMON_COSINE_SCALE if kind == COSINE else 1.0))


def score_native(
    outputs: np.ndarray,
    labels: np.ndarray,
    kind: str,
    scale: float,
    bias: float,
    outside: np.ndarray | None = None,
) -> Scores:
    r"""Score outputs by the model's own rule (Appendix E.1).

    That is :math:`\mathrm{sigmoid}(\text{scale} \cdot \cos + \text{bias})` per candidate for image-text models
    with a bias, a softmax of scale times cosine for those without, and a softmax over all logits, also those
    of classes outside the candidate set, for other models.

    Parameters
    ----------
    outputs, labels, kind
        See `score_common`.
    scale, bias
        Learned logit scale and bias; NaN if the model has none.
    outside
        Logarithm of the summed exponentials of the logits outside the candidate set, shape
        ``(..., images)``; None if the candidates are all classes.

    Examples
    --------
    >>> score_native(np.array([[0.5, 0.1]]), np.array([0]), COSINE, scale=10.0, bias=-5.0).confidence
    array([0.5])
    """
    values = outputs.astype(np.float64)
    if kind == LOGITS:
        probabilities = _softmax(values, outside)
    elif math.isnan(bias):
        probabilities = _softmax(scale * values)
    else:
        probabilities = expit(scale * values + bias)
    return _pick(probabilities, outputs, labels)


def check_outputs(outputs: np.ndarray, image_ids: Sequence[str], classes: int, model: str, condition: str) -> None:
    """Refuse outputs that cannot be scored.

    Raises
    ------
    ModelError
        If the shape is not ``(images, classes)`` or a value is NaN or infinite; the message names model,
        condition and the first such image.
    """
    place = f"{model}: condition {condition}"
    if outputs.shape != (len(image_ids), classes):
        raise ModelError(
            f"{place}: outputs of shape {outputs.shape} for {len(image_ids)} images and {classes} classes; "
            f"check that the registry's architecture and the weights belong together"
        )
    broken = ~np.isfinite(outputs).all(axis=1)
    if broken.any():
        raise ModelError(
            f"{place}, image {image_ids[int(np.argmax(broken))]}: the output is NaN or infinite; "
            f"check the weights, or use precision float32"
        )


def outside_mass(outputs: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Return the log of the summed exponentials of all logits but the candidates', float64, shape ``(images,)``.

    It is minus infinity where the candidates are all classes.
    """
    others = np.delete(outputs.astype(np.float64), candidates, axis=-1)
    if others.shape[-1] == 0:
        return np.full(outputs.shape[:-1], -np.inf)
    return np.asarray(logsumexp(others, axis=-1))


def _softmax(logits: np.ndarray, outside: np.ndarray | None = None) -> np.ndarray:
    """Return exp(logits) over its sum, the mass `outside` included in the sum."""
    largest = logits.max(axis=-1, keepdims=True)
    if outside is None:
        outside = np.full(logits.shape[:-1], -np.inf)
    shift = np.maximum(largest, outside[..., np.newaxis])
    exponentials = np.exp(logits - shift)
    total = exponentials.sum(axis=-1, keepdims=True) + np.exp(outside[..., np.newaxis] - shift)
    return np.asarray(exponentials / total)


def _pick(probabilities: np.ndarray, outputs: np.ndarray, labels: np.ndarray) -> Scores:
    # The largest output rather than the largest probability: a sigmoid may round several to one.
    prediction = outputs.argmax(axis=-1)
    true_class = np.broadcast_to(labels, prediction.shape)
    return Scores(
        prediction=prediction,
        confidence=np.take_along_axis(probabilities, prediction[..., np.newaxis], axis=-1)[..., 0],
        true_class_probability=np.take_along_axis(probabilities, true_class[..., np.newaxis], axis=-1)[..., 0],
    )
