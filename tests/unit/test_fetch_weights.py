"""Fetching of weights: from a hub and from addresses, both local here, and what is refused."""

import hashlib
import json
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import timm
import torch
from huggingface_hub import constants
from safetensors.torch import load_file, save_file

from pairedeval.errors import ModelError
from pairedeval.models.fetch import fetch_weights
from pairedeval.models.registry import ModelEntry
from support import http_server
from support.http_server import COMMIT, Server, serve

ENTRY = ModelEntry(
    "tiny", "tiny", "timm", "test_byobnet", (), 160, "softmax", "r160_in1k", None, "", "hf:example/tiny", 456_856
)


class ModelHandler(http_server._Handler):
    """The same hub for models, whose addresses differ from those of data sets."""

    def do_GET(self) -> None:  # noqa: N802
        self.path = self.path.replace("/api/models/", "/api/datasets/")
        if "/resolve/" in self.path:
            self.path = f"/datasets{self.path}"
        super().do_GET()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    folder = tmp_path / "served"
    folder.mkdir()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(http_server, "_Handler", ModelHandler)
    # Between tries it waits a second.
    monkeypatch.setattr("huggingface_hub.file_download.time", SimpleNamespace(sleep=lambda seconds: None))
    with serve(folder) as running:
        template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, running.url)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "ENDPOINT", running.url)
        yield running


@pytest.fixture(scope="module")
def state():
    torch.manual_seed(0)
    return timm.create_model("test_byobnet", num_classes=1000).state_dict()


@pytest.fixture
def fetch(tmp_path):
    def fetch(entry: ModelEntry, local: Path | None = None) -> Path:
        output = tmp_path / "models" / "tiny.safetensors"
        fetch_weights(entry, output, work=tmp_path / "work", local=local)
        return output

    return fetch


def same(path: Path, state) -> bool:
    stored = load_file(path)
    return stored.keys() == state.keys() and all(torch.equal(stored[name], state[name]) for name in state)


def test_the_preferred_file_of_a_hub(server, fetch, state, tmp_path):
    save_file(state, server.folder / "model.safetensors")
    torch.save({name: tensor + 1 for name, tensor in state.items()}, server.folder / "pytorch_model.bin")
    output = fetch(ENTRY)
    assert same(output, state)
    facts = json.loads(output.with_suffix(".json").read_text())["files"]
    content = (server.folder / "model.safetensors").read_bytes()
    assert facts == [
        {
            "name": "model.safetensors",
            "bytes": len(content),
            "origin": "hf:example/tiny",
            "commit": COMMIT,
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    ]
    assert not (tmp_path / "work").exists()
    assert oct(output.stat().st_mode)[-3:] == oct(output.with_suffix(".json").stat().st_mode)[-3:]


def test_the_other_file_of_a_hub(server, fetch, state):
    torch.save(state, server.folder / "pytorch_model.bin")
    assert same(fetch(replace(ENTRY, source="hf:example/tiny@v1.0")), state)


def test_an_interrupted_transfer_goes_on(server, fetch, state, monkeypatch):
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1000)
    save_file(state, server.folder / "model.safetensors")
    server.behaviour.cuts = [300_000, *[0] * 6]
    with pytest.raises(
        ModelError, match=r"^tiny: .*cannot be fetched.*or put model\.safetensors or pytorch_model\.bin"
    ):
        fetch(ENTRY)
    server.sent = 0
    assert same(fetch(ENTRY), state)
    assert server.sent == (server.folder / "model.safetensors").stat().st_size - 300_000


def test_an_address_with_the_digest_in_the_name(server, fetch, state):
    torch.save(state, server.folder / "tiny.pth")
    content = (server.folder / "tiny.pth").read_bytes()
    name = f"tiny-{hashlib.sha256(content).hexdigest()[:8]}.pth"
    (server.folder / name).write_bytes(content)
    assert same(fetch(replace(ENTRY, source=server.file(name))), state)
    (server.folder / "tiny-0123abcd.pth").write_bytes(content)
    with pytest.raises(ModelError, match=r"tiny-0123abcd\.pth: its SHA-256 is \w{64}, not 0123abcd\.\.\. as its name"):
        fetch(replace(ENTRY, source=server.file("tiny-0123abcd.pth")))


