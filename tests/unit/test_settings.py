import copy

import pytest
import yaml

from pairedeval.errors import SettingsError
from pairedeval.manual import MANUAL, SCHEMA, settings_manual
from pairedeval.settings import read_schema, read_settings

STUDY = {
    "study": "own",
    "title": "A study",
    "seed": 1,
    "models": "config/models/own.csv",
    "images": {"kind": "digits"},
}


@pytest.fixture(scope="module")
def schema(root):
    return read_schema(root / SCHEMA)


def changed(path, value):
    study = copy.deepcopy(STUDY)
    *sections, key = path.split(".")
    place = study
    for section in sections:
        place = place.setdefault(section, {})
    place[key] = value
    return study


def test_defaults_are_filled_in_without_touching_the_input(schema):
    before = copy.deepcopy(STUDY)
    settings = read_settings(STUDY, schema, "own.yaml")
    assert before == STUDY
    assert settings["images"]["base_per_class"] == 20
    assert settings["acceptance"] == {"coverage": 0.8}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("sead", 1, "own.yaml: sead: unknown key; did you mean 'seed'?"),
        ("zzz", 1, "own.yaml: zzz: unknown key; known keys: study, title, seed, models, images, prompts, "),
        ("images.sise", 64, "own.yaml: images.sise: unknown key; did you mean 'size'?"),
        ("images.size", 16, "own.yaml: images.size: 16 is less than the minimum of 32"),
        ("images.size", "64", "own.yaml: images.size: '64' is not of type 'integer'"),
        ("images.kind", "photos", "own.yaml: images.kind: 'photos' is not one of ['digits', 'imagenet', 'rehearsal']"),
        ("images", 5, "own.yaml: images: 5 is not of type 'object'"),
        ("acceptance.coverage", 0, "own.yaml: acceptance.coverage: 0 is less than or equal to the minimum of 0"),
        ("seed", -1, "own.yaml: seed: -1 is less than the minimum of 0"),
        ("study", "My Study", "own.yaml: study: 'My Study' does not match"),
    ],
)
def test_a_wrong_setting_is_named_with_its_place(schema, path, value, message):
    with pytest.raises(SettingsError) as caught:
        read_settings(changed(path, value), schema, "own.yaml")
    assert str(caught.value).startswith(message)


def test_all_problems_are_listed_one_a_line(schema):
    study = {key: value for key, value in changed("images.size", 16).items() if key != "seed"}
    with pytest.raises(SettingsError) as caught:
        read_settings(study, schema, "own.yaml")
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    assert lines[0] == "own.yaml: seed: missing; whole number from which every other seed is derived by SHA-256"


def test_the_studies_of_this_repository_are_valid(root, schema):
    studies = sorted((root / "config").glob("*.yaml"))
    assert {path.stem for path in studies} >= {"digits", "smoke"}
    for path in studies:
        settings = read_settings(yaml.safe_load(path.read_text()), schema, str(path))
        assert settings["study"] == path.stem
        assert (root / settings["models"]).is_file()


def test_every_key_of_the_schema_is_described(schema):
    def check(part, path):
        assert part.get("description"), f"{path} has no description"
        for key, inner in part.get("properties", {}).items():
            check(inner, f"{path}.{key}")

    check(schema, "study")


def test_the_manual_follows_the_schema(root, schema):
    assert (root / MANUAL).read_text() == settings_manual(schema), "run: make manual"
