"""AUROC and recall: invariants on random risks with many ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairedeval.screening.ranking import BUDGETS, auroc, recall_at_budgets

ALL_BUDGETS = np.linspace(0.05, 1, 20).round(2).tolist()


@st.composite
def cells(draw) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw risks of one score, failures of two conditions, and weights of three draws of 2 to 25 images."""
    images = draw(st.integers(2, 25))
    levels = draw(st.sampled_from([1, 2, 4, 100]))

    def integers(count: int, largest: int) -> np.ndarray:
        size = count * images
        return np.array(draw(st.lists(st.integers(0, largest), min_size=size, max_size=size))).reshape(count, images)

    return integers(1, levels) / levels, integers(2, 1).astype(bool), integers(3, 3).T


@settings(max_examples=100, deadline=None)
@given(cells())
def test_strictly_increasing_transforms_change_nothing(cell):
    risk, failures, weights = cell
    for transformed in (np.exp(3 * risk), 2 * risk - 5, np.arctan(risk)):
        for given_weights in (None, weights):
            np.testing.assert_array_equal(
                auroc(risk, failures, given_weights), auroc(transformed, failures, given_weights)
            )
            np.testing.assert_array_equal(
                recall_at_budgets(risk, failures, BUDGETS, given_weights),
                recall_at_budgets(transformed, failures, BUDGETS, given_weights),
            )


@settings(max_examples=100, deadline=None)
@given(cells(), st.randoms(use_true_random=False))
def test_the_order_of_the_images_changes_nothing(cell, random):
    risk, failures, weights = cell
    order = list(range(risk.shape[1]))
    random.shuffle(order)
    np.testing.assert_array_equal(
        auroc(risk, failures, weights), auroc(risk[:, order], failures[:, order], weights[order])
    )
    np.testing.assert_array_equal(
        recall_at_budgets(risk, failures, BUDGETS, weights),
        recall_at_budgets(risk[:, order], failures[:, order], BUDGETS, weights[order]),
    )


@settings(max_examples=100, deadline=None)
@given(cells())
def test_reversed_risks(cell):
    risk, failures, weights = cell
    found, reverse = auroc(risk, failures, weights), auroc(-risk, failures, weights)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(reverse))
    np.testing.assert_allclose(found + reverse, np.where(np.isnan(found), np.nan, 1.0), atol=1e-12)
    # Successes instead of failures reverse the ranking as well.
    np.testing.assert_allclose(found, auroc(-risk, ~failures, weights), atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(cells())
def test_recall_grows_with_the_budget_up_to_one(cell):
    risk, failures, weights = cell
    recall = recall_at_budgets(risk, failures, ALL_BUDGETS, weights)
    steps, defined = np.diff(recall, axis=2), recall[~np.isnan(recall)]
    assert (steps[~np.isnan(steps)] >= -1e-12).all()
    assert ((defined >= 0) & (defined <= 1 + 1e-12)).all()
    last = recall[:, :, -1]
    assert last[~np.isnan(last)] == pytest.approx(1.0)


@settings(max_examples=100, deadline=None)
@given(cells(), st.integers(2, 4))
def test_equally_many_copies_of_every_image_leave_auroc_unchanged(cell, copies):
    risk, failures, _ = cell
    weights = np.full((risk.shape[1], 1), copies)
    np.testing.assert_allclose(auroc(risk, failures, weights)[..., 0], auroc(risk, failures), atol=1e-12)
