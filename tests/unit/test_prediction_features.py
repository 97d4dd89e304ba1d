"""Features of synthetic responses and targets of real ones, from record files."""

import math

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.prediction.feature_sets import (
    DELETED_SETS,
    INDEPENDENT,
    PAIRED,
    PERMUTED,
    STEPS,
    SUMMARIES,
    TARGETS,
    UNPAIRED,
    comparisons,
    feature_set_table,
    feature_sets,
)
from pairedeval.prediction.features import SPLITS, describe_source
from pairedeval.prediction.independent import independent_summaries
from pairedeval.prediction.permuted import class_permutations, permuted_block
from pairedeval.prediction.targets import pool_source
from pairedeval.records import EVALUATION, block, write_records
from pairedeval.states import acceptance_threshold, cell_metrics

CONDITIONS = ("c-0", "c-1", "c-2")


def simulated_records(seed: int, conditions: tuple[str, ...] = CONDITIONS) -> pd.DataFrame:
    """Draw records of four classes, 16 development and 24 evaluation images."""
    random = np.random.default_rng(seed)
    rows = []
    for condition in ("clean", *conditions):
        for place in range(40):
            label, correct = place % 4, random.random() < 0.7
            # Few distinct values, so that there are ties.
            confidence = round(0.3 + 0.7 * random.random(), 1)
            prediction = label if correct else (label + random.integers(1, 4)) % 4
            facts = {"condition": condition, "image_id": f"image-{place:02}", "label": label, "prediction": prediction}
            split = "development" if place < 16 else "evaluation"
            truth = confidence if correct else 0.1 * (label > 0)
            rows.append({**facts, "split": split, "confidence": confidence, "true_class_probability": truth})
    return pd.DataFrame(rows)


def write_source(folder, frames, source="syn"):
    paths = []
    for number, frame in enumerate(frames):
        paths.append(folder / f"m{number}.parquet")
        write_records(frame, paths[-1], {"source": source, "model": f"m{number}", "group": f"g{number}"})
    return paths


def side_by_hand(frame, condition):
    """Return label, prediction, confidence and true-class probability of the images of one condition."""
    rows = frame[frame["condition"] == condition].sort_values("image_id")
    return rows[["label", "prediction", "confidence", "true_class_probability"]].to_numpy().T


@pytest.mark.parametrize("source", SPLITS)
def test_features_are_means_over_conditions_with_equal_weights(tmp_path, source):
    frame = simulated_records(3)
    found = describe_source(write_source(tmp_path, [frame], source), SPLITS[source], seed=1)
    value = found.set_index(["form", "replicate", "feature"])["value"]
    images = frame if source == "syn" else frame[frame["split"] == "development"]
    development = frame[(frame["split"] == "development") & (frame["condition"] == "clean")]
    threshold = sorted(development["confidence"])[-13]  # 0.8 * 16 = 12.8, rounded
    label, prediction, confidence, truth = side_by_hand(images, "clean")
    assert value[UNPAIRED, 0, "clean_accuracy"] == pytest.approx((prediction == label).mean())
    assert value[UNPAIRED, 0, "clean_confidence"] == pytest.approx(confidence.mean())
    assert value[UNPAIRED, 0, "clean_correct_probability"] == pytest.approx(truth[prediction == label].mean())
    expected: dict[str, list[float]] = {}
    for condition in CONDITIONS:
        _, moved, score, probability = side_by_hand(images, condition)
        right, accepted = moved == label, score >= threshold
        for name, number in {
            "perturbed_accuracy": right.mean(),
            "perturbed_confidence": score.mean(),
            "perturbed_correct_probability": probability[right].mean(),
            "log_loss": -np.mean([math.log(max(share, 1e-6)) for share in probability]),
            "accepted_error": (~right & accepted).mean(),
            "rejected_correct": (right & ~accepted).mean(),
            "label_change_rate": (moved != prediction).mean(),
            "absolute_confidence_change": np.abs(score - confidence).mean(),
            "confidence_correlation": np.corrcoef(score, confidence)[0, 1],
            "confidence_drop": (truth - probability)[right & (prediction == label)].mean(),
            "lost_acceptance": (right & (prediction == label) & (confidence >= threshold) & ~accepted).mean(),
        }.items():
            expected.setdefault(name, []).append(float(number))
    for name, numbers in expected.items():
        assert value[PAIRED if name in SUMMARIES else UNPAIRED, 0, name] == pytest.approx(np.mean(numbers)), name


