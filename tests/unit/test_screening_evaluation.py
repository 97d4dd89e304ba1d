"""Metrics of a model's scores on sets of images, against plain computations with scikit-learn."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.resampling import class_draws, image_weights
from pairedeval.screening.evaluation import all_images, control_sets, measure, measure_random
from pairedeval.screening.grouping import METRICS
from pairedeval.screening.ranking import BUDGETS
from support.screening_study import CAPTURES, CLASSES, copies, plain_auroc, plain_recall, write_study


@pytest.fixture(scope="module")
def images(tmp_path_factory, root) -> pd.DataFrame:
    """Return the clean-correct evaluation images of one simulated model."""
    return write_study(tmp_path_factory.mktemp("study"), root).eligible("a", "evaluation")


def failures_of(images: pd.DataFrame) -> np.ndarray:
    return images[list(CAPTURES)].to_numpy().T


def risks_of(images: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return the scores that the control sets need; the first class is unknown in the other half."""
    risks = {"confidence": -images["confidence"], "corruption_mean": -images["corruption_mean"]}
    risks["confidence_decrease"] = images["confidence"] - images["corruption_mean"]
    risks["class_mean_correct"] = images["label"].where(images["label"] > 0) / 10
    risks["class_mean_all"] = images["label"] / 20
    return {name: risk.to_numpy() for name, risk in risks.items()}


def plain_metrics(risk: pd.Series, failed: pd.Series) -> list[float]:
    return [plain_auroc(risk, failed), *(plain_recall(risk, failed, budget) for budget in BUDGETS)]


def test_metrics_equal_plain_computations(images):
    risks = risks_of(images)
    del risks["class_mean_correct"]
    found = measure(risks, failures_of(images))
    assert found.shape == (len(CAPTURES), len(risks), len(METRICS))
    for row, condition in enumerate(CAPTURES):
        for column, risk in enumerate(risks.values()):
            expected = plain_metrics(pd.Series(risk, images.index), images[condition])
            assert found[row, column] == pytest.approx(expected, abs=1e-14, nan_ok=True)
    assert np.isnan(found[3, :, 0]).all()
    assert not np.isnan(found[:3]).any()


def test_weighted_metrics_equal_those_of_copied_images(images):
    drawn = class_draws(CLASSES, 8, draws=5)
    weights = image_weights(images["label"].to_numpy(), np.arange(CLASSES), drawn)
    found = measure({"confidence": -images["confidence"].to_numpy()}, failures_of(images), weights)
    assert found.shape == (len(CAPTURES), 1, len(METRICS), 5)
    for draw, times in enumerate(drawn):
        table = copies(images, times)
        for row, condition in enumerate(CAPTURES):
            expected = plain_metrics(-table["confidence"], table[condition])
            assert found[row, 0, :, draw] == pytest.approx(expected, abs=1e-14, nan_ok=True)


def test_metrics_of_a_randomised_score_are_averaged_over_its_draws(images):
    risks = np.random.default_rng(2).random((10, len(images)))
    failures = failures_of(images)
    single = [measure({"draw": risk}, failures) for risk in risks]
    plain = -images["confidence"].to_numpy()
    found = measure({"deranged": risks, "confidence": plain}, failures)
    assert found[:, 0] == pytest.approx(np.mean(single, axis=0)[:, 0], nan_ok=True)
    assert np.array_equal(found[:, 1:], measure({"confidence": plain}, failures), equal_nan=True)


def test_a_score_without_a_value_for_some_image_has_no_metric(images):
    found = measure({"class_mean_correct": risks_of(images)["class_mean_correct"]}, failures_of(images))
    assert np.isnan(found).all()


def test_no_images_have_no_metric():
    empty = np.zeros((4, 0), dtype=bool)
    assert np.isnan(measure({"confidence": np.zeros(0)}, empty)).all()
    assert np.isnan(measure_random(empty, list(CAPTURES), 1)).all()


def test_a_random_order_finds_failures_in_proportion():
    failures = np.array([[True] * 30 + [False] * 70, [True] * 90 + [False] * 10])
    found = np.array([measure_random(failures, ["x", "y"], seed) for seed in range(400)])
    assert found.shape == (400, 2, 1, len(METRICS))
    assert np.isnan(found[..., 0]).all()
    assert found[..., 1:].mean(axis=0)[:, 0] == pytest.approx(np.tile(BUDGETS, (2, 1)), abs=0.01)
    # A larger budget adds images to a smaller one.
    assert (np.diff(found[..., 1:], axis=-1) >= 0).all()


