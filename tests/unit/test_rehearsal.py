"""The inputs of study rehearsal: images that do not exist, conditions, labels, and the counts of the paper's shape."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.labels.annotations import membership
from pairedeval.models.registry import read_registry
from pairedeval.perturb.conditions import read_captures
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION
from pairedeval.sources.rehearsal_conditions import DARKER, FAMILIES, LIGHTS, exposure, perturbations
from pairedeval.sources.rehearsal_images import CONFUSABLE, MISLABELLED_PULL, build_index, describe_images
from pairedeval.sources.rehearsal_labels import annotate_images

SEED = 20260908
CONDITIONS = {"syn": 18, "base": 57, "es": 54, "diverse": 162}


@pytest.fixture(scope="module")
def index() -> pd.DataFrame:
    return build_index(SEED)


@pytest.fixture(scope="module")
def base(index):
    return describe_images(index, "base", SEED)


@pytest.fixture(scope="module")
def folder(root):
    return root / "resources/conditions"


@pytest.mark.parametrize(("role", "classes", "images"), [("syn", 1000, 10), ("base", 200, 5)])
def test_every_class_has_its_images_and_both_halves(index, role, classes, images):
    rows = index[index["role"] == role]
    sizes = rows.groupby("class_id").size()
    assert (len(sizes), set(sizes)) == (classes, {images})
    assert rows["split"].value_counts().to_dict() == {
        DEVELOPMENT: classes * images // 2,
        EVALUATION: classes * images // 2,
    }
    assert set(rows.groupby(["class_id", "split"]).size()) == {images // 2, (images + 1) // 2}
    assert rows["image_id"].is_unique
    assert (
        rows["label"] == rows["class_id"].map({name: place for place, name in enumerate(sorted(sizes.index))})
    ).all()


def test_roles_overlap_as_in_the_paper(index):
    halves = index.pivot_table(index="image_id", columns="role", values="split", aggfunc="first").dropna()
    assert len(halves) == 209
    assert ((halves["syn"] == DEVELOPMENT) & (halves["base"] == EVALUATION)).sum() == 63


def test_the_index_has_the_form_of_other_studies_and_says_simulated(index):
    assert list(index.columns) == ["image_id", "class_id", "class_name", "label", "role", "split"]
    assert index["image_id"].str.startswith("simulated-").all()
    assert index.equals(index.sort_values(["image_id", "role"], ignore_index=True))


def test_the_seed_alone_decides_the_images(index):
    assert build_index(SEED).equals(index)
    other = build_index(1)
    assert not other["class_id"].equals(index["class_id"])
    assert len(other) == len(index)


def test_an_image_is_as_hard_in_both_roles(index, base):
    syn = describe_images(index, "syn", SEED)
    shared, in_base, in_syn = np.intersect1d(base.image_ids, syn.image_ids, return_indices=True)
    assert len(shared) == 209
    assert np.array_equal(base.difficulty[in_base], syn.difficulty[in_syn])
    assert np.array_equal(base.fragility[in_base], syn.fragility[in_syn])


def test_confusable_classes_are_others_and_repeat_within_a_class(base):
    assert base.confusable.shape == (1000, CONFUSABLE)
    for label, chosen in zip(base.labels, base.confusable, strict=True):
        assert len({label, *chosen}) == CONFUSABLE + 1
    by_class = pd.Series(list(base.confusable)).groupby(base.labels).agg(lambda lists: len(np.unique(np.stack(lists))))
    assert by_class.max() <= 10


def test_eleven_images_of_a_half_show_another_class(base):
    pulled = base.doubt < 11
    assert pulled.sum() == 22
    assert base.pull[pulled, 0].mean() > base.pull[~pulled, 0].mean() + MISLABELLED_PULL - 1


@pytest.mark.parametrize("image_set", CONDITIONS)
def test_conditions_are_those_of_the_tables_after_clean(folder, image_set):
    found = perturbations(image_set, folder)
    assert (found[0].condition, found[0].severity) == (CLEAN, 0.0)
    assert len(found) == 1 + CONDITIONS[image_set]
    assert all(row.severity > 0 for row in found[1:])
    assert np.allclose([sum(row.shares) for row in found], 1)
    assert {len(row.shares) for row in found} == {len(FAMILIES)}


def test_severity_of_corruptions_rises_and_transforms_are_mild(folder):
    severity = {row.condition: row.severity for row in perturbations("base", folder)}
    corruptions = {name.rsplit("-", 1)[0] for name in severity if name.endswith("-2")}
    assert len(corruptions) == 9
    for name in corruptions:
        assert severity[f"{name}-2"] < severity[f"{name}-4"] < severity[f"{name}-5"]
    assert max(severity[name] for name in ("flip", "shift_right_5", "gamma_0.8")) < severity["fog-2"]


@pytest.mark.parametrize("source", ["es", "diverse"])
def test_a_capture_is_the_harder_the_further_it_is_from_the_right_exposure(folder, source):
    severity = {row.condition: row.severity for row in perturbations(source, folder)}
    distances = {}
    for capture in read_captures(folder / "captures.csv", source):
        # One stop is a factor of two of light: sensitivity times time over the square of the f-number.
        light = capture.iso * float(capture.shutter) / capture.aperture**2
        stops = LIGHTS[source][capture.light] + np.log2(light / (250 / 4 / 25))
        assert exposure(capture) == pytest.approx(stops)
        distances[capture.condition] = stops if stops > 0 else -DARKER * stops
    ordered = [severity[name] for name in sorted(distances, key=distances.get)]
    assert np.diff(ordered).min() > -1e-9
    assert ordered[0] < 0.5
    assert ordered[-1] > 3


def test_simulated_labels_have_the_counts_of_the_evaluation_images(index, base):
    annotations = annotate_images(index, SEED)
    assert "simulated" in annotations.description
    evaluation = base.splits == EVALUATION
    found = membership(annotations, base.image_ids[evaluation].tolist(), base.candidates)
    annotated, kept = found.annotated, found.accepts(base.labels[evaluation])
    assert int(annotated.sum()) == 473
    assert int((annotated & found.compatible).sum()) == 435
    assert int((annotated & ~found.compatible).sum()) == 38
    assert int((annotated & kept).sum()) == 424
    assert int((annotated & ~kept).sum()) == 49
    assert int((found.accepted.sum(axis=1) == 2).sum()) == 120


def test_the_shape_of_the_study_is_that_of_the_paper(root, index, folder):
    models = read_registry(root / "config/models/paper.csv")
    assert (len(models), len({entry.group for entry in models})) == (44, 10)
    evaluated = index[index["split"] == EVALUATION].groupby("role").size()
    conditions = {source: len(perturbations(source, folder)) - 1 for source in ("syn", "es", "diverse")}
    cells = {**conditions, "syn_b": conditions["syn"]}
    assert 44 * sum(cells.values()) == 11_088
    pairs = sum(number * evaluated["syn" if source == "syn" else "base"] for source, number in cells.items())
    assert 44 * pairs == 9_108_000
    assert 44 * len(index) == 484_000
