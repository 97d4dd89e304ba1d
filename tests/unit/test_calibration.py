"""Platt scaling, isotonic regression, and acceptance events under both kinds of protocol."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from pairedeval.identification.calibration import (
    IsotonicScaling,
    PlattScaling,
    calibrate_source,
    calibrated_events,
    fit_calibrators,
    summarise_calibration,
)
from pairedeval.records import Predictions, RecordBlock, block, write_records
from pairedeval.states import acceptance_threshold


def random_block(seed: int, images: int = 200, conditions: int = 3, saturated: float = 0.0) -> RecordBlock:
    """Draw overconfident records, the most confident share of them with confidence 1."""
    random = np.random.default_rng(seed)

    def side(shape: tuple[int, ...]) -> Predictions:
        odds = random.normal(1, 1.5, shape)
        correct = random.random(shape) < expit(odds)
        confidence = np.where(odds > np.quantile(odds, 1 - saturated), 1.0, np.maximum(expit(2 * odds + 1), 0.1))
        return Predictions(np.where(correct, 0, 1), confidence, np.where(correct, confidence, 0.0))

    names = tuple(f"c{number}" for number in range(conditions))
    labels = np.zeros(images, dtype=int)
    return RecordBlock(labels, np.arange(images), names, side((images,)), side((conditions, images)))


def test_platt_scaling_maximises_the_likelihood_of_platts_targets():
    development = random_block(1)
    correct = development.clean.prediction == 0
    found = PlattScaling.fit(development.clean.confidence, correct)
    odds = logit(development.clean.confidence)
    target = np.where(correct, (correct.sum() + 1) / (correct.sum() + 2), 1 / ((~correct).sum() + 2))

    def loss(coefficients: np.ndarray) -> float:
        score = coefficients[0] * odds + coefficients[1]
        return float((target * np.logaddexp(0, -score) + (1 - target) * np.logaddexp(0, score)).sum())

    best = minimize(loss, [1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).x
    assert (found.slope, found.intercept) == pytest.approx(tuple(best), abs=1e-5)
    # The likelihood equations: scaled probabilities agree with the targets on average, also weighted by log-odds.
    residual = expit(found.score(development.clean.confidence)) - target
    assert (residual.sum(), (residual * odds).sum()) == pytest.approx((0, 0), abs=1e-5)


def test_separated_errors_leave_the_coefficients_finite():
    found = PlattScaling.fit(np.array([0.3, 0.4, 0.8, 0.9]), np.array([False, False, True, True]))
    assert 0 < found.slope < 10
    assert abs(found.intercept) < 10


def test_a_saturated_confidence_stays_on_top():
    found = PlattScaling(slope=2.0, intercept=-1.0)
    scores = found.score(np.array([0.0, 0.5, 1 - 1e-16, 1.0, 1 + 1e-10]))
    assert scores[0] == -np.inf
    assert scores[1] == -1
    assert (np.diff(scores[:4]) > 0).all()
    assert scores[4] == scores[3] == np.inf
    assert found.threshold(0.5) == 0


def test_isotonic_scaling_pools_neighbours_that_are_out_of_order():
    found = IsotonicScaling.fit(np.array([0.2, 0.4, 0.6, 0.8]), np.array([False, True, False, True]))
    assert found.score(np.array([[0.1, 0.2], [0.4, 0.6], [0.8, 0.9]])).tolist() == [[0, 0], [0.5, 0.5], [1, 1]]


@pytest.mark.parametrize("saturated", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("coverage", [0.5, 0.8, 1.0])
def test_platt_scaling_keeps_decisions_under_a_coverage_target(saturated, coverage):
    for seed in range(5):
        events = calibrated_events(
            random_block(seed, saturated=saturated), random_block(100 + seed, saturated=0.3), coverage
        )
        platt = events[(events["score"] == "platt") & events["protocol"].str.startswith("Q")]
        assert platt["changed_decisions"].tolist() == [0, 0, 0]


def test_isotonic_ties_only_add_accepted_records_under_a_coverage_target():
    events = (
        calibrated_events(random_block(1), random_block(2)).set_index(["protocol", "score", "condition"]).sort_index()
    )
    raw, isotonic = (events.loc[("Q80", score), "perturbed_coverage"] for score in ("raw", "isotonic"))
    assert (isotonic >= raw).all()
    assert (events.loc[("Q80", "isotonic"), "changed_decisions"] > 0).any()


def test_events_equal_a_count_record_by_record():
    development, evaluation = random_block(3), random_block(4)
    found = calibrated_events(development, evaluation).set_index(["protocol", "score", "condition"]).sort_index()
    platt = fit_calibrators(development)["platt"]
    probability = {
        "raw": lambda confidence: confidence,
        "platt": lambda confidence: 1 / (1 + np.exp(-platt.slope * logit(confidence) - platt.intercept)),
    }
    frozen = acceptance_threshold(development.clean.confidence)
    for score, scale in probability.items():
        for protocol, threshold in {
            "Q80": scale(np.array([frozen]))[0] - 1e-12,
            "A0.9": 0.9,
            "A0.7": 0.7,
            "A0.5": 0.5,
        }.items():
            for place, condition in enumerate(evaluation.conditions):
                pairs = zip(
                    evaluation.clean.prediction,
                    scale(evaluation.clean.confidence) >= threshold,
                    evaluation.perturbed.prediction[place],
                    scale(evaluation.perturbed.confidence[place]) >= threshold,
                    strict=True,
                )
                transitions = losses = accepted = errors = 0
                for before, kept, after, still in pairs:
                    transitions += before == 0 and kept and after != 0 and still
                    losses += before == 0 and kept and after == 0 and not still
                    accepted += still
                    errors += still and after != 0
                row = found.loc[(protocol, score, condition)]
                assert row["accepted_error_transition"] == pytest.approx(transitions / 200)
                assert row["lost_acceptance"] == pytest.approx(losses / 200)
                assert row["perturbed_coverage"] == pytest.approx(accepted / 200)
                assert row["selective_risk"] == pytest.approx(errors / accepted)


def test_nothing_accepted_has_no_selective_risk():
    evaluation = random_block(2)
    low = Predictions(evaluation.perturbed.prediction, np.full((3, 200), 0.2), np.full((3, 200), 0.2))
    evaluation = RecordBlock(evaluation.labels, evaluation.image_ids, evaluation.conditions, evaluation.clean, low)
    events = calibrated_events(random_block(1), evaluation).set_index(["protocol", "score"]).sort_index()
    assert events.loc[("A0.9", "raw"), "perturbed_coverage"].tolist() == [0, 0, 0]
    assert events.loc[("A0.9", "raw"), "selective_risk"].isna().all()


@pytest.mark.parametrize("degenerate", ["all correct", "all wrong", "equally confident"])
def test_without_contrast_only_raw_scores_are_judged(degenerate):
    development = random_block(1)
    clean = development.clean
    if degenerate == "equally confident":
        clean = Predictions(clean.prediction, np.full(200, 1.0), clean.true_class_probability)
    else:
        prediction = np.full(200, 0 if degenerate == "all correct" else 1)
        clean = Predictions(prediction, clean.confidence, clean.true_class_probability)
    development = RecordBlock(
        development.labels, development.image_ids, development.conditions, clean, development.perturbed
    )
    events = calibrated_events(development, random_block(2))
    assert events.groupby("score")["perturbed_coverage"].count().to_dict() == {"isotonic": 0, "platt": 0, "raw": 12}


def test_the_label_of_the_protocol_names_its_coverage():
    events = calibrated_events(random_block(1), random_block(2), coverage=0.875, thresholds=[0.25])
    assert events["protocol"].unique().tolist() == ["Q87.5", "A0.25"]


def test_files_are_calibrated_in_their_order(records, tmp_path):
    paths = [tmp_path / f"{model}.parquet" for model in ("z", "a")]
    for path in paths:
        write_records(records, path, {"source": "es", "model": path.stem, "group": "g"})
    events = calibrate_source(paths)
    assert events.columns[:6].tolist() == ["source", "model", "group", "protocol", "score", "condition"]
    assert events["model"].unique().tolist() == ["z", "a"]
    # Both clean development records are correct: no calibrator.
    assert events.loc[events["score"] != "raw", "perturbed_coverage"].isna().all()
    assert len(block(records, "development").labels) == 2


def events(*rows) -> pd.DataFrame:
    """Build events from (model, score, H, risk, coverage, changed decisions)."""
    columns = [
        "model",
        "score",
        "accepted_error_transition",
        "selective_risk",
        "perturbed_coverage",
        "changed_decisions",
    ]
    return pd.DataFrame(rows, columns=columns).assign(source="es", protocol="Q80", lost_acceptance=0.1)


def test_means_skip_undefined_cells_and_count_them():
    table = events(
        ("a", "raw", 0.1, 0.2, 0.5, 0),
        ("a", "raw", 0.3, np.nan, 0.0, 0),
        ("b", "raw", 0.2, 0.4, 0.4, 0),
        ("a", "platt", 0.1, 0.2, 0.5, 0),
        ("a", "platt", 0.3, np.nan, 0.0, 1),
        ("b", "platt", np.nan, np.nan, np.nan, np.nan),
    )
    found = summarise_calibration(table).set_index("score")
    assert found.loc["raw", ["accepted_error_transition", "selective_risk"]].tolist() == pytest.approx([0.2, 0.3])
    counts = ["cells", "uncalibrated_cells", "without_risk", "models", "unchanged_models"]
    assert found.loc["raw", counts].tolist() == [3, 0, 1, 2, 2]
    assert found.loc["platt", counts].tolist() == [2, 1, 1, 1, 0]


def test_a_score_that_no_model_has_is_kept_as_undefined():
    table = events(("a", "raw", 0.1, 0.2, 0.5, 0), ("a", "platt", np.nan, np.nan, np.nan, np.nan))
    found = summarise_calibration(table).set_index("score")
    assert np.isnan(found.loc["platt", "accepted_error_transition"])
    assert found.loc["platt", ["models", "unchanged_models"]].tolist() == [0, 0]
