"""The study of the paper on a tiny publication: from archives and published weights to records."""

import csv
import shutil

import pytest
import yaml

from pairedeval.files import read_table
from pairedeval.images import PUBLISHED, ImageStore
from pairedeval.labels.annotations import read_annotations
from pairedeval.probes import read_probes
from pairedeval.records import CLEAN, read_records
from support.imagenet_fixture import publish
from support.stand_ins import write_stand_ins
from workflow.conftest import LEFT_OUT, Checkout

pytestmark = [pytest.mark.study, pytest.mark.timeout(900)]

CONDITIONS = {"syn": 19, "syn_b": 19, "es": 55, "diverse": 163}


@pytest.fixture(scope="module")
def study(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("imagenet") / "pairedeval"
    shutil.copytree(root, folder, ignore=LEFT_OUT)
    publication = publish(folder.parent / "published")
    models = folder.parent / "models"
    models.mkdir()
    registry, weights = write_stand_ins(models)
    with registry.open(newline="") as file:
        rows = list(csv.reader(file))
    # One model of each library.
    first = {row[2]: row for row in reversed(rows[1:])}
    with (folder / "config/models/tiny.csv").open("w", newline="") as file:
        csv.writer(file).writerows([rows[0], *first.values()])
    assert set(first) == {"open_clip", "timm", "torchvision", "dinov2", "dinov3"}
    paper = yaml.safe_load((folder / "config/paper.yaml").read_text())
    images = {
        "kind": "imagenet",
        "validation": str(publication.validation),
        "syn_per_class": 2,
        "facts": str(publication.facts),
        "copies": {name: str(path) for name, path in publication.files.items() if not name.endswith(".tar")},
    }
    tiny = paper | {
        "study": "tiny",
        "models": "config/models/tiny.csv",
        "images": images,
        "weights": str(weights),
        "prompts": ["a photo of a {}."],
        "inference": {"precision": "float32", "device": "cpu"},
    }
    (folder / "config/tiny.yaml").write_text(yaml.safe_dump(tiny))
    copy = Checkout(folder)
    targets = ("records", "results/tiny/analyses/annotations.parquet", "results/tiny/analyses/mistakes.parquet")
    copy.snakemake(*targets, "--configfile", "config/tiny.yaml")
    return copy, publication, [row[0] for row in first.values()]


def test_records_cover_every_condition_over_the_candidates_of_their_source(study):
    copy, publication, models = study
    assert len(models) == 5
    for source, conditions in CONDITIONS.items():
        for model in models:
            frame, metadata = read_records(copy.folder / f"results/tiny/records/{source}/{model}.parquet")
            assert frame["condition"].nunique() == conditions
            wanted = publication.classes.values() if source == "syn" else publication.base.values()
            assert metadata["candidates"] == sorted(set(wanted))
            assert metadata["simulated"] is False
            if source != "syn":
                assert set(frame["image_id"]) == set(publication.base)


def test_captures_keep_their_bytes_and_pairs(study):
    copy, publication, _ = study
    for source, conditions in (("es", 54), ("diverse", 162)):
        with ImageStore(copy.folder / f"results/tiny/images/{source}.zip") as store:
            assert len(store.conditions) == conditions
            assert all(store.image_ids(condition) == tuple(sorted(publication.base)) for condition in store.conditions)
            assert store.suffix(store.conditions[0], min(publication.base)) == PUBLISHED


def test_probes_and_records_come_from_the_same_outputs(study):
    copy, _, models = study
    for model in models:
        probes = read_probes(copy.folder / f"results/tiny/probes/{model}.npz")
        assert len(probes.variants) == 58
        frame, _ = read_records(copy.folder / f"results/tiny/records/es/{model}.parquet")
        clean = frame[frame["condition"] == CLEAN].sort_values("image_id")
        assert clean["prediction"].tolist() == probes.of([CLEAN])[0].argmax(axis=1).tolist()


def test_published_labels_are_read(study):
    copy, publication, _ = study
    annotations = read_annotations(copy.folder / "results/tiny/analyses/annotations.parquet")
    assert set(publication.classes) <= set(annotations.table["image_id"])
    assert "model" in read_table(copy.folder / "results/tiny/analyses/mistakes.parquet")


def test_a_missing_validation_set_is_asked_for(study):
    copy, _, _ = study
    config = copy.folder / "config/absent.yaml"
    settings = yaml.safe_load((copy.folder / "config/tiny.yaml").read_text())
    settings["images"]["validation"] = None
    config.write_text(yaml.safe_dump(settings | {"study": "absent"}))
    run = copy.snakemake("results/absent/images/index.parquet", "--configfile", "config/absent.yaml", check=False)
    assert run.returncode
    assert "images.validation" in run.stdout + run.stderr