def test_an_address_with_its_md5(server, fetch, state):
    torch.save({"model": state}, server.folder / "tiny.pth")
    md5 = hashlib.md5((server.folder / "tiny.pth").read_bytes()).hexdigest()
    assert same(fetch(replace(ENTRY, source=f"{server.file('tiny.pth')}#md5={md5[:6]}")), state)
    with pytest.raises(ModelError, match=rf"tiny\.pth: its MD5 is {md5}, the published one starts with 000000; fetch"):
        fetch(replace(ENTRY, source=f"{server.file('tiny.pth')}#md5=000000"))


def test_own_files_are_taken_and_checked_first(fetch, state, tmp_path):
    (tmp_path / "own/tiny").mkdir(parents=True)
    torch.save(state, tmp_path / "own/tiny/tiny-0123abcd.pth")
    with pytest.raises(ModelError, match=r"own/tiny/tiny-0123abcd\.pth: its SHA-256 is"):
        fetch(replace(ENTRY, source="http://127.0.0.1:9/tiny-0123abcd.pth"), local=tmp_path / "own")
    (tmp_path / "own/tiny/tiny-0123abcd.pth").rename(tmp_path / "own/tiny/tiny.pth")
    assert same(fetch(replace(ENTRY, source="http://127.0.0.1:9/tiny.pth"), local=tmp_path / "own"), state)


def test_files_that_are_not_open_say_what_to_do(server, fetch, tmp_path):
    server.behaviour.status = 403
    entry = replace(ENTRY, source=server.file("gated-0123abcd.pth"))
    with pytest.raises(ModelError, match=rf"^tiny: .*403.*, or put gated-0123abcd\.pth into {tmp_path}/own/tiny"):
        fetch(entry, local=tmp_path / "own")


def test_a_hub_without_the_file(server, fetch):
    with pytest.raises(
        ModelError, match=rf"^tiny: .*no file model\.safetensors or pytorch_model\.bin at commit {COMMIT}"
    ):
        fetch(ENTRY)


class Evil:
    def __reduce__(self):
        return (print, ("executed",))


def test_code_in_a_file_is_never_executed(fetch, state, tmp_path, capsys):
    (tmp_path / "own/tiny").mkdir(parents=True)
    path = tmp_path / "own/tiny/pytorch_model.bin"
    torch.save({"model": state, "extra": Evil()}, path)
    with pytest.raises(ModelError, match=r"pytorch_model\.bin: damaged or of another model \(.*\); remove it and"):
        fetch(ENTRY, local=tmp_path / "own")
    path.write_bytes(pickle.dumps(Evil(), protocol=2))
    with pytest.raises(ModelError, match=r"pytorch_model\.bin: damaged"):
        fetch(ENTRY, local=tmp_path / "own")
    assert capsys.readouterr().out == ""


def test_files_that_do_not_fit(fetch, state, tmp_path):
    (tmp_path / "own/tiny").mkdir(parents=True)
    path = tmp_path / "own/tiny/model.safetensors"
    save_file({name: tensor for name, tensor in state.items() if name != "stem.conv.weight"}, path)
    with pytest.raises(
        ModelError, match=r"model\.safetensors: damaged or of another model \(Missing key.*stem\.conv\.we"
    ):
        fetch(ENTRY, local=tmp_path / "own")
    save_file(state, path)
    with pytest.raises(ModelError, match=r"^tiny: 456,856 parameters, but the registry says 456,857; correct the reg"):
        fetch(replace(ENTRY, parameters=456_857), local=tmp_path / "own")
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(ModelError, match=r"model\.safetensors: damaged"):
        fetch(ENTRY, local=tmp_path / "own")
    with pytest.raises(
        ModelError, match=r"^tiny: the registry does not say where its weights are; fill its column sou"
    ):
        fetch(replace(ENTRY, source=""))
