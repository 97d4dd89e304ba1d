"""The registry of models: what is read, and what is refused with which sentence."""

import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from pairedeval.errors import ModelError
from pairedeval.models.needs import Needs
from pairedeval.models.registry import TrainingRecipe, check_listed, entry_from_values, entry_values, read_registry

ROOT = Path(__file__).parents[2]
HEADER = (
    "model,group,library,architecture,options,input_size,scoring,weights,augmentation,epochs,learning_rate,note,"
    "preprocessing,source,parameters,gpu_memory_mb,batch_size,gigaflops"
)
TRAINED = "vit,vit,timm,test_vit,img_size=32 drop_rate=0.1 global_pool=avg,32,softmax,,shift,3,0.001,small,,,,,,"
PUBLISHED = "ViT-B-32__openai,openai,open_clip,ViT-B-32,,224,softmax,openai,,,,,,hf:timm/a.openai,151277313,4000,256,9"
MAE = "mae,SSL,timm,vit_base_patch16_224,global_pool=avg,224,softmax,ft,,,,,imagenet,https://a.b/c.pth#md5=1b25e9,,,,"
DINO = (
    "dino,SSL,dinov2,vit_giant_patch14_dinov2,,224,softmax,linear4,,,,,squash,https://a.b/c.pth https://a.b/d.pth,,,,"
)


def registry(folder: Path, *rows: str, header: str = HEADER) -> Path:
    path = folder / "models.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_rows_become_entries(tmp_path):
    trained, published = read_registry(registry(tmp_path, TRAINED, PUBLISHED))
    assert trained.options == (("img_size", 32), ("drop_rate", 0.1), ("global_pool", "avg"))
    assert trained.recipe == TrainingRecipe("shift", epochs=3, learning_rate=0.001)
    assert (trained.weights, published.weights, published.recipe) == ("", "openai", None)
    assert (published.source, published.parameters) == ("hf:timm/a.openai", 151_277_313)
    assert (trained.needs, published.needs) == (Needs(), Needs(gpu_memory_mb=4000, batch_size=256, gigaflops=9))


def test_hints_for_a_scheduler_are_no_part_of_what_decides_a_result(tmp_path):
    entry = read_registry(registry(tmp_path, PUBLISHED))[0]
    assert "needs" not in entry_values(entry)
    assert entry_from_values(entry_values(entry)) == replace(entry, needs=Needs())


def test_preprocessing_and_sources_of_published_classifiers(tmp_path):
    mae, dino = read_registry(registry(tmp_path, MAE, DINO))
    assert (mae.preprocessing, mae.source) == ("imagenet", "https://a.b/c.pth#md5=1b25e9")
    assert (dino.preprocessing, len(dino.source.split())) == ("squash", 2)


def test_entries_survive_as_plain_values(tmp_path):
    for entry in read_registry(registry(tmp_path, TRAINED, PUBLISHED, MAE, DINO)):
        values = asdict(entry)
        # Lists, as JSON or a job's parameters may bring them.
        values["options"] = [list(pair) for pair in values["options"]]
        assert entry_from_values(values) == entry


@pytest.mark.parametrize(("study", "models", "groups"), [("digits", 12, 8), ("smoke", 3, 3), ("paper", 44, 10)])
def test_shipped_registries(study, models, groups):
    entries = read_registry(ROOT / "config/models" / f"{study}.csv")
    assert (len(entries), len({entry.group for entry in entries})) == (models, groups)


def test_byte_order_mark_of_spreadsheets(tmp_path):
    path = registry(tmp_path, TRAINED)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_registry(path)[0].model == "vit"


def changed(column: str, value: str, row: str = TRAINED) -> str:
    fields = row.split(",")
    fields[HEADER.split(",").index(column)] = value
    return ",".join(fields)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("model", "", "column model: empty; allowed: a value"),
        ("model", "a b", "column model: 'a b' is not allowed; allowed: letters, digits"),
        ("model", "../vit", "column model: '../vit' is not allowed"),
        ("group", "", "column group: empty; allowed: a value"),
        ("library", "tensorflow", "column library: 'tensorflow' is not allowed; allowed: linear, timm, open_clip"),
        ("architecture", "", "column architecture: empty"),
        ("options", "depth", "column options: 'depth' is not allowed; allowed: pairs like"),
        ("options", "2d=1", "column options: '2d=1' is not allowed"),
        ("input_size", "32.0", "column input_size: '32.0' is not allowed; allowed: a whole number of at least 1"),
        ("input_size", "0", "column input_size: '0' is not allowed"),
        ("scoring", "Softmax", "column scoring: 'Softmax' is not allowed; allowed: softmax, sigmoid"),
        ("scoring", "sigmoid", "column scoring: 'sigmoid' is not allowed; allowed: softmax for library timm"),
        ("augmentation", "mixup", "column augmentation: 'mixup' is not allowed; allowed: plain, shift, robust"),
        ("epochs", "", "column epochs: empty; allowed: a value, or published weights"),
        ("epochs", "-1", "column epochs: '-1' is not allowed"),
        ("learning_rate", "fast", "column learning_rate: 'fast' is not allowed; allowed: a number above 0"),
        ("learning_rate", "nan", "column learning_rate: 'nan' is not allowed"),
        ("learning_rate", "2", "column learning_rate: '2' is not allowed"),
        ("weights", "tag", "column augmentation: 'shift' is not allowed; allowed: nothing, because the column weights"),
    ],
)
def test_bad_values_name_row_and_column(tmp_path, column, value, message):
    path = registry(tmp_path, PUBLISHED, changed(column, value))
    with pytest.raises(ModelError) as error:
        read_registry(path)
    assert str(error.value).startswith(f"{path}: row 3, {message}")


