"""AUROC and recall at budgets: against scikit-learn, enumerated tie orders, plain loops and replicated images."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from pairedeval.screening.ranking import (
    BUDGETS,
    attainable_ceiling,
    auroc,
    budget_size,
    random_recall,
    recall_at_budgets,
)


def tied_cells(seed: int, images: int = 40, draws: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return risks of four scores (distinct, tied, all equal, negative), failures of five conditions, and weights."""
    generator = np.random.default_rng(seed)
    risk = np.stack(
        [
            generator.random(images),
            generator.integers(0, 4, images) / 3,
            np.full(images, 0.5),
            -generator.integers(0, 19, images) / 18,
        ]
    )
    failures = generator.random((5, images)) < np.array([0.05, 0.2, 0.5, 0.8, 0.95])[:, None]
    return risk, failures, generator.poisson(1.0, (images, draws))


def loop_recall(risk: np.ndarray, failed: np.ndarray, size: int) -> float:
    """Walk down the tie groups and take the last one in part."""
    captured, left = 0.0, size
    for value in sorted(set(risk), reverse=True):
        members = risk == value
        taken = min(left, members.sum())
        captured += failed[members].mean() * taken
        left -= taken
    return captured / failed.sum()


def test_auroc_equals_scikit_learn():
    risk, failures, weights = tied_cells(1)
    found, drawn = auroc(risk, failures), auroc(risk, failures, weights)
    assert found.shape == (4, 5)
    assert drawn.shape == (4, 5, 6)
    for score in range(4):
        for condition in range(5):
            outcome = failures[condition]
            assert found[score, condition] == pytest.approx(roc_auc_score(outcome, risk[score]), abs=1e-12)
            for draw in range(6):
                if len(set(outcome[weights[:, draw] > 0])) == 1:
                    assert np.isnan(drawn[score, condition, draw])
                    continue
                expected = roc_auc_score(outcome, risk[score], sample_weight=weights[:, draw])
                assert drawn[score, condition, draw] == pytest.approx(expected, abs=1e-12)


def test_recall_is_the_mean_over_all_orders_of_tied_images():
    generator = np.random.default_rng(2)
    for _ in range(10):
        risk = generator.integers(0, 3, 6).astype(float)
        failed = np.append(True, generator.random(5) < 0.4)
        captured = np.zeros(len(BUDGETS))
        for order in permutations(range(6)):
            descending = sorted(order, key=lambda image: -risk[image])
            captured += [failed[descending[:size]].sum() for size in budget_size(np.array(6))]
        expected = captured / math.factorial(6) / failed.sum()
        assert recall_at_budgets(risk[None], failed[None])[0, 0] == pytest.approx(expected, abs=1e-12)


def test_recall_equals_a_loop_over_tie_groups():
    risk, failures, _ = tied_cells(3)
    found = recall_at_budgets(risk, failures)
    for score in range(4):
        for condition in range(5):
            expected = [loop_recall(risk[score], failures[condition], size) for size in (4, 8, 12)]
            assert found[score, condition] == pytest.approx(expected, abs=1e-12)


def test_weights_are_copies_of_images():
    risk, failures, weights = tied_cells(4)
    aurocs, recalls = auroc(risk, failures, weights), recall_at_budgets(risk, failures, BUDGETS, weights)
    assert recalls.shape == (4, 5, 3, 6)
    for draw, copies in enumerate(weights.T):
        images = np.repeat(np.arange(len(copies)), copies)
        # Sums of whole numbers and halves: not only close, but the same.
        np.testing.assert_array_equal(aurocs[..., draw], auroc(risk[:, images], failures[:, images]))
        np.testing.assert_array_equal(recalls[..., draw], recall_at_budgets(risk[:, images], failures[:, images]))


def test_undefined_cells_are_nan():
    risk = np.array([[0.3, 0.2, 0.1]])
    failures = np.array([[False, False, False], [True, True, True], [True, False, False]])
    np.testing.assert_array_equal(auroc(risk, failures), [[np.nan, np.nan, 1.0]])
    np.testing.assert_array_equal(recall_at_budgets(risk, failures, [1 / 3]), [[[np.nan], [1 / 3], [1.0]]])


def test_draws_that_lose_an_outcome_are_nan():
    risk, failures = np.array([[0.3, 0.2, 0.1]]), np.array([[True, False, False]])
    weights = np.array([[1, 0, 2, 0], [1, 2, 0, 0], [1, 1, 0, 0]])
    np.testing.assert_array_equal(auroc(risk, failures, weights), [[[1.0, np.nan, np.nan, np.nan]]])
    recall = recall_at_budgets(risk, failures, [0.5], weights)
    np.testing.assert_array_equal(recall, [[[[1.0, np.nan, 0.5, np.nan]]]])


def test_a_score_that_is_undefined_somewhere_ranks_nothing():
    risk, failures, weights = tied_cells(5)
    broken = risk.copy()
    broken[1, 7] = np.nan
    for metric in (auroc, recall_at_budgets):
        for found, whole in (
            (metric(broken, failures), metric(risk, failures)),
            (metric(broken, failures, weights=weights), metric(risk, failures, weights=weights)),
        ):
            assert np.isnan(found[1]).all()
            np.testing.assert_array_equal(found[[0, 2, 3]], whole[[0, 2, 3]])


def test_no_images_at_all():
    risk, failures = np.zeros((2, 0)), np.zeros((3, 0), dtype=bool)
    assert np.isnan(auroc(risk, failures)).all()
    assert np.isnan(recall_at_budgets(risk, failures)).all()


def test_budget_size_rounds_halves_up_and_takes_at_least_one():
    images = np.arange(1, 2000)
    for budget, share in zip(BUDGETS, (Fraction(1, 10), Fraction(1, 5), Fraction(3, 10)), strict=True):
        expected = [max(1, math.floor(share * number + Fraction(1, 2))) for number in images.tolist()]
        assert budget_size(images, [budget])[:, 0].tolist() == expected
    assert budget_size(np.array([[10, 20], [30, 40]])).shape == (2, 2, 3)


def test_the_ceiling_is_what_a_perfect_ranking_attains():
    _, failures, _ = tied_cells(7)
    assert failures.any(axis=1).all()
    ceiling = attainable_ceiling(failures.sum(axis=1), np.array(failures.shape[1]))
    for condition, failed in enumerate(failures):
        perfect = recall_at_budgets(failed[None].astype(float), failed[None])
        assert ceiling[condition] == pytest.approx(perfect[0, 0], abs=1e-12)
    assert np.isnan(attainable_ceiling(np.array(0), np.array(10))).all()


def test_random_recall_is_one_seeded_order():
    same = random_recall(30, 200, seed=5)
    np.testing.assert_array_equal(same, random_recall(30, 200, seed=5))
    recalls = np.array([random_recall(30, 200, seed=seed) for seed in range(2000)])
    assert (np.diff(recalls, axis=1) >= 0).all()
    assert recalls.mean(axis=0) == pytest.approx(BUDGETS, abs=0.005)
    # Variance of the hypergeometric number of failures among 40 of 200 images.
    variance = 40 * 0.15 * 0.85 * 160 / 199
    assert (30 * recalls[:, 1]).var() == pytest.approx(variance, rel=0.1)
    assert np.isnan(random_recall(0, 200, seed=5)).all()
