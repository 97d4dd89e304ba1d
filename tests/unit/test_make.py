"""Making image sets: resumed, atomic, the same bytes for any number of workers."""

import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import ImageError, PairedEvalError
from pairedeval.files import write_table
from pairedeval.images import ImageStore, write_store
from pairedeval.perturb import make
from pairedeval.perturb.conditions import read_corruptions
from pairedeval.perturb.corruptions import corrupt

CORRUPTIONS = """condition,corruption,severity,pool
gaussian_noise-2,gaussian_noise,2,primary
contrast-4,contrast,4,primary
fog-5,fog,5,extended
"""
TRANSFORMS = """condition,kind,flip,shift_right,shift_down,zoom,rotation,gamma,brightness,contrast,saturation,pool
flip,flip,1,0,0,1,0,1,1,1,1,fixed
"""
CAPTURES = """source,light,setting,iso,shutter,aperture,condition
es,l5,4,250,1/60,5.0,l5-k04
diverse,l1,1,250,1/4,5.0,l1-k01
"""


def picture(image_id: str) -> np.ndarray:
    return np.random.default_rng(ord(image_id)).integers(0, 256, (32, 32, 3), dtype=np.uint8)


class Study:
    """A study of two base images, two syn images and one training image."""

    def __init__(self, folder: Path) -> None:
        self.index, self.clean, self.tables = folder / "index.parquet", folder / "clean.zip", folder / "tables"
        self.target, self.work = folder / "set.zip", folder / "work"
        roles = {"a": "base", "b": "syn", "c": "train", "d": "base", "e": "syn"}
        write_table(pd.DataFrame({"image_id": list(roles), "role": list(roles.values())}), self.index)
        write_store(self.clean, [("clean", image_id, picture(image_id)) for image_id in roles])
        self.tables.mkdir()
        for name, text in (("corruptions", CORRUPTIONS), ("transforms", TRANSFORMS), ("captures", CAPTURES)):
            (self.tables / f"{name}.csv").write_text(text, encoding="utf-8")

    def perturb(self, image_set: str, seed: int = 1, workers: int = 1) -> None:
        make.perturb_set(
            image_set,
            index=self.index,
            clean=self.clean,
            conditions=self.tables,
            target=self.target,
            work=self.work,
            seed=seed,
            workers=workers,
        )


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the images made per condition."""
    counted: Counter[str] = Counter()
    original = make.perturb

    def count(pixels: np.ndarray, condition, *rest) -> np.ndarray:
        counted[condition.condition] += 1
        return original(pixels, condition, *rest)

    monkeypatch.setattr(make, "perturb", count)
    return counted


def fail_at(condition_id: str, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Raise at the second image of a condition; the returned function ends that."""
    original = make.perturb

    def stop(pixels: np.ndarray, condition, seed: int, source: str, image_id: str) -> np.ndarray:
        if condition.condition == condition_id and image_id == "d":
            raise error
        return original(pixels, condition, seed, source, image_id)

    monkeypatch.setattr(make, "perturb", stop)
    return lambda: monkeypatch.setattr(make, "perturb", original)


@pytest.mark.parametrize(
    ("image_set", "conditions", "images"),
    [
        ("syn", ("gaussian_noise-2", "contrast-4"), ("b", "e")),
        ("base", ("gaussian_noise-2", "contrast-4", "fog-5", "flip"), ("a", "d")),
        ("es", ("l5-k04",), ("a", "d")),
        ("diverse", ("l1-k01",), ("a", "d")),
    ],
)
def test_each_set_holds_its_conditions_and_images(
    image_set: str, conditions: tuple[str, ...], images: tuple[str, ...], study: Study
) -> None:
    study.perturb(image_set)
    with ImageStore(study.target) as store:
        assert store.conditions == conditions
        assert {store.image_ids(condition) for condition in conditions} == {images}
    assert not study.work.exists()


