"""Estimates of the human review: unbiased, with intervals that cover, and agreement of reviewers."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from pairedeval.review.estimate import RatedEvents, estimate_share, linearised_variance, wilson_interval
from pairedeval.review.frame import allocate
from pairedeval.review.ratings import RATINGS, cohens_kappa

STRATA = 18


def make_frame(random: np.random.Generator, images: int, events: int, effect: float = 0.0):
    """Build a frame: unequal strata whose shares differ, several events an image; return stratum, image, property."""
    stratum = random.choice(STRATA, images * events, p=random.dirichlet(np.ones(STRATA)))
    image = np.repeat(np.arange(images), events)
    odds = np.linspace(-2, 1, STRATA)[stratum] + effect * random.normal(size=images)[image]
    return stratum, image, random.random(len(odds)) < 1 / (1 + np.exp(-odds))


def draw(random: np.random.Generator, stratum: np.ndarray, image: np.ndarray, has: np.ndarray, size: int = 200):
    populations = np.bincount(stratum, minlength=STRATA)
    shares = allocate(populations, size)
    drawn = np.concatenate(
        [random.choice(np.flatnonzero(stratum == place), shares[place], replace=False) for place in range(STRATA)]
    )
    return RatedEvents(stratum[drawn], image[drawn], populations), has[drawn].astype(float)


def test_the_estimate_is_unbiased_and_its_interval_covers_the_frame():
    random = np.random.default_rng(1)
    frame = make_frame(random, images=400, events=25)
    truth, repeats = frame[2].mean(), 800
    found = [estimate_share(*draw(random, *frame)) for _ in range(repeats)]
    values = np.array([share.value for share in found])
    assert abs(values.mean() - truth) < 3 * values.std() / np.sqrt(repeats)
    # The strata differ, so that a mean without weights would be off.
    plain = np.mean([draw(random, *frame)[1].mean() for _ in range(50)])
    assert abs(plain - truth) > 0.02
    covered = np.mean([share.lower <= truth <= share.upper for share in found])
    assert 0.93 <= covered <= 0.98


def test_the_interval_covers_other_images_where_single_events_would_not():
    random = np.random.default_rng(2)
    effect, repeats = 2.5, 250
    images = random.normal(size=(20000, 1))
    shares = (1 / (1 + np.exp(-(np.linspace(-2, 1, STRATA) + effect * images)))).mean(axis=0)
    by_image, by_event = [], []
    for _ in range(repeats):
        frame = make_frame(random, images=25, events=300, effect=effect)
        truth = shares[frame[0]].mean()
        events, scores = draw(random, *frame)
        alone = RatedEvents(events.stratum, np.arange(len(scores)), events.populations)
        for covered, rated in ((by_image, events), (by_event, alone)):
            share = estimate_share(rated, scores)
            covered.append(share.lower <= truth <= share.upper)
    assert np.mean(by_image) > 0.9
    assert np.mean(by_event) < 0.85


def test_without_repeated_images_the_variance_is_the_stratified_one():
    random = np.random.default_rng(3)
    populations = np.array([500, 80, 20])
    stratum = np.repeat([0, 1, 2], [30, 20, 10])
    scores = (random.random(60) < 0.4).astype(float)
    events = RatedEvents(stratum, np.arange(60), populations)
    expected = sum(
        (populations[place] / 600) ** 2 * scores[stratum == place].var(ddof=1) / (stratum == place).sum()
        for place in range(3)
    )
    assert linearised_variance(events, scores) == pytest.approx(expected)


def test_the_variance_adds_up_residuals_image_by_image():
    events = RatedEvents(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2]), np.array([30, 10]))
    scores = np.array([1.0, 1.0, 0.0, 1.0, 0.0])
    # Weights 10 and 5 of 40 in all; strata have two images each, hence the factor sqrt(2).
    first, second = 10 / 40 * np.sqrt(2), 5 / 40 * np.sqrt(2)
    sums = [2 * first / 3, -2 * first / 3 + second / 2, -second / 2]
    assert linearised_variance(events, scores) == pytest.approx(sum(value**2 for value in sums))


def test_a_stratum_that_shows_one_image_counts_against_the_overall_mean():
    events = RatedEvents(np.array([0, 0, 1, 1]), np.array([0, 1, 2, 2]), np.array([10, 10]))
    scores = np.array([1.0, 0.0, 1.0, 1.0])
    # Overall mean 0.75; the second stratum's two events of one image are 0.25 above it, with weight 5/20 each.
    first = np.sqrt(2) * 5 / 20 * 0.5
    assert linearised_variance(events, scores) == pytest.approx(2 * first**2 + (2 * 5 / 20 * 0.25) ** 2)


def test_weights_stand_for_the_frame_when_ratings_are_missing():
    events = RatedEvents(np.array([0, 1, 1]), np.arange(3), np.array([90, 10, 1000]))
    assert events.weights.tolist() == [90, 5, 5]
    assert estimate_share(events, np.array([1.0, 0.0, 1.0])).value == pytest.approx(0.95)


def test_equal_ratings_leave_an_interval():
    events = RatedEvents(np.repeat([0, 1], 10), np.arange(20), np.array([100, 100]))
    share = estimate_share(events, np.zeros(20))
    assert share.value == share.lower == 0
    assert 0.1 < share.upper < 0.3
    same_image = RatedEvents(events.stratum, np.zeros(20, dtype=int), events.populations)
    assert estimate_share(same_image, np.zeros(20)).upper > 0.9


def test_a_variance_that_happens_to_be_small_does_not_narrow_the_interval_further():
    """Both strata agree within themselves but for one event in fifty."""
    scores = np.repeat([1.0, 0.0], 50)
    scores[0] = 0
    share = estimate_share(RatedEvents(np.repeat([0, 1], 50), np.arange(100), np.array([100, 100])), scores)
    assert (share.lower, share.upper) == pytest.approx(wilson_interval(0.49, 100, 1.984217), abs=1e-6)


def test_nothing_rated_is_undefined():
    share = estimate_share(RatedEvents(np.array([], int), np.array([], int), np.array([5])), np.array([]))
    assert np.isnan([share.value, share.lower, share.upper]).all()


def test_wilson_intervals_are_those_of_the_literature():
    """Newcombe (1998), method 3: 81 of 263, and 15 of 148."""
    assert wilson_interval(81 / 263, 263, 1.959964) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(15 / 148, 148, 1.959964) == pytest.approx((0.0624, 0.1605), abs=5e-5)


def test_kappa_equals_that_of_scikit_learn():
    random = np.random.default_rng(4)
    for _ in range(20):
        first = random.choice(RATINGS, 50, p=[0.2, 0.1, 0.5, 0.2])
        second = np.where(random.random(50) < 0.6, first, random.choice(RATINGS, 50))
        assert cohens_kappa(first.tolist(), second.tolist()) == pytest.approx(cohen_kappa_score(first, second))


def test_kappa_without_contrast_is_undefined():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(cohen_kappa_score(["wrong"] * 3, ["wrong"] * 3))
    assert np.isnan(cohens_kappa(["wrong"] * 3, ["wrong"] * 3))
    assert np.isnan(cohens_kappa([], []))
