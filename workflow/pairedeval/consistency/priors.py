"""Stable errors and class priors: consistency once the prior of the training images is corrected (Section 5.9).

If two classes are rare among the training images and common among the evaluation images, posteriors lean towards the
other classes, and the same wrong class wins under every operator. The correction of `label_shift` is applied to every
view, so that predictions, confidences, LS, CD, CS and CAG all change. Its target is the true shares of the evaluation
images, or their estimate from the original views of these images, without labels.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pairedeval.consistency.label_shift import correct_prior, estimate_prior
from pairedeval.consistency.quantities import (
    confidence_deviation,
    consistency_score,
    label_stability,
    probabilities,
)
from pairedeval.consistency.runs import by_run
from pairedeval.consistency.views import LEVELS, REMEDY, Views
from pairedeval.errors import RecordsError
from pairedeval.identification.levels import STRICTNESS
from pairedeval.records import CLEAN, EVALUATION
from pairedeval.states import conditional_mean

# What the models were trained on: images with two rare classes, or all images.
RARE, NATURAL = VARIANTS = ("rare", "natural")
# Posteriors as they are, or corrected; and images weighted as if they had the shares of the training images.
NONE, TRUE_PRIOR, ESTIMATED, REWEIGHTED = METHODS = ("none", "true_prior", "em", "reweighted")
# Shares in a file may be rounded.
_ROUNDING = 1e-6


def measure_priors(rare: Views, natural: Views) -> pd.DataFrame:
    """Measure what a correction of the class prior leaves of the gap between accuracy and consistency (Table 11).

    Parameters
    ----------
    rare
        Views of one configuration trained with rare classes, kind ``rare``.
    natural
        Views of the same configuration trained on all images, kind ``levels``.

    Returns
    -------
    pandas.DataFrame
        ``model``, ``group``, ``seed``, ``variant`` (`VARIANTS`), ``method`` (`METHODS`; `NATURAL` has `NONE` alone),
        then shares: ``accuracy``, ``stability`` (LS), ``deviation`` (CD), ``consistency`` (CS), ``gap`` (CAG),
        ``recovered`` (1 minus the gap over that of `NONE`; NaN where that one is zero, and for `NATURAL`),
        ``rare_recall`` and ``rare_stability`` (accuracy and LS on images of the rare classes), ``rare_prior`` (share of
        the rare classes in the prior that the posteriors are corrected to; among the training images without a
        correction, NaN for `NATURAL`), and ``images``.

    Raises
    ------
    RecordsError
        If the class shares do not fit the classes, or the files hold other models, images or classes.
    """
    classes = _rare_classes(rare)
    cases = _cases(rare, natural)
    table = pd.concat([_summary(case, rare.labels[rare.in_split(EVALUATION)], classes) for case in cases])
    first = (table["variant"] == RARE) & (table["method"] == NONE)
    # Rows of one seed share their index; a gap of zero leaves nothing to recover.
    before = table.loc[first, "gap"]
    recovered = 1 - table["gap"] / before.where(before.abs() > STRICTNESS).reindex(table.index)
    table.insert(list(table.columns).index("gap") + 1, "recovered", recovered.where(table["variant"] == RARE))
    return by_run(rare, [table.loc[[number]] for number in range(len(rare.logits))])


def measure_recalls(rare: Views, natural: Views) -> pd.DataFrame:
    """Measure accuracy and label stability in each class, with and without correction of the class prior (Table 10).

    Parameters
    ----------
    rare, natural
        As for `measure_priors`.

    Returns
    -------
    pandas.DataFrame
        ``model``, ``group``, ``seed``, ``variant``, ``method`` (without `REWEIGHTED`, which changes no class),
        ``class``, ``rare`` (bool), ``recall``, ``stability`` and ``images`` (evaluation images of the class). Classes
        without images have NaN.
    """
    # Numbers, because a product of two bool arrays does not count.
    members = (rare.labels[rare.in_split(EVALUATION), np.newaxis] == np.arange(len(rare.classes))).astype(int)
    fixed = {"class": rare.classes, "rare": _rare_classes(rare), "images": members.sum(axis=0)}
    tables: list[list[pd.DataFrame]] = [[] for _ in rare.logits]
    for case in (case for case in _cases(rare, natural) if case.method != REWEIGHTED):
        for run, correct, stability in zip(tables, case.correct, case.stability, strict=True):
            recall, stable = (conditional_mean(values @ members, fixed["images"]) for values in (correct, stability))
            columns = {"variant": case.variant, "method": case.method} | fixed | {"recall": recall, "stability": stable}
            run.append(pd.DataFrame(columns))
    return by_run(rare, [pd.concat(run) for run in tables])


@dataclass(frozen=True)
class _Case:
    """The runs of one variant under one method, on the evaluation images.

    Attributes
    ----------
    variant, method
        Entries of `VARIANTS` and `METHODS`.
    correct, stability, deviation
        Of each run and image, shape ``(seeds, n)``.
    prior
        Class shares that the posteriors of each run belong to, shape ``(seeds, classes)``; NaN where unknown.
    weights
        Weight of each image, shape ``(n,)``.
    """

    variant: str
    method: str
    correct: np.ndarray
    stability: np.ndarray
    deviation: np.ndarray
    prior: np.ndarray
    weights: np.ndarray


def _cases(rare: Views, natural: Views) -> list[_Case]:
    _check_pair(rare, natural)
    source = _training_shares(rare)
    labels = rare.labels[rare.in_split(EVALUATION)]
    shares = np.bincount(labels, minlength=len(source)) / len(labels)
    logits = rare.at_level(LEVELS[0], CLEAN, EVALUATION)
    estimates = np.stack([estimate_prior(run, source) for run in probabilities(logits[:, 0])])
    equal = np.ones(len(labels))
    targets = {NONE: source, TRUE_PRIOR: shares, ESTIMATED: estimates, REWEIGHTED: source}
    weights = dict.fromkeys(METHODS, equal) | {REWEIGHTED: (source / shares.clip(min=1 / len(labels)))[labels]}
    cases = [
        _case(RARE, method, correct_prior(logits, source, target[..., None, None, :]), labels, target, weights[method])
        for method, target in targets.items()
    ]
    original = natural.at_level(LEVELS[0], CLEAN, EVALUATION)
    return [*cases, _case(NATURAL, NONE, original, labels, np.full(len(source), np.nan), equal)]


def _case(
    variant: str, method: str, logits: np.ndarray, labels: np.ndarray, prior: np.ndarray, weights: np.ndarray
) -> _Case:
    predictions = logits.argmax(axis=-1)
    return _Case(
        variant,
        method,
        predictions[:, 0] == labels,
        label_stability(predictions),
        confidence_deviation(probabilities(logits).max(axis=-1)),
        np.broadcast_to(prior, (len(logits), logits.shape[-1])),
        weights,
    )


def _summary(case: _Case, labels: np.ndarray, rare: np.ndarray) -> pd.DataFrame:
    """Summarise the runs of a case, one row each; `rare` says which classes are rare."""
    rare_images = case.weights * rare[labels]
    score = consistency_score(case.stability, case.deviation)
    columns = {name: getattr(case, name) for name in ("correct", "stability", "deviation")} | {"consistency": score}
    means = {name: _weighted_mean(values, case.weights) for name, values in columns.items()}
    accuracy = means.pop("correct")
    return pd.DataFrame(
        {
            "variant": case.variant,
            "method": case.method,
            "accuracy": accuracy,
            **means,
            "gap": accuracy - means["consistency"],
            "rare_recall": _weighted_mean(case.correct, rare_images),
            "rare_stability": _weighted_mean(case.stability, rare_images),
            "rare_prior": case.prior[:, rare].sum(axis=-1),
            "images": len(labels),
        }
    )


def _weighted_mean(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the weighted mean over images, shape ``(seeds,)``; NaN where all weights are zero."""
    return conditional_mean((values * weights).sum(axis=-1), weights.sum())


