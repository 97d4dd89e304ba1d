"""Means of accuracy, stability and gap under corrections of the class prior, against direct computations."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from pairedeval.consistency import prior_summaries
from pairedeval.consistency.prior_summaries import COLUMNS, RECOVERED, summarise_priors, summarise_recalls
from pairedeval.consistency.priors import METHODS, measure_priors, measure_recalls
from pairedeval.consistency.statistics import DRAWS, run_draws
from support.consistency_views import example_views

MODELS = ("gamma", "alpha", "beta")
QUANTITIES = ["accuracy", "stability", "consistency", "gap", "rare_recall", "rare_stability", "rare_prior"]
SEED = 7


@pytest.fixture(scope="module")
def pairs():
    return [tuple(example_views(kind, model, seeds=2, images=80) for kind in ("rare", "levels")) for model in MODELS]


@pytest.fixture(scope="module")
def priors(pairs) -> pd.DataFrame:
    return pd.concat([measure_priors(*pair) for pair in pairs], ignore_index=True)


@pytest.fixture(scope="module")
def summary(priors) -> pd.DataFrame:
    return summarise_priors(priors, SEED)


def gap_of(priors, method, model, seed) -> float:
    chosen = (priors["variant"] == "rare") & (priors["method"] == method)
    return float(priors.loc[chosen & (priors["model"] == model) & (priors["seed"] == seed), "gap"].iloc[0])


def test_every_quantity_of_every_method(summary):
    assert list(summary.columns) == list(COLUMNS)
    cases = [*(("rare", method) for method in METHODS), ("natural", "none")]
    expected = [(*case, name) for name in QUANTITIES for case in cases]
    expected += [("rare", method, RECOVERED) for method in METHODS[1:]]
    assert list(summary[["variant", "method", "quantity"]].itertuples(index=False, name=None)) == expected


def test_means_are_over_seeds_then_configurations(priors, summary):
    # One seed is missing, so that a mean over runs would differ.
    kept = priors.drop(priors.index[(priors["model"] == "beta") & (priors["seed"] == 2)])
    found = summarise_priors(kept, SEED).set_index(["variant", "method", "quantity"])
    for (variant, method), rows in kept.groupby(["variant", "method"]):
        for name in QUANTITIES:
            of_models = [rows.loc[rows["model"] == model, name].mean() for model in MODELS]
            row = found.loc[(variant, method, name)]
            assert row["mean"] == pytest.approx(np.mean(of_models), nan_ok=True)
            assert row["runs"] + row["undefined_runs"] == 5
    assert not np.isclose(
        found.loc[("rare", "none", "accuracy"), "mean"],
        kept.query("variant == 'rare' and method == 'none'")["accuracy"].mean(),
    )
    assert summary["configurations"].isin([0, 3]).all()


def test_the_prior_of_models_trained_on_all_images_is_undefined_and_counted(summary):
    row = summary.query("variant == 'natural' and quantity == 'rare_prior'").iloc[0]
    assert row[["mean", "lower", "upper"]].isna().all()
    assert row[["configurations", "runs", "undefined_runs", "undefined_draws"]].tolist() == [0, 0, 6, DRAWS]
    others = summary.drop(row.name)
    assert others[["mean", "lower", "upper"]].notna().all(axis=None)
    assert (others[["undefined_runs", "undefined_draws"]] == 0).all(axis=None)


def slow_ratio(priors: pd.DataFrame, method: str, copies) -> float:
    """Return 1 minus a ratio of sums of gaps, where `copies` says how often each run is taken."""
    after, before = (
        sum(times * gap_of(priors, name, *run) for run, times in copies.items()) for name in (method, "none")
    )
    return 1 - after / before


@pytest.mark.parametrize("method", METHODS[1:])
def test_the_recovered_share_is_a_ratio_of_means_in_each_draw(priors, monkeypatch, method):
    draws = 25
    taken = run_draws([2, 2, 2], SEED, draws)
    for name in ("hierarchical_means", "mean_interval"):
        monkeypatch.setattr(prior_summaries, name, partial(getattr(prior_summaries, name), draws=draws))
    found = summarise_priors(priors, SEED)
    row = found[(found["quantity"] == RECOVERED) & (found["method"] == method)].iloc[0]
    runs = [(model, number) for model in sorted(MODELS) for number in (1, 2)]
    assert row["mean"] == pytest.approx(slow_ratio(priors, method, dict.fromkeys(runs, 1)))
    ratios = [
        slow_ratio(priors, method, dict(zip(runs, np.concatenate(taken)[:, draw], strict=True)))
        for draw in range(draws)
    ]
    assert row[["lower", "upper"]].tolist() == pytest.approx(np.percentile(ratios, [2.5, 97.5]).tolist())
    assert row["lower"] < row["mean"] < row["upper"]


def test_a_mean_gap_of_zero_leaves_nothing_to_recover(priors):
    flat = priors.assign(gap=priors["gap"].where(priors["method"] != "none", 0.0))
    found = summarise_priors(flat, SEED)
    rows = found[found["quantity"] == RECOVERED]
    assert rows[["mean", "lower", "upper"]].isna().all(axis=None)
    assert (rows["undefined_draws"] == DRAWS).all()


def test_recalls_are_means_over_seeds_then_configurations(pairs):
    recalls = pd.concat([measure_recalls(*pair) for pair in pairs], ignore_index=True)
    kept = recalls.drop(recalls.index[(recalls["model"] == "beta") & (recalls["seed"] == 2)])
    found = summarise_recalls(kept)
    assert len(found) == 4 * 4
    assert found["rare"].tolist() == [False, False, True, True] * 4
    for row in found.itertuples():
        case = (kept["variant"] == row.variant) & (kept["method"] == row.method)
        runs = kept[case & (kept["class"] == row[3])]
        for name in ("recall", "stability"):
            of_models = [runs.loc[runs["model"] == model, name].mean() for model in MODELS]
            assert getattr(row, name) == pytest.approx(np.mean(of_models))
        assert (row.images, row.configurations, row.runs, row.undefined) == (10, 3, 5, 0)


def test_a_class_without_images_is_counted(pairs):
    recalls = pd.concat([measure_recalls(*pair) for pair in pairs], ignore_index=True)
    empty = recalls["class"] == "class-01"
    changed = recalls.assign(
        images=recalls["images"].where(~empty, 0),
        recall=recalls["recall"].where(~empty),
        stability=recalls["stability"].where(~empty),
    )
    found = summarise_recalls(changed).set_index("class").loc["class-01"]
    assert found[["recall", "stability"]].isna().all(axis=None)
    assert (found["undefined"] == 6).all()
