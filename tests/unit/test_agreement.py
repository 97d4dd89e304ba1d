"""Agreement of two inference runs, against values made by hand."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.inference.store import records_frame
from pairedeval.probes import Probes, write_probes
from pairedeval.records import write_records
from pairedeval.scoring import LOGITS, score_common
from pairedeval.screening.agreement import compare_runs, summarise_agreement

IMAGES, CLASSES = 200, 4
VARIANTS = ("clean", "fog-2")


def probes_of(model: str, scale: float = float("nan")) -> Probes:
    """Draw logits of a model; its images are not sorted."""
    random = np.random.default_rng(ord(model))
    return Probes(
        outputs=random.normal(size=(len(VARIANTS), IMAGES, CLASSES)).astype(np.float32),
        outside=np.full((len(VARIANTS), IMAGES), -np.inf),
        variants=VARIANTS,
        image_ids=tuple(f"image-{place:03d}" for place in random.permutation(IMAGES)),
        labels=random.integers(0, CLASSES, IMAGES).astype(np.int32),
        splits=("development", "evaluation") * (IMAGES // 2),
        candidates=("n0", "n1", "n2", "n3"),
        scoring=LOGITS,
        scale=scale,
        bias=float("nan"),
        metadata={"study": "small", "model": model, "group": "g"},
    )


def records_of(probes: Probes, conditions=("clean", "l1-k01")) -> pd.DataFrame:
    """Return what a second run that repeats the first exactly records; captures have outputs of their own."""
    frames = []
    for condition in conditions:
        outputs = probes.outputs[VARIANTS.index(condition) if condition in VARIANTS else 1]
        scores = score_common(outputs, probes.labels, probes.scoring)
        frames.append(records_frame(condition, probes.image_ids, probes.labels, probes.splits, scores))
    return pd.concat(frames, ignore_index=True)


@pytest.fixture
def write(tmp_path):
    """Write probes or records of a model, and return the path."""

    def written(thing, source="", model="a"):
        if isinstance(thing, Probes):
            path = tmp_path / f"probes/{thing.metadata['model']}.npz"
            write_probes(thing, path)
        else:
            path = tmp_path / f"records/{source}/{model}.parquet"
            write_records(thing, path, {"source": source, "model": model, "group": "g"})
        return path

    return written


def test_an_exact_repetition_agrees(write):
    probes = probes_of("a")
    records = [write(records_of(probes), "es"), write(records_of(probes, ("clean", "fog-2")), "diverse")]
    found = compare_runs([write(probes)], records)
    assert found[["model", "source", "condition"]].values.tolist() == [
        ["a", "es", "clean"],
        ["a", "diverse", "clean"],
        ["a", "diverse", "fog-2"],
    ]
    assert (found["images"] == IMAGES).all()
    assert (found["prediction_agreement"] == 1).all()
    assert (found["probability_difference"] < 1e-15).all()
    assert (found["accuracy_difference"] == 0).all()


def test_differences_are_measured(write):
    """Three predictions move, two of them from right to wrong; every confidence falls by a hundredth."""
    probes = probes_of("a")
    records = records_of(probes)
    clean = records["condition"] == "clean"
    right = records.index[clean & (records["prediction"] == records["label"])]
    wrong = records.index[clean & (records["prediction"] != records["label"])]
    # Another wrong answer needs a class that is neither the label nor the first answer.
    moved = wrong[records.loc[wrong, "label"].isin([0, 1]) & records.loc[wrong, "prediction"].isin([0, 1])][:1]
    records.loc[right[:2], "prediction"] = (records.loc[right[:2], "label"] + 1) % CLASSES
    records.loc[moved, "prediction"] = 2
    unchanged = wrong.difference(moved)
    records.loc[unchanged, "confidence"] += 0.01
    records.loc[unchanged, "confidence"] = records.loc[unchanged, "confidence"].clip(upper=1)
    scored = score_common(probes.outputs[0], probes.labels, LOGITS)
    before = pd.Series(scored.confidence, list(probes.image_ids))
    after = records[clean].set_index("image_id")["confidence"]
    found = compare_runs([write(probes)], [write(records, "es")]).iloc[0]
    assert found["prediction_agreement"] == pytest.approx(1 - 3 / IMAGES)
    assert found["accuracy_difference"] == pytest.approx(2 / IMAGES)
    assert found["probability_difference"] == pytest.approx((after - before).abs().mean())
    assert found["probability_difference"] > 0.001


def test_the_worst_of_each_implementation_is_reported():
    rows = [
        # model, agreement, probability difference, accuracy difference, scale
        ("a", 1.0, 0.0, 0.0, np.nan),
        ("b", 0.995, 0.002, 0.001, 30.0),
        ("b", 0.99, 0.01, 0.005, 30.0),
        ("c", 0.989, 0.0, 0.0, 100.0),
        ("d", 1.0, 0.0101, 0.0, 14.0),
        ("e", 1.0, 0.0, 0.0051, 50.0),
    ]
    names = ["model", "prediction_agreement", "probability_difference", "accuracy_difference", "scale"]
    compared = pd.DataFrame(rows, columns=names).assign(source="es", condition="clean")
    libraries = {"b": "open_clip", "a": "timm", **dict.fromkeys("cde", "open_clip"), "absent": "linear"}
    found = summarise_agreement(compared, libraries).set_index("library")
    assert found.index.tolist() == ["open_clip", "timm"]
    assert found.loc["open_clip"].to_dict() == {
        "models": 4,
        "conditions": 2,
        "prediction_agreement": 0.989,
        "probability_difference": 0.0101,
        "accuracy_difference": 0.0051,
        "scale_lowest": 14.0,
        "scale_highest": 100.0,
        "within_tolerance": 1,
    }
    assert found.loc["timm", ["models", "within_tolerance"]].tolist() == [1, 1]
    assert np.isnan(found.loc["timm", ["scale_lowest", "scale_highest"]].astype(float)).all()


def test_scales_come_from_the_probes(write):
    probes = probes_of("b", scale=42.5)
    found = compare_runs([write(probes)], [write(records_of(probes), "es", "b")])
    assert found["scale"].tolist() == [42.5]


def test_runs_that_cannot_be_compared_are_refused(write):
    probes = probes_of("a")
    path, records = write(probes), records_of(probes)
    with pytest.raises(RecordsError, match=r"a.npz: no records of a to compare with; infer the recaptures"):
        compare_runs([path], [write(records_of(probes_of("b")), "es", "b")])
    with pytest.raises(RecordsError, match=r"a.parquet: no clean records to compare with the probes; infer"):
        compare_runs([path], [write(records[records["condition"] != "clean"], "es")])
    for other in (records[records["image_id"] != "image-007"], records.replace("image-007", "image-999")):
        with pytest.raises(RecordsError, match=r"a.parquet: condition clean: other images than those of the probes"):
            compare_runs([path], [write(other, "es")])
