"""Information of consistency at a fixed margin: against loops over pairs, scikit-learn and least squares."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

from pairedeval.consistency.attacks import scores_and_displacement
from pairedeval.consistency.margin_information import (
    CHANCE,
    CONFIDENT,
    MODELS,
    margin_information,
    measure_margin_information,
    summarise_margin_information,
    within_bin_auroc,
)
from pairedeval.consistency.margins import deciles
from pairedeval.consistency.shift import ScoredRun
from pairedeval.consistency.views import Views
from pairedeval.errors import RecordsError
from support.consistency_views import example_views


def loop_within(risk: np.ndarray, wrong: np.ndarray, bins: np.ndarray) -> tuple[float, int]:
    won = pairs = 0.0
    for error, right in product(np.flatnonzero(wrong), np.flatnonzero(~wrong)):
        if bins[error] == bins[right]:
            pairs += 1
            won += 1 if risk[error] > risk[right] else 0.5 if risk[error] == risk[right] else 0
    return (won / pairs if pairs else math.nan), int(pairs)


def scored(views: Views, number: int, half: str) -> ScoredRun:
    inside = np.array(views.splits) == half
    logits = views.logits[number, 0, :7][:, inside]
    return ScoredRun(scores_and_displacement(logits), logits[0].argmax(axis=1) == views.labels[inside])


def residuals(values: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return what a straight line through the ranks leaves, by the textbook's slope."""
    ranks, base = rankdata(values), rankdata(given)
    slope = np.cov(ranks, base)[0, 1] / np.var(base, ddof=1)
    return ranks - ranks.mean() - slope * (base - base.mean())


