"""Error detection: AUROC against scikit-learn, AURC against all orders of tied images and copied images."""

from collections.abc import Iterable
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from pairedeval.consistency.detection import (
    configuration_differences,
    detect_errors,
    measure_detection,
    summarise_detection,
)
from pairedeval.consistency.differences import detection_differences
from pairedeval.consistency.risk_coverage import aurc
from pairedeval.consistency.scores import FORWARD_PASSES, SCORES, trust_scores
from support.consistency_views import example_views


def curve_area(wrong: Iterable[bool]) -> float:
    """Average the error rates of all leading parts of one order."""
    wrong = list(wrong)
    return sum(sum(wrong[:size]) / size for size in range(1, len(wrong) + 1)) / len(wrong)


def mean_over_orders(risk: np.ndarray, wrong: np.ndarray) -> float:
    orders = [sorted(order, key=lambda image: risk[image]) for order in permutations(range(len(risk)))]
    return float(np.mean([curve_area(wrong[order]) for order in orders]))


def test_aurc_is_the_mean_over_all_orders_of_tied_images():
    generator = np.random.default_rng(1)
    for levels in (1, 2, 3, 50):
        risk = generator.integers(0, levels, (3, 6)).astype(float)
        errors = generator.random((2, 6)) < 0.4
        expected = [[mean_over_orders(score, wrong) for wrong in errors] for score in risk]
        np.testing.assert_allclose(aurc(risk, errors), expected, atol=1e-12)


def test_aurc_without_ties_by_hand():
    # Error rates 0, 0, 1/3, 1/4.
    risk, errors = np.array([[0.4, 0.1, 0.3, 0.2]]), np.array([[False, False, True, False]])
    assert aurc(risk, errors)[0, 0] == pytest.approx((1 / 3 + 1 / 4) / 4)


def test_weights_count_like_copies():
    generator = np.random.default_rng(2)
    risk = generator.integers(0, 5, (2, 30)) / 4
    errors, weights = generator.random((3, 30)) < 0.3, generator.poisson(1, (30, 8))
    found = aurc(risk, errors, weights)
    assert found.shape == (2, 3, 8)
    for draw in range(8):
        copied = np.repeat(np.arange(30), weights[:, draw])
        np.testing.assert_allclose(found[..., draw], aurc(risk[:, copied], errors[:, copied]), atol=1e-12)
    np.testing.assert_allclose(aurc(risk, errors, np.ones((30, 1)))[..., 0], aurc(risk, errors), atol=1e-12)


def test_constant_scores_rank_like_chance():
    wrong = np.random.default_rng(3).random(50) < 0.3
    row = detect_errors({"constant": np.full(50, 0.7)}, wrong).iloc[0]
    assert row["auroc"] == 0.5
    assert row["aurc"] == pytest.approx(wrong.mean())


def test_perfect_and_reversed_rankings():
    wrong = np.array([False, False, True, True])
    trust = np.array([0.9, 0.8, 0.2, 0.1])
    found = detect_errors({"perfect": trust, "reversed": -trust}, wrong)
    assert found["auroc"].tolist() == [1.0, 0.0]
    assert found["aurc"].tolist() == pytest.approx([(1 / 3 + 1 / 2) / 4, (1 + 1 + 2 / 3 + 1 / 2) / 4])


@pytest.mark.parametrize(("wrong", "area"), [(False, 0.0), (True, 1.0)])
def test_one_outcome_alone_has_no_auroc(wrong: bool, area: float):
    found = detect_errors({"msp": np.array([0.9, 0.8, 0.7])}, np.full(3, wrong))
    assert np.isnan(found.loc[0, "auroc"])
    assert found.loc[0, "aurc"] == pytest.approx(area)
    assert found.loc[0, "errors"] == 3 * wrong


def test_undefined_scores_and_empty_sets_rank_nothing():
    errors = np.array([[True, False]])
    assert np.isnan(aurc(np.array([[0.1, np.nan]]), errors)).all()
    assert np.isnan(aurc(np.zeros((1, 0)), np.zeros((1, 0), dtype=bool))).all()
    found = aurc(np.array([[0.1, 0.2]]), errors, np.array([[0, 1], [0, 1]]))[0, 0]
    np.testing.assert_allclose(found, [np.nan, 0.75])


