"""Errors on corrupted images by family, gains of consistency and robustness of models, against direct computations."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from scipy.stats import pearsonr, rankdata, spearmanr
from sklearn.metrics import roc_auc_score

from pairedeval.consistency.comparisons import difference_from
from pairedeval.consistency.reference import measure_models
from pairedeval.consistency.robustness import correlate_robustness, describe_robustness, rank_correlation
from pairedeval.consistency.scores import SCORES
from pairedeval.consistency.shift import FAMILIES, check_same_images, measure_shift, scored_runs
from pairedeval.consistency.shift_summaries import (
    correlate_gains,
    gains_by_condition,
    run_gains,
    summarise_shift,
    summarise_transfer,
    transfer_gains,
)
from pairedeval.consistency.transfer import measure_transfer
from pairedeval.errors import RecordsError
from pairedeval.perturb.conditions import PRIMARY, read_corruptions
from pairedeval.perturb.corruptions import TYPES
from support.consistency_views import example_views

MODELS = ("alpha", "beta", "gamma", "delta", "epsilon")
COLUMNS = [
    "model", "group", "seed", "condition", "corruption", "severity", "family", "images", "errors", "accuracy",
    "mean_confidence", "overconfidence", "score", "auroc",
]  # fmt: skip


@pytest.fixture(scope="module")
def shifted():
    return {model: example_views("shifted", model) for model in MODELS}


@pytest.fixture(scope="module")
def shift(shifted) -> pd.DataFrame:
    return pd.concat([measure_shift(views) for views in shifted.values()], ignore_index=True)


@pytest.fixture(scope="module")
def transfer(shifted) -> pd.DataFrame:
    tables = [measure_transfer(shifted[model], example_views("levels", model)) for model in MODELS[:3]]
    return pd.concat(tables, ignore_index=True)


def some_scores(logits: np.ndarray) -> dict[str, list[float]]:
    """Score images one by one; shape ``(views, n, classes)``."""
    found: dict[str, list[float]] = {"msp": [], "margin": [], "stability": [], "consistency": []}
    for image in range(logits.shape[1]):
        views = softmax(logits[:, image].astype(float), axis=-1)
        ordered = sorted(logits[0, image].tolist())
        kept = [view.argmax() == views[0].argmax() for view in views[1:]]
        moved = [abs(view.max() - views[0].max()) for view in views[1:]]
        found["msp"].append(views[0].max())
        found["margin"].append(ordered[-1] - ordered[-2])
        found["stability"].append(sum(kept) / len(kept))
        found["consistency"].append((sum(kept) / len(kept) + 1 - sum(moved) / len(moved)) / 2)
    return found


def test_every_corruption_has_one_family():
    members = [corruption for family in FAMILIES.values() for corruption in family]
    assert sorted(members) == sorted(TYPES)
    rows = read_corruptions(Path(__file__).parents[2] / "resources" / "conditions" / "corruptions.csv")
    assert {row.corruption for row in rows if row.pool == PRIMARY} == set(members)


@pytest.mark.parametrize(("condition", "family"), [("gaussian_noise-4", "noise"), ("brightness-2", "weather")])
def test_detection_equals_scikit_learn_image_by_image(shifted, shift, condition, family):
    views = shifted["beta"]
    half = np.array(views.splits) == "evaluation"
    for seed in (1, 2):
        logits = views.logits[seed - 1, views.conditions.index(condition)][:, half]
        wrong = logits[0].argmax(axis=-1) != views.labels[half]
        rows = shift[(shift["model"] == "beta") & (shift["seed"] == seed) & (shift["condition"] == condition)]
        assert rows["score"].tolist() == list(SCORES)
        found = rows.set_index("score")["auroc"]
        expected = {name: roc_auc_score(wrong, -np.array(values)) for name, values in some_scores(logits).items()}
        assert found[[*expected]].to_dict() == pytest.approx(expected)
        first = rows.iloc[0]
        assert first[["corruption", "severity", "family"]].tolist() == [
            *condition.rsplit("-")[:1],
            int(condition[-1]),
            family,
        ]
        assert first[["images", "errors"]].tolist() == [half.sum(), wrong.sum()]
        confidence = softmax(logits[0].astype(float), axis=-1).max(axis=-1).mean()
        assert first[["accuracy", "mean_confidence", "overconfidence"]].tolist() == pytest.approx(
            [1 - wrong.mean(), confidence, confidence - 1 + wrong.mean()]
        )


def test_a_frame_of_one_configuration_has_a_row_per_run_condition_and_score(shifted, shift):
    assert list(shift.columns) == COLUMNS
    one = measure_shift(shifted["alpha"])
    assert len(one) == 2 * 18 * len(SCORES)
    assert one["seed"].unique().tolist() == [1, 2]
    assert not one.duplicated(["seed", "condition", "score"]).any()


def test_without_errors_the_auroc_is_undefined_and_kept(shifted):
    views = shifted["alpha"]
    truth = views.logits[0, 0, 0].argmax(axis=-1).astype(np.int32)
    found = measure_shift(replace(views, labels=truth))
    first = found[(found["seed"] == 1) & (found["condition"] == views.conditions[0])]
    assert first["errors"].tolist() == [0] * len(SCORES)
    assert first["auroc"].isna().all()
    assert found["auroc"].notna().any()
    summary = summarise_shift(found, seed=1).set_index(["family", "score", "quantity"])
    undefined = int(found.loc[found["score"] == "msp", "auroc"].isna().sum())
    assert summary.loc[("all families", "msp", "auroc"), "undefined_cells"] == undefined
    assert summary.loc[("all families", "msp", "auroc"), "cells"] == 36 - undefined


@pytest.mark.parametrize("condition", ["clean", "fog-x", "glitter-2"])
def test_other_conditions_are_refused(shifted, condition):
    views = shifted["alpha"]
    with pytest.raises(RecordsError, match=f"alpha: condition {condition} is not <corruption>-<severity>"):
        measure_shift(replace(views, conditions=(condition, *views.conditions[1:])))


def test_an_absent_half_is_named(shifted):
    views = replace(shifted["alpha"], splits=("development",) * len(shifted["alpha"].image_ids))
    with pytest.raises(RecordsError, match="alpha: no images of the evaluation half"):
        scored_runs(views, "fog-2", "evaluation")


@pytest.mark.parametrize(
    ("change", "name"),
    [({"seeds": 1}, "numbers of training seeds"), ({"images": 80}, "images"), ({"model": "beta"}, "models")],
)
def test_files_of_different_runs_are_refused(shifted, change, name):
    with pytest.raises(RecordsError, match=f"shifted and levels have different {name}"):
        check_same_images(shifted["alpha"], example_views("levels", **{"model": "alpha"} | change))


def test_means_by_family_take_conditions_then_seeds_then_configurations(shift):
    summary = summarise_shift(shift, seed=1).set_index(["family", "score", "quantity"])
    blur = shift[(shift["family"] == "blur") & (shift["score"] == "consistency")]
    expected = np.mean([blur.loc[blur["model"] == model, "auroc"].mean() for model in MODELS])
    row = summary.loc[("blur", "consistency", "auroc")]
    assert row["mean"] == pytest.approx(expected)
    assert row[["configurations", "runs", "cells"]].tolist() == [5, 10, 40]
    msp = summary.loc[("blur", "msp", "auroc"), "mean"]
    assert summary.loc[("blur", "consistency", "minus_msp"), "mean"] == pytest.approx(expected - msp)
    itself = summary.xs("minus_margin", level="quantity").xs("margin", level="score")
    assert (itself[["mean", "wins"]] == 0).all(axis=None)
    assert summary.index.get_level_values("family").unique().tolist() == ["all families", *FAMILIES]


def test_gains_compare_the_same_run_and_condition(shift, transfer):
    shift = shift[shift["model"].isin(MODELS[:3])]
    gains = run_gains(shift, transfer)
    assert len(gains) == 3 * 2 * 18
    row = gains[(gains["model"] == "gamma") & (gains["seed"] == 2) & (gains["condition"] == "snow-4")].iloc[0]

    def value(frame: pd.DataFrame, **where: object) -> float:
        chosen = frame[(frame["model"] == "gamma") & (frame["seed"] == 2) & (frame["condition"] == "snow-4")]
        for name, wanted in where.items():
            chosen = chosen[chosen[name] == wanted]
        return chosen["auroc"].item()

    assert row["consistency_gain"] == value(shift, score="consistency") - value(shift, score="margin")
    assert row["added_gain"] == value(transfer, training="same", features="added") - value(
        transfer, training="same", features="base"
    )
    conditions = gains_by_condition(gains)
    snow = conditions[conditions["condition"] == "snow-4"].iloc[0]
    of_snow = gains[gains["condition"] == "snow-4"]
    assert snow[["overconfidence", "consistency_gain", "runs"]].tolist() == pytest.approx(
        [of_snow["overconfidence"].mean(), of_snow["consistency_gain"].mean(), 6]
    )
    found = correlate_gains(conditions).set_index(["gain", "points"])
    expected = spearmanr(conditions["overconfidence"], conditions["added_gain"])
    assert found.loc[("added_gain", "condition"), ["correlation", "p_value"]].tolist() == pytest.approx([*expected])
    means = conditions.groupby("corruption")[["overconfidence", "consistency_gain"]].mean()
    expected = spearmanr(means["overconfidence"], means["consistency_gain"])
    assert found.loc[("consistency_gain", "corruption"), "correlation"] == pytest.approx(expected.statistic)
    assert found["used"].tolist() == [18, 9, 18, 9]


def test_runs_and_conditions_without_a_gain_are_counted(shift, transfer):
    shift = shift[shift["model"].isin(MODELS[:3])].copy()
    shift.loc[(shift["model"] == "alpha") & (shift["condition"] == "fog-2"), "auroc"] = np.nan
    shift.loc[shift["condition"] == "fog-4", "auroc"] = np.nan
    conditions = gains_by_condition(run_gains(shift, transfer)).set_index("condition")
    assert conditions.loc["fog-2", ["runs", "undefined_consistency_gain", "undefined_added_gain"]].tolist() == [6, 2, 0]
    assert np.isnan(conditions.loc["fog-4", "consistency_gain"])
    found = correlate_gains(conditions.reset_index()).set_index(["gain", "points"])
    assert found.loc[("consistency_gain", "condition"), ["used", "undefined"]].tolist() == [17, 1]
    assert found.loc[("consistency_gain", "corruption"), ["used", "undefined"]].tolist() == [9, 0]


def test_transfer_is_summarised_by_family_and_training(transfer):
    summary = summarise_transfer(transfer, seed=1).set_index(["family", "training", "quantity"])
    noise = transfer[(transfer["family"] == "noise") & (transfer["training"] == "clean")]
    means = noise.groupby("features")["auroc"].mean()
    assert summary.loc[("noise", "clean", "base"), "mean"] == pytest.approx(means["base"])
    assert summary.loc[("noise", "clean", "added"), "mean"] == pytest.approx(means["added"])
    assert summary.loc[("noise", "clean", "gain"), "mean"] == pytest.approx(means["added"] - means["base"])
    assert (summary["unfitted_cells"] == 0).all()
    gains = transfer_gains(transfer)
    assert len(gains) == len(transfer) / 2
    assert (gains["added"] - gains["base"]).to_numpy() == pytest.approx(gains["gain"].to_numpy())


def test_a_baseline_that_stands_twice_in_a_cell_is_refused():
    frame = pd.DataFrame({"seed": [1, 1], "score": "msp", "auroc": [0.5, 0.75]})
    with pytest.raises(pd.errors.MergeError):
        difference_from(frame, ["seed"], "auroc", "score", "msp")


def test_rank_correlations_equal_scipy():
    random = np.random.default_rng(3)
    for _ in range(20):
        first, second, fixed = random.integers(0, 6, (3, 12)).astype(float)
        expected = spearmanr(first, second)
        assert rank_correlation(first, second) == pytest.approx((expected.statistic, expected.pvalue))
        design = np.column_stack([np.ones(12), rankdata(fixed)])
        left, right = (
            ranks - design @ np.linalg.lstsq(design, ranks)[0] for ranks in (rankdata(first), rankdata(second))
        )
        assert rank_correlation(first, second, fixed)[0] == pytest.approx(pearsonr(left, right).statistic)


def test_rank_correlations_without_information_are_undefined():
    rising = np.arange(5.0)
    assert rank_correlation(rising, rising**3) == pytest.approx((1, 0))
    for undefined in (
        rank_correlation(rising, np.ones(5)),
        rank_correlation(rising[:2], rising[:2]),
        rank_correlation(np.array([1.0, 0, 3, 2, 4]), rising, np.exp(rising)),
    ):
        assert np.isnan(undefined).all()


def test_robustness_sets_configurations_side_by_side(shift):
    models = pd.concat([measure_models(example_views("levels", model)) for model in MODELS], ignore_index=True)
    table = describe_robustness(models, shift)
    weather = table[(table["family"] == "weather") & (table["model"] == "delta")].iloc[0]
    cells = shift[(shift["model"] == "delta") & (shift["family"] == "weather") & (shift["score"] == "msp")]
    clean = models[models["model"] == "delta"]
    assert weather[["accuracy", "consistency", "gap", "shifted_accuracy"]].tolist() == pytest.approx(
        [clean["accuracy"].mean(), clean["consistency"].mean(), clean["gap"].mean(), cells["accuracy"].mean()]
    )
    assert weather["drop"] == pytest.approx(clean["accuracy"].mean() - cells["accuracy"].mean())
    found = correlate_robustness(table).set_index(["family", "relation"])
    assert (found["configurations"] == 5).all()
    part = table[table["family"] == "all families"]
    for relation, pair in {"consistency": ("consistency", "shifted_accuracy"), "gap_drop": ("gap", "drop")}.items():
        expected = spearmanr(part[pair[0]], part[pair[1]])
        assert found.loc[("all families", relation), ["correlation", "p_value"]].tolist() == pytest.approx([*expected])
    expected = rank_correlation(*(part[name].to_numpy() for name in ("consistency", "shifted_accuracy", "accuracy")))
    assert found.loc[("all families", "consistency_given_accuracy"), "correlation"] == pytest.approx(expected[0])


def test_a_configuration_without_clean_views_is_named(shift):
    models = pd.concat([measure_models(example_views("levels", model)) for model in MODELS[:4]])
    with pytest.raises(RecordsError, match="epsilon: has views of one of the kinds levels and shifted only"):
        describe_robustness(models, shift)
