"""Fetching: interrupted, killed, wrong and missing files, against a local server that fails as real ones do."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import numpy as np
import pytest
from huggingface_hub import constants

import pairedeval
from pairedeval.errors import PairedEvalError
from pairedeval.sources.facts import SourceFile
from pairedeval.sources.fetch import fetch_url
from pairedeval.sources.published import fetch_source, find_on_hub
from support.http_server import COMMIT, Server, serve

DATA = np.random.default_rng(0).bytes(300_000)
DIGEST = sha256(DATA).hexdigest()
CHUNK = 1000
KILLED = f"""
import sys
from huggingface_hub import constants
from pairedeval.sources.fetch import fetch_url
constants.DOWNLOAD_CHUNK_SIZE = {CHUNK}
fetch_url(sys.argv[1], sys.argv[2], work=sys.argv[3])
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "data.zip").write_bytes(DATA)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    # Between tries it waits a second; the clock of everything else goes on.
    monkeypatch.setattr("huggingface_hub.file_download.time", SimpleNamespace(sleep=lambda seconds: None))
    # What is written at a time: by default more than the whole file here.
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", CHUNK)
    with serve(folder) as running:
        template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, running.url)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "ENDPOINT", running.url)
        yield running


class Place:
    """Where a file is wanted."""

    def __init__(self, folder: Path) -> None:
        self.target, self.record, self.work = folder / "data.zip", folder / "data.json", folder / "work"

    def fetch(self, server: Server, **changes: object) -> str:
        known = {"size": len(DATA), "sha256": DIGEST, **changes}
        return fetch_url(server.file("data.zip"), self.target, work=self.work, **known)

    def fetch_source(self, file: SourceFile, copy: Path | None = None) -> dict[str, object]:
        fetch_source(file, self.target, self.record, work=self.work, copy=copy)
        return json.loads(self.record.read_text())

    @property
    def received(self) -> int:
        """Bytes that are kept of an unfinished transfer."""
        return sum(path.stat().st_size for path in self.work.glob("*.part"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "here")


@pytest.mark.parametrize("known", [{}, {"size": 0, "sha256": ""}])
def test_a_file_is_fetched_whole(known: dict[str, object], server: Server, place: Place) -> None:
    assert place.fetch(server, **known) == DIGEST
    assert place.target.read_bytes() == DATA
    assert place.received == 0
    assert server.headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("cuts", [[100_000], [50_000, 60_000, 1_000, 70_000]])
def test_a_cut_connection_goes_on_where_it_stopped(cuts: list[int], server: Server, place: Place) -> None:
    server.behaviour.cuts = list(cuts)
    place.fetch(server)
    assert place.target.read_bytes() == DATA
    assert server.ranges == np.cumsum([0, *cuts]).tolist()
    assert server.sent == len(DATA)


def test_what_was_received_outlives_a_failed_run(server: Server, place: Place) -> None:
    server.behaviour.cuts = [120_000, *[0] * 6]
    with pytest.raises(
        PairedEvalError, match=r"data\.zip: cannot be fetched \(.+\); check the connection and run again"
    ):
        place.fetch(server)
    assert not place.target.exists()
    assert place.received == 120_000
    server.sent = 0
    place.fetch(server)
    assert place.target.read_bytes() == DATA
    assert server.sent == len(DATA) - 120_000


def test_a_server_without_ranges_sends_the_file_again(server: Server, place: Place) -> None:
    server.behaviour.cuts, server.behaviour.ranges = [120_000], False
    place.fetch(server)
    assert place.target.read_bytes() == DATA
    assert server.sent == 120_000 + len(DATA)


def test_a_killed_process_resumes(server: Server, place: Place) -> None:
    server.behaviour.pause = 0.05
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, server.file("data.zip"), str(place.target), str(place.work)],
        env={**os.environ, "PYTHONPATH": str(Path(pairedeval.__file__).parent.parent)},
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while server.sent < 100_000:
            assert process.poll() is None, "the process ended before it was killed"
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not place.target.exists()
    kept = place.received
    assert kept > 50_000
    server.behaviour.pause = 0.0
    place.fetch(server, size=0, sha256="")
    assert place.target.read_bytes() == DATA
    assert server.ranges[-1] == kept


