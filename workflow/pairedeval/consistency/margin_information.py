"""What consistency adds at a fixed margin, and next to confidence, on clean images (Sections 3.5, 5.2 and 5.4).

Consistency can add to the clean output only where displacement goes with correctness among images of the same clean
output. Three views of that: rankings of errors within tenths of the margin and among confident predictions, logistic
models of correctness with and without consistency, and the rank correlation of margin and label stability given
confidence. The summary of the paper leaves bins, models and ranks open; the choices here stand with the functions.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd

from pairedeval.consistency.attacks import DISPLACEMENT, scores_and_displacement
from pairedeval.consistency.halves import clean_half
from pairedeval.consistency.margins import deciles
from pairedeval.consistency.robustness import rank_correlation
from pairedeval.consistency.runs import by_run, wrong_predictions
from pairedeval.consistency.shift import ScoredRun, detection
from pairedeval.consistency.statistics import COLUMNS, mean_interval
from pairedeval.consistency.transfer import ADDED, BASE, FEATURE_SETS, fit_correctness
from pairedeval.consistency.views import Views
from pairedeval.records import DEVELOPMENT, EVALUATION
from pairedeval.screening.ranking import auroc
from pairedeval.states import conditional_mean

# Predictions with at least this largest probability are confident (Section 5.2).
CONFIDENT = 0.9
# Features of the logistic models, trust scores by name.
MODELS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "confidence_base": FEATURE_SETS[BASE],
        "confidence_added": FEATURE_SETS[ADDED],
        "margin_base": ("margin",),
        "margin_added": ("margin", DISPLACEMENT, "stability"),
    }
)
# Values that stand for no information: of an AUROC, and of a gain or a correlation.
CHANCE: Mapping[str, float] = MappingProxyType(
    {
        "within_displacement": 0.5,
        "within_stability": 0.5,
        "confident_stability": 0.5,
        "confident_msp": 0.5,
        **dict.fromkeys(MODELS, 0.5),
        "confidence_gain": 0.0,
        "margin_gain": 0.0,
        "margin_stability_correlation": 0.0,
    }
)


def within_bin_auroc(risk: np.ndarray, wrong: np.ndarray, bins: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the chance that an error has a higher risk than a right prediction of the same bin, ties one half.

    Pairs are pooled: those won, summed over the bins, over the sum of the pairs. A bin without errors, or without right
    predictions, has no pairs.

    Parameters
    ----------
    risk
        Risk scores without NaN, shape ``(scores, n)``.
    wrong
        Whether each prediction is wrong, bool, shape ``(n,)``.
    bins
        Bin of each image, from 0, shape ``(n,)``.

    Returns
    -------
    tuple
        AUROC of each score, shape ``(scores,)``, NaN without pairs; and the number of pairs.

    Examples
    --------
    >>> risk, wrong = np.array([[0.9, 0.5, 0.3, 0.3]]), np.array([True, False, True, False])
    >>> within_bin_auroc(risk, wrong, np.array([0, 0, 1, 1]))
    (array([0.75]), 2)
    """
    won, pairs = np.zeros(len(risk)), 0
    for members in np.eye(bins.max() + 1, dtype=bool)[:, bins]:
        count = int((wrong & members).sum() * (~wrong & members).sum())
        if count:
            won += count * auroc(risk[:, members], wrong[np.newaxis, members])[:, 0]
            pairs += count
    return conditional_mean(won, np.full(len(risk), pairs)), pairs


