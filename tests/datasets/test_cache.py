"""Downloads, from a server on this machine that plays the remote."""

from __future__ import annotations

import gc
import hashlib
import socket
import sys
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click
import pytest

import inspect_confidence.tasks
from inspect_confidence.datasets.cache import CACHE_VARIABLE, Source, cache_folder, fetch
from inspect_confidence.errors import DataUnavailable

BODY = b'[{"question": "How many?"}]\n'
SHA256 = hashlib.sha256(BODY).hexdigest()
INSTEAD = "-T dataset=bundled"


@dataclass
class Remote:
    """What the server sends, and what it was asked for."""

    address: str
    status: int = 200
    body: bytes = BODY
    promised: int = len(BODY)
    asked: list[str] = field(default_factory=list)

    def source(self, sha256: str = SHA256) -> Source:
        """The file, pinned."""
        return Source("set/questions.json", f"{self.address}/at/questions.json", sha256)


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch) -> Iterator[Remote]:
    """A server that is reached without a proxy and closed afterwards."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
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
        yield state
        server.shutdown()
        thread.join()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder, named by the variable and not there yet."""
    path = tmp_path / "the cache"
    monkeypatch.setenv(CACHE_VARIABLE, str(path))
    return path


def files(folder: Path) -> dict[str, bytes]:
    """What lies in a folder and below: content by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def refusal(source: Source) -> str:
    """What a user without the file is told; the message has all that is needed to get it."""
    with warnings.catch_warnings():
        # pooch leaves the response of a failure open until it is collected
        warnings.simplefilter("ignore", ResourceWarning)
        with pytest.raises(DataUnavailable) as caught:
            fetch(source, instead=INSTEAD)
        assert isinstance(caught.value, click.UsageError)
        assert isinstance(caught.value, ValueError)
        said = caught.value.format_message()
        del caught
        gc.collect()
    assert "\n" not in said
    for part in (source.url, str(source.sha256), str(cache_folder()), source.name, CACHE_VARIABLE):
        assert part in said
    assert said.endswith(f"or use {INSTEAD}.")
    return said


def test_a_file_is_downloaded_once(remote: Remote, folder: Path) -> None:
    """The first fetch asks the remote, the second only the cache."""
    first = fetch(remote.source(), instead=INSTEAD)
    second = fetch(remote.source(), instead=INSTEAD)
    assert first == second == folder / "set" / "questions.json"
    assert remote.asked == ["/at/questions.json"]
    assert files(folder) == {"set/questions.json": BODY}


def test_a_file_that_is_there_needs_no_remote(remote: Remote, folder: Path) -> None:
    """A file that a user put into the folder by hand is taken without any request."""
    (folder / "set").mkdir(parents=True)
    (folder / "set" / "questions.json").write_bytes(BODY)
    assert fetch(remote.source(), instead=INSTEAD).read_bytes() == BODY
    assert remote.asked == []


def test_another_content_is_refused(remote: Remote, folder: Path) -> None:
    """A download whose checksum differs is refused and not kept."""
    remote.body = BODY.replace(b"many", b"much")
    said = refusal(remote.source())
    assert "hash" in said
    assert files(folder) == {}


def test_an_error_page_is_refused(remote: Remote, folder: Path) -> None:
    """A status of failure is named, and the page isn't kept, even were it the right bytes."""
    for status in [404, 403, 500, 503]:
        remote.status = status
        assert str(status) in refusal(remote.source())
        assert files(folder) == {}, status


def test_a_broken_off_download_is_refused(remote: Remote, folder: Path) -> None:
    """Half a file, where the connection closes before its promised end, isn't kept."""
    remote.body = BODY[:10]
    refusal(remote.source())
    assert remote.asked
    assert files(folder) == {}


def test_a_refused_connection(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing listens, the message still has everything, and nothing is kept."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    with socket.socket() as unused:  # bound and not listening: refuses
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
        refusal(Remote(address).source())
    assert files(folder) == {}


def test_a_failure_is_not_remembered(remote: Remote, folder: Path) -> None:
    """After a failure the next fetch asks again and succeeds."""
    remote.status = 503
    refusal(remote.source())
    remote.status = 200
    assert fetch(remote.source(), instead=INSTEAD).read_bytes() == BODY
    assert files(folder) == {"set/questions.json": BODY}


def test_a_corrupt_file_is_replaced(remote: Remote, folder: Path) -> None:
    """A cached file with a wrong checksum is downloaded anew."""
    (folder / "set").mkdir(parents=True)
    (folder / "set" / "questions.json").write_bytes(BODY[:-1])
    assert fetch(remote.source(), instead=INSTEAD).read_bytes() == BODY
    assert remote.asked == ["/at/questions.json"]
    assert files(folder) == {"set/questions.json": BODY}


def test_a_corrupt_file_is_never_used(remote: Remote, folder: Path) -> None:
    """Where its replacement fails too, it is refused again and again, and left as it was."""
    for failure in ["status", "checksum", "broken off"]:
        (folder / "set").mkdir(parents=True)
        (folder / "set" / "questions.json").write_bytes(b"corrupt")
        if failure == "status":
            remote.status = 404
        else:
            remote.body = BODY[:10] if failure == "broken off" else bytes(len(BODY))
        for _ in range(2):
            refusal(remote.source())
            assert files(folder) == {"set/questions.json": b"corrupt"}, failure
        assert len(remote.asked) == 2, failure


def test_a_cache_folder_that_is_a_file(
    remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trouble with the folder itself is the same one-line error, and the file stays."""
    (tmp_path / "file").write_bytes(b"mine")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    refusal(remote.source())
    assert (tmp_path / "file").read_bytes() == b"mine"


def test_two_revisions_do_not_share_a_download(remote: Remote, folder: Path) -> None:
    """A source pinned to another checksum doesn't take the file of the first one."""
    fetch(remote.source(), instead=INSTEAD)
    refusal(remote.source(hashlib.sha256(b"another revision").hexdigest()))
    assert files(folder) == {"set/questions.json": BODY}


def test_the_variable_names_the_folder(folder: Path) -> None:
    """INSPECT_CONFIDENCE_DATA is the cache folder, with blanks in its name too."""
    assert CACHE_VARIABLE == "INSPECT_CONFIDENCE_DATA"
    assert cache_folder() == folder


@pytest.mark.skipif(sys.platform != "linux", reason="XDG folders are Linux's")
@pytest.mark.parametrize("value", [None, ""])
def test_the_platforms_folder_without_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    """Where the variable is not set or empty, the folder is the platform's for caches."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if value is None:
        monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    else:
        monkeypatch.setenv(CACHE_VARIABLE, value)
    assert cache_folder() == tmp_path / "inspect_confidence"


def test_a_relative_folder_is_relative_to_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While Inspect loads a task file, a relative cache folder is still the user's."""
    monkeypatch.setenv(CACHE_VARIABLE, "data")
    monkeypatch.setenv("PWD", str(tmp_path))
    monkeypatch.chdir(Path(inspect_confidence.tasks.__file__).parent)
    assert cache_folder() == tmp_path / "data"
