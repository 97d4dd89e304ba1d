"""The simulated models: answers against the scoring of all candidates, and the files of one model."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pairedeval.errors import ModelError
from pairedeval.files import write_table
from pairedeval.inference.store import records_from_probes
from pairedeval.models.registry import read_registry
from pairedeval.perturb.conditions import PRIMARY, read_corruptions
from pairedeval.probes import read_probes
from pairedeval.records import CLEAN, read_records
from pairedeval.scoring import score_common, score_native
from pairedeval.sources.rehearsal import simulate_model
from pairedeval.sources.rehearsal_answers import SLOTS, answer, outputs, score
from pairedeval.sources.rehearsal_conditions import perturbations
from pairedeval.sources.rehearsal_images import build_index, describe_images
from pairedeval.sources.rehearsal_models import model_traits, taste_of

SEED = 20260908
SOFTMAX, SIGMOID, LOGITS = "ViT-B-32-quickgelu__openai", "ViT-B-16-SigLIP__webli", "resnet50-sup__timm"
RECORDS = ("syn", "es", "diverse")


@pytest.fixture(scope="module")
def models(root):
    return {entry.model: entry for entry in read_registry(root / "config/models/paper.csv")}


@pytest.fixture(scope="module")
def folder(root):
    return root / "resources/conditions"


@pytest.fixture(scope="module")
def index():
    """Return the images of the first 40 base classes and of 60 classes of Syn."""
    whole = build_index(SEED)
    labels = {"base": 40, "syn": 60}
    return whole[whole["label"] < whole["role"].map(labels)].reset_index(drop=True)


@pytest.fixture(scope="module")
def images(index):
    return describe_images(index, "base", SEED)


@pytest.fixture(scope="module")
def written(models, index, folder, tmp_path_factory):
    """Return a function that writes the files of a model and returns their folder."""

    def write(model, run="first"):
        target = tmp_path_factory.mktemp(run)
        write_table(index, target / "index.parquet")
        simulate_model(
            models[model],
            index=target / "index.parquet",
            conditions=folder,
            records={source: target / f"{source}.parquet" for source in RECORDS},
            probes=target / "probes.npz",
            description=target / "model.json",
            seed=SEED,
            facts={"study": "rehearsal", "config_digest": "0"},
        )
        return target

    return write


@pytest.fixture(scope="module")
def first(written):
    return written(SOFTMAX)


def answers_of(entry, images, conditions, stream="base"):
    model = model_traits(entry, SEED)
    taste = taste_of(model, images, "base", SEED)
    return model, taste, answer(model, taste, images, conditions, SEED, stream)


@pytest.mark.parametrize("name", [SOFTMAX, SIGMOID, LOGITS])
@pytest.mark.parametrize("image_set", ["base", "diverse"])
def test_records_score_as_all_candidates_do(models, images, folder, name, image_set):
    model, taste, answers = answers_of(models[name], images, perturbations(image_set, folder))
    found = score(answers)
    candidates, _ = outputs(answers, taste, model.scoring)
    assert candidates.shape == (*found.prediction.shape, len(images.candidates))
    for condition, values in enumerate(candidates):
        expected = score_common(values, images.labels, model.scoring)
        assert np.array_equal(found.prediction[condition], expected.prediction)
        assert np.abs(found.confidence[condition] - expected.confidence).max() < 1e-5
        assert np.abs(found.true_class_probability[condition] - expected.true_class_probability).max() < 1e-5


def test_no_class_stands_in_two_slots(models, images, folder):
    _, _, answers = answers_of(models[LOGITS], images, perturbations("es", folder)[:2])
    present = np.isfinite(answers.logits[0])
    assert answers.classes.shape == (len(images.labels), SLOTS)
    for classes, held in zip(answers.classes, present, strict=True):
        assert len(set(classes[held])) == held.sum()


@pytest.mark.parametrize(("name", "biased"), [(SOFTMAX, False), (SIGMOID, True)])
def test_cosines_have_a_learned_scale_and_no_classes_outside(models, images, folder, name, biased):
    model, taste, answers = answers_of(models[name], images, perturbations("base", folder)[:2])
    cosines, outside = outputs(answers, taste, model.scoring)
    assert np.isneginf(outside).all()
    assert np.abs(cosines).max() < 1
    assert np.isfinite(model.bias) == biased
    native = score_native(cosines[0], images.labels, model.scoring, model.scale, model.bias)
    assert 0.01 < native.confidence.min() < native.confidence.max() <= 1


def test_classes_outside_the_candidates_take_part_of_what_the_answer_leaves(models, images, folder):
    model, taste, answers = answers_of(models[LOGITS], images, perturbations("base", folder)[:2])
    logits, outside = outputs(answers, taste, model.scoring)
    common = score_common(logits[1], images.labels, model.scoring)
    native = score_native(logits[1], images.labels, model.scoring, model.scale, model.bias, outside[1])
    assert (native.confidence < common.confidence).all()
    assert np.array_equal(native.prediction, common.prediction)


def test_a_clean_image_has_no_noise(models, images, folder):
    conditions = perturbations("es", folder)[:3]
    first, second = (answers_of(models[SOFTMAX], images, conditions, stream)[2] for stream in ("one", "two"))
    assert np.array_equal(first.logits[0], second.logits[0])
    assert not np.array_equal(first.logits[1], second.logits[1])


def test_accuracy_falls_with_severity(models, images, folder):
    conditions = sorted(perturbations("diverse", folder), key=lambda condition: condition.severity)
    found = score(answers_of(models[SOFTMAX], images, conditions)[2])
    accuracy = (found.prediction == images.labels).mean(axis=1)
    assert accuracy[0] > accuracy[1:40].mean() > accuracy[40:80].mean() > accuracy[80:].mean()


def test_larger_models_of_a_group_are_better_and_suffer_less(models):
    small = models[SOFTMAX]
    traits = [model_traits(replace(small, parameters=size), SEED) for size in (10**7, 10**8, 10**9)]
    assert traits[0].skill < traits[1].skill < traits[2].skill
    assert (traits[0].vulnerability > traits[2].vulnerability).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": 0}, "fill the column parameters"),
        ({"group": "birds"}, "the simulation knows no group birds; use one of SSL, openai"),
    ],
)
def test_an_unknown_model_is_refused(models, change, message):
    with pytest.raises(ModelError, match=message):
        model_traits(replace(models[SOFTMAX], **change), SEED)


def test_records_cover_their_conditions_and_images(first, index):
    images = index.groupby("role").size()
    for source, conditions in {"syn": 19, "es": 55, "diverse": 163}.items():
        frame, metadata = read_records(first / f"{source}.parquet")
        assert len(frame) == conditions * images["syn" if source == "syn" else "base"]
        assert frame["condition"].nunique() == conditions
        assert metadata["simulated"] is True
        assert (metadata["source"], metadata["model"], metadata["group"]) == (source, SOFTMAX, "openai")
        assert len(metadata["candidates"]) == (60 if source == "syn" else 40)


def test_clean_records_of_all_base_sources_are_the_same(first, folder):
    probes = read_probes(first / "probes.npz")
    assert len(probes.variants) == 58
    assert probes.metadata["simulated"] is True
    primary = [row.condition for row in read_corruptions(folder / "corruptions.csv") if row.pool == PRIMARY]
    records_from_probes(probes, [CLEAN, *primary], first / "syn_b.parquet", {"source": "syn_b"})
    clean = {}
    for source in ("syn_b", "es", "diverse"):
        frame, metadata = read_records(first / f"{source}.parquet")
        assert metadata["simulated"] is True
        clean[source] = frame[frame["condition"] == CLEAN].reset_index(drop=True)
    assert clean["es"].equals(clean["syn_b"])
    assert clean["diverse"].equals(clean["syn_b"])


def test_the_description_has_what_tables_need(first, models):
    described = json.loads((first / "model.json").read_text())
    assert described == {"model": SOFTMAX, "parameters": models[SOFTMAX].parameters, "simulated": True}


def test_the_same_model_gives_the_same_bytes_and_another_one_other_records(first, written):
    again, other = written(SOFTMAX, "again"), written("ViT-L-14-quickgelu__openai", "other")
    for name in (*(f"{source}.parquet" for source in RECORDS), "probes.npz", "model.json"):
        assert (again / name).read_bytes() == (first / name).read_bytes()
        assert (other / name).read_bytes() != (first / name).read_bytes()


def test_models_share_wrong_answers(models, images, folder):
    conditions = perturbations("base", folder)[:1]
    names = [name for name, entry in models.items() if entry.group in ("openai", "laion")]
    predictions = np.stack([score(answers_of(models[name], images, conditions)[2]).prediction[0] for name in names])
    wrong = predictions != images.labels
    for first, second in ((0, 8), (1, 9)):
        both = wrong[first] & wrong[second]
        assert both.mean() > 2 * wrong[first].mean() * wrong[second].mean()
        assert (predictions[first] == predictions[second])[both].mean() > 0.5