def _training_shares(rare: Views) -> np.ndarray:
    shares = np.asarray(rare.metadata.get("class_shares", []), dtype=float)
    if shares.shape != (len(rare.classes),) or not (shares > 0).all() or abs(shares.sum() - 1) > _ROUNDING:
        raise RecordsError(
            f"{rare.metadata['model']}: class_shares are not {len(rare.classes)} positive shares that sum to one; "
            f"{REMEDY}"
        )
    return shares


def _rare_classes(rare: Views) -> np.ndarray:
    """Return which classes are rare among the training images, bool, shape ``(classes,)``."""
    return np.isin(rare.classes, rare.metadata["rare_classes"])


def _check_pair(rare: Views, natural: Views) -> None:
    model = rare.metadata["model"]
    if natural.metadata["model"] != model:
        raise RecordsError(f"{model}: paired with the views of {natural.metadata['model']}; give those of one model")
    for name in ("image_ids", "splits", "classes"):
        if getattr(rare, name) != getattr(natural, name):
            raise RecordsError(f"{model}: trained with rare classes and on all images it has other {name}; {REMEDY}")
    if not np.array_equal(rare.labels, natural.labels) or len(rare.logits) != len(natural.logits):
        raise RecordsError(
            f"{model}: trained with rare classes and on all images it has other labels or seeds; {REMEDY}"
        )
