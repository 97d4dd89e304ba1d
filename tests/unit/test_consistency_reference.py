"""Reference measurements, their summaries, and regimes."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr

from pairedeval.consistency.quantities import REGIMES
from pairedeval.consistency.reference import (
    MEASURES,
    calibration_error,
    correlate_models,
    measure_models,
    summarise_models,
)
from pairedeval.consistency.regimes import count_regimes, name_regimes
from pairedeval.consistency.scores import trust_scores
from support.consistency_views import example_views


def loop_calibration_error(confidence: np.ndarray, correct: np.ndarray, bins: int) -> float:
    total = 0.0
    for number in range(bins):
        low, high = number / bins, (number + 1) / bins
        members = [place for place, value in enumerate(confidence) if low < value <= high]
        if members:
            excess = np.mean([correct[place] for place in members]) - np.mean([confidence[place] for place in members])
            total += len(members) / len(confidence) * abs(excess)
    return total


@pytest.mark.parametrize("bins", [1, 2, 15])
def test_calibration_error_equals_a_loop_over_bins(bins: int):
    generator = np.random.default_rng(bins)
    confidence = generator.uniform(0.1, 1, 200)
    correct = generator.random(200) < confidence**2
    assert calibration_error(confidence, correct, bins) == pytest.approx(
        loop_calibration_error(confidence, correct, bins)
    )


def test_calibration_error_at_the_edges():
    assert calibration_error(np.array([0.5, 0.5, 1.0]), np.array([True, False, True]), 2) == pytest.approx(0)
    # The lower bin holds 0.5: (|0.5 - 1| + |0.75 - 0|) / 2, not |1.25 - 1| / 2.
    assert calibration_error(np.array([0.5, 0.75]), np.array([True, False]), 2) == pytest.approx(0.625)
    assert calibration_error(np.array([0.0, 1.0]), np.array([False, True])) == 0


def test_measures_of_a_configuration_equal_an_independent_computation():
    views = example_views(seeds=3)
    found = measure_models(views)
    assert found.columns.tolist() == ["model", "group", "seed", *MEASURES, "images"]
    assert found["seed"].tolist() == [1, 2, 3]
    judged = np.array(views.splits) == "evaluation"
    for _, row in found.iterrows():
        logits = views.at_level(1, "clean")[row["seed"] - 1][:, judged]
        trust = trust_scores(logits)
        right = logits[0].argmax(axis=-1) == views.labels[judged]
        expected = {
            "accuracy": right.mean(),
            "mean_confidence": trust["msp"].mean(),
            "stability": trust["stability"].mean(),
            "deviation": -trust["deviation"].mean(),
            "consistency": trust["consistency"].mean(),
            "total_variation": 1 - (2 * trust["consistency_tv"] - trust["stability"]).mean(),
            "rescaled_deviation": 1 - (2 * trust["consistency_rescaled"] - trust["stability"]).mean(),
            "gap": right.mean() - trust["consistency"].mean(),
            "calibration_error": loop_calibration_error(trust["msp"], right, 15),
            "images": judged.sum(),
        }
        assert row[list(expected)].to_dict() == pytest.approx(expected, abs=1e-12)


def test_gap_is_mean_instability_minus_error_rate():
    found = measure_models(example_views(seeds=3))
    np.testing.assert_allclose(found["gap"], (1 - found["consistency"]) - (1 - found["accuracy"]), atol=1e-12)


def test_rare_classes_widen_the_gap():
    natural, rare = (measure_models(example_views(kind, seeds=3))["gap"].mean() for kind in ("levels", "rare"))
    assert rare < natural < 0


def models_table(**gaps: list[float]) -> pd.DataFrame:
    """Build runs of configurations from their gaps; other measures follow from the gap."""
    rows = [
        {"model": model, "group": "a", "seed": seed, **dict.fromkeys(MEASURES, gap), "consistency": 1 - gap}
        for model, values in gaps.items()
        for seed, gap in enumerate(values, start=1)
    ]
    return pd.DataFrame(rows)


def test_summary_of_configurations():
    found = summarise_models(models_table(m=[0.1, 0.3], n=[0.2, 0.2])).set_index("model")
    assert found["gap"].tolist() == pytest.approx([0.2, 0.2])
    assert found["consistency"].tolist() == pytest.approx([0.8, 0.8])
    # Two values 0.2 apart: 0.2 / sqrt(2).
    assert found["gap_spread"].tolist() == pytest.approx([0.2 / np.sqrt(2), 0])
    assert found["consistency_spread"].tolist() == pytest.approx([0.2 / np.sqrt(2), 0])
    assert found["seeds"].tolist() == [2, 2]
    assert np.isnan(summarise_models(models_table(m=[0.1])).loc[0, "gap_spread"])


def test_correlations_are_over_means_of_configurations():
    models = pd.concat([measure_models(example_views(model=name)) for name in ("k", "l", "m", "n")], ignore_index=True)
    found = correlate_models(models).set_index(["first", "second"])
    means = models.groupby("model")[[*MEASURES]].mean()
    for (first, second), row in found.iterrows():
        expected = np.corrcoef(means[first], means[second])[0, 1]
        assert row["correlation"] == pytest.approx(expected)
        assert row["p_value"] == pytest.approx(pearsonr(means[first], means[second]).pvalue)
        assert row["configurations"] == 4


def test_correlations_without_variation_are_undefined():
    for models in (models_table(m=[0.1], n=[0.2]), models_table(m=[0.1], n=[0.1], o=[0.1])):
        assert correlate_models(models)[["correlation", "p_value"]].isna().all(axis=None)


def test_regimes_of_configurations():
    models = models_table(steady=[-0.3, -0.1], changing=[-0.04, -0.04], even=[0.05, -0.05], above=[0.2, 0.3])
    found = name_regimes(models)
    assert found.columns.tolist() == ["model", "group", "tolerance", "gap", "regime", "changes"]
    names = found.groupby("model", sort=False)["regime"].agg(list)
    dominant, balanced, accurate = REGIMES
    assert names["steady"] == [dominant] * 4
    assert names["changing"] == [dominant, dominant, balanced, balanced]
    assert names["even"] == [balanced] * 4
    assert names["above"] == [accurate] * 4
    assert found.loc[found["changes"], "model"].unique().tolist() == ["changing"]
    counts = count_regimes(found).set_index(["tolerance", "regime"])
    assert counts.loc[0.02, "configurations"].to_dict() == {dominant: 2, balanced: 1, accurate: 1}
    assert counts.loc[0.10, "configurations"].to_dict() == {dominant: 1, balanced: 2, accurate: 1}
    assert set(counts["of"]) == {4}
    assert set(counts["changing"]) == {1}


def test_regimes_that_nobody_has_are_counted():
    counts = count_regimes(name_regimes(models_table(m=[0.0]), tolerances=[0.05]))
    assert counts["configurations"].tolist() == [0, 1, 0]
    assert counts["regime"].tolist() == list(REGIMES)