@pytest.mark.parametrize(
    ("row", "column", "value", "message"),
    [
        (PUBLISHED, "weights", "", "column augmentation: empty"),
        (PUBLISHED, "parameters", "151M", "column parameters: '151M' is not allowed; allowed: a whole number"),
        (PUBLISHED, "batch_size", "0", "column batch_size: '0' is not allowed; allowed: a whole number"),
        (PUBLISHED, "preprocessing", "imagenet", "column preprocessing: 'imagenet' is not allowed; allowed: nothing"),
        (TRAINED, "preprocessing", "imagenet", "column preprocessing: 'imagenet' is not allowed; allowed: nothing"),
        (MAE, "preprocessing", "crop", "column preprocessing: 'crop' is not allowed; allowed: imagenet, squash"),
        (MAE, "source", "a.b/c.pth", "column source: 'a.b/c.pth' is not allowed; allowed: 'hf:owner/name' or an addr"),
        (MAE, "source", "hf:a", "column source: 'hf:a' is not allowed"),
        (MAE, "source", "hf:a/b hf:c/d", "column source: 'hf:a/b hf:c/d' is not allowed"),
        (MAE, "library", "linear", "column weights: 'ft' is not allowed; allowed: nothing, because a linear model"),
        (DINO, "preprocessing", "", "column preprocessing: empty; allowed: imagenet, squash"),
        (DINO, "source", "https://a.b/c.pth", "column source: 'https://a.b/c.pth' is not allowed; allowed: addresses"),
        (
            DINO,
            "weights",
            "",
            "column weights: empty; allowed: published weights, because the study cannot train a dino",
        ),
    ],
)
def test_bad_values_of_published_models(tmp_path, row, column, value, message):
    path = registry(tmp_path, changed(column, value, row))
    with pytest.raises(ModelError) as error:
        read_registry(path)
    assert str(error.value).startswith(f"{path}: row 2, {message}")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((), "no models; add one row per model"),
        ((TRAINED, PUBLISHED, TRAINED), "row 4, column model: 'vit' also stands in row 2; rename one"),
        ((TRAINED, TRAINED.replace("vit,", "ViT,", 1)), "row 3, column model: 'ViT' also stands in row 2"),
        ((TRAINED + ",more",), "row 2: more or fewer fields than the header has"),
        (("vit,vit,timm",), "row 2: more or fewer fields than the header has"),
    ],
)
def test_bad_rows(tmp_path, rows, message):
    path = registry(tmp_path, *rows)
    with pytest.raises(ModelError) as error:
        read_registry(path)
    assert str(error.value).startswith(f"{path}: {message}")


def test_missing_columns(tmp_path):
    path = registry(tmp_path, "vit,vit", header="model,group")
    with pytest.raises(ModelError, match=r"row 1: missing column library, architecture, input_size, scoring; required"):
        read_registry(path)


def test_missing_and_unreadable_files(tmp_path):
    with pytest.raises(ModelError, match=r"none\.csv: no such file; write a registry"):
        read_registry(tmp_path / "none.csv")
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelError, match=r"binary\.csv: not a readable CSV file"):
        read_registry(binary)


def test_planning_stays_light():
    code = (
        "import sys, pairedeval.models.registry; print(sorted({'torch', 'numpy', 'pandas', 'timm'} & set(sys.modules)))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_names_that_the_registry_lacks_are_refused():
    check_listed(["a"], {"a": 1, "b": 2}, "models.csv", "consistency.models")
    with pytest.raises(ModelError, match=r"consistency\.models: models\.csv has no model c; choose of a, b"):
        check_listed(["a", "c"], {"a": 1, "b": 2}, "models.csv", "consistency.models")
