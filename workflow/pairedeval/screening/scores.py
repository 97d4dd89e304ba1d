"""Risk scores of the clean-correct images of one half (Section 5.1, Appendix E). A larger risk: likelier to fail.

Every score ranks the same images. Their responses come from the probes, their eligibility and failures from the
records of the source. What is fitted or averaged over a class comes from the other half.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from pairedeval.screening.predictors import PREDICTORS, fit_predictor, fits_table
from pairedeval.screening.probe_sets import ProbeSets
from pairedeval.screening.responses import IMAGE_SCORES, Half, Responses
from pairedeval.states import conditional_mean

SELECTED = ("natural_selected", "corruption_selected")
# Every score in the order of the result files; `image_risks` says what each one is.
SCORES = (
    "confidence",
    "corruption_mean",
    "confidence_decrease",
    "retention",
    "class_decrease",
    *PREDICTORS,
    "class_mean_correct",
    "class_mean_all",
    "margin",
    "entropy",
    "agreement",
    "natural_mean",
    "corruption_mean_clean",
    "natural_mean_clean",
    "native_confidence",
    "native_corruption_mean",
    "native_natural_mean",
    "corruption_rank_mean",
    "corruption_root_mean",
    "corruption_square_mean",
    "alignment_corruption",
    "alignment_natural",
    *SELECTED,
    "corruption_deviation",
    "natural_deviation",
    "corruption_consistency",
    "natural_consistency",
)
# A seeded random order, which has a recall but no risk: see `pairedeval.screening.ranking.random_recall`.
RANDOM = "random"
# Exponents of the power-transformed means (Table 22).
ROOT, SQUARE = 0.5, 2.0


@dataclass(frozen=True)
class Risks:
    """Risk scores of one half.

    Attributes
    ----------
    images
        Positions of the clean-correct images in the half, int, shape ``(n,)``.
    scores
        Risk of each of these images by score, shape ``(n,)`` each, in the order of `SCORES`.
    fits
        The logistic predictors behind them, see `pairedeval.screening.predictors.fits_table`.
    """

    images: np.ndarray
    scores: Mapping[str, np.ndarray]
    fits: pd.DataFrame


def image_risks(
    evaluated: Half, fitting: Half, sets: ProbeSets, selected: Mapping[str, Sequence[str]] | None = None
) -> Risks:
    r"""Compute all risk scores of the clean-correct images of one half.

    Parameters
    ----------
    evaluated
        The half whose images are ranked.
    fitting
        The other half of the same model and source.
    sets
        Probe sets of the study.
    selected
        Probes of ``natural_selected`` and ``corruption_selected``, chosen on the other half. A score that is not
        given is left out.

    Returns
    -------
    Risks
        With S the clean confidence, M a true-class probability, U its mean over the 18 primary corruptions, TTA its
        mean over the 18 fixed transformations, and g a logistic predictor fitted on the other half:

        - ``confidence`` -S; ``corruption_mean`` -U; ``confidence_decrease`` S - U; ``retention``: minus the share of
          corruptions under which the image stays correct.
        - ``class_decrease``: mean of M - U over all images of the class in the other half; ``class_mean_all``: minus
          the mean of U over them; ``class_mean_correct``: over the clean-correct ones. NaN without such images.
        - ``predictor_confidence`` g(S); ``predictor_confidence_mean`` g(S, U); ``predictor_confidence_mean_retention``
          g(S, U, ret); ``predictor_confidence_decrease`` g(S, S - U). NaN if nothing could be fitted.
        - ``margin`` and ``entropy`` of the clean probabilities, the margin negated; ``agreement``: minus the share of
          transformations that keep the clean prediction (Appendix E.4).
        - ``natural_mean`` -TTA; ``corruption_mean_clean`` and ``natural_mean_clean``: minus the mean with the clean
          image as a nineteenth version; ``native_...``: the same as without the prefix, under the model's own rule.
        - ``corruption_rank_mean``: the mean percentile rank (ties: midranks) among the clean-correct images of the
          half instead of the probability; ``corruption_root_mean`` and ``corruption_square_mean``: the mean of the
          probability to the power 1/2 and 2 (Table 22).
        - ``alignment_...``: minus the adapted A3Rank (Eq. 12).
        - ``natural_selected`` and ``corruption_selected``: minus the mean over the selected probes.
        - ``..._deviation``: mean absolute change CD of the largest probability; ``..._consistency``: minus
          LS/2 + (1 - CD)/2 with LS the share of probes that keep the clean prediction. LS alone is ``retention`` for
          the corruptions (on images that are clean-correct in the probes too) and ``agreement`` for the
          transformations.
    """
    half, others = evaluated.eligible(), fitting.eligible()
    responses = half.responses
    corruptions, transforms = (responses.positions(names) for names in (sets.primary, sets.fixed))
    values, fitting_values = quantities(responses, sets), quantities(others.responses, sets)
    predictors = {name: fit_predictor(fitting_values, others.failures, name) for name in PREDICTORS}
    risks = {
        "confidence": -values["confidence"],
        "corruption_mean": -values["corruption_mean"],
        "confidence_decrease": values["confidence_decrease"],
        "retention": -values["retention"],
        **{name: predictor.risk(values) for name, predictor in predictors.items()},
        **_class_risks(responses.labels, fitting, sets),
        **_clean_risks(responses),
        **_mean_risks(responses, corruptions, transforms),
        **_transformed_mean_risks(responses.perturbed.true_class_probability[corruptions]),
        **_stability_risks(responses, corruptions, transforms),
        **{name: -probe_mean(responses, responses.positions(probes)) for name, probes in (selected or {}).items()},
    }
    ordered = {name: risks[name] for name in SCORES if name in risks}
    return Risks(np.flatnonzero(evaluated.clean_correct), ordered, fits_table(predictors))


def mean_over(values: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Average values of shape ``(conditions, n)`` over some conditions; shape ``(n,)``, NaN over none."""
    chosen = values[positions]
    return conditional_mean(chosen.sum(axis=0), np.full(chosen.shape[1:], len(chosen)))