@pytest.mark.parametrize(("image_set", "image_id", "source"), [("syn", "b", "syn"), ("base", "a", "syn_b")])
def test_base_images_take_the_seeds_of_syn_b(image_set: str, image_id: str, source: str, study: Study) -> None:
    study.perturb(image_set)
    noise = read_corruptions(study.tables / "corruptions.csv")[0]
    with ImageStore(study.target) as store:
        assert np.array_equal(
            store.read(noise.condition, image_id), corrupt(picture(image_id), noise, 1, source, image_id)
        )


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ImageError("broken")])
def test_a_killed_run_goes_on_without_its_finished_conditions(
    error: BaseException, study: Study, calls: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    study.perturb("base")
    whole = study.target.read_bytes()
    study.target.unlink()
    mend = fail_at("fog-5", error, monkeypatch)
    with pytest.raises(type(error)):
        study.perturb("base")
    assert not study.target.exists()
    kept = sorted(path.name.rsplit("-", 1)[0] for path in study.work.iterdir())
    assert kept == ["contrast-4-000", "gaussian_noise-2-000"]
    mend()
    calls.clear()
    study.perturb("base")
    assert calls == {"fog-5": 2, "flip": 2}
    assert study.target.read_bytes() == whole


@pytest.mark.parametrize(("change", "made"), [("nothing", 0), ("seed", 2), ("images", 2), ("code", 2)])
def test_shards_of_other_settings_images_or_code_are_not_taken(
    change: str, made: int, study: Study, calls: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as context:
        context.setattr(make, "merge_stores", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            study.perturb("es")
    calls.clear()
    if change == "images":
        write_store(study.clean, [("clean", image_id, picture(image_id) // 2) for image_id in "abcde"])
    if change == "code":
        monkeypatch.setattr(make, "code_digest", lambda script: "other code")
    study.perturb("es", seed=2 if change == "seed" else 1)
    assert calls.total() == made


def test_two_workers_make_the_same_bytes(study: Study) -> None:
    study.perturb("base")
    alone = study.target.read_bytes()
    study.perturb("base", workers=2)
    assert study.target.read_bytes() == alone


def test_the_size_of_the_shards_changes_nothing(
    study: Study, calls: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    study.perturb("base")
    whole = study.target.read_bytes()
    study.target.unlink()
    monkeypatch.setattr(make, "SHARD_IMAGES", 1)
    mend = fail_at("fog-5", KeyboardInterrupt(), monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        study.perturb("base")
    kept = sorted(path.name.rsplit("-", 1)[0] for path in study.work.iterdir())
    assert kept == ["contrast-4-000", "contrast-4-001", "fog-5-000", "gaussian_noise-2-000", "gaussian_noise-2-001"]
    mend()
    calls.clear()
    study.perturb("base")
    assert calls == {"fog-5": 1, "flip": 2}
    assert study.target.read_bytes() == whole


class Deadly:
    """Something that kills the process that receives it."""

    def __reduce__(self) -> tuple[Callable[[int], None], tuple[int]]:
        return signal.raise_signal, (signal.SIGKILL,)


def test_a_killed_worker_is_explained_and_finished_shards_are_kept(
    study: Study, calls: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    study.perturb("base")
    whole = study.target.read_bytes()
    monkeypatch.setattr(make, "SHARD_IMAGES", 1)
    first, *others = make._plan("base", study.index, study.clean, study.tables, study.work, 1)
    made = make._make_all([first, *(replace(shard, condition=Deadly()) for shard in others)], workers=2)
    with pytest.raises(PairedEvalError, match=r"work: a process that makes images was ended .*: finished parts are ke"):
        list(made)
    make._make_shard(first)  # Whether it was finished before the other worker died is chance.
    calls.clear()
    study.perturb("base")
    assert calls == {"gaussian_noise-2": 1, "contrast-4": 2, "fog-5": 2, "flip": 2}
    assert study.target.read_bytes() == whole


def test_row_order_of_the_index_changes_nothing(study: Study) -> None:
    study.perturb("syn")
    first = study.target.read_bytes()
    write_table(pd.DataFrame({"image_id": ["e", "c", "b"], "role": ["syn", "train", "syn"]}), study.index)
    study.perturb("syn")
    assert study.target.read_bytes() == first


def test_unusable_input_is_explained(study: Study) -> None:
    with pytest.raises(PairedEvalError, match="real is no image set"):
        study.perturb("real")
    write_table(pd.DataFrame({"image_id": ["b", "z"], "role": ["syn", "syn"]}), study.index)
    with pytest.raises(ImageError, match=r"clean\.zip: clean/z is missing"):
        study.perturb("syn")
    with pytest.raises(PairedEvalError, match=r"index\.parquet: no image of role base; prepare the images again"):
        study.perturb("base")
    study.clean.unlink()
    with pytest.raises(PairedEvalError, match=r"clean\.zip: no such image set; prepare the images first"):
        study.perturb("syn")


def test_an_unexpected_error_names_its_condition(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_at("contrast-4", ZeroDivisionError(), monkeypatch)
    with pytest.raises(ZeroDivisionError) as raised:
        study.perturb("base")
    assert raised.value.__notes__ == ["while making condition contrast-4 of syn_b"]