@pytest.mark.parametrize(
    ("known", "problem"),
    [
        ({"sha256": "0" * 64}, rf"its SHA-256 is {DIGEST}, the published one 0{{64}}; fetch it again"),
        ({"size": len(DATA) + 5}, r"cannot be fetched \(Consistency check failed: file should be of size 300005"),
        ({"size": len(DATA) - 5}, r"cannot be fetched \(Consistency check failed: file should be of size 299995"),
    ],
)
def test_another_file_is_refused_and_not_kept(
    known: dict[str, object], problem: str, server: Server, place: Place
) -> None:
    with pytest.raises(PairedEvalError, match=problem) as raised:
        place.fetch(server, **known)
    assert "\n" not in str(raised.value)
    assert not place.target.exists()
    assert place.received == 0


def test_more_bytes_announced_than_sent_is_an_interruption(server: Server, place: Place) -> None:
    server.behaviour.surplus = 10
    with pytest.raises(PairedEvalError, match="cannot be fetched"):
        place.fetch(server, size=0, sha256="")
    assert not place.target.exists()


def test_parts_that_cannot_become_the_file_are_dropped(server: Server, place: Place) -> None:
    server.behaviour.status = 503
    with pytest.raises(PairedEvalError, match="run again"):
        place.fetch(server)
    (part,) = place.work.glob("*.part")
    part.write_bytes(DATA + b"more")
    server.behaviour.status = 0
    with pytest.raises(PairedEvalError, match="416"):
        place.fetch(server)
    place.fetch(server)
    assert place.target.read_bytes() == DATA


def test_a_missing_file_is_one_sentence(server: Server, place: Place) -> None:
    with pytest.raises(
        PairedEvalError,
        match=r"/files/none: cannot be fetched \(.*404.*\); check the connection and run again, which resumes$",
    ) as raised:
        fetch_url(server.file("none"), place.target, work=place.work)
    assert "\n" not in str(raised.value)


def test_a_refused_file_asks_to_sign_in(server: Server, place: Place) -> None:
    server.behaviour.status = 403
    with pytest.raises(
        PairedEvalError, match=r"\(.*403.*\); accept its terms on its page, sign in with HF_TOKEN"
    ) as raised:
        place.fetch(server)
    assert "\n" not in str(raised.value)


def test_a_file_of_the_hub_is_fetched_at_its_commit_and_recorded(server: Server, place: Place) -> None:
    record = place.fetch_source(SourceFile("data.zip", repository="Edw2n/ImageNet-ES", known_sizes={COMMIT: len(DATA)}))
    assert place.target.read_bytes() == DATA
    assert record == {
        "file": "data.zip",
        "size": len(DATA),
        "sha256": DIGEST,
        "hub_sha256": DIGEST,
        "origin": "hub",
        "place": f"{server.url}/datasets/Edw2n/ImageNet-ES/resolve/{COMMIT}/data.zip",
        "repository": "Edw2n/ImageNet-ES",
        "revision": "main",
        "commit": COMMIT,
        "licence": "cc-by-4.0",
        "gated": False,
        "last_modified": "2026-01-17T12:00:00+00:00",
    }
    assert not place.work.exists()


