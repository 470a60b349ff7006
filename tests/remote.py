"""A server on this machine that plays the remote of downloads."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from inspect_confidence.datasets.cache import Source

BODY = b'[{"question": "How many?"}]\n'
SHA256 = hashlib.sha256(BODY).hexdigest()


@dataclass
class Remote:
    """What the server sends, and what it was asked for."""

    address: str
    status: int = 200
    body: bytes = BODY
    promised: int = len(BODY)
    requested_paths: list[str] = field(default_factory=list)

    def source(self, sha256: str = SHA256) -> Source:
        """The file, pinned."""
        return Source("set/questions.json", f"{self.address}/at/questions.json", sha256)

    def sends(self, body: bytes, promised: int | None = None, status: int = 200) -> None:
        """What it sends from now on, all of it unless more or less was promised."""
        self.status, self.body = status, body
        self.promised = len(body) if promised is None else promised


@contextmanager
def serving() -> Iterator[Remote]:
    """The server while it runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.requested_paths.append(self.path)
            self.send_response(state.status)
            self.send_header("Content-Length", str(state.promised))
            self.end_headers()
            self.wfile.write(state.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state = Remote(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
