"""Controls of the identity of the image: reassigned values, class means, thirds of confidence."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from pairedeval.screening.ablation import (
    degenerate,
    deranged,
    derangements,
    leave_one_out_mean,
    retention_gap,
    terciles,
)


def test_derangements_of_a_class_are_uniform():
    labels = np.array([5, 1, 5, 5, 1, 5, 9])
    found = derangements(labels, 9_000, seed=1)[:, labels == 5]
    places = np.flatnonzero(labels == 5)
    possible = [order for order in permutations(places) if all(np.array(order) != places)]
    counts = Counter(map(tuple, found.tolist()))
    assert set(counts) == set(possible)
    assert len(possible) == 9
    assert chisquare([counts[order] for order in possible]).pvalue > 0.01


def test_classes_of_one_size_are_deranged_independently():
    """Three images have two derangements, so two classes have four pairs of them."""
    found = derangements(np.array([0, 1, 0, 1, 0, 1]), 8_000, seed=2)
    counts = Counter(map(tuple, found[:, :2].tolist()))
    assert set(counts) == {(2, 3), (2, 5), (4, 3), (4, 5)}
    assert chisquare(list(counts.values())).pvalue > 0.01
    # One draw says nothing about the next.
    following = Counter(zip(found[:-1, 0].tolist(), found[1:, 0].tolist(), strict=True))
    assert chisquare(list(following.values())).pvalue > 0.01


def test_derangements_depend_on_the_seed_alone():
    labels = np.repeat(np.arange(5), 6)
    assert np.array_equal(derangements(labels, 10, seed=1), derangements(labels, 10, seed=1))
    assert not np.array_equal(derangements(labels, 10, seed=1), derangements(labels, 10, seed=2))


def test_an_image_that_is_alone_gets_no_value():
    labels = np.array([3, 8, 8])
    partner = derangements(labels, 3, seed=1)
    assert partner.tolist() == [[-1, 2, 1]] * 3
    given = deranged(np.array([0.1, 0.2, 0.3]), partner)
    assert np.isnan(given[:, 0]).all()
    assert given[:, 1:].tolist() == [[0.3, 0.2]] * 3


def test_no_images_have_no_controls():
    nothing = np.zeros(0)
    assert derangements(nothing.astype(int), 10, seed=1).shape == (10, 0)
    assert leave_one_out_mean(nothing, nothing).shape == (0,)
    assert terciles(nothing).shape == (0,)
    assert np.isnan(retention_gap(nothing, np.zeros((2, 0), dtype=bool))).tolist() == [True, True]
    assert degenerate(np.zeros((2, 0), dtype=bool), nothing).tolist() == [False, False]


def test_leave_one_out_mean_equals_a_loop():
    random = np.random.default_rng(4)
    labels = random.integers(0, 12, 40)
    values = random.random(40)
    found = leave_one_out_mean(values, labels)
    for image in range(40):
        others = (labels == labels[image]) & (np.arange(40) != image)
        if others.any():
            assert found[image] == pytest.approx(values[others].mean())
        else:
            assert np.isnan(found[image])


def test_two_images_of_a_class_exchange_their_values_exactly():
    values = np.random.default_rng(5).random(1000)
    found = leave_one_out_mean(values, np.repeat(np.arange(500), 2))
    assert np.array_equal(found.reshape(-1, 2), values.reshape(-1, 2)[:, ::-1])


def test_terciles_put_the_boundary_into_the_higher_third():
    assert terciles(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])).tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert terciles(np.array([1.0, 1.0, 1.0])).tolist() == [2, 2, 2]
    assert terciles(np.array([0.3, 1.0, 1.0, 0.2, 1.0])).tolist() == [0, 2, 2, 0, 2]
    # A cut at an image itself is hit whatever the number of images.
    for images in range(4, 400, 3):
        counts = np.bincount(terciles(np.linspace(0.1, 0.9, images)))
        assert counts.tolist() == [(images - 1) // 3, (images - 1) // 3, (images - 1) // 3 + 1]


def test_retention_gap_leaves_out_images_at_the_median():
    values = np.array([0.1, 0.2, 0.5, 0.5, 0.9])
    kept = np.array([[True, False, False, False, True], [True, True, True, True, False]])
    assert retention_gap(values, kept).tolist() == [0.5, -1.0]
    assert np.isnan(retention_gap(np.array([0.5, 0.5]), np.array([[True, False]]))).all()


def test_retention_gap_equals_a_loop():
    random = np.random.default_rng(6)
    values, kept = random.random(31).round(1), random.random((4, 31)) < 0.6
    median = sorted(values)[15]
    for condition, found in zip(kept, retention_gap(values, kept), strict=True):
        above = [stays for value, stays in zip(values, condition, strict=True) if value > median]
        below = [stays for value, stays in zip(values, condition, strict=True) if value < median]
        assert found == pytest.approx(sum(above) / len(above) - sum(below) / len(below))


@pytest.mark.parametrize(
    ("failed", "expected"),
    [
        ([1, 1, 0, 0, 1, 1], True),  # the retained images are one class
        ([0, 0, 1, 1, 0, 0], True),  # or several whole classes
        ([1, 1, 0, 1, 1, 1], False),  # one class, but some of it fails
        ([1, 0, 0, 0, 0, 0], False),
        ([0, 0, 0, 0, 0, 0], False),  # no AUROC
        ([1, 1, 1, 1, 1, 1], False),
    ],
)
def test_degenerate_conditions(failed, expected):
    labels = np.array([2, 2, 0, 0, 7, 7])
    order = np.array([4, 1, 3, 0, 5, 2])
    failures = np.array([failed], dtype=bool)
    assert degenerate(failures, labels).tolist() == [expected]
    assert degenerate(failures[:, order], labels[order]).tolist() == [expected]