def probe_mean(responses: Responses, positions: np.ndarray) -> np.ndarray:
    """Return the mean true-class probability under some probes, shape ``(n,)``: U for the primary corruptions.

    Parameters
    ----------
    responses
        Responses of any images.
    positions
        Rows of the probes, see `Responses.positions`.
    """
    return mean_over(responses.perturbed.true_class_probability, positions)


def class_means(values: np.ndarray, labels: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the mean of each wanted class, shape of `wanted`; NaN for a class without values.

    Parameters
    ----------
    values, labels
        Values and classes of the images to average, shape ``(n,)``.
    wanted
        Classes, int.

    Examples
    --------
    >>> class_means(np.array([0.25, 0.75, 1.0]), np.array([0, 0, 2]), np.array([2, 0, 1])).tolist()
    [1.0, 0.5, nan]
    """
    classes = 1 + max(labels.max(initial=-1), wanted.max(initial=-1))
    total = np.bincount(labels, weights=values, minlength=classes)
    means = conditional_mean(total, np.bincount(labels, minlength=classes))
    return np.asarray(means[wanted])


def quantities(responses: Responses, sets: ProbeSets) -> dict[str, np.ndarray]:
    """Return S, U, ret and S - U of some images by their names, shape ``(n,)`` each (Section 5.1)."""
    positions = responses.positions(sets.primary)
    mean = probe_mean(responses, positions)
    return {
        "confidence": responses.clean.confidence,
        "corruption_mean": mean,
        "retention": mean_over(responses.perturbed.prediction == responses.labels, positions),
        "confidence_decrease": responses.clean.confidence - mean,
    }


def _class_risks(labels: np.ndarray, fitting: Half, sets: ProbeSets) -> dict[str, np.ndarray]:
    """Return risks that give all images of a class the mean of that class in the other half."""
    other, correct = fitting.responses, fitting.clean_correct
    mean = probe_mean(other, other.positions(sets.primary))
    drop = other.clean.true_class_probability - mean
    return {
        "class_decrease": class_means(drop, other.labels, labels),
        "class_mean_correct": -class_means(mean[correct], other.labels[correct], labels),
        "class_mean_all": -class_means(mean, other.labels, labels),
    }


def _clean_risks(responses: Responses) -> dict[str, np.ndarray]:
    """Return the risks of `IMAGE_SCORES` and of the clean confidence under the model's own rule."""
    scores = {name: responses.image_scores[name].to_numpy() for name in IMAGE_SCORES}
    return {
        "margin": -scores["margin"],
        "entropy": scores["entropy"],
        "alignment_corruption": -scores["alignment_corruption"],
        "alignment_natural": -scores["alignment_natural"],
        "native_confidence": -responses.native_clean.confidence,
    }


def _mean_risks(responses: Responses, corruptions: np.ndarray, transforms: np.ndarray) -> dict[str, np.ndarray]:
    """Return mean true-class probabilities, also with the clean image and under the model's own rule."""
    risks = {"natural_mean": -probe_mean(responses, transforms)}
    for name, positions in (("corruption", corruptions), ("natural", transforms)):
        total = responses.perturbed.true_class_probability[positions].sum(axis=0)
        total = total + responses.clean.true_class_probability
        risks[f"{name}_mean_clean"] = -total / (len(positions) + 1)
        risks[f"native_{name}_mean"] = -mean_over(responses.native_perturbed.true_class_probability, positions)
    return risks


def _transformed_mean_risks(probability: np.ndarray) -> dict[str, np.ndarray]:
    """Return means of ranks and of powers of true-class probabilities, shape ``(conditions, n)``."""
    ranks = rankdata(probability, axis=1) / max(1, probability.shape[1])
    return {
        "corruption_rank_mean": -ranks.mean(axis=0),
        "corruption_root_mean": -(probability**ROOT).mean(axis=0),
        "corruption_square_mean": -(probability**SQUARE).mean(axis=0),
    }


def _stability_risks(responses: Responses, corruptions: np.ndarray, transforms: np.ndarray) -> dict[str, np.ndarray]:
    """Return risks from changes of the prediction (LS) and of the largest probability (CD)."""
    kept = responses.perturbed.prediction == responses.clean.prediction
    change = np.abs(responses.perturbed.confidence - responses.clean.confidence)
    risks = {"agreement": -mean_over(kept, transforms)}
    for name, positions in (("corruption", corruptions), ("natural", transforms)):
        deviation = mean_over(change, positions)
        risks[f"{name}_deviation"] = deviation
        risks[f"{name}_consistency"] = -(mean_over(kept, positions) / 2 + (1 - deviation) / 2)
    return risks
