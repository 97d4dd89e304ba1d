"""Correction of class priors, its estimate by expectation maximisation, and what they leave of the gap."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax

from pairedeval.consistency.label_shift import correct_prior, estimate_prior, prior_step
from pairedeval.consistency.priors import METHODS, measure_priors, measure_recalls
from pairedeval.consistency.reference import measure_models
from pairedeval.errors import RecordsError
from support.consistency_views import example_views

VALUES = ["accuracy", "stability", "deviation", "consistency", "gap", "rare_recall", "rare_stability"]


@pytest.fixture(scope="module")
def rare():
    return example_views("rare", seeds=3)


@pytest.fixture(scope="module")
def natural():
    return example_views("levels", seeds=3)


def test_corrected_posteriors_follow_bayes():
    random = np.random.default_rng(1)
    logits, (source, target) = random.normal(0, 3, (20, 5)), random.dirichlet(np.ones(5), 2)
    posterior = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    expected = np.array([[row[c] * target[c] / source[c] for c in range(5)] for row in posterior])
    found = softmax(correct_prior(logits, source, target), axis=1)
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), rtol=1e-12)


def test_a_class_without_share_is_never_predicted():
    logits = np.array([[9.0, 1.0, 0.0], [0.0, 1.0, 2.0]], dtype=np.float32)
    found = correct_prior(logits, np.full(3, 1 / 3), np.array([0.0, 0.5, 0.5]))
    assert found.argmax(axis=1).tolist() == [1, 2]
    np.testing.assert_allclose(softmax(found, axis=1)[:, 0], 0)


def likelihood(posteriors, source, shares):
    return np.log(posteriors @ (shares / source)).sum()


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_the_estimate_maximises_the_likelihood(classes):
    random = np.random.default_rng(classes)
    posteriors, source = softmax(random.normal(0, 2, (150, classes)), axis=1), random.dirichlet(np.full(classes, 5.0))

    def loss(free):
        return -likelihood(posteriors, source, softmax(np.append(0, free)))

    best = minimize(loss, np.zeros(classes - 1), method="BFGS", options={"gtol": 1e-8})
    found = estimate_prior(posteriors, source)
    assert likelihood(posteriors, source, found) >= -best.fun - 1e-6
    np.testing.assert_allclose(found, softmax(np.append(0, best.x)), atol=1e-4)


def test_the_estimate_is_where_the_steps_stop():
    random = np.random.default_rng(3)
    posteriors, source = softmax(random.normal(0, 2, (80, 4)), axis=1), np.array([0.4, 0.3, 0.2, 0.1])
    found = estimate_prior(posteriors, source)
    np.testing.assert_allclose(prior_step(posteriors, source, found), found, atol=1e-8)


def test_exact_posteriors_give_the_true_shares():
    # Five things an image can show, with known chances in each of three classes.
    chances = np.array([[0.6, 0.2, 0.1, 0.1, 0.0], [0.1, 0.5, 0.2, 0.1, 0.1], [0.0, 0.1, 0.2, 0.3, 0.4]])
    source, target = np.array([0.8, 0.1, 0.1]), np.array([0.2, 0.3, 0.5])
    joint = chances * source[:, np.newaxis]
    posteriors = (joint / joint.sum(axis=0)).T
    images = np.repeat(np.arange(5), (1000 * target @ chances).round().astype(int))
    np.testing.assert_allclose(estimate_prior(posteriors[images], source), target, atol=1e-5)


def slow_case(views, labels, shift, weights, number):
    """Quantities of one run, image by image, with posteriors multiplied by `shift`."""
    logits = views.at_level(1, "clean", "evaluation")[number].astype(float)
    rows = []
    for image, label in enumerate(labels):
        posterior = [softmax(view[image]) * shift / (softmax(view[image]) * shift).sum() for view in logits]
        original, *others = posterior
        stable = np.mean([view.argmax() == original.argmax() for view in others])
        deviation = np.mean([abs(view.max() - original.max()) for view in others])
        rows.append([original.argmax() == label, stable, deviation, 0.5 * stable + 0.5 * (1 - deviation)])
    table = np.array(rows, dtype=float)
    means = [np.sum(weights * column) / np.sum(weights) for column in table.T]
    rare = np.isin(labels, (2, 3))
    return [*means, means[0] - means[3], table[rare, 0].mean(), table[rare, 1].mean()]


def test_the_table_agrees_with_a_computation_image_by_image(rare, natural):
    found = measure_priors(rare, natural).set_index(["seed", "variant", "method"])
    labels = rare.labels[rare.in_split("evaluation")]
    source, shares = np.array(rare.metadata["class_shares"]), np.bincount(labels) / len(labels)
    equal, one = np.ones(len(labels)), np.ones(4)
    for number in range(3):
        originals = rare.at_level(1, "clean", "evaluation")[number, 0]
        estimate = estimate_prior(softmax(originals.astype(float), axis=1), source)
        cases = {
            ("rare", "none"): (rare, one, equal),
            ("rare", "true_prior"): (rare, shares / source, equal),
            ("rare", "em"): (rare, estimate / source, equal),
            ("rare", "reweighted"): (rare, one, source[labels] / shares[labels]),
            ("natural", "none"): (natural, one, equal),
        }
        gap = found.loc[(number + 1, "rare", "none"), "gap"]
        for case, (views, shift, weights) in cases.items():
            row = found.loc[(number + 1, *case)]
            expected = slow_case(views, labels, shift, weights, number)
            assert row[VALUES].tolist() == pytest.approx(expected, abs=1e-12)
            if case[0] == "rare":
                assert row["recovered"] == pytest.approx(1 - row["gap"] / gap)
        assert found.loc[(number + 1, "rare", "em"), "rare_prior"] == pytest.approx(estimate[2:].sum())
    assert found["images"].unique().tolist() == [60]
    assert found.xs("natural", level="variant")[["recovered", "rare_prior"]].isna().all(axis=None)


def test_every_method_once_a_run(rare, natural):
    found = measure_priors(rare, natural)
    assert found.columns.tolist()[:5] == ["model", "group", "seed", "variant", "method"]
    expected = [("rare", method) for method in METHODS] + [("natural", "none")]
    for _, rows in found.groupby("seed"):
        assert list(zip(rows["variant"], rows["method"], strict=True)) == expected
    # Without a correction the rows are those of the reference table.
    reference = measure_models(natural)
    plain = found[found["variant"] == "natural"].reset_index(drop=True)
    shared = ["accuracy", "stability", "deviation", "consistency", "gap"]
    np.testing.assert_allclose(plain[shared], reference[shared], rtol=1e-12)


def test_reweighting_counts_images_as_often_as_training_had_them(rare, natural):
    found = measure_priors(rare, natural).query("method == 'reweighted'").set_index("seed")
    labels = rare.labels[rare.in_split("evaluation")]
    # Shares 0.48, 0.48, 0.02 and 0.02 over balanced images: 24, 24, 1 and 1 copies.
    copied = np.repeat(np.arange(len(labels)), np.array([24, 24, 1, 1])[labels])
    for number, run in enumerate(rare.at_level(1, "clean", "evaluation")[:, 0], start=1):
        correct = run.argmax(axis=-1) == labels
        assert found.loc[number, "accuracy"] == pytest.approx(correct[copied].mean())


def test_the_true_prior_helps_the_rare_classes(rare, natural):
    found = measure_priors(rare, natural).pivot_table("rare_recall", "seed", "method")
    assert (found["true_prior"] > found["none"]).all()


def test_recalls_of_each_class(rare, natural):
    found = measure_recalls(rare, natural)
    assert len(found) == 3 * 4 * 4
    assert found.query("rare")["class"].unique().tolist() == list(rare.metadata["rare_classes"])
    labels = rare.labels[rare.in_split("evaluation")]
    run = rare.at_level(1, "clean", "evaluation")[1]
    rows = found.query("seed == 2 and variant == 'rare' and method == 'none'")
    for number, row in enumerate(rows.itertuples()):
        members = labels == number
        predictions = run[:, members].argmax(axis=-1)
        assert row.recall == pytest.approx((predictions[0] == number).mean())
        assert row.stability == pytest.approx((predictions[1:] == predictions[0]).mean())
        assert row.images == members.sum()
    priors = measure_priors(rare, natural).query("method != 'reweighted'").set_index(["seed", "variant", "method"])
    for place, rows in found.query("rare").groupby(["seed", "variant", "method"]):
        assert np.average(rows["recall"], weights=rows["images"]) == pytest.approx(priors.loc[place, "rare_recall"])


def test_a_class_without_images_is_undefined(rare, natural):
    labels = np.where(rare.labels == 1, 0, rare.labels)
    relabelled = [replace(views, labels=labels) for views in (rare, natural)]
    found = measure_recalls(*relabelled)
    assert found.loc[found["class"] == "class-01", ["recall", "stability"]].isna().all(axis=None)
    assert (found.loc[found["class"] == "class-01", "images"] == 0).all()
    assert measure_priors(*relabelled)["gap"].notna().all()


def test_a_gap_of_zero_leaves_nothing_to_recover(rare, natural):
    # All images right and stable, but for one of a rare class, wrong and stable, and four that lose half of their
    # label stability: mean instability is 4 x 0.25 images, the error rate 1.
    logits = np.zeros_like(rare.logits)
    logits[..., np.arange(120), rare.labels] = 999
    judged = np.flatnonzero(rare.in_split("evaluation"))
    (wrong, *_), (*unstable, _) = (judged[rare.labels[judged] == label] for label in (3, 0))
    logits[..., wrong, :] = [999, 0, 0, 0]
    logits[:, 0, 1:4, unstable[:4], :] = [0, 999, 0, 0]
    found = measure_priors(replace(rare, logits=logits), natural).set_index("method")
    assert found.loc["none", "gap"].iloc[0] == pytest.approx(0, abs=1e-15)
    assert abs(found.loc["reweighted", "gap"].iloc[0]) > 0.01
    assert found["recovered"].isna().all()


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"class_shares": [0.5, 0.5]}, "class_shares are not 4 positive shares that sum to one"),
        ({"class_shares": [0.5, 0.5, 0.0, 0.0]}, "class_shares are not 4 positive shares"),
        ({"class_shares": [0.5, 0.5, 0.5, 0.5]}, "class_shares are not 4 positive shares"),
        ({"model": "beta"}, "beta: paired with the views of alpha"),
    ],
)
def test_unusable_metadata_is_named(rare, natural, metadata, message):
    with pytest.raises(RecordsError, match=message):
        measure_priors(replace(rare, metadata={**rare.metadata, **metadata}), natural)


def test_both_files_have_to_hold_the_same_images_and_runs(rare, natural):
    with pytest.raises(RecordsError, match="alpha: trained with rare classes and on all images it has other image_ids"):
        measure_priors(rare, replace(natural, image_ids=tuple(reversed(natural.image_ids))))
    with pytest.raises(RecordsError, match="other labels or seeds"):
        measure_priors(rare, replace(natural, logits=natural.logits[:2]))
