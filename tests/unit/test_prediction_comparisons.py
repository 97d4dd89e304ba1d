"""Out-of-fold predictions on the paper's full shape, and the summaries of their errors."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from pairedeval.errors import RecordsError
from pairedeval.identification.tidy import identify_records
from pairedeval.prediction.checks import lost_acceptance_checks, rank_correlations
from pairedeval.prediction.feature_sets import BASE, DELETED_SETS, PERMUTED, TARGETS, comparisons, feature_sets
from pairedeval.prediction.nested import Folds, nested_predictions
from pairedeval.prediction.out_of_fold import predict_out_of_fold
from pairedeval.prediction.summaries import (
    KEYS,
    deletion_gains,
    model_gains,
    practical_thresholds,
    summarise_gains,
)
from pairedeval.prediction.targets import pool_records
from pairedeval.resampling import group_draws
from support.prediction_frames import pool, simulated_features, simulated_targets

PAPER_GROUPS = [9, 8, 6, 5, 4, 4, 3, 2, 2, 1]
SETTING = ["features", "source", "target"]


@pytest.fixture(scope="module")
def paper():
    """Predictions of 44 models in ten groups."""
    models = pool(PAPER_GROUPS)
    features, targets = simulated_features(models, replicates=4), simulated_targets(models)
    return features, targets, predict_out_of_fold(features, targets)


@pytest.fixture(scope="module")
def small():
    """Predictions of nine models in four groups."""
    models = pool([3, 2, 2, 2])
    features, targets = simulated_features(models, replicates=2), simulated_targets(models)
    return features, targets, predict_out_of_fold(features, targets)


def test_the_paper_has_49280_predictions(paper):
    predictions = paper[2]
    refitted = predictions[predictions["feature_set"].isin(DELETED_SETS)]
    assert len(DELETED_SETS) == 7
    assert len(refitted[SETTING].drop_duplicates()) == 16
    assert len(refitted) == 7 * 16 * (44 + 44 * 9) == 49_280
    assert np.isfinite(predictions[["actual", "predicted", "penalty"]]).all(axis=None)
    assert predictions["predicted"].between(0, 1).all()
    assert not predictions.duplicated([*SETTING, "feature_set", "replicate", "deleted", "model"]).any()
    others = predictions[~predictions["feature_set"].isin(DELETED_SETS)]
    assert set(others["deleted"]) == {""}
    sizes = others.groupby(["feature_set", *SETTING]).size().reset_index(name="rows")
    assert len(sizes) == 16 * (len(feature_sets("accepted_error")) - 7)
    shuffled = sizes["feature_set"].str.endswith("_shuffled")
    assert (sizes["rows"] == np.where(shuffled, 4 * 44, 44)).all()


def test_every_planned_interval_is_finite(paper):
    _, targets, predictions = paper
    summary = summarise_gains(model_gains(predictions), targets, seed=1)
    assert len(summary) == 16 * len(comparisons())
    assert np.isfinite(summary[["gain", "lower", "upper", "group_gain", "group_lower", "group_upper"]]).all(axis=None)
    refitted = (summary["comparison"] == "augmented") | (
        (summary["comparison"] == "controlled") & summary["step"].isin(["C1", "C3a"])
    )
    assert (summary["deletions"] == np.where(refitted, 10, 0)).all()
    assert (summary["lower"] <= summary["gain"]).all()
    assert (summary["gain"] <= summary["upper"]).all()


def test_predictions_take_the_columns_of_their_set(small):
    features, targets, predictions = small
    models = targets.loc[targets["source"] == "es", ["model", "group"]]
    group = pd.factorize(models["group"], sort=True)[0]
    for source, name, replicate in (("syn", "C1_controlled", 0), ("syn_b", "C2_shuffled", 2), ("syn_b", "B0", 0)):
        columns = []
        for form, feature in feature_sets("accepted_error")[name]:
            rows = features[
                (features["source"] == ("syn_b" if form == BASE else source))
                & (features["form"] == ("unpaired" if form == BASE else form))
                & (features["replicate"] == (replicate if form == PERMUTED else 0))
                & (features["feature"] == feature)
            ]
            columns.append(rows.set_index("model").loc[models["model"], "value"].to_numpy())
        wanted = targets[targets["source"] == "diverse"].set_index("model").loc[models["model"], "accepted_error"]
        expected, penalty = nested_predictions(
            np.stack(columns, axis=-1)[None], wanted.to_numpy()[:, None], Folds.of(group)
        )
        found = predictions[
            (predictions["features"] == source)
            & (predictions["source"] == "diverse")
            & (predictions["target"] == "accepted_error")
            & (predictions["feature_set"] == name)
            & (predictions["replicate"] == replicate)
            & (predictions["deleted"] == "")
        ].set_index("model")
        assert found.loc[models["model"], "predicted"].to_numpy() == pytest.approx(expected[0, 0, :, 0], abs=1e-12)
        assert found.loc[models["model"], "penalty"].tolist() == penalty[0, 0, :, 0].tolist()
        assert found.loc[models["model"], "actual"].to_numpy() == pytest.approx(wanted.to_numpy())


def test_gains_average_replicates_within_each_model_first(small):
    gains = model_gains(small[2])
    rows = small[2][(small[2]["features"] == "syn") & (small[2]["source"] == "es") & (small[2]["deleted"] == "")]
    rows = rows[rows["target"] == "selective_risk"].assign(
        error=lambda table: (table["predicted"] - table["actual"]).abs()
    )
    found = gains[
        (gains["features"] == "syn")
        & (gains["source"] == "es")
        & (gains["target"] == "selective_risk")
        & (gains["comparison"] == "shuffled")
        & (gains["step"] == "C1")
    ].set_index("model")
    assert len(found) == 9
    for model, part in rows.groupby("model"):
        shuffled = part[part["feature_set"] == "C1_shuffled"]
        assert sorted(shuffled["replicate"]) == [1, 2]
        paired = part.loc[part["feature_set"] == "C1", "error"].item()
        assert found.loc[model, "baseline_error"] == pytest.approx(shuffled["error"].mean())
        assert found.loc[model, "gain"] == pytest.approx(shuffled["error"].mean() - paired)


def example_gains() -> pd.DataFrame:
    """Build gains of two groups in one setting, with two deletions."""
    rows = [
        ("", "m0", "a", 0.10, 0.06),
        ("", "m1", "a", 0.20, 0.18),
        ("", "m2", "b", 0.30, 0.33),
        ("a", "m2", "b", 0.30, 0.31),
        ("b", "m0", "a", 0.10, 0.05),
        ("b", "m1", "a", 0.20, 0.18),
    ]
    table = pd.DataFrame(rows, columns=["deleted", "model", "group", "baseline_error", "extended_error"])
    table = table.assign(gain=table["baseline_error"] - table["extended_error"])
    setting = ["syn", "es", "selective_risk", "augmented", "C1"]
    return table.assign(**dict(zip(KEYS, setting, strict=True)))


def example_targets() -> pd.DataFrame:
    risks = [0.1, 0.2, 0.3, 0.4, 0.9]
    return pd.DataFrame({"source": "es", "model": [f"m{n}" for n in range(5)], "selective_risk": risks})


def test_summaries_by_hand():
    row = summarise_gains(example_gains(), example_targets(), seed=5).iloc[0]
    assert row[["models", "deletions", "positive_deletions"]].tolist() == [3, 2, 1]
    expected = {
        "baseline_error": 0.2,
        "extended_error": 0.19,
        "gain": 0.01,
        "relative_gain": 0.05,
        "group_baseline_error": 0.225,  # (0.15 + 0.30) / 2
        "group_gain": 0.0,  # (0.03 - 0.03) / 2
        "target_range": 0.2,
        "deletion_lowest": -0.01,
        "deletion_highest": 0.035,
    }
    assert row[list(expected)].to_dict() == pytest.approx(expected)
    drawn = group_draws(2, 5)
    models = (drawn @ [0.06, -0.03]) / (drawn @ [2, 1])
    groups = (drawn @ [0.03, -0.03]) / 2
    assert row[["lower", "upper"]].tolist() == pytest.approx(np.percentile(models, [2.5, 97.5]).tolist())
    assert row[["group_lower", "group_upper"]].tolist() == pytest.approx(np.percentile(groups, [2.5, 97.5]).tolist())


def test_deletions_by_hand():
    gains = pd.concat([example_gains(), example_gains().assign(deleted="c").head(3)], ignore_index=True)
    found = deletion_gains(gains).set_index("deleted")
    assert found.loc[["a", "b", "c"], "models"].tolist() == [1, 2, 3]
    assert found.loc[["a", "b", "c"], "gain"].to_numpy() == pytest.approx([-0.01, 0.035, 0.01])
    assert found.loc[["a", "b", "c"], "group_gain"].to_numpy() == pytest.approx([-0.01, 0.035, 0.0])


def test_thresholds_by_hand():
    summary = summarise_gains(example_gains(), example_targets(), seed=5)
    found = practical_thresholds(summary.assign(lower=0.006, upper=0.015)).set_index(["weighting", "rule", "share"])
    assert len(found) == 2 * 7
    thresholds = {0.025: 0.005, 0.05: 0.01, 0.1: 0.02, 0.2: 0.04}
    for share, threshold in thresholds.items():
        assert found.loc[("model", "target range", share), "threshold"] == pytest.approx(threshold)
    assert found.loc[("model", "baseline error", 0.1), "threshold"] == pytest.approx(0.02)
    assert found.loc[("group", "baseline error", 0.1), "threshold"] == pytest.approx(0.0225)
    flags = ["reached", "established", "excluded"]
    assert found.loc[("model", "target range", 0.025), flags].tolist() == [True, True, False]
    assert found.loc[("model", "target range", 0.1), flags].tolist() == [False, False, True]


def test_three_groups_have_gains_without_deletions():
    models = pool([1, 1, 1])
    targets = simulated_targets(models)
    gains = model_gains(predict_out_of_fold(simulated_features(models, replicates=1), targets))
    assert deletion_gains(gains).empty
    summary = summarise_gains(gains, targets, seed=1)
    assert (summary["deletions"] == 0).all()
    assert summary["deletion_lowest"].isna().all()
    assert np.isfinite(summary["gain"]).all()


def test_models_that_differ_between_sources_are_refused():
    models = pool([1, 1, 1])
    features, targets = simulated_features(models, replicates=1), simulated_targets(models)
    absent = features[(features["source"] == "syn") | (features["model"] != "m01")]
    with pytest.raises(RecordsError, match="source syn_b: model m01 is missing or in another group"):
        predict_out_of_fold(absent, targets)
    moved = targets.replace({"group": {"group-0": "group-9"}})
    with pytest.raises(RecordsError, match=r"source syn: model m0\d is missing or in another group"):
        predict_out_of_fold(features, moved)
    with pytest.raises(RecordsError, match="needs the responses of syn_b"):
        predict_out_of_fold(features[features["source"] == "syn"], targets)


def test_rank_correlations_equal_those_of_scipy():
    models = pool([2, 2, 2])
    features, targets = simulated_features(models, replicates=1), simulated_targets(models)
    random = np.random.default_rng(4)
    cells = pd.concat(
        [
            targets[["source", "model"]].assign(tier=tier, confidence_drop=random.random(len(targets)).round(1))
            for tier in ("mild", "mild", "extreme")
        ]
    )
    cells.iloc[0, cells.columns.get_loc("confidence_drop")] = np.nan
    found = rank_correlations(features, targets, cells).set_index(["features", "source", "version", "quantity"])
    assert len(found) == 2 * 2 * 2 * (len(TARGETS) + 1)
    drops = cells[cells["tier"] == "mild"].groupby(["source", "model"])["confidence_drop"].mean()
    for features_source, source, version in (("syn", "es", "paired"), ("syn_b", "diverse", "independent")):
        chosen = features[
            (features["source"] == features_source)
            & (features["form"] == version)
            & (features["feature"] == "confidence_drop")
        ].set_index("model")["value"]
        row = found.loc[(features_source, source, version, "confidence_drop")]
        assert row["correlation"] == pytest.approx(spearmanr(chosen.sort_index(), drops[source].sort_index())[0])
        assert row["models"] == 6


def test_the_target_l_is_the_one_of_identification(records):
    frame = pd.concat(
        [records, records[records["condition"] == "fog-2"].assign(condition="fog-4", confidence=0.85)],
        ignore_index=True,
    )
    right = frame["prediction"] == frame["label"]
    frame["true_class_probability"] = np.where(right, frame["confidence"], frame["true_class_probability"])
    facts = {"source": "es", "model": "a", "group": "g"}
    tiers = {"fog-2": "mild", "fog-4": "mild"}
    cells, bounds = identify_records(frame, facts, tiers)
    targets = pd.DataFrame([pool_records(frame, facts, tiers)])
    row = lost_acceptance_checks(targets, cells, bounds).iloc[0]
    assert row[["source", "models", "conditions"]].tolist() == ["es", 1, 2]
    assert row["largest_difference"] <= 1e-15
    for name, level in (("width_separate", "I0"), ("width_overlap", "Ik")):
        rows = bounds[(bounds["target"] == "L") & (bounds["level"] == level)]
        assert row[name] == pytest.approx(rows["width"].mean())
    severe = {"fog-2": "mild", "fog-4": "severe"}
    cells, bounds = identify_records(frame, facts, severe)
    mild = frame[frame["condition"] != "fog-4"]
    targets = pd.DataFrame([pool_records(mild, facts, ["fog-2"])])
    assert lost_acceptance_checks(targets, cells, bounds)["largest_difference"].item() <= 1e-15
    assert lost_acceptance_checks(targets.assign(lost_acceptance=0.9), cells, bounds)["largest_difference"].item() > 0.1
