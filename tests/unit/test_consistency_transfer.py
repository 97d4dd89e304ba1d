"""Logistic models of correctness across shifts, against an optimum found by SciPy and scikit-learn's AUROC."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.metrics import roc_auc_score

from pairedeval.consistency.scores import trust_scores
from pairedeval.consistency.shift import FAMILIES, ScoredRun, shifts
from pairedeval.consistency.shift_summaries import summarise_transfer
from pairedeval.consistency.transfer import (
    FEATURE_SETS,
    TRAININGS,
    fit_correctness,
    measure_transfer,
    training_conditions,
)
from pairedeval.errors import RecordsError
from support.consistency_views import example_views

IMAGES = 80
CELL = ["seed", "condition", "training", "features"]


@pytest.fixture(scope="module")
def shifted():
    return example_views("shifted", images=IMAGES)


@pytest.fixture(scope="module")
def clean():
    return example_views("levels", images=IMAGES)


@pytest.fixture(scope="module")
def transfer(shifted, clean) -> pd.DataFrame:
    return measure_transfer(shifted, clean)


def auroc_of(table: pd.DataFrame) -> pd.Series:
    return table.set_index(CELL)["auroc"]


def relabelled(views, half: str, conditions_label: int = 0):
    """Give all images of one half the same label."""
    labels = np.where(np.array(views.splits) == half, conditions_label, views.labels).astype(np.int32)
    return replace(views, labels=labels)


def features_of(views, condition: str, half: str, seed: int, names) -> tuple[np.ndarray, np.ndarray]:
    chosen = np.array(views.splits) == half
    logits = views.logits[seed - 1, views.conditions.index(condition)][:7, chosen]
    scores = trust_scores(logits)
    return np.column_stack([scores[name] for name in names]), logits[0].argmax(axis=-1) == views.labels[chosen]


def slow_log_odds(columns: np.ndarray, correct: np.ndarray, judged: np.ndarray) -> np.ndarray:
    """Minimise the penalised loss with a general optimiser."""
    centre, scale = columns.mean(axis=0), columns.std(axis=0)
    rows, sign = (columns - centre) / scale, np.where(correct, 1.0, -1.0)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        score = sign * (rows @ weights[1:] + weights[0])
        slope = -sign * expit(-score)
        gradient = np.append(slope.sum(), rows.T @ slope + weights[1:])
        return float(np.logaddexp(0, -score).sum() + weights[1:] @ weights[1:] / 2), gradient

    found = minimize(loss, np.zeros(columns.shape[1] + 1), jac=True, method="BFGS", options={"gtol": 1e-7}).x
    return (judged - centre) / scale @ found[1:] + found[0]


@pytest.mark.parametrize("training", TRAININGS)
@pytest.mark.parametrize("features", FEATURE_SETS)
def test_aurocs_equal_those_of_a_general_optimiser(shifted, clean, transfer, training, features):
    held, seed, names = "motion_blur-4", 2, FEATURE_SETS[features]
    chosen = {
        "same": [held],
        "other_families": [name for name in shifted.conditions if name.rsplit("-")[0] not in FAMILIES["blur"]],
        "leave_one_out": [name for name in shifted.conditions if not name.startswith("motion_blur")],
    }
    if training == "clean":
        parts = [features_of(clean, "clean", "development", seed, names)]
    else:
        parts = [features_of(shifted, name, "development", seed, names) for name in chosen[training]]
    columns, correct = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    judged, right = features_of(shifted, held, "evaluation", seed, names)
    row = transfer.set_index(CELL).loc[(seed, held, training, features)]
    expected = roc_auc_score(~right, -slow_log_odds(columns, correct, judged))
    assert row["auroc"] == pytest.approx(expected, abs=1e-9)
    assert row[["images", "errors", "training_images", "training_errors"]].tolist() == [
        len(right), (~right).sum(), len(correct), (~correct).sum(),
    ]  # fmt: skip
    assert row["fitted"]


def test_log_odds_equal_those_of_a_general_optimiser(shifted):
    names = FEATURE_SETS["added"]
    columns, correct = features_of(shifted, "snow-4", "development", 1, names)
    judged, _ = features_of(shifted, "snow-4", "evaluation", 1, names)
    model = fit_correctness([ScoredRun(dict(zip(names, columns.T, strict=True)), correct)], names)
    found = model.log_odds(dict(zip(names, judged.T, strict=True)))
    assert found == pytest.approx(slow_log_odds(columns, correct, judged), abs=1e-5)


def test_no_training_but_the_same_sees_the_held_corruption(shifted):
    conditions = shifts(shifted)
    for shift in conditions:
        sets = training_conditions(shift, conditions)
        assert sets["same"] == (shift.condition,)
        others = {name.rsplit("-")[0] for name in sets["leave_one_out"]}
        assert others == {member for family in FAMILIES.values() for member in family} - {shift.corruption}
        others = {name.rsplit("-")[0] for name in sets["other_families"]}
        assert not others & set(FAMILIES[shift.family])
        assert len(sets["other_families"]) == 18 - 2 * len(FAMILIES[shift.family])


def test_leaving_out_the_only_noise_leaves_out_its_family(transfer):
    found = transfer.pivot_table("auroc", index=["family", "condition", "seed", "features"], columns="training")
    same = found["leave_one_out"] == found["other_families"]
    assert same["noise"].all()
    assert not same.drop("noise").all()


def test_shifted_calibration_images_of_the_held_family_matter_to_same_alone(shifted, clean, transfer):
    changed = shifted.logits.copy()
    family = [place for place, name in enumerate(shifted.conditions) if name.rsplit("-")[0] in FAMILIES["weather"]]
    calibrating = np.flatnonzero(np.array(shifted.splits) == "development")
    changed[:, np.ix_(family, range(7), calibrating)[0], :, calibrating] *= -1
    after = auroc_of(measure_transfer(replace(shifted, logits=changed), clean)).xs("fog-2", level="condition")
    before = auroc_of(transfer).xs("fog-2", level="condition")
    for training in ("clean", "other_families"):
        pd.testing.assert_series_equal(
            after.xs(training, level="training"), before.xs(training, level="training"), check_exact=True
        )
    for training in ("same", "leave_one_out"):
        assert (after.xs(training, level="training") != before.xs(training, level="training")).any()


def test_added_features_gain_where_they_alone_tell_errors():
    random = np.random.default_rng(2)
    stability = random.integers(0, 7, 400) / 6
    scores = {name: random.random(400) for name in ("msp", "margin", "deviation")} | {"stability": stability}
    runs = [ScoredRun({name: values[half] for name, values in scores.items()}, stability[half] > 0.5)
            for half in (slice(0, 200), slice(200, 400))]  # fmt: skip
    found = {
        features: roc_auc_score(runs[1].correct, fit_correctness(runs[:1], names).log_odds(runs[1].scores))
        for features, names in FEATURE_SETS.items()
    }
    assert found["added"] > 0.99
    assert abs(found["base"] - 0.5) < 0.1


def test_constant_features_do_not_blow_up():
    random = np.random.default_rng(2)
    names = FEATURE_SETS["added"]
    scores = {"msp": random.random(90), "margin": random.random(90), "stability": np.full(90, 5 / 6)}
    run = ScoredRun(scores | {"deviation": np.zeros(90)}, random.random(90) < scores["msp"])
    other = ScoredRun(scores | {"stability": np.ones(90), "deviation": np.full(90, -0.5)}, run.correct)
    odds = fit_correctness([run], names).log_odds(other.scores)
    assert np.abs(odds).max() < 100
    assert odds == pytest.approx(fit_correctness([run], FEATURE_SETS["base"]).log_odds(run.scores), abs=1)


def test_training_images_of_one_outcome_fit_nothing_and_are_counted(shifted, clean):
    # Labels such that every clean calibration prediction of the first seed is right.
    half = np.array(clean.splits) == "development"
    labels = np.where(half, clean.logits[0, 0, 0].argmax(axis=-1), clean.labels).astype(np.int32)
    table = measure_transfer(replace(shifted, labels=labels), replace(clean, labels=labels))
    unfitted = table[~table["fitted"]]
    assert set(unfitted["training"]) == {"clean"}
    assert unfitted["seed"].unique().tolist() == [1]
    assert len(unfitted) == 18 * 2
    assert unfitted["auroc"].isna().all()
    assert (unfitted[["training_images", "training_errors"]] == [IMAGES // 2, 0]).all(axis=None)
    summary = summarise_transfer(table, seed=1).set_index(["family", "training", "quantity"])
    assert summary.loc[("all families", "clean", "gain"), ["unfitted_cells", "cells"]].tolist() == [18, 18]
    assert summary.loc[("noise", "clean", "gain"), "unfitted_cells"] == 2
    assert (summary.xs("same", level="training")["unfitted_cells"] == 0).all()


def test_nothing_is_fitted_without_training_conditions(shifted, clean):
    chosen = [place for place, name in enumerate(shifted.conditions) if name.startswith("fog")]
    views = replace(shifted, conditions=("fog-2", "fog-4"), logits=shifted.logits[:, chosen])
    table = measure_transfer(views, clean).set_index("training")
    assert (table.loc["other_families", "training_images"] == 0).all()
    assert table.loc[["other_families", "leave_one_out"], "auroc"].isna().all()
    assert table.loc[["same", "clean"], "fitted"].all()


def test_columns_and_rows(transfer):
    assert list(transfer.columns) == [
        "model", "group", "seed", "condition", "corruption", "severity", "family", "training", "features", "auroc",
        "images", "errors", "training_images", "training_errors", "fitted",
    ]  # fmt: skip
    assert len(transfer) == 2 * 18 * 4 * 2
    assert not transfer.duplicated(CELL).any()


def test_files_of_different_images_are_refused(shifted, clean):
    with pytest.raises(RecordsError, match="have different labels"):
        measure_transfer(shifted, replace(clean, labels=np.zeros(IMAGES, dtype=np.int32)))
