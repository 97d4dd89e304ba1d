"""Responses to probes: scored from outputs, kept in two tables, and set beside the records of a half."""

import math
from dataclasses import replace

import numpy as np
import pytest

from pairedeval.errors import PairedEvalError, RecordsError
from pairedeval.files import write_table
from pairedeval.probes import Probes
from pairedeval.records import EVALUATION, Predictions, RecordBlock
from pairedeval.scoring import COSINE, LOGITS, common_probabilities, score_common, score_native
from pairedeval.screening.probe_sets import ProbeSets, read_probe_sets
from pairedeval.screening.responses import (
    Responses,
    align,
    arrange,
    read_responses,
    respond,
    score_images,
)

VARIANTS = ("clean", "fog-2", "fog-4", "flip", "zoom")
SETS = ProbeSets(
    primary=("fog-2", "fog-4"),
    corruptions_all=("fog-2", "fog-4"),
    fixed=("flip", "zoom"),
    transforms_all=("flip", "zoom"),
    types=("fog", "fog"),
    severities=(2, 4),
)
IMAGES = ("d", "b", "a", "c", "f", "e")


def probes_of(kind: str, bias: float = float("nan")) -> Probes:
    generator = np.random.default_rng(11)
    outputs = generator.normal(size=(5, 6, 4)) * (0.02 if kind == COSINE else 1.5)
    return Probes(
        outputs=outputs.astype(np.float32),
        outside=generator.normal(size=(5, 6)) if kind == LOGITS else np.full((5, 6), -np.inf),
        variants=VARIANTS,
        image_ids=IMAGES,
        labels=np.array([0, 1, 0, 1, 2, 3], dtype=np.int32),
        splits=("development", "evaluation") * 3,
        candidates=("n0", "n1", "n2", "n3"),
        scoring=kind,
        scale=30.0 if kind == COSINE else float("nan"),
        bias=bias,
        metadata={"study": "small", "model": "vit", "group": "transformers"},
    )


@pytest.fixture
def probes() -> Probes:
    return probes_of(LOGITS)


@pytest.fixture
def responses(probes) -> Responses:
    return arrange(respond(probes), score_images(probes, SETS), probes.metadata)


def block_of(responses: Responses, order: list[int], labels: np.ndarray | None = None) -> RecordBlock:
    """Return records of some images, given by position, under two real conditions."""
    labels = responses.labels[order] if labels is None else labels
    wrong = (labels + 1) % 4
    share = np.full(len(order), 0.5)
    prediction = np.where(np.arange(len(order)) == 1, wrong, labels)
    return RecordBlock(
        labels=labels,
        image_ids=responses.image_ids[order],
        conditions=("l1-k01", "l1-k02"),
        clean=Predictions(prediction, share, share),
        perturbed=Predictions(np.stack([labels, wrong]), np.stack([share, share]), np.stack([share, share])),
    )


@pytest.mark.parametrize("case", [(LOGITS, float("nan")), (COSINE, float("nan")), (COSINE, -1.5)])
def test_responses_are_scored_by_both_rules(case):
    probes = probes_of(*case)
    frame = respond(probes)
    assert frame["condition"].tolist() == [variant for variant in VARIANTS for _ in IMAGES]
    assert frame["image_id"].tolist() == list(IMAGES) * 5
    assert frame["label"].tolist() == probes.labels.tolist() * 5
    assert frame["split"].tolist() == list(probes.splits) * 5
    common = score_common(probes.outputs, probes.labels, probes.scoring)
    native = score_native(probes.outputs, probes.labels, probes.scoring, probes.scale, probes.bias, probes.outside)
    expected = {
        "prediction": common.prediction,
        "confidence": common.confidence,
        "true_class_probability": common.true_class_probability,
        "native_confidence": native.confidence,
        "native_true_class_probability": native.true_class_probability,
    }
    assert np.abs(common.confidence - native.confidence).min() > 1e-6
    for column, values in expected.items():
        np.testing.assert_array_equal(frame[column], values.ravel())


@pytest.mark.parametrize("kind", [LOGITS, COSINE])
def test_common_probabilities_fit_the_scores(kind):
    probes = probes_of(kind)
    probabilities = common_probabilities(probes.outputs, kind)
    assert probabilities.sum(axis=-1) == pytest.approx(np.ones((5, 6)))
    common = score_common(probes.outputs, probes.labels, kind)
    assert probabilities.max(axis=-1) == pytest.approx(common.confidence, abs=1e-15)


def test_image_scores_written_out(probes):
    found = score_images(probes, SETS)
    assert found["image_id"].tolist() == list(IMAGES)
    for image in range(6):
        logits = probes.outputs[0, image].astype(float).tolist()
        shares = sorted(math.exp(value) / sum(map(math.exp, logits)) for value in logits)
        assert found["margin"][image] == pytest.approx(shares[-1] - shares[-2], abs=1e-12)
        assert found["entropy"][image] == pytest.approx(-sum(p * math.log(p) for p in shares), abs=1e-12)


def test_saturated_images_have_no_entropy(probes):
    outputs = probes.outputs.copy()
    outputs[0, 0] = [900.0, 0.0, 0.0, 0.0]
    found = score_images(replace(probes, outputs=outputs), SETS).iloc[0]
    assert (found["margin"], found["entropy"]) == (1.0, 0.0)


