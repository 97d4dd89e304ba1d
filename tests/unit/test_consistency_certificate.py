"""The no-flip certificate: its guarantee in simulated calibrations, exhaustively, and its table against plain loops.

In the simulations the displacement D of calibration and test images has a continuous law; there are N calibrations of n
images with T test images each. With rank k and m = n + 1 - k, the share B of the law above the threshold of a
calibration is distributed as Beta(m, k), 0 if k > n: mean p = m / (n + 1) <= beta, variance V = p (1 - p) / (n + 2). An
image that flips always and is certified whenever D is above the threshold fails with chance B, so the rate over all
test images has mean p and variance [V + (p (1 - p) - V) / T] / N. Under any other law of the margins the failures are a
part of these. `BAND` is 4.5 standard deviations, which a normal rate leaves with probability 7e-6. There are 75 such
rates below: with other seeds, a correct certificate would fail about once in 2,000 runs.
"""

import math

import numpy as np
import pandas as pd
import pytest

from pairedeval.consistency.certificate import (
    BETAS,
    average_seeds,
    calibrate,
    calibration_rank,
    certify,
    measure_certificate,
    summarise_certificate,
)
from pairedeval.consistency.margins import flips, worst_displacements
from pairedeval.consistency.quantities import margins
from pairedeval.errors import RecordsError
from support.consistency_views import example_views

