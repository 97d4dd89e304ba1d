"""Probe files: the same bytes, what is refused, and records made from them."""

import time
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from pairedeval.errors import RecordsError
from pairedeval.inference.store import records_from_probes
from pairedeval.probes import Probes, read_probes, write_probes
from pairedeval.records import read_records
from pairedeval.scoring import LOGITS, score_common

VARIANTS = ("clean", "fog-2", "flip")


@pytest.fixture
def probes() -> Probes:
    generator = np.random.default_rng(3)
    return Probes(
        outputs=generator.normal(size=(3, 4, 2)).astype(np.float32),
        outside=np.full((3, 4), -np.inf),
        variants=VARIANTS,
        image_ids=("a", "b", "c", "d"),
        labels=np.array([0, 1, 0, 1], dtype=np.int32),
        splits=("development", "evaluation", "evaluation", "development"),
        candidates=("n0", "n1"),
        scoring=LOGITS,
        scale=float("nan"),
        bias=float("nan"),
        metadata={"study": "digits", "model": "vit", "group": "vit"},
    )


def test_round_trip(probes, tmp_path):
    write_probes(probes, tmp_path / "vit.npz")
    again = read_probes(tmp_path / "vit.npz")
    for name in ("outputs", "outside", "labels"):
        stored = getattr(again, name)
        np.testing.assert_array_equal(stored, getattr(probes, name))
        assert stored.dtype == getattr(probes, name).dtype
    same = ("variants", "image_ids", "splits", "candidates", "scoring", "metadata")
    assert [getattr(again, name) for name in same] == [getattr(probes, name) for name in same]
    assert np.isnan(again.scale)
    assert np.isnan(again.bias)


def test_same_bytes_at_any_time(probes, tmp_path, monkeypatch):
    write_probes(probes, tmp_path / "now.npz")
    later = time.time() + 10 * 365 * 86400
    monkeypatch.setattr(time, "time", lambda: later)
    write_probes(probes, tmp_path / "later.npz")
    assert (tmp_path / "now.npz").read_bytes() == (tmp_path / "later.npz").read_bytes()


def test_contract_names(probes, tmp_path):
    write_probes(probes, tmp_path / "vit.npz")
    with zipfile.ZipFile(tmp_path / "vit.npz") as archive:
        members = {name.removesuffix(".npy") for name in archive.namelist()}
    assert members == {
        *("outputs", "outside", "variants", "image_ids", "labels", "splits"),
        *("candidates", "scoring", "scale", "bias", "metadata"),
    }


def changed_outputs(probes, value):
    outputs = probes.outputs.copy()
    outputs[1, 2, 0] = value
    return {"outputs": outputs}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda probes: {"outputs": probes.outputs[:2]}, r"outputs has shape \(2, 4, 2\) instead of \(3, 4, 2\)"),
        (lambda probes: {"outside": probes.outside[0]}, r"outside has shape \(4,\) instead of \(3, 4\)"),
        (lambda probes: {"labels": probes.labels[1:]}, r"labels has shape \(3,\) instead of \(4,\)"),
        (lambda probes: {"splits": probes.splits[1:]}, r"splits has shape \(3,\) instead of \(4,\)"),
        (lambda probes: {"scoring": "sigmoid"}, r"scoring is 'sigmoid' instead of cosine or logits"),
        (lambda probes: {"variants": ("clean", "fog-2", "clean")}, r"variants holds a value twice"),
        (lambda probes: {"candidates": ("n0", "n0")}, r"candidates holds a value twice"),
        (lambda probes: changed_outputs(probes, np.nan), r"condition fog-2, image c: NaN or infinite output"),
        (lambda probes: {"labels": np.array([0, 1, 2, 0])}, r"a label is outside the 2 candidates"),
    ],
)
def test_broken_probes_are_neither_written_nor_read(probes, tmp_path, change, message):
    broken = replace(probes, **change(probes))
    path = tmp_path / "vit.npz"
    with pytest.raises(RecordsError, match=rf"vit\.npz: {message}.*; run the probes again"):
        write_probes(broken, path)
    assert not path.exists()


def test_unreadable_files(probes, tmp_path):
    path = tmp_path / "vit.npz"
    with pytest.raises(RecordsError, match=r"vit\.npz: no such file; run the probes of this model first"):
        read_probes(path)
    write_probes(probes, path)
    whole = path.read_bytes()
    for damaged in (whole[:200], whole[:-200], b"", b"not a zip", whole.replace(b"scoring.npy", b"scorong.npy")):
        path.write_bytes(damaged)
        with pytest.raises(
            RecordsError, match=r"vit\.npz: not a readable probe file \(.*; remove it and run the probes"
        ):
            read_probes(path)


def test_pickles_are_refused(tmp_path):
    np.savez(tmp_path / "vit.npz", outputs=np.array([{}], dtype=object))
    with pytest.raises(RecordsError, match=r"vit\.npz: not a readable probe file"):
        read_probes(tmp_path / "vit.npz")


def test_records_of_some_variants(probes, tmp_path):
    path = tmp_path / "vit.parquet"
    records_from_probes(probes, ["clean", "fog-2"], path, {"source": "syn_b", "simulated": False})
    frame, metadata = read_records(path)
    assert metadata == {**probes.metadata, "source": "syn_b", "simulated": False}
    assert frame["condition"].tolist() == ["clean"] * 4 + ["fog-2"] * 4
    for variant, condition in enumerate(("clean", "fog-2")):
        scores = score_common(probes.outputs[variant], probes.labels, LOGITS)
        rows = frame[frame["condition"] == condition]
        assert rows["image_id"].tolist() == list(probes.image_ids)
        assert rows["prediction"].tolist() == scores.prediction.tolist()
        assert rows["confidence"].tolist() == scores.confidence.tolist()
        assert rows["true_class_probability"].tolist() == scores.true_class_probability.tolist()


def test_records_of_a_variant_that_was_not_run(probes, tmp_path):
    with pytest.raises(
        RecordsError, match=r"^vit: no outputs for condition fog-4; run the probes again with this cond"
    ):
        records_from_probes(probes, ["clean", "fog-4"], tmp_path / "vit.parquet", {})
