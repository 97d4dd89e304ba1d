"""Estimates of accuracy without labels, against hand-computed values and a threshold without ties."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

from pairedeval.consistency.estimators import ESTIMATORS, Threshold, estimate_accuracy
from pairedeval.consistency.shift_summaries import summarise_estimators
from pairedeval.errors import RecordsError
from support.consistency_views import example_views


@pytest.fixture(scope="module")
def estimates() -> pd.DataFrame:
    return estimate_accuracy(example_views("shifted"), example_views("levels"))


def confidence_and_correct(views, condition: str, split: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    half = np.array(views.splits) == split
    logits = views.logits[seed - 1, views.conditions.index(condition), 0, half].astype(float)
    return softmax(logits, axis=-1).max(axis=-1), logits.argmax(axis=-1) == views.labels[half]


def row_of(estimates: pd.DataFrame, estimator: str, condition: str = "fog-4", seed: int = 2) -> pd.Series:
    chosen = (estimates["condition"] == condition) & (estimates["seed"] == seed)
    return estimates[chosen & (estimates["estimator"] == estimator)].iloc[0]


def test_a_threshold_without_ties_is_the_score_with_as_many_below_as_errors():
    random = np.random.default_rng(5)
    scores, target = random.random(40), random.random(30)
    correct = random.random(40) < 0.7
    value = sorted(scores)[int((~correct).sum())]
    threshold = Threshold.fit(scores, correct)
    assert threshold == Threshold(value, 1.0)
    assert threshold.estimate(target) == pytest.approx(np.mean([score >= value for score in target]))
    assert threshold.estimate(scores) == pytest.approx(correct.mean())


def test_tied_images_at_the_border_count_in_part():
    # Three of eight are wrong; one lies below 0.5, so two of the four images at 0.5 are below and two above.
    scores = np.array([0.1, 0.5, 0.5, 0.5, 0.5, 0.9, 0.9, 0.9])
    correct = np.array([True, False, True, False, True, True, True, False])
    threshold = Threshold.fit(scores, correct)
    assert threshold == Threshold(0.5, 0.5)
    assert threshold.estimate(np.array([0.5, 0.5, 0.5, 0.6, 0.4])) == pytest.approx((3 * 0.5 + 1) / 5)


def test_calibration_images_of_one_outcome_still_set_a_threshold():
    scores = np.array([0.2, 0.4, 0.4])
    assert Threshold.fit(scores, np.ones(3, dtype=bool)).estimate(np.array([0.1, 0.2, 0.9])) == pytest.approx(2 / 3)
    assert Threshold.fit(scores, np.zeros(3, dtype=bool)).estimate(scores) == 0


def test_estimates_are_calibrated_on_clean_images_and_judged_on_corrupted_ones(estimates):
    calibration, right = confidence_and_correct(example_views("levels"), "clean", "development", 2)
    confidence, correct = confidence_and_correct(example_views("shifted"), "fog-4", "evaluation", 2)
    expected = {
        "average_confidence": confidence.mean(),
        "difference_of_confidences": right.mean() + confidence.mean() - calibration.mean(),
        "atc_msp": Threshold.fit(calibration, right).estimate(confidence),
    }
    for estimator, estimate in expected.items():
        row = row_of(estimates, estimator)
        assert row[["estimate", "accuracy", "absolute_error"]].tolist() == pytest.approx(
            [estimate, correct.mean(), abs(estimate - correct.mean())]
        )
        assert row["images"] == len(correct)


def test_consistency_estimates_by_its_mean_and_by_a_threshold(estimates):
    found = {}
    for kind, condition, split in (("levels", "clean", "development"), ("shifted", "fog-4", "evaluation")):
        views = example_views(kind)
        half = np.array(views.splits) == split
        logits = views.logits[1, views.conditions.index(condition), :7][:, half].astype(float)
        shares = softmax(logits, axis=-1)
        kept = (logits[1:].argmax(axis=-1) == logits[0].argmax(axis=-1)).mean(axis=0)
        moved = abs(shares[1:].max(axis=-1) - shares[0].max(axis=-1)).mean(axis=0)
        found[kind] = 0.5 * kept + 0.5 * (1 - moved), logits[0].argmax(axis=-1) == views.labels[half]
    score, correct = found["shifted"]
    row = row_of(estimates, "average_consistency")
    assert row[["estimate", "accuracy"]].tolist() == pytest.approx([score.mean(), correct.mean()])
    # Rounded, so that ties do not hang on the last bit.
    calibration, right = found["levels"][0].round(12), found["levels"][1]
    expected = Threshold.fit(calibration, right).estimate(score.round(12))
    assert row_of(estimates, "atc_cs")["estimate"] == pytest.approx(expected)


def test_every_run_and_condition_has_every_estimate(estimates):
    assert list(estimates.columns) == [
        "model", "group", "seed", "condition", "corruption", "severity", "family", "images", "estimator", "estimate",
        "accuracy", "absolute_error",
    ]  # fmt: skip
    assert len(estimates) == 2 * 18 * len(ESTIMATORS)
    assert estimates.notna().all(axis=None)


def test_errors_are_averaged_by_family(estimates):
    summary = summarise_estimators(estimates, seed=1).set_index(["family", "estimator", "quantity"])
    chosen = estimates[(estimates["family"] == "digital") & (estimates["estimator"] == "atc_cs")]
    assert summary.loc[("digital", "atc_cs", "absolute_error"), "mean"] == pytest.approx(
        chosen["absolute_error"].mean()
    )
    assert summary.loc[("digital", "atc_cs", "error"), "mean"] == pytest.approx(
        (chosen["estimate"] - chosen["accuracy"]).mean()
    )


def test_files_of_different_images_are_refused():
    with pytest.raises(RecordsError, match="have different images"):
        estimate_accuracy(example_views("shifted"), example_views("levels", images=80))