BAND = 4.5
CALIBRATIONS, TESTS = 1000, 200
SIZES = (5, 19, 20, 100, 300)
LAWS = {
    "uniform": lambda random, size: random.random(size),
    "heavy tails": lambda random, size: random.pareto(0.5, size),
    "log-normal": lambda random, size: random.lognormal(0, 2, size),
}
# Margins of images by their displacement D; an image flips exactly where D reaches the margin.
MARGINS = {
    "half": lambda displacement, random: displacement / 2,
    "any share": lambda displacement, random: displacement * random.random(displacement.shape),
    "reversed": lambda displacement, random: 1 / displacement,
    "unrelated": lambda displacement, random: random.permuted(displacement, axis=1),
    "a hair's breadth": lambda displacement, random: np.nextafter(displacement, [[-np.inf, np.inf] * (TESTS // 2)]),
    "trap": lambda displacement, random: np.where(displacement > np.quantile(displacement, 0.9), displacement, 1e300),
}


def failure_chance(images: int, beta: float) -> float:
    return max(0, images + 1 - calibration_rank(images, beta)) / (images + 1)


def standard_deviation(images: int, beta: float) -> float:
    p = failure_chance(images, beta)
    between = p * (1 - p) / (images + 2)
    return math.sqrt((between + (p * (1 - p) - between) / TESTS) / CALIBRATIONS)


def realised_rate(calibration: np.ndarray, displacement: np.ndarray, margin: np.ndarray, beta: float) -> float:
    return float((certify(margin, calibrate(calibration, beta)) & (displacement >= margin)).mean())


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("images", SIZES)
def test_the_guarantee_is_attained_and_never_exceeded(law, images):
    random = np.random.default_rng([images, len(law)])
    calibration, displacement = (LAWS[law](random, (CALIBRATIONS, size)) for size in (images, TESTS))
    others = {name: margin(displacement, random) for name, margin in MARGINS.items()}
    for beta in BETAS:
        band = BAND * standard_deviation(images, beta)
        attained = realised_rate(calibration, displacement, displacement, beta)
        assert attained == pytest.approx(failure_chance(images, beta), abs=band)
        assert attained <= beta + band
        for margin in others.values():
            assert realised_rate(calibration, displacement, margin, beta) <= beta + band


def test_a_rank_off_by_one_would_leave_the_band():
    """The simulation can fail in both directions; of 300 images the exhaustive test below sees as much."""
    for images in (size for size in SIZES if size <= 100):
        for beta in BETAS:
            assert 1 / (images + 1) > 1.4 * BAND * standard_deviation(images, beta)


def test_ties_only_lower_the_rate():
    random = np.random.default_rng(5)
    for images in SIZES:
        calibration, displacement = (random.integers(0, 4, (CALIBRATIONS, size)) / 3 for size in (images, TESTS))
        for beta in BETAS:
            assert realised_rate(calibration, displacement, displacement, beta) <= beta


def test_too_few_images_certify_nothing():
    assert calibrate(np.arange(5.0), 0.1) == math.inf
    assert not certify(np.array([0.0, 1e308]), calibrate(np.arange(5.0), 0.1)).any()
    assert calibrate(np.arange(9.0), 0.1) == 8
    assert calibrate(np.zeros(0), 0.5) == math.inf
    np.testing.assert_array_equal(calibrate(np.ones((3, 5)), 0.1), [math.inf] * 3)


def test_each_calibration_has_its_own_threshold():
    values = np.random.default_rng(1).permuted(np.arange(20.0).reshape(2, 10), axis=1)
    threshold = calibrate(values, 0.3)
    assert threshold.tolist() == [7, 17]
    assert certify(np.array([[7.0, 7.5], [17.5, 18.0]]), threshold).tolist() == [[False, True], [True, True]]


def test_every_choice_of_the_test_image_counts():
    """Each of n + 1 distinct values in turn is the test image: n + 1 - rank are above the threshold of the others."""
    random = np.random.default_rng(2)
    for images in (*range(1, 16), 300):
        values = random.permutation(images + 1).astype(float)
        for beta in (*BETAS, 0.3, 0.5, 0.9):
            above = sum(values[place] > calibrate(np.delete(values, place), beta) for place in range(images + 1))
            assert above == max(0, images + 1 - calibration_rank(images, beta))
            assert above <= beta * (images + 1) + 1e-12


def test_the_rank_is_exact():
    for images in range(400):
        for percent in range(1, 100):
            assert calibration_rank(images, percent / 100) == -(-(images + 1) * (100 - percent) // 100)


@pytest.mark.parametrize("beta", [0.0, 1.0, -0.1, 1.5, math.nan])
def test_other_probabilities_are_refused(beta):
    with pytest.raises(ValueError, match="above 0 and below 1"):
        calibrate(np.ones(3), beta)


def test_the_guarantee_holds_for_flips_of_simulated_logits():
    """From logits to flips: images that are hard have small margins and large displacements alike."""
    random = np.random.default_rng(11)
    images, tests = 19, 30
    difficulty = random.random((CALIBRATIONS, 1, images + tests, 1))
    logits = random.normal(0, 1, (CALIBRATIONS, 1, images + tests, 4)) / difficulty
    views = np.concatenate([logits, logits + random.normal(0, 2 * difficulty, (CALIBRATIONS, 3, images + tests, 4))], 1)
    worst, flipped = worst_displacements(views), flips(views).any(axis=1)
    for beta in (0.05, 0.1, 0.2):
        threshold = calibrate(worst[:, :images], beta)
        certified = certify(margins(views[:, 0, images:]), threshold)
        above = (worst[:, images:] > threshold[:, None]).mean(axis=1)
        # Rates of one calibration lie in [0, 1], so their variance is at most p (1 - p).
        band = BAND * math.sqrt(beta * (1 - beta) / CALIBRATIONS)
        assert above.mean() == pytest.approx(failure_chance(images, beta), abs=band)
        assert (certified & flipped[:, images:]).mean() <= above.mean()
        assert certified.mean() > 0.05


def test_the_table_equals_loops():
    views = example_views(images=80)
    found = measure_certificate(views)
    assert list(found.columns[:4]) == ["model", "group", "seed", "beta"]
    assert found["seed"].tolist() == [1] * len(BETAS) + [2] * len(BETAS)
    halves = {half: [place for place, name in enumerate(views.splits) if name == half] for half in set(views.splits)}
    for row in found.itertuples():
        logits = views.logits[row.seed - 1, 0, :7].astype(float)
        worst = [
            math.sqrt(2) * max(np.linalg.norm(logits[1:, image] - logits[0, image], axis=1)) for image in range(80)
        ]
        rank = math.ceil(round(41 * (1 - row.beta), 9))
        assert row.infinite == (rank > 40) == math.isnan(row.threshold)
        threshold = math.inf if row.infinite else sorted(worst[image] for image in halves["development"])[rank - 1]
        certified, failed, right, flipped, correct = 0, 0, 0, 0, 0
        for image in halves["evaluation"]:
            top, second = sorted(logits[0, image], reverse=True)[:2]
            predictions = logits[:, image].argmax(axis=1)
            flip, hit = len(set(predictions)) > 1, predictions[0] == views.labels[image]
            flipped, correct = flipped + flip, correct + hit
            if top - second > threshold:
                certified, failed, right = certified + 1, failed + flip, right + hit
        assert (row.coverage, row.realized, row.flip_rate, row.accuracy) == (
            certified / 40,
            failed / 40,
            flipped / 40,
            correct / 40,
        )
        assert row.certified_accuracy == pytest.approx(right / certified if certified else math.nan, nan_ok=True)
        assert (row.violations, row.calibration_images, row.evaluation_images) == (0, 40, 40)
    assert found["infinite"].any()
    assert found["coverage"].max() > 0


def test_both_halves_are_needed():
    with pytest.raises(RecordsError, match=r"alpha: no image of the development half .* kind attacked"):
        measure_certificate(example_views("attacked"))


def test_certificates_are_averaged_over_configurations():
    def table(model: str, realized: list[float], accuracy: list[float]) -> pd.DataFrame:
        rows = {"seed": range(1, len(realized) + 1), "realized": realized, "certified_accuracy": accuracy}
        fixed = {"group": "g", "beta": 0.1, "threshold": 1.0, "infinite": [math.isnan(value) for value in accuracy]}
        shares = {"coverage": 0.5, "flip_rate": 0.2, "accuracy": 0.8, "violations": 0}
        return pd.DataFrame({"model": model, **rows, **fixed, **shares})

    tables = [table("a", [0.0, 0.04], [math.nan, 0.9]), table("b", [0.1, 0.1 + 1e-15, 0.13], [0.7, 0.7, 0.7])]
    found = summarise_certificate(pd.concat(tables)).iloc[0]
    assert found["realized"] == pytest.approx((0.02 + 0.11) / 2)
    assert found["certified_accuracy"] == pytest.approx((0.9 + 0.7) / 2)
    names = ["configurations", "runs", "undefined", "largest_realized", "above", "infinite", "violations"]
    assert found[names].tolist() == [2, 5, 1, 0.13, 1, 1, 0]


def test_certificates_are_averaged_over_seeds():
    views = [example_views(model=model, group=model[0], images=80) for model in ("a-one", "b-two")]
    certificates = pd.concat([measure_certificate(each) for each in views], ignore_index=True)
    found = average_seeds(certificates)
    assert len(found) == 2 * len(BETAS)
    for row in found.itertuples():
        runs = certificates[(certificates["model"] == row.model) & (certificates["beta"] == row.beta)]
        assert (row.group, row.runs) == (row.model[0], 2)
        assert row.coverage == pytest.approx(runs["coverage"].sum() / 2)
        assert row.realized == pytest.approx(runs["realized"].sum() / 2)
    means = summarise_certificate(certificates).set_index("beta")["coverage"]
    np.testing.assert_allclose(found.groupby("beta")["coverage"].mean(), means)
