"""Fates of clean errors by probability gap, against a count image by image."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.files import write_table
from pairedeval.records import write_records
from pairedeval.report.tables_selective import table_probability_gap
from pairedeval.selective.probability_gap import GAP_GROUPS, gap_cutpoints, gap_group
from pairedeval.selective.summaries import summarise_gaps
from pairedeval.selective.tidy import EXCLUDED, measure_gaps

CLASSES, PER_CLASS, CONDITIONS = 3, 30, ("c0", "c1")
TIERS = pd.DataFrame({"condition": CONDITIONS, "tier": ["mild", "severe"]})


def random_records(seed: int, accuracy: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw records of one model, and its gaps, with ties at the cut points."""
    random = np.random.default_rng(seed)
    labels = np.repeat(np.arange(CLASSES), PER_CLASS)
    images = [f"image-{number:03d}" for number in range(len(labels))]
    split = np.where(np.arange(len(labels)) % 2 == 0, "development", "evaluation")
    sides = []
    for condition in ("clean", *CONDITIONS):
        right = random.random(len(labels)) < (accuracy if condition == "clean" else 0.5)
        prediction = np.where(right, labels, (labels + random.integers(1, CLASSES, len(labels))) % CLASSES)
        side = {"condition": condition, "image_id": images, "label": labels, "prediction": prediction, "split": split}
        sides.append(
            pd.DataFrame(side).assign(confidence=0.6, true_class_probability=np.where(prediction == labels, 0.6, 0.1))
        )
    gaps = pd.DataFrame({"image_id": images, "label": labels, "split": split})
    return pd.concat(sides), gaps.assign(margin=random.integers(0, 10, len(labels)) / 10).sample(
        frac=1, random_state=seed
    )


@pytest.fixture
def written(tmp_path):
    """Write two models: one with many clean errors, one with almost none."""
    found = {}
    for seed, (model, accuracy) in enumerate({"weak": 0.5, "strong": 0.97}.items()):
        records, gaps = random_records(seed, accuracy)
        write_records(records, tmp_path / f"{model}.parquet", {"source": "es", "model": model, "group": model})
        write_table(gaps, tmp_path / f"{model}-scores.parquet")
        found[model] = records, gaps
    return tmp_path, found


def counted(path, *models: str) -> pd.DataFrame:
    records, scores = ([path / f"{model}{end}.parquet" for model in models] for end in ("", "-scores"))
    return measure_gaps(records, scores, TIERS)


def test_fates_equal_a_count_image_by_image(written):
    path, found = written
    table = counted(path, "weak").set_index(["condition", "gap"])
    records, gaps = found["weak"]
    gap = dict(zip(gaps["image_id"], gaps["margin"], strict=True))
    clean = records[records["condition"] == "clean"].set_index("image_id")
    errors = clean[clean["prediction"] != clean["label"]]
    before, label = clean["prediction"], clean["label"]
    low, high = np.quantile([gap[image] for image in errors.index[errors["split"] == "development"]], [1 / 3, 2 / 3])
    for condition in CONDITIONS:
        after = records[records["condition"] == condition].set_index("image_id")["prediction"]
        counts = {
            name: {"images": 0, "correction": 0, "persistent_error": 0, "changed_error": 0} for name in GAP_GROUPS
        }
        for image in errors.index[errors["split"] == "evaluation"]:
            name = "low" if gap[image] < low else "middle" if gap[image] < high else "high"
            if after[image] == label[image]:
                fate = "correction"
            else:
                fate = "persistent_error" if after[image] == before[image] else "changed_error"
            counts[name]["images"] += 1
            counts[name][fate] += 1
        for name, expected in counts.items():
            assert table.loc[(condition, name), list(expected)].to_dict() == expected
    assert (table["images"] > 3).all()


def test_a_model_with_few_errors_is_excluded_and_counted(written):
    table = counted(written[0], "weak", "strong")
    assert table.loc[table["model"] == "strong", "gap"].unique().tolist() == [EXCLUDED]
    summary = summarise_gaps(table)
    assert set(summary["gap"]) == set(GAP_GROUPS)
    assert (summary[["models", "excluded_models"]] == 1).all(axis=None)


def test_six_errors_are_enough():
    assert gap_cutpoints(np.arange(5) / 10) is None
    assert gap_cutpoints(np.arange(6) / 10) == pytest.approx([1 / 6, 1 / 3])


def test_boundaries_belong_to_the_higher_group_also_when_they_coincide():
    assert gap_group(np.array([0.1, 0.3, 0.5]), np.array([0.3, 0.3])).tolist() == [0, 2, 2]


def test_events_are_pooled_over_models_and_conditions():
    names = ["model", "tier", "gap", "images", "correction", "persistent_error", "changed_error"]
    rows = [
        ("a", "mild", "low", 30, 15, 10, 5),
        ("a", "severe", "low", 30, 0, 0, 30),
        ("b", "mild", "low", 10, 0, 10, 0),
        ("b", "mild", "high", 0, 0, 0, 0),
        ("c", "mild", EXCLUDED, 5, 5, 0, 0),
    ]
    summary = summarise_gaps(pd.DataFrame(rows, columns=names).assign(source="es")).set_index(["tier", "gap"])
    mild = summary.loc[("mild", "low")]
    assert mild[["correction", "persistent_error", "changed_error"]].tolist() == pytest.approx(
        [15 / 40, 20 / 40, 5 / 40]
    )
    assert mild[["events", "models", "excluded_models"]].tolist() == [40, 2, 1]
    assert summary.loc[("all tiers", "low"), "events"] == 70
    assert summary.loc[("severe", "low"), "excluded_models"] == 0
    assert summary.loc[("mild", "high"), ["correction", "persistent_error", "changed_error"]].isna().all()
    assert summary.loc[("severe", "middle"), ["events", "models"]].tolist() == [0, 0]


def test_without_a_model_that_errs_often_enough_nothing_is_defined(written):
    summary = summarise_gaps(counted(written[0], "strong"))
    assert summary["gap"].tolist() == 3 * list(GAP_GROUPS)
    assert (summary[["events", "models"]] == 0).all(axis=None)
    assert (summary["excluded_models"] == 1).all()
    table = table_probability_gap(summary)
    assert table.notes[-1] == "Left out for fewer than six clean development errors: 1 model of ES."
    assert table.undefined == 27


def test_missing_gaps_and_other_labels_are_named(written):
    path, found = written
    gaps = found["weak"][1]
    write_table(gaps[gaps["image_id"] != "image-003"], path / "weak-scores.parquet")
    with pytest.raises(RecordsError, match=r"weak-scores\.parquet: no probability gap of image image-003"):
        counted(path, "weak")
    write_table(gaps.assign(label=gaps["label"] + (gaps["image_id"] == "image-005")), path / "weak-scores.parquet")
    with pytest.raises(RecordsError, match=r"weak-scores\.parquet: image image-005 has another label"):
        counted(path, "weak")
