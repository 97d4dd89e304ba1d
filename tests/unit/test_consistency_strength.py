"""Strength of operators, weight of stability, and subsets of operators, against scikit-learn and plain counts."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from pairedeval.consistency.operator_subsets import compare_rankings, measure_subsets
from pairedeval.consistency.quantities import (
    confidence_deviation,
    consistency_score,
    label_stability,
    probabilities,
)
from pairedeval.consistency.strength import (
    WEIGHTS,
    measure_strength,
    measure_weights,
    summarise_strength,
    summarise_weights,
)
from pairedeval.consistency.views import LEVELS, OPERATORS, Views
from support.consistency_views import example_views


def run(views: Views, level: int, split: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return errors, confidence, LS and CD of one half of the images."""
    logits = views.at_level(level, "clean")[seed][:, np.array(views.splits) == split]
    confidence = probabilities(logits).max(axis=-1)
    wrong = logits[0].argmax(axis=-1) != views.labels[np.array(views.splits) == split]
    return wrong, confidence[0], label_stability(logits.argmax(axis=-1)), confidence_deviation(confidence)


def test_strength_equals_scikit_learn_and_selects_on_calibration_images():
    views = example_views(seeds=3)
    found = measure_strength(views)
    assert found.columns.tolist() == [
        *("model", "group", "seed", "level", "calibration_auroc", "evaluation_auroc", "msp_auroc", "consistency"),
        "selected",
    ]
    assert found["seed"].tolist() == np.repeat([1, 2, 3], 5).tolist()
    assert found["level"].tolist() == [*LEVELS] * 3
    for _, row in found.iterrows():
        halves = [run(views, row["level"], split, row["seed"] - 1) for split in ("development", "evaluation")]
        scores = [consistency_score(stability, deviation) for _, _, stability, deviation in halves]
        aurocs = [roc_auc_score(half[0], -score) for half, score in zip(halves, scores, strict=True)]
        assert [row["calibration_auroc"], row["evaluation_auroc"]] == pytest.approx(aurocs, abs=1e-12)
        assert row["msp_auroc"] == pytest.approx(roc_auc_score(halves[1][0], -halves[1][1]), abs=1e-12)
        assert row["consistency"] == pytest.approx(scores[1].mean())
    for _, rows in found.groupby("seed"):
        chosen = rows[rows["selected"]]
        assert len(chosen) == 1
        assert chosen["level"].item() == LEVELS[int(np.argmax(rows["calibration_auroc"]))]


def test_weights_equal_scikit_learn():
    views = example_views(seeds=2)
    found = measure_weights(views, level=2)
    assert found["weight"].tolist() == [*WEIGHTS] * 2
    for _, row in found.iterrows():
        for column, split in (("calibration_auroc", "development"), ("evaluation_auroc", "evaluation")):
            wrong, _, stability, deviation = run(views, 2, split, row["seed"] - 1)
            score = row["weight"] * stability + (1 - row["weight"]) * (1 - deviation)
            assert row[column] == pytest.approx(roc_auc_score(wrong, -score), abs=1e-12)
    assert found.groupby("seed")["selected"].sum().tolist() == [1, 1]


def test_equal_settings_select_the_first():
    views = example_views(seeds=2)
    constant = replace(views, logits=np.repeat(views.logits[:, :, :1], len(views.views), axis=2))
    assert measure_strength(constant)["selected"].tolist() == [True, False, False, False, False] * 2
    assert measure_weights(constant)["selected"].tolist() == [True, *[False] * 10] * 2
    assert (measure_strength(constant)["evaluation_auroc"] == 0.5).all()