def test_a_random_order_belongs_to_its_condition():
    failures = np.tile([True] * 50 + [False] * 150, (3, 1))
    first, again = measure_random(failures, ["x", "y", "z"], 1), measure_random(failures, ["z", "y", "x"], 1)
    assert np.array_equal(first, again[::-1], equal_nan=True)
    assert not np.array_equal(first[1], first[2], equal_nan=True)


def test_all_images_come_with_all_scores(images):
    ranked = all_images(risks_of(images))
    assert (ranked.name, ranked.images.tolist()) == ("all", list(range(len(images))))
    assert list(ranked.risks) == list(risks_of(images))


def test_control_sets_hold_the_right_images(images):
    risks, labels = risks_of(images), images["label"].to_numpy()
    sets = {ranked.name: ranked for ranked in control_sets(risks, labels, seed=4)}
    assert list(sets) == ["non_singleton", "low", "mid", "high", "class_known"]
    several = images.groupby("label")["label"].transform("size") > 1
    shared = images[several]
    assert sets["non_singleton"].images.tolist() == np.flatnonzero(several).tolist()
    assert sets["class_known"].images.tolist() == np.flatnonzero(images["label"] > 0).tolist()
    cuts = shared["confidence"].quantile([1 / 3, 2 / 3]).to_numpy()
    for place, name in enumerate(("low", "mid", "high")):
        third = (shared["confidence"] >= cuts[0]).astype(int) + (shared["confidence"] >= cuts[1])
        expected = [images.index.get_loc(image) for image in shared.index[third == place]]
        assert sets[name].images.tolist() == expected
        assert list(sets[name].risks) == ["confidence", "corruption_mean", "deranged_mean"]
    for ranked in sets.values():
        for name, risk in ranked.risks.items():
            assert not np.isnan(risk).any()
            if name in risks:
                assert np.array_equal(risk, risks[name][ranked.images])


def test_controls_exchange_values_within_classes(images):
    risks, labels = risks_of(images), images["label"].to_numpy()
    shared, low, *_ = control_sets(risks, labels, seed=4)
    members = labels[shared.images]
    own = {name: shared.risks[name] for name in ("corruption_mean", "confidence_decrease")}
    assert shared.risks["deranged_mean"].shape == (10, len(members))
    for control, score in (("deranged_mean", "corruption_mean"), ("deranged_decrease", "confidence_decrease")):
        for draw in shared.risks[control]:
            for label in np.unique(members):
                assert sorted(draw[members == label]) == sorted(own[score][members == label])
    for image, label in enumerate(members):
        others = [own["corruption_mean"][place] for place in np.flatnonzero(members == label) if place != image]
        assert shared.risks["loo_mean"][image] == pytest.approx(np.mean(others))
    inside = np.isin(shared.images, low.images)
    assert np.array_equal(low.risks["deranged_mean"], shared.risks["deranged_mean"][:, inside])


def test_both_controls_of_a_model_use_one_reassignment(images):
    """So the decrease of the partner is its confidence less its corruption mean."""
    risks = risks_of(images)
    shared, *_ = control_sets(risks, images["label"].to_numpy(), seed=4)
    pairs = set(zip(shared.risks["corruption_mean"], shared.risks["confidence_decrease"], strict=True))
    for draw in range(10):
        reassigned = zip(shared.risks["deranged_mean"][draw], shared.risks["deranged_decrease"][draw], strict=True)
        assert set(reassigned) <= pairs


def test_reassignments_depend_on_the_seed(images):
    risks, labels = risks_of(images), images["label"].to_numpy()
    first, again, other = (control_sets(risks, labels, seed)[0].risks["deranged_mean"] for seed in (4, 4, 5))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_images_alone_in_their_classes_leave_empty_controls():
    names = ("confidence", "corruption_mean", "confidence_decrease", "class_mean_correct", "class_mean_all")
    risks = {name: np.array([0.1, 0.2]) for name in names}
    shared, low, mid, high, known = control_sets(risks, np.array([0, 1]), seed=1)
    assert [len(ranked.images) for ranked in (shared, low, mid, high, known)] == [0, 0, 0, 0, 2]
    assert np.isnan(measure(shared.risks, np.zeros((1, 0), dtype=bool))).all()