def test_every_form_has_its_features_once(tmp_path):
    found = describe_source(write_source(tmp_path, [simulated_records(1), simulated_records(2)]), SPLITS["syn"], seed=1)
    assert list(found.columns) == ["source", "model", "group", "form", "replicate", "feature", "value", "undefined"]
    assert not found.duplicated(["model", "form", "replicate", "feature"]).any()
    assert found.groupby("form").size().to_dict() == {
        UNPAIRED: 2 * 10,
        PAIRED: 2 * 8,
        INDEPENDENT: 2 * 8,
        PERMUTED: 2 * 8 * 20,
    }
    assert set(found.loc[found["form"] == PERMUTED, "replicate"]) == set(range(1, 21))


def test_summaries_of_absent_states_are_left_out_and_counted(tmp_path):
    frame = simulated_records(4)
    # In one condition nothing is correct, in none of them an error changes.
    frame.loc[frame["condition"] == "c-0", "prediction"] = (frame["label"] + 1) % 4
    frame.loc[frame["condition"] != "c-0", "prediction"] = frame["label"]
    right = frame["prediction"] == frame["label"]
    frame["true_class_probability"] = np.where(right, frame["confidence"], 0.1)
    found = describe_source(write_source(tmp_path, [frame]), SPLITS["syn"], seed=1)
    found = found[found["form"].isin([PAIRED, INDEPENDENT])].set_index(["form", "feature"])
    for form in (PAIRED, INDEPENDENT):
        assert found.loc[(form, "confidence_drop"), "undefined"] == 1
        assert found.loc[(form, "changed_confidence_decrease"), "undefined"] == 3
        assert math.isnan(found.loc[(form, "changed_confidence_decrease"), "value"])
        assert not math.isnan(found.loc[(form, "confidence_drop"), "value"])


def test_permuted_summaries_average_towards_the_counterparts():
    frame = simulated_records(5)
    records = block(frame, EVALUATION)
    expected = independent_summaries(records, 0.6)
    orders = class_permutations(records, 7, "syn", replicates=600)
    tables = [cell_metrics(permuted_block(records, order), 0.6) for order in orders]
    for name in ("label_change_rate", "absolute_confidence_change", "retained_correct", "lost_acceptance"):
        mean, spread = (how([table[name] for table in tables], axis=0) for how in (np.mean, np.std))
        assert np.abs(mean - expected[name]).max() < 4 * (spread / np.sqrt(600)).max() + 1e-12, name


def test_permutations_depend_on_seed_source_and_condition_alone():
    records = block(simulated_records(6), EVALUATION)
    order = class_permutations(records, 7, "syn")
    assert order.shape == (20, 3, 24)
    assert np.array_equal(class_permutations(records, 7, "syn", replicates=3), order[:3])
    fewer = block(simulated_records(6, CONDITIONS[1:]), EVALUATION)
    assert np.array_equal(class_permutations(fewer, 7, "syn"), order[:, 1:])
    for other in (class_permutations(records, 8, "syn"), class_permutations(records, 7, "syn_b")):
        assert not np.array_equal(other, order)
    # Two images a class stay in place half of the time: the identity is allowed.
    assert 0.1 < (order == np.arange(24)).mean() < 0.25


def test_other_images_than_in_the_first_model_are_refused(tmp_path):
    renamed = simulated_records(2).replace({"image_id": {"image-00": "image-99"}})
    paths = write_source(tmp_path, [simulated_records(1), renamed])
    with pytest.raises(RecordsError, match=r"m1.parquet: other images or conditions than in the first model"):
        describe_source(paths, SPLITS["syn"], seed=1)