def test_without_errors_nothing_is_selected_and_runs_are_counted():
    views = example_views(seeds=2)
    labels = views.logits[0, 0, 0].argmax(axis=-1).astype(np.int32)
    found = measure_strength(replace(views, labels=labels))
    first = found["seed"] == 1
    assert found.loc[first, ["calibration_auroc", "evaluation_auroc", "msp_auroc"]].isna().all(axis=None)
    assert not found.loc[first, "selected"].any()
    assert found.loc[~first, "selected"].sum() == 1
    summary = summarise_strength(found)
    assert summary["undefined"].tolist() == [1] * 5
    assert summary["selected"].sum() == 1
    np.testing.assert_allclose(summary["evaluation_auroc"], found.loc[~first, "evaluation_auroc"])


def test_summaries_average_configurations_and_count_choices():
    views = [example_views(model=name, seeds=2) for name in ("m", "n", "o")]
    strength = pd.concat([measure_strength(each) for each in views], ignore_index=True)
    summary = summarise_strength(strength).set_index("level")
    columns = ["calibration_auroc", "evaluation_auroc", "msp_auroc", "consistency"]
    assert summary.columns.tolist() == [*columns, "configurations", "runs", "undefined", "selected"]
    for level in LEVELS:
        rows = strength[strength["level"] == level]
        assert summary.loc[level, columns].tolist() == pytest.approx(rows[columns].mean().tolist())
        assert summary.loc[level, "selected"] == rows["selected"].sum()
    assert summary["selected"].sum() == 6
    weights = summarise_weights(pd.concat([measure_weights(each) for each in views], ignore_index=True))
    assert weights["weight"].tolist() == [*WEIGHTS]
    assert (weights["runs"] == 6).all()
    assert weights["selected"].sum() == 6


def test_subsets_equal_the_score_of_their_views():
    views = example_views(seeds=2)
    found = measure_subsets(views)
    assert found.columns.tolist() == ["model", "group", "seed", "operators", "size", "consistency"]
    assert len(found) == 2 * (2**6 - 1)
    logits = views.at_level(1, "clean", "evaluation")
    rows = found.set_index(["seed", "operators"])["consistency"]
    for size in (1, 3, 6):
        for chosen in combinations(OPERATORS, size):
            kept = logits[:, [0, *(1 + OPERATORS.index(name) for name in chosen)]]
            stability = label_stability(kept.argmax(axis=-1))
            expected = consistency_score(stability, confidence_deviation(probabilities(kept).max(axis=-1))).mean(
                axis=-1
            )
            assert [rows[seed, "+".join(chosen)] for seed in (1, 2)] == pytest.approx(expected)


def plain_tau(first: list[float], second: list[float]) -> float:
    """Count concordant minus discordant pairs of values without ties."""
    pairs = list(combinations(range(len(first)), 2))
    return sum(np.sign((first[i] - first[j]) * (second[i] - second[j])) for i, j in pairs) / len(pairs)


def test_rankings_equal_counts_of_pairs():
    views = [example_views(model=f"m{number}", seeds=2) for number in range(5)]
    subsets = pd.concat([measure_subsets(each) for each in views], ignore_index=True)
    found = compare_rankings(subsets).set_index("size")
    assert found.columns.tolist() == ["mean_tau", "lowest_tau", "subsets", "undefined", "configurations"]
    assert found["subsets"].tolist() == [6, 15, 20, 15, 6]
    means = subsets.groupby(["operators", "model"])["consistency"].mean()
    full = means["+".join(OPERATORS)].tolist()
    for size in (1, 2, 5):
        taus = [plain_tau(means["+".join(chosen)].tolist(), full) for chosen in combinations(OPERATORS, size)]
        assert found.loc[size, "mean_tau"] == pytest.approx(np.mean(taus))
        assert found.loc[size, "lowest_tau"] == pytest.approx(min(taus))
    assert (found["configurations"] == 5).all()
    assert (found["undefined"] == 0).all()


def test_one_configuration_has_no_ranking():
    found = compare_rankings(measure_subsets(example_views()))
    assert found[["mean_tau", "lowest_tau"]].isna().all(axis=None)
    assert found["undefined"].tolist() == [6, 15, 20, 15, 6]