def test_detection_of_a_configuration():
    views = example_views(seeds=3)
    found = measure_detection(views)
    assert found.columns.tolist() == ["model", "group", "seed", "score", "auroc", "aurc", "errors", "images"]
    assert found["score"].tolist() == [*SCORES] * 3
    assert found[["model", "group"]].drop_duplicates().to_numpy().tolist() == [["alpha", "a"]]
    assert found["seed"].tolist() == np.repeat([1, 2, 3], len(SCORES)).tolist()
    judged = [place for place, split in enumerate(views.splits) if split == "evaluation"]
    for seed in range(3):
        logits = views.at_level(1, "clean")[seed][:, judged]
        wrong = np.array([logits[0, place].argmax() != views.labels[image] for place, image in enumerate(judged)])
        rows = found[found["seed"] == seed + 1].set_index("score")
        assert set(rows["errors"]) == {wrong.sum()}
        assert set(rows["images"]) == {len(judged)}
        for name, trust in trust_scores(logits).items():
            assert rows.loc[name, "auroc"] == pytest.approx(roc_auc_score(wrong, -trust), abs=1e-12)
            assert 0 < rows.loc[name, "aurc"] < 1


def test_stronger_operators_give_other_consistency_and_the_same_confidence():
    weak, strong = (measure_detection(example_views(), level).set_index(["seed", "score"]) for level in (1, 4))
    same = weak["auroc"] == strong["auroc"]
    assert same.loc[:, ["msp", "margin", "entropy", "energy", "doctor"]].all()
    assert not same.loc[:, ["consistency", "stability"]].any()


def detection_rows(rows: list[tuple[str, str, int, float, float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["model", "group", "seed", "auroc", "aurc"]).assign(score="msp")


def test_summary_averages_seeds_then_configurations():
    detection = detection_rows(
        [
            ("m", "a", 1, 0.8, 0.1),
            ("m", "a", 2, np.nan, 0.0),
            ("n", "a", 1, 0.6, 0.2),
            ("n", "a", 2, 0.4, 0.4),
            ("o", "b", 1, 0.9, 0.3),
            ("o", "b", 2, 0.9, 0.3),
        ]
    )
    found = summarise_detection(detection).set_index("group")
    assert found.index.tolist() == ["all", "a", "b"]
    assert found["auroc"].tolist() == pytest.approx([(0.8 + 0.5 + 0.9) / 3, 0.65, 0.9])
    assert found["aurc"].tolist() == pytest.approx([(0.05 + 0.3 + 0.3) / 3, 0.175, 0.3])
    assert found["configurations"].tolist() == [3, 2, 1]
    assert found["runs"].tolist() == [6, 4, 2]
    assert found["undefined"].tolist() == [1, 1, 0]


def test_summary_has_every_group_and_score():
    views = [example_views(model=model, group=group) for model, group in [("m", "a"), ("n", "b"), ("o", "b")]]
    found = summarise_detection(pd.concat([measure_detection(each) for each in views], ignore_index=True))
    assert list(zip(found["group"], found["score"], strict=True)) == [
        (group, score) for group in ("all", "a", "b") for score in SCORES
    ]
    assert found["forward_passes"].tolist() == [*FORWARD_PASSES.values()] * 3
    assert (found["undefined"] == 0).all()


def test_differences_of_configurations_are_means_over_seeds_within_runs():
    detection = pd.concat(
        [
            detection_rows([("m", "a", 1, 0.8, 0.1), ("m", "a", 2, np.nan, 0.0), ("n", "b", 1, 0.6, 0.2)]),
            detection_rows([("n", "b", 1, 0.7, 0.1), ("m", "a", 2, np.nan, 0.1), ("m", "a", 1, 0.5, 0.3)]).assign(
                score="margin"
            ),
        ],
        ignore_index=True,
    )
    found = configuration_differences(detection).set_index("model")
    assert found.loc[["m", "n"], "auroc"].tolist() == pytest.approx([-0.3, 0.1])
    assert found.loc[["m", "n"], "aurc"].tolist() == pytest.approx([(0.2 + 0.1) / 2, -0.1])
    assert found.loc[["m", "n"], ["group", "score", "runs", "undefined"]].values.tolist() == [
        ["a", "margin", 2, 1],
        ["b", "margin", 1, 0],
    ]


def test_differences_of_configurations_average_to_the_compared_means():
    views = [example_views(model=model, group=model) for model in ("m", "n", "o")]
    singles = configuration_differences(pd.concat([measure_detection(each) for each in views], ignore_index=True))
    compared = detection_differences(views, seed=1, draws=2).pivot_table("mean", "score", "measure")
    means = singles.groupby("score")[["auroc", "aurc"]].mean()
    pd.testing.assert_frame_equal(means, compared[["auroc", "aurc"]], check_names=False)