def test_targets_pool_the_counts_of_mild_conditions(tmp_path):
    frame = simulated_records(8)
    tiers = pd.DataFrame({"condition": [*CONDITIONS], "tier": ["mild", "severe", "mild"]})
    row = pool_source(write_source(tmp_path, [frame], "es"), tiers).iloc[0]
    assert row[["source", "model", "group", "conditions", "images"]].tolist() == ["es", "m0", "g0", 2, 24]
    development = frame[(frame["split"] == "development") & (frame["condition"] == "clean")]
    threshold = acceptance_threshold(development["confidence"].to_numpy())
    evaluation = frame[frame["split"] == "evaluation"]
    label, prediction, confidence, _ = side_by_hand(evaluation, "clean")
    counts = np.zeros(4)
    for condition in ("c-0", "c-2"):
        _, moved, score, _ = side_by_hand(evaluation, condition)
        right, accepted = moved == label, score >= threshold
        order = np.argsort(-score, kind="stable")
        # The mean over both ends of the ties is not the expectation; several random orders come close to it.
        shuffled = [
            order[np.argsort(-score[order] + 1e-9 * np.random.default_rng(seed).random(24))][:19]
            for seed in range(4000)
        ]
        errors = np.mean([(~right[chosen]).sum() for chosen in shuffled])
        lost = right & (prediction == label) & (confidence >= threshold) & ~accepted
        counts += right.sum(), errors, (~right & accepted).sum(), lost.sum()
    found = row[list(TARGETS)].to_numpy(dtype=float)
    assert found[[0, 2, 3]] == pytest.approx(counts[[0, 2, 3]] / 48)
    assert found[1] == pytest.approx(counts[1] / 38, abs=2e-3)


def test_targets_need_a_mild_condition(tmp_path):
    tiers = pd.DataFrame({"condition": [*CONDITIONS], "tier": "severe"})
    with pytest.raises(RecordsError, match="no condition is mild"):
        pool_source(write_source(tmp_path, [simulated_records(1)], "es"), tiers)


def test_targets_need_every_mild_condition(tmp_path):
    tiers = pd.DataFrame({"condition": ["c-0", "c-9"], "tier": "mild"})
    with pytest.raises(RecordsError, match=r"m0.parquet: no records of condition c-9; infer it first"):
        pool_source(write_source(tmp_path, [simulated_records(1)], "es"), tiers)


def test_sets_follow_table_42():
    accuracy, risk = feature_sets("perturbed_accuracy"), feature_sets("selective_risk")
    sizes = {"B0": 2, "B1": 9, "B_ind": 17, "C1": 12, "C2": 13, "C3a": 14, "C3b": 16, "C4": 17}
    assert {name: len(risk[name]) for name in sizes} == sizes
    assert {name: len(accuracy[name]) for name in sizes} == {
        name: size - (name != "B0") for name, size in sizes.items()
    }
    assert set(risk["B1"]) - set(accuracy["B1"]) == {(UNPAIRED, "selective_risk")}
    assert (UNPAIRED, "rejected_correct") in feature_sets("lost_acceptance")["B1"]
    assert set(DELETED_SETS) < set(risk)
    for columns in risk.values():
        assert len(set(columns)) == len(columns)


def test_controls_differ_in_the_step_alone():
    sets = feature_sets("accepted_error")
    for comparison in comparisons():
        before, after = set(sets[comparison.baseline]), set(sets[comparison.extended])
        if comparison.name in ("controlled", "augmented", "total"):
            assert after - before == {(PAIRED, name) for name in STEPS[comparison.step]}
            assert before < after
        if comparison.name == "controlled":
            assert before >= {(INDEPENDENT, name) for name in STEPS[comparison.step]}
        if comparison.name == "shuffled":
            assert before - after == {(PERMUTED, name) for name in STEPS[comparison.step]}
            assert len(before) == len(after)


def test_the_list_of_sets_names_what_each_adds():
    table = feature_set_table().set_index("feature_set")
    assert table.loc["B0", "builds_on"] == ""
    assert table.loc["C2", ["builds_on", "added"]].tolist() == ["C1", "paired:retained_correct"]
    assert table.loc["B1", "added"].endswith("unpaired:target_risk")
    assert table.loc["B_ind", ["features_accuracy", "features_risk"]].tolist() == [16, 17]
