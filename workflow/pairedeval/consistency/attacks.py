"""Detection of attacked images, and of errors among them, by trust scores (Section 5.8).

Every image is scored twice, clean and attacked; a detector should trust the clean version more. The published study
also takes displacement in feature space; here it is displacement of logits.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.consistency.comparisons import difference_from, quantity_intervals
from pairedeval.consistency.margins import displacements
from pairedeval.consistency.runs import RUN_KEYS, by_run
from pairedeval.consistency.scores import trust_scores
from pairedeval.consistency.shift import detection
from pairedeval.consistency.views import LEVELS, Views
from pairedeval.errors import RecordsError
from pairedeval.records import CLEAN

DISPLACEMENT = "displacement"
ATTACK_COLUMNS = ("condition", "epsilon", "stability_weight")


def scores_and_displacement(views: np.ndarray) -> dict[str, np.ndarray]:
    """Return the trust scores of each image and, as another, minus its mean logit displacement over the operators.

    Parameters
    ----------
    views
        Logits, original first, shape ``(1 + K, n, classes)``.

    Returns
    -------
    dict
        Scores in the order of `scores.SCORES`, then `DISPLACEMENT`; shape ``(n,)`` each, larger is more trustworthy.
    """
    return {**trust_scores(views), DISPLACEMENT: -displacements(views).mean(axis=0)}


def measure_attacks(views: Views) -> pd.DataFrame:
    """Measure what attacks do to each run of a configuration and how well each score tells.

    Parameters
    ----------
    views
        Views of one configuration, kind ``attacked``; all of its images are judged.

    Returns
    -------
    pandas.DataFrame
        One row per run, attack and score: ``model``, ``group``, ``seed``, ``condition``, ``epsilon`` (budget, 255ths),
        ``stability_weight`` (of the stability term of an adaptive attack, 0 for a plain one), ``images``,
        ``clean_errors``, ``errors`` (counts, the last among attacked images), ``success`` (share of the images right
        when clean that turn wrong; NaN without such images), ``changed`` (share of all images whose prediction is not
        the clean one), ``score``, ``detection_auroc`` (attacked against clean versions of all images) and
        ``error_auroc`` (wrong against right among attacked images; NaN where all share one outcome).

    Raises
    ------
    RecordsError
        If the file lacks the clean condition or a view, or does not describe one of its attacks.
    """
    clean = views.at_level(LEVELS[0], CLEAN)
    rows: list[list[dict[str, Any]]] = [[] for _ in clean]
    for attack in _attacks(views):
        attacked = views.at_level(LEVELS[0], attack["condition"])
        for place, versions in enumerate(zip(clean, attacked, strict=True)):
            rows[place] += [{**attack, **row} for row in _judge(*versions, views.labels)]
    return by_run(views, [pd.DataFrame(run) for run in rows])


def _attacks(views: Views) -> list[dict[str, Any]]:
    """Return the `ATTACK_COLUMNS` of each attacked condition, in the order of the file."""
    described = {attack["condition"]: attack for attack in views.metadata["attacks"]}
    attacks = []
    for condition in views.conditions:
        if condition == CLEAN:
            continue
        if condition not in described:
            raise RecordsError(
                f"{views.metadata['model']}: the view file does not describe its attack {condition}; "
                "run the attacks on this configuration again"
            )
        numbers = {name: float(described[condition][name]) for name in ATTACK_COLUMNS[1:]}
        attacks.append({"condition": condition, **numbers})
    return attacks


def _judge(clean: np.ndarray, attacked: np.ndarray, labels: np.ndarray) -> Iterator[dict[str, Any]]:
    """Compare both versions of all images, logits of shape ``(1 + K, n, classes)`` each; yields a row a score."""
    before, after = (views[0].argmax(axis=-1) for views in (clean, attacked))
    right, wrong = before == labels, after != labels
    facts = {
        "images": len(labels),
        "clean_errors": int((~right).sum()),
        "errors": int(wrong.sum()),
        "success": float(wrong[right].mean()) if right.any() else np.nan,
        "changed": float((after != before).mean()),
    }
    trusted, doubted = scores_and_displacement(clean), scores_and_displacement(attacked)
    both = {score: np.concatenate([trusted[score], doubted[score]]) for score in trusted}
    detected = detection(both, np.repeat([False, True], len(labels)))
    errors = detection(doubted, wrong)
    for score in both:
        yield {**facts, "score": score, "detection_auroc": detected[score], "error_auroc": errors[score]}


def summarise_attacks(attacks: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Average both AUROCs of each score over configurations and seeds, and compare them with those of confidence.

    Parameters
    ----------
    attacks
        Tables of `measure_attacks`, all configurations.
    seed
        Seed of the study.

    Returns
    -------
    pandas.DataFrame
        Rows per attack (`ATTACK_COLUMNS`), ``score`` and ``quantity``: ``detection_auroc``, ``error_auroc``, and the
        differences ``detection_minus_msp``, ``detection_minus_margin`` and ``error_minus_msp``; then the columns of
        `comparisons.quantity_intervals`.
    """
    cell = [*RUN_KEYS, "condition"]
    differences = {
        f"{kind}_minus_{score}": difference_from(attacks, cell, f"{kind}_auroc", "score", score)
        for kind, score in (("detection", "msp"), ("detection", "margin"), ("error", "msp"))
    }
    levels, keys = ["detection_auroc", "error_auroc"], [*ATTACK_COLUMNS, "score"]
    return quantity_intervals(attacks.assign(**differences), keys, levels, [*differences], seed)


def summarise_success(attacks: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Average the success of each attack over configurations and seeds.

    Parameters
    ----------
    attacks, seed
        As for `summarise_attacks`.

    Returns
    -------
    pandas.DataFrame
        Rows per attack (`ATTACK_COLUMNS`) and ``quantity`` (``success``, ``changed``), then the columns of
        `comparisons.quantity_intervals`.
    """
    runs = attacks.drop_duplicates([*RUN_KEYS, "condition"])
    return quantity_intervals(runs, ATTACK_COLUMNS, ["success", "changed"], [], seed)
