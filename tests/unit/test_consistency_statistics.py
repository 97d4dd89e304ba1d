"""Hierarchical bootstrap, effect size, signed ranks and Holm's procedure against direct computations."""

from dataclasses import replace
from itertools import chain, combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata, wilcoxon
from sklearn.metrics import roc_auc_score

from pairedeval.consistency.differences import detection_differences
from pairedeval.consistency.risk_coverage import aurc
from pairedeval.consistency.scores import SCORES, trust_scores
from pairedeval.consistency.statistics import (
    COLUMNS,
    configuration_means,
    effect_size,
    hierarchical_interval,
    hierarchical_means,
    holm,
    image_draws,
    mean_interval,
    run_draws,
    signed_rank,
)
from pairedeval.errors import RecordsError
from support.consistency_views import example_views

SEED = 20260908


def expanded_mean(values, copies, draw):
    """Mean of one draw by lists: every configuration as often as it was taken, every seed as often as it was."""
    means = []
    for runs, taken in zip(values, copies, strict=True):
        column = np.broadcast_to(runs, (len(runs), taken.shape[1]))[:, draw]
        drawn = [value for value, count in zip(column, taken[:, draw], strict=True) for _ in range(count)]
        defined = [value for value in drawn if not np.isnan(value)]
        if defined:
            means += [sum(defined) / len(defined)] * (len(drawn) // len(runs))
    return sum(means) / len(means) if means else np.nan


def test_draws_take_as_many_as_there_are():
    for taken in run_draws([3, 1, 2, 5], SEED, draws=200):
        assert taken.shape[1] == 200
        assert (taken.sum(axis=0) % len(taken) == 0).all()
    total = sum(taken.sum(axis=0) / len(taken) for taken in run_draws([3, 1, 2, 5], SEED, draws=200))
    assert (total == 4).all()
    assert (image_draws(50, SEED, draws=20).sum(axis=0) == 50).all()
    np.testing.assert_array_equal(image_draws(50, SEED), image_draws(50, SEED))
    assert (image_draws(50, SEED) != image_draws(50, SEED + 1)).any()


def test_draws_follow_configurations_and_then_seeds():
    # Nested choices, one by one: the spread of the means has to be that of the multinomial counts.
    random = np.random.default_rng(1)
    values = [random.normal(place, 1, size) for place, size in ((0, 3), (2, 3), (1, 2), (5, 4))]
    slow = []
    for _ in range(8000):
        chosen = random.integers(len(values), size=len(values))
        slow.append(np.mean([random.choice(values[number], len(values[number])).mean() for number in chosen]))
    fast = hierarchical_means([runs[:, None] for runs in values], SEED, draws=8000)
    assert fast.mean() == pytest.approx(np.mean(slow), abs=0.05)
    assert fast.std() == pytest.approx(np.std(slow), rel=0.05)
    # A bootstrap that draws each configuration once in every draw, or only configurations, has another spread.
    only_seeds = [np.mean([random.choice(runs, len(runs)).mean() for runs in values]) for _ in range(2000)]
    assert np.std(only_seeds) < 0.7 * fast.std()


def test_undefined_runs_leave_their_configuration_and_undefined_draws_are_counted():
    values = [np.array([0.2, np.nan, 0.6]), np.array([np.nan, np.nan]), np.array([1.0, np.nan])]
    copies = run_draws([3, 2, 2], SEED)
    found = hierarchical_means([runs[:, None] for runs in values], SEED)
    direct = [expanded_mean([runs[:, None] for runs in values], copies, draw) for draw in range(found.size)]
    np.testing.assert_allclose(found, direct, rtol=1e-12)
    summary = hierarchical_interval(values, SEED)
    assert summary["mean"] == pytest.approx((0.4 + 1.0) / 2)
    assert (summary["configurations"], summary["runs"], summary["undefined_runs"]) == (2, 3, 4)
    assert summary["undefined_draws"] == np.isnan(direct).sum() > 0
    assert [summary["lower"], summary["upper"]] == pytest.approx(np.nanpercentile(direct, [2.5, 97.5]))
    np.testing.assert_array_equal(configuration_means(values), [0.4, np.nan, 1.0])


def test_nothing_defined_is_undefined():
    summary = hierarchical_interval([np.array([np.nan, np.nan])], SEED, draws=50)
    assert all(np.isnan(summary[name]) for name in ("mean", "lower", "upper", "effect_size", "p_value"))
    assert (summary["configurations"], summary["undefined_runs"], summary["undefined_draws"]) == (0, 2, 50)


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    random = np.random.default_rng(2)
    covered = 0
    for number in range(200):
        means = random.normal(0.3, 1, 40)
        summary = hierarchical_interval([mean + random.normal(0, 1, 3) for mean in means], number, draws=200)
        covered += summary["lower"] <= 0.3 <= summary["upper"]
    assert 180 <= covered <= 200


@pytest.fixture(scope="module")
def configurations():
    return [example_views("levels", model, seeds=seeds, images=80) for model, seeds in (("alpha", 2), ("beta", 3))]


def test_differences_agree_with_copied_images_and_scikit_learn(configurations):
    draws = 12
    found = detection_differences(configurations, SEED, draws).set_index(["score", "measure"])
    copies, runs = image_draws(40, SEED, draws), run_draws([2, 3], SEED, draws)
    for score in ("margin", "stability", "consistency"):
        drawn = {"auroc": [], "aurc": []}
        for views in configurations:
            logits = views.at_level(1, "clean", "evaluation")
            labels = views.labels[views.in_split("evaluation")]
            by_measure = {"auroc": [], "aurc": []}
            for run in logits:
                trust, wrong = trust_scores(run), run[0].argmax(axis=-1) != labels
                for name, measured in by_measure.items():
                    measured.append(
                        [
                            difference(trust, score, wrong, np.repeat(np.arange(40), copies[:, draw]), name)
                            for draw in range(draws)
                        ]
                        + [difference(trust, score, wrong, np.arange(40), name)]
                    )
            for name, measured in by_measure.items():
                drawn[name].append(np.array(measured))
        for name, values in drawn.items():
            row = found.loc[(score, name)]
            means = [expanded_mean([part[:, :draws] for part in values], runs, draw) for draw in range(draws)]
            assert row["mean"] == pytest.approx(np.mean([part[:, -1].mean() for part in values]), abs=1e-12)
            assert [row["lower"], row["upper"]] == pytest.approx(np.percentile(means, [2.5, 97.5]), abs=1e-12)


def difference(trust, score, wrong, chosen, measure):
    def measured(name):
        if measure == "auroc":
            return roc_auc_score(wrong[chosen], -trust[name][chosen])
        return float(aurc(-trust[name][np.newaxis, chosen], wrong[np.newaxis, chosen])[0, 0])

    return measured(score) - measured("msp")


def test_the_frame_of_differences(configurations):
    found = detection_differences(configurations, SEED, draws=20)
    assert found["score"].drop_duplicates().tolist() == [name for name in SCORES if name != "msp"]
    assert found.columns.tolist() == ["score", "measure", *COLUMNS[:5], "p_holm", *COLUMNS[5:]]
    assert (found["runs"] == 5).all()
    for _, rows in found.groupby("measure"):
        np.testing.assert_array_equal(rows["p_holm"], holm(rows["p_value"].to_numpy()))
    again = detection_differences(configurations, SEED, draws=20)
    pd.testing.assert_frame_equal(found, again)


def test_runs_without_errors_have_no_auroc_and_are_counted(configurations):
    right, other = configurations
    logits = right.logits.copy()
    logits[0] = 0
    logits[0, ..., np.arange(80), right.labels] = 5
    found = detection_differences([replace(right, logits=logits), other], SEED, draws=20)
    assert found.groupby("measure")["undefined_runs"].unique().map(list).to_dict() == {"auroc": [1], "aurc": [0]}


def test_configurations_have_to_judge_the_same_images(configurations):
    first, second = configurations
    renamed = replace(second, image_ids=tuple(f"{name}-b" for name in second.image_ids))
    with pytest.raises(RecordsError, match="beta: other evaluation images than alpha"):
        detection_differences([first, renamed], SEED)


def test_mean_intervals_of_a_frame():
    random = np.random.default_rng(3)
    rows = [
        {"model": model, "seed": seed, "score": score, "condition": condition, "auroc": random.random()}
        for model, score, condition in product("abcd", ("msp", "margin"), ("fog-2", "clean"))
        for seed in (1, 2, 3)
    ]
    frame = pd.DataFrame(rows)
    frame.loc[3, "auroc"] = np.nan
    found = mean_interval(frame, ["score", "condition"], "auroc", SEED)
    assert found[["score", "condition"]].apply(tuple, axis=1).tolist() == [
        ("msp", "fog-2"), ("msp", "clean"), ("margin", "fog-2"), ("margin", "clean"),
    ]  # fmt: skip
    means = frame.groupby(["score", "condition", "model"])["auroc"].mean().groupby(["score", "condition"]).mean()
    assert found.set_index(["score", "condition"])["mean"].to_dict() == pytest.approx(means.to_dict())
    part = frame[(frame["score"] == "msp") & (frame["condition"] == "clean")]
    values = [part.loc[part["model"] == model, "auroc"].to_numpy() for model in "abcd"]
    assert found.iloc[1][list(COLUMNS)].to_dict() == pytest.approx(hierarchical_interval(values, SEED))
    shuffled = mean_interval(frame.sample(frac=1, random_state=0), ["score", "condition"], "auroc", SEED)
    pd.testing.assert_frame_equal(
        *(table.sort_values(["score", "condition"], ignore_index=True) for table in (found, shuffled))
    )
    with pytest.raises(ValueError, match="the keys score leave some runs several rows"):
        mean_interval(frame, ["score"], "auroc", SEED)


def test_effect_size_needs_spread():
    assert effect_size(np.array([0.1, 0.5, np.nan])) == pytest.approx(0.3 / np.sqrt(0.08))
    assert np.isnan(effect_size(np.array([0.1])))
    assert np.isnan(effect_size(np.array([0.1, 0.1, 0.1])))


def signs_by_hand(differences):
    """Two-sided p-value from all signs, ties as mean ranks, zeros left out."""
    kept = np.array([value for value in differences if value != 0])
    ranks = rankdata(np.abs(kept))
    sums = np.array(
        [
            sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
            for signs in product((0, 1), repeat=len(kept))
        ]
    )
    observed = ranks[kept > 0].sum()
    return min(1.0, 2 * min((sums <= observed).mean(), (sums >= observed).mean()))


@pytest.mark.parametrize(
    "differences",
    [
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
        [0.1, -0.2, 0.3, 0.4, -0.5, 0.6],
        [0.1, 0.1, -0.1, 0.2, 0.2, 0.3],
        [0.0, 0.1, 0.0, 0.3, -0.2],
        [0.0, 0.5, 0.5],
        [-0.25],
    ],
)
def test_signed_ranks_are_exact_with_ties_and_zeros(differences):
    assert signed_rank(np.array(differences)) == pytest.approx(signs_by_hand(differences))
    assert signed_rank(-np.array(differences)) == pytest.approx(signs_by_hand(differences))
    assert signed_rank(np.array([*differences, np.nan])) == pytest.approx(signs_by_hand(differences))


def test_signed_ranks_agree_with_scipy():
    random = np.random.default_rng(5)
    for size in (4, 9, 20, 50):
        differences = random.normal(0.3, 1, size)
        assert signed_rank(differences) == pytest.approx(wilcoxon(differences, method="exact").pvalue, rel=1e-9)
    # Without an exact test of its own for ties, SciPy takes the normal approximation.
    tied = random.normal(0.2, 1, 45).round(1)
    assert signed_rank(tied) == pytest.approx(wilcoxon(tied[tied != 0], method="asymptotic").pvalue, abs=0.01)
    many = random.normal(0.2, 1, 80)
    assert signed_rank(many) == pytest.approx(wilcoxon(many, method="exact").pvalue, abs=0.005)


def test_signed_ranks_at_the_ends():
    assert signed_rank(np.zeros(4)) == 1
    assert signed_rank(np.array([1e-15, -1e-14])) == 1
    assert np.isnan(signed_rank(np.array([np.nan])))
    assert signed_rank(np.array([0.3, 0.1 + 0.2, -0.3])) == pytest.approx(signs_by_hand([0.3, 0.3, -0.3]))
    assert 0 < signed_rank(np.tile([0.1, 0.2, -0.1], 20)) < 1


def closed_testing(p_values):
    """Smallest level at which every hypothesis of sets with this test falls by Bonferroni."""
    tests = range(len(p_values))
    subsets = [set(chosen) for chosen in chain.from_iterable(combinations(tests, size) for size in tests)] + [
        set(tests)
    ]
    return [
        max(min(1, len(subset) * min(p_values[number] for number in subset)) for subset in subsets if test in subset)
        for test in tests
    ]


def test_holm_is_the_closed_procedure_of_bonferroni():
    random = np.random.default_rng(4)
    for size in range(1, 8):
        for _ in range(20):
            p_values = random.choice([0.001, 0.004, 0.01, 0.02, 0.04, 0.3, 0.9], size) * random.choice([1, 0.5])
            np.testing.assert_allclose(holm(p_values), closed_testing(p_values.tolist()), rtol=1e-12)


def test_undefined_tests_do_not_count():
    found = holm(np.array([np.nan, 0.01, np.nan, 0.02]))
    np.testing.assert_allclose(found, [np.nan, 0.02, np.nan, 0.02])
    assert np.isnan(holm(np.array([np.nan]))).all()