def margin_information(calibration: ScoredRun, evaluation: ScoredRun) -> dict[str, float | int]:
    """Measure what consistency adds in one run.

    Parameters
    ----------
    calibration, evaluation
        Trust scores of both halves, those of `attacks.scores_and_displacement`, and correctness; at least one image
        each. The former fits the logistic models, all values are of the latter.

    Returns
    -------
    dict
        The values that `measure_margin_information` lists.
    """
    scores, wrong = evaluation.scores, ~evaluation.correct
    risk = -np.stack([scores[DISPLACEMENT], scores["stability"]])
    within, pairs = within_bin_auroc(risk, wrong, deciles(scores["margin"]))
    confident = scores["msp"] >= CONFIDENT
    among = detection({name: scores[name][confident] for name in ("stability", "msp")}, wrong[confident])
    odds = {name: fit_correctness([calibration], features).log_odds(scores) for name, features in MODELS.items()}
    models = detection(odds, wrong)
    return {
        "within_displacement": float(within[0]),
        "within_stability": float(within[1]),
        "confident_stability": among["stability"],
        "confident_msp": among["msp"],
        **models,
        "confidence_gain": models["confidence_added"] - models["confidence_base"],
        "margin_gain": models["margin_added"] - models["margin_base"],
        "margin_stability_correlation": rank_correlation(scores["margin"], scores["stability"], scores["msp"])[0],
        "within_pairs": pairs,
        "confident_images": int(confident.sum()),
        "confident_errors": int(wrong[confident].sum()),
        "images": len(wrong),
        "errors": int(wrong.sum()),
    }


def measure_margin_information(views: Views) -> pd.DataFrame:
    """Measure what consistency adds in each run of a configuration, on its clean evaluation images.

    Parameters
    ----------
    views
        View file with clean images of both halves.

    Returns
    -------
    pandas.DataFrame
        One row a run: ``model``, ``group``, ``seed``; AUROCs of errors, by trust scores, within tenths of the margin
        (``within_displacement`` of minus the mean logit displacement, ``within_stability`` of LS; see
        `within_bin_auroc`) and among predictions with a largest probability of at least `CONFIDENT`
        (``confident_stability``, and ``confident_msp`` of that probability itself); those of logistic models fitted on
        the development images (`MODELS`: ``confidence_base`` from largest probability and margin, ``confidence_added``
        with LS and CD, ``margin_base`` from the margin, ``margin_added`` with mean displacement and LS), and
        ``confidence_gain`` and ``margin_gain``, added minus base; ``margin_stability_correlation``, the rank
        correlation of margin and LS given the largest probability; numbers: ``within_pairs``, ``confident_images``,
        ``confident_errors``, ``images`` and ``errors``. NaN where a half, or a part of it, has only one outcome.

    Raises
    ------
    RecordsError
        If a half has no image.
    """
    halves = [_scored(views, split) for split in (DEVELOPMENT, EVALUATION)]
    return by_run(views, [pd.DataFrame([margin_information(*run)]) for run in zip(*halves, strict=True)])


def _scored(views: Views, split: str) -> list[ScoredRun]:
    """Score the clean images of one half, one entry a seed."""
    logits = clean_half(views, split)
    correct = ~wrong_predictions(views, logits, split)
    return [ScoredRun(scores_and_displacement(run), right) for run, right in zip(logits, correct, strict=True)]


def summarise_margin_information(information: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Average every value over configurations and seeds and compare it with what no information would give.

    Parameters
    ----------
    information
        Tables of `measure_margin_information`, all configurations.
    seed
        Seed of the study.

    Returns
    -------
    pandas.DataFrame
        Rows per ``quantity`` (those of `CHANCE`): ``chance``, then `statistics.COLUMNS`. ``mean``, ``lower`` and
        ``upper`` are of the quantity itself, ``effect_size`` and ``p_value`` of its difference to chance.
        Configurations and seeds are resampled, images are kept.
    """
    long = information.melt(["model", "seed"], list(CHANCE), "quantity", "value")
    excess = long.assign(value=long["value"] - long["quantity"].map(CHANCE))
    found = mean_interval(excess, ["quantity"], "value", seed)
    found["chance"] = found["quantity"].map(CHANCE)
    for end in ("mean", "lower", "upper"):
        found[end] += found["chance"]
    return found[["quantity", "chance", *COLUMNS]]