def test_a_hub_file_that_is_not_what_the_hub_says_is_refused(
    server: Server, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = SourceFile("data.zip", repository="Edw2n/ImageNet-ES")
    found = find_on_hub(file)
    (server.folder / "data.zip").write_bytes(DATA[::-1])
    monkeypatch.setattr("pairedeval.sources.published.find_on_hub", lambda file: found)
    with pytest.raises(PairedEvalError, match=rf"its SHA-256 is \w+, the published one {DIGEST}"):
        place.fetch_source(file)
    assert not place.target.exists()


def test_the_hub_may_state_neither_digest_nor_licence(server: Server, place: Place) -> None:
    server.behaviour.large, server.behaviour.licence = False, None
    record = place.fetch_source(SourceFile("data.zip", repository="Edw2n/ImageNet-ES"))
    assert (record["sha256"], record["hub_sha256"], record["licence"]) == (DIGEST, "", None)


def test_another_size_at_a_known_commit_is_refused(server: Server, place: Place) -> None:
    file = SourceFile("data.zip", repository="Edw2n/ImageNet-ES", known_sizes={COMMIT: 5})
    with pytest.raises(PairedEvalError, match=rf"offers 300,000 bytes at commit {COMMIT}, which is known to have 5"):
        place.fetch_source(file)


def test_an_unknown_commit_is_recorded_with_a_warning(
    server: Server, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    record = place.fetch_source(SourceFile("data.zip", repository="a/b", known_sizes={"f" * 40: 5}))
    assert record["commit"] == COMMIT
    assert f"commit {COMMIT} is not the one that was described" in caplog.text


def test_a_file_that_the_hub_does_not_have_is_named(server: Server, place: Place) -> None:
    with pytest.raises(
        PairedEvalError,
        match=r"datasets/a/b: cannot be fetched \(no file none\.zip at commit \w+\); .*, or name a copy under images",
    ):
        place.fetch_source(SourceFile("none.zip", repository="a/b"))


def test_a_copy_is_linked_and_recorded_not_fetched(server: Server, place: Place, tmp_path: Path) -> None:
    copy = tmp_path / "disk/mine.zip"
    copy.parent.mkdir()
    copy.write_bytes(DATA)
    record = place.fetch_source(SourceFile("data.zip", sha256=DIGEST, repository="a/b"), copy)
    assert place.target.is_symlink()
    assert place.target.read_bytes() == DATA
    expected = {"file": "data.zip", "origin": "copy", "place": str(copy), "sha256": DIGEST, "size": len(DATA)}
    assert record == expected
    assert server.ranges == []
    place.fetch_source(SourceFile("data.zip", sha256=DIGEST), copy)
    with pytest.raises(PairedEvalError, match=r"mine\.zip: its SHA-256 is"):
        place.fetch_source(SourceFile("data.zip", sha256="0" * 64), copy)
    with pytest.raises(PairedEvalError, match=r"mine\.zip: 300,000 bytes, the published file has 7; fetch it again"):
        place.fetch_source(SourceFile("data.zip", size=7), copy)
    with pytest.raises(
        PairedEvalError, match=r"none\.zip: no such file; correct images\.copies, or leave data\.zip out"
    ):
        place.fetch_source(SourceFile("data.zip"), tmp_path / "none.zip")


def test_a_packaged_copy_is_taken_only_if_it_is_the_published_file(server: Server, place: Place) -> None:
    data = (Path(huggingface_hub.__file__).parent / "py.typed").read_bytes()
    packaged = {"package": "huggingface_hub/py.typed", "url": server.file("data.zip")}
    record = place.fetch_source(SourceFile("data.zip", sha256=sha256(data).hexdigest(), **packaged))
    assert (record["origin"], record["place"]) == ("package", "huggingface_hub/py.typed")
    assert place.target.read_bytes() == data
    assert server.ranges == []
    record = place.fetch_source(SourceFile("data.zip", sha256=DIGEST, **packaged))
    assert (record["origin"], record["place"]) == ("url", server.file("data.zip"))
    absent = SourceFile("data.zip", package="no_such_package/x", url=server.file("data.zip"))
    assert place.fetch_source(absent)["origin"] == "url"


def test_a_file_without_origin_asks_for_a_copy(place: Place) -> None:
    with pytest.raises(
        PairedEvalError, match=r"data\.zip: there is no address for it; .*, or name a copy under images\.copies"
    ):
        place.fetch_source(SourceFile("data.zip"))
