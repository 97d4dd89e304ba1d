"""A local server of files that can fail as real ones do, and that answers like the Hugging Face hub."""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PIECE = 1 << 14


@dataclass
class Behaviour:
    """How the server answers from now on.

    Attributes
    ----------
    cuts
        Bytes after which the connection is cut, one an answer; then no more cuts.
    ranges
        Whether it understands ranges.
    surplus
        Bytes that it announces, but does not send.
    status
        Answer to every file instead of the file.
    pause
        Seconds between pieces.
    licence, large
        What the hub says of its data set: licence, and whether files are large ones with a SHA-256.
    """

    cuts: list[int] = field(default_factory=list)
    ranges: bool = True
    surplus: int = 0
    status: int = 0
    pause: float = 0.0
    licence: str | None = "cc-by-4.0"
    large: bool = True


@dataclass
class Server:
    """A running server.

    Attributes
    ----------
    url
        Address; the files are below ``/files``.
    folder
        What it serves.
    behaviour
        How it answers.
    ranges
        First byte asked for, one a request of a file.
    sent
        Bytes of files that were sent.
    headers
        Headers of the last request of a file.
    """

    url: str
    folder: Path
    behaviour: Behaviour = field(default_factory=Behaviour)
    ranges: list[int] = field(default_factory=list)
    sent: int = 0
    headers: dict[str, str] = field(default_factory=dict)

    def file(self, name: str) -> str:
        """Return the address of a file."""
        return f"{self.url}/files/{name}"


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """Serve a folder on a free local port until the block ends."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as http:
        http.daemon_threads = True
        http.state = Server(f"http://127.0.0.1:{http.server_address[1]}", folder)
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield http.state
        finally:
            http.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if match := re.fullmatch(r"/files/([\w.-]+)", self.path):
            self._send_file(self.server.state.folder / match[1])
        elif re.fullmatch(r"/api/datasets/[\w.-]+/[\w.-]+/revision/[\w.-]+", self.path):
            self._send_json(self._dataset())
        elif match := re.fullmatch(rf"/datasets/[\w.-]+/[\w.-]+/resolve/{COMMIT}/([\w.-]+)", self.path):
            self._answer(302, {"Location": f"/files/{match[1]}", "Content-Length": "0"})
        else:
            self._answer(404, {"Content-Length": "0"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        wanted = json.loads(body)["paths"] if body.startswith("{") else re.findall(r"paths=([\w.-]+)", body)
        present = [self.server.state.folder / name for name in wanted if (self.server.state.folder / name).is_file()]
        self._send_json([self._entry(path) for path in present])

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""

    def _dataset(self) -> dict[str, object]:
        licence = self.server.state.behaviour.licence
        card = {"cardData": {"license": licence}} if licence else {}
        name = "/".join(self.path.split("/")[3:5])
        dates = {"lastModified": "2026-01-17T12:00:00.000Z", "createdAt": "2026-01-16T12:00:00.000Z"}
        return {
            "id": name,
            "sha": COMMIT,
            "gated": False,
            "private": False,
            "tags": [],
            "siblings": [],
            **dates,
            **card,
        }

    def _entry(self, path: Path) -> dict[str, object]:
        data = path.read_bytes()
        entry = {"type": "file", "path": path.name, "size": len(data), "oid": "0" * 40}
        if self.server.state.behaviour.large:
            entry["lfs"] = {"oid": sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
        return entry

    def _send_json(self, value: object) -> None:
        data = json.dumps(value).encode()
        self._answer(200, {"Content-Type": "application/json", "Content-Length": str(len(data))})
        self.wfile.write(data)

    def _send_file(self, path: Path) -> None:
        state = self.server.state
        state.headers = dict(self.headers)
        if state.behaviour.status or not path.is_file():
            self._answer(state.behaviour.status or 404, {"Content-Length": "0"})
            return
        data = path.read_bytes()
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", "")) if state.behaviour.ranges else None
        first = int(asked[1]) if asked else 0
        state.ranges.append(first)
        if asked and first >= len(data):
            self._answer(416, {"Content-Range": f"bytes */{len(data)}", "Content-Length": "0"})
            return
        part = data[first:]
        headers = {"Content-Length": str(len(part) + state.behaviour.surplus)}
        if asked:
            headers["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
        self._answer(206 if asked else 200, headers)
        cut = state.behaviour.cuts.pop(0) if state.behaviour.cuts else None
        self._send_pieces(part[:cut])
        if cut is not None or state.behaviour.surplus:
            self.close_connection = True

    def _send_pieces(self, data: bytes) -> None:
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            try:
                self.wfile.write(piece)
                self.wfile.flush()
            except OSError:  # The client is gone.
                self.close_connection = True
                return
            self.server.state.sent += len(piece)
            time.sleep(self.server.state.behaviour.pause)

    def _answer(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