def penalised_log_odds(columns: np.ndarray, outcome: np.ndarray, judged: np.ndarray) -> np.ndarray:
    """Maximise the log-likelihood minus half the squared coefficients by Newton's method, the intercept free."""
    centre, spread = columns.mean(axis=0), columns.std(axis=0)
    design = np.column_stack([np.ones(len(columns)), (columns - centre) / spread])
    penalty = np.diag([0.0, *np.ones(columns.shape[1])])
    weights = np.zeros(design.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (outcome - chance) - penalty @ weights
        weights += np.linalg.solve(design.T @ (design * (chance * (1 - chance))[:, None]) + penalty, gradient)
    return weights[0] + (judged - centre) / spread @ weights[1:]


def test_pairs_are_pooled_over_bins():
    random = np.random.default_rng(1)
    for images in (2, 9, 40):
        for _ in range(10):
            risk = random.integers(0, 4, (3, images)) / 4
            wrong, bins = random.random(images) < 0.3, random.integers(0, 5, images)
            found, pairs = within_bin_auroc(risk, wrong, bins)
            expected = [loop_within(row, wrong, bins) for row in risk]
            assert found.tolist() == pytest.approx([value for value, _ in expected], abs=1e-12, nan_ok=True)
            assert {pairs} == {count for _, count in expected}


def test_one_bin_is_the_plain_auroc():
    random = np.random.default_rng(2)
    risk, wrong = random.normal(size=(1, 50)), random.random(50) < 0.4
    found, _ = within_bin_auroc(risk, wrong, np.full(50, 3))
    assert found[0] == pytest.approx(roc_auc_score(wrong, risk[0]))


def test_bins_of_one_outcome_have_no_pairs():
    risk, wrong = np.array([[0.1, 0.9, 0.4]]), np.array([True, False, False])
    found, pairs = within_bin_auroc(risk, wrong, np.array([0, 1, 1]))
    assert np.isnan(found).all()
    assert pairs == 0


def test_a_margin_that_decides_leaves_nothing_within_bins():
    """A risk that falls with the margin ranks all images well, and images of the same margin not at all."""
    random = np.random.default_rng(3)
    margin = np.repeat(np.linspace(0, 1, 10), 200)
    wrong = random.random(2000) < 0.8 * (1 - margin) + 0.1
    assert roc_auc_score(wrong, -margin) > 0.75
    assert within_bin_auroc(-margin[None], wrong, deciles(margin))[0][0] == 0.5


@pytest.fixture(scope="module")
def run() -> tuple[ScoredRun, ScoredRun]:
    views = example_views(images=400)
    # Sharper, so that some confident predictions are wrong; and unequal, so that no rounding decides a ranking.
    views.logits[:] = 2 * views.logits + np.random.default_rng(4).normal(0, 0.01, views.logits.shape)
    return scored(views, 1, "development"), scored(views, 1, "evaluation")


def test_rankings_equal_loops(run):
    scores, wrong = run[1].scores, ~run[1].correct
    found = margin_information(*run)
    tenth = deciles(scores["margin"])
    for name, score in (("within_displacement", "displacement"), ("within_stability", "stability")):
        expected, pairs = loop_within(-scores[score], wrong, tenth)
        assert (found[name], found["within_pairs"]) == (pytest.approx(expected, abs=1e-12), pairs)
    confident = scores["msp"] >= CONFIDENT
    assert found["confident_images"] == confident.sum() > 20
    assert found["confident_errors"] == wrong[confident].sum() > 0
    for name in ("stability", "msp"):
        assert found[f"confident_{name}"] == pytest.approx(roc_auc_score(wrong[confident], -scores[name][confident]))
    assert (found["images"], found["errors"]) == (200, wrong.sum())


def test_a_prediction_at_the_limit_is_confident(run):
    at_limit = ScoredRun({**run[1].scores, "msp": np.repeat([0.9, 0.8], 100)}, run[1].correct)
    assert margin_information(run[0], at_limit)["confident_images"] == 100


def test_models_are_fitted_on_the_calibration_half_and_judged_on_the_other(run):
    calibration, evaluation = run
    found = margin_information(*run)
    for name, features in MODELS.items():
        fitting, judged = (np.column_stack([half.scores[score] for score in features]) for half in run)
        odds = penalised_log_odds(fitting, calibration.correct.astype(float), judged)
        assert found[name] == pytest.approx(roc_auc_score(evaluation.correct, odds), abs=1e-9)
    assert MODELS["confidence_added"] == ("msp", "margin", "stability", "deviation")
    assert MODELS["margin_added"] == ("margin", "displacement", "stability")
    assert found["confidence_gain"] == found["confidence_added"] - found["confidence_base"]
    assert found["margin_gain"] == found["margin_added"] - found["margin_base"] != 0


def test_the_partial_correlation_is_that_of_residuals(run):
    scores = run[1].scores
    left = [residuals(scores[name], scores["msp"]) for name in ("margin", "stability")]
    expected = (left[0] @ left[1]) / math.sqrt((left[0] @ left[0]) * (left[1] @ left[1]))
    assert abs(expected) > 0.01
    assert margin_information(*run)["margin_stability_correlation"] == pytest.approx(expected, abs=1e-9)


def test_what_is_undefined_is_nan(run):
    calibration, evaluation = run
    right = ScoredRun(calibration.scores, np.ones_like(calibration.correct))
    unfitted = margin_information(right, evaluation)
    assert all(np.isnan(unfitted[name]) for name in (*MODELS, "confidence_gain", "margin_gain"))
    assert not np.isnan(unfitted["within_displacement"])
    stable = {**evaluation.scores, "stability": np.ones(200)}
    found = margin_information(calibration, ScoredRun(stable, np.ones(200, dtype=bool)))
    assert all(np.isnan(found[name]) for name in CHANCE)
    assert (found["errors"], found["within_pairs"], found["confident_errors"]) == (0, 0, 0)


def test_one_row_a_run():
    views = example_views(images=200, seeds=3)
    found = measure_margin_information(views)
    assert found["seed"].tolist() == [1, 2, 3]
    counts = ["within_pairs", "confident_images", "confident_errors", "images", "errors"]
    assert found.columns.tolist() == ["model", "group", "seed", *CHANCE, *counts]
    for number in range(3):
        expected = margin_information(*(scored(views, number, half) for half in ("development", "evaluation")))
        assert found.iloc[number, 3:].to_dict() == pytest.approx(expected, nan_ok=True)


def test_both_halves_are_needed():
    with pytest.raises(RecordsError, match="no image of the development half"):
        measure_margin_information(example_views("attacked"))


def test_values_are_compared_with_chance():
    runs = pd.DataFrame({"model": ["a", "a", "b", "c"], "group": "g", "seed": [1, 2, 1, 1]})
    runs = runs.assign(**dict.fromkeys(CHANCE, 0.5))
    runs["within_displacement"] = [0.5, 0.54, 0.53, math.nan]
    runs["margin_gain"] = [0.01, 0.03, -0.02, 0.0]
    found = summarise_margin_information(runs, seed=1).set_index("quantity")
    assert found.index.tolist() == list(CHANCE)
    within = found.loc["within_displacement"]
    assert within[["chance", "configurations", "runs", "undefined_runs"]].tolist() == [0.5, 2, 3, 1]
    assert within["mean"] == pytest.approx((0.52 + 0.53) / 2)
    assert within["effect_size"] == pytest.approx(0.025 / np.std([0.02, 0.03], ddof=1))
    assert within["lower"] >= 0.5
    gain = found.loc["margin_gain"]
    assert (gain["chance"], gain["mean"]) == (0, pytest.approx(0))
    assert found.loc["confident_msp", "p_value"] == 1
