"""Array files: what comes back, the same bytes, and how damage is explained."""

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pytest

from pairedeval.arrays import read_arrays, write_arrays
from pairedeval.errors import RecordsError


@dataclass(frozen=True)
class Sample:
    values: np.ndarray
    names: tuple[str, ...]
    unit: str
    scale: float
    metadata: Mapping[str, Any]


@pytest.fixture
def sample() -> Sample:
    values = np.array([[1.5, -2.0], [0.0, 3.0]], dtype=np.float32)
    return Sample(values, ("a", "é"), "px", 0.1, {"model": "vit", "attacks": [{"weight": 0.5}]})


def read(path):
    return read_arrays(Sample, path, what="sample file", origin="draw the sample", remedy="draw it again")


def stored(sample, **changes):
    """Return the members of a file, made without the module, some changed or (None) left out."""
    members = {field.name: np.asarray(getattr(sample, field.name)) for field in fields(Sample)[:-1]}
    members |= {"metadata": np.asarray(json.dumps(sample.metadata)), **changes}
    return {name: value for name, value in members.items() if value is not None}


def test_round_trip(sample, tmp_path):
    write_arrays(sample, tmp_path / "vit.npz")
    again = read(tmp_path / "vit.npz")
    np.testing.assert_array_equal(again.values, sample.values)
    assert again.values.dtype == np.float32
    same = ("names", "unit", "scale", "metadata")
    assert [getattr(again, name) for name in same] == [getattr(sample, name) for name in same]
    assert [type(getattr(again, name)) for name in same] == [tuple, str, float, dict]


def test_values_that_are_not_finite(sample, tmp_path):
    write_arrays(replace(sample, scale=float("nan")), tmp_path / "vit.npz")
    assert np.isnan(read(tmp_path / "vit.npz").scale)


def test_members_and_their_order(sample, tmp_path):
    write_arrays(sample, tmp_path / "vit.npz")
    with zipfile.ZipFile(tmp_path / "vit.npz") as archive:
        assert archive.namelist() == ["values.npy", "names.npy", "unit.npy", "scale.npy", "metadata.npy"]


def test_the_order_of_the_metadata_leaves_no_trace(sample, tmp_path):
    write_arrays(sample, tmp_path / "one.npz")
    write_arrays(replace(sample, metadata=dict(reversed(sample.metadata.items()))), tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_metadata_that_json_lacks_leave_no_file(sample, tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_arrays(replace(sample, metadata={"share": float("nan")}), tmp_path / "vit.npz")
    assert not list(tmp_path.iterdir())


def test_a_missing_file(tmp_path):
    with pytest.raises(RecordsError, match=r"vit\.npz: no such file; draw the sample first$"):
        read(tmp_path / "vit.npz")


@pytest.mark.parametrize(
    "changes",
    [
        *({field.name: None} for field in fields(Sample)),
        {"scale": np.asarray("wide")},
        {"names": np.asarray(3)},
        {"metadata": np.asarray("{")},
        {"values": np.array([{}], dtype=object)},
    ],
)
def test_members_that_are_missing_or_of_another_kind(sample, tmp_path, changes):
    np.savez(tmp_path / "vit.npz", **stored(sample))
    assert read(tmp_path / "vit.npz").names == sample.names
    np.savez(tmp_path / "vit.npz", **stored(sample, **changes))
    with pytest.raises(RecordsError, match=r"vit\.npz: not a readable sample file \(.+\); draw it again$"):
        read(tmp_path / "vit.npz")


def test_damaged_bytes(sample, tmp_path):
    path = tmp_path / "vit.npz"
    write_arrays(sample, path)
    whole = path.read_bytes()
    for damaged in (b"", b"text", whole[: len(whole) // 2], whole.replace(b"p\0\0\0", b"q\0\0\0")):
        assert damaged != whole
        path.write_bytes(damaged)
        with pytest.raises(RecordsError, match=r"vit\.npz: not a readable sample file \(.+\); draw it again$"):
            read(path)