def test_each_alignment_uses_its_own_probes(probes):
    whole = score_images(probes, SETS)
    outputs = probes.outputs.copy()
    outputs[3:] = outputs[:1]
    changed = score_images(replace(probes, outputs=outputs), SETS)
    np.testing.assert_array_equal(changed["alignment_corruption"], whole["alignment_corruption"])
    # Probes that repeat the clean outputs leave the clean probability.
    clean = score_common(probes.outputs[0], probes.labels, LOGITS).confidence
    np.testing.assert_allclose(changed["alignment_natural"], clean, atol=1e-12)
    assert np.abs(whole["alignment_natural"] - clean).max() > 0.1


def test_round_trip_through_files(probes, responses, tmp_path):
    write_table(respond(probes), tmp_path / "responses.parquet", probes.metadata)
    write_table(score_images(probes, SETS), tmp_path / "scores.parquet", probes.metadata)
    again = read_responses(tmp_path / "responses.parquet", tmp_path / "scores.parquet")
    assert (again.model, again.group, again.conditions) == ("vit", "transformers", VARIANTS[1:])
    for name in ("image_ids", "labels", "splits"):
        np.testing.assert_array_equal(getattr(again, name), getattr(responses, name))
    np.testing.assert_array_equal(
        again.clean.confidence, score_common(probes.outputs, probes.labels, LOGITS).confidence[0]
    )
    for side in ("clean", "perturbed", "native_clean", "native_perturbed"):
        for name in Predictions.__dataclass_fields__:
            stored, expected = (getattr(getattr(one, side), name) for one in (again, responses))
            np.testing.assert_array_equal(stored, expected)
    np.testing.assert_array_equal(again.image_scores, responses.image_scores)


def test_some_images_and_some_conditions(responses):
    some = responses.at(np.array([4, 1]))
    assert some.image_ids.tolist() == ["f", "b"]
    assert some.labels.tolist() == [2, 1]
    np.testing.assert_array_equal(some.perturbed.prediction, responses.perturbed.prediction[:, [4, 1]])
    np.testing.assert_array_equal(some.native_clean.confidence, responses.native_clean.confidence[[4, 1]])
    assert some.image_scores["margin"].tolist() == responses.image_scores["margin"].iloc[[4, 1]].tolist()
    assert responses.positions(["zoom", "fog-2"]).tolist() == [3, 0]
    with pytest.raises(RecordsError, match=r"^vit: no responses to probe fog-5; run the probes again with this cond"):
        responses.positions(["fog-2", "fog-5"])


def test_a_half_follows_the_records(responses):
    half = align(responses, block_of(responses, [2, 0, 3]))
    assert half.responses.image_ids.tolist() == ["a", "d", "c"]
    assert half.conditions == ("l1-k01", "l1-k02")
    assert half.clean_correct.tolist() == [True, False, True]
    assert half.failures.tolist() == [[False] * 3, [True] * 3]
    eligible = half.eligible()
    assert eligible.responses.image_ids.tolist() == ["a", "c"]
    assert eligible.clean_correct.tolist() == [True, True]
    assert eligible.failures.shape == (2, 2)


def test_records_of_other_images_or_labels_are_refused(responses):
    block = block_of(responses, [2, 0, 3])
    strange = replace(block, image_ids=np.array(["a", "x", "c"], dtype=object))
    with pytest.raises(RecordsError, match=r"^vit: image x of the records has no probe responses; run the probes on"):
        align(responses, strange)
    with pytest.raises(
        RecordsError, match=r"^vit: image d has label 3 in the records and 0 in the probe responses; use"
    ):
        align(responses, block_of(responses, [2, 0, 3], np.array([0, 3, 1])))


def test_incomplete_tables_are_refused(probes):
    frame, images = respond(probes), score_images(probes, SETS)
    for broken, message in (
        (frame[frame["condition"] != "clean"], "the first condition is not clean"),
        (frame.drop(index=7), "29 rows for 5 conditions of 6 images"),
        (frame.iloc[[*range(7), 8, 7, *range(9, 30)]], "condition fog-2, image a: the image scores differ here"),
        (frame.iloc[[*range(6, 12), *range(6), *range(12, 30)]], "the first condition is not clean"),
    ):
        with pytest.raises(RecordsError, match=rf"^table: {message}; summarise the probes of this model again$"):
            arrange(broken, images, probes.metadata, "table")


def test_missing_files_are_named(tmp_path):
    with pytest.raises(PairedEvalError, match=r"none\.parquet: no such file"):
        read_responses(tmp_path / "none.parquet", tmp_path / "none.parquet")


def test_probe_sets_of_the_study(root):
    folder = root / "resources" / "conditions"
    sets = read_probe_sets(folder / "corruptions.csv", folder / "transforms.csv")
    sizes = [len(getattr(sets, name)) for name in ("primary", "corruptions_all", "fixed", "transforms_all")]
    assert sizes == [18, 27, 18, 30]
    assert sets.corruptions_all[:18] == sets.primary
    assert sets.transforms_all[:18] == sets.fixed
    named = [f"{kind}-{severity}" for kind, severity in zip(sets.types, sets.severities, strict=True)]
    assert tuple(named) == sets.primary
    assert set(sets.severities) == {2, 4}


def test_split_of_the_images_is_kept(responses):
    assert responses.image_ids[responses.splits == EVALUATION].tolist() == ["b", "c", "e"]
