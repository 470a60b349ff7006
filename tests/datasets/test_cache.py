"""Downloads, from a server on this machine that plays the remote."""

from __future__ import annotations

import gc
import hashlib
import socket
import sys
import warnings
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import click
import pandas as pd
import pytest

import inspect_confidence.tasks
from conftest import files
from inspect_confidence.datasets.cache import CACHE_VARIABLE, SOURCES, Source, cache_folder, fetch
from inspect_confidence.datasets.questions import MMLU
from inspect_confidence.datasets.records import downloaded_records
from inspect_confidence.errors import DataUnavailable
from refusals import refused
from remote import BODY, Remote

INSTEAD = "-T dataset=bundled"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder, named by the variable and not there yet."""
    path = tmp_path / "the cache"
    monkeypatch.setenv(CACHE_VARIABLE, str(path))
    return path


def refusal(source: Source) -> str:
    """What a user without the file is told; the message has all that is needed to get it."""
    with warnings.catch_warnings():
        # pooch leaves the response of a failure open until it is collected
        warnings.simplefilter("ignore", ResourceWarning)
        with pytest.raises(DataUnavailable) as caught:
            fetch(source, alternative=INSTEAD)
        assert isinstance(caught.value, click.UsageError)
        assert isinstance(caught.value, ValueError)
        message = caught.value.format_message()
        del caught
        gc.collect()
    assert "\n" not in message
    for part in (source.url, str(source.sha256), str(cache_folder()), source.name, CACHE_VARIABLE):
        assert part in message
    assert f"could not be downloaded. Use {INSTEAD}, or put the file" in message
    return message


def placed(folder: Path, content: bytes) -> None:
    """A file that is in the cache folder before anything is fetched."""
    (folder / "set").mkdir(parents=True, exist_ok=True)
    (folder / "set" / "questions.json").write_bytes(content)


def test_a_file_is_downloaded_once(remote: Remote, folder: Path) -> None:
    """The first fetch asks the remote, the second only the cache; nor is another put there."""
    first = fetch(remote.source(), alternative=INSTEAD)
    second = fetch(remote.source(), alternative=INSTEAD)
    assert first == second == folder / "set" / "questions.json"
    assert remote.requested_paths == ["/at/questions.json"]
    # A source pinned to another checksum doesn't take that file.
    refusal(remote.source(hashlib.sha256(b"another revision").hexdigest()))
    assert files(folder) == {"set/questions.json": BODY}


def test_a_whole_file_in_the_cache_needs_no_request_and_a_corrupt_one_does(
    remote: Remote, folder: Path
) -> None:
    """One put there by hand needs no request, in the folder that the variable names."""
    assert CACHE_VARIABLE == "INSPECT_CONFIDENCE_DATA"
    assert cache_folder() == folder
    for before, requests in ((BODY, []), (BODY[:-1], ["/at/questions.json"])):  # corrupt: anew
        placed(folder, before)
        assert fetch(remote.source(), alternative=INSTEAD).read_bytes() == BODY
        assert remote.requested_paths == requests
        assert files(folder) == {"set/questions.json": BODY}


def test_a_failed_download_is_refused_and_not_kept(remote: Remote, folder: Path) -> None:
    """Another content, an error page even were it the right bytes, half a file."""
    # The message names the trouble, nothing is kept, a corrupt file that was there is never used
    # and left as it was, and the next fetch asks again.
    failures = [(404, BODY, "404"), (403, BODY, "403"), (500, BODY, "500"), (503, BODY, "503")]
    failures += [(200, BODY.replace(b"many", b"much"), "hash"), (200, bytes(len(BODY)), "hash")]
    for status, body, says in [*failures, (200, BODY[:10], "")]:
        for before in (None, b"corrupt"):
            if before:
                placed(folder, before)
            remote.status, remote.body = status, body
            remote.requested_paths.clear()
            for _ in range(2):
                assert says in refusal(remote.source()), says
                assert files(folder) == ({"set/questions.json": before} if before else {}), says
            assert len(remote.requested_paths) == 2, says
            remote.status, remote.body = 200, BODY
            assert fetch(remote.source(), alternative=INSTEAD).read_bytes() == BODY, says
            assert files(folder) == {"set/questions.json": BODY}, says
            (folder / "set" / "questions.json").unlink()


def test_a_refused_connection_is_refused_and_keeps_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing listens, the message still has everything, and nothing is kept."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    with socket.socket() as unused:  # bound and not listening: refuses
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
        refusal(Remote(address).source())
    assert files(folder) == {}


def test_a_cache_folder_that_is_a_file_is_refused(
    remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trouble with the folder itself is the same one-line error, and the file stays."""
    (tmp_path / "file").write_bytes(b"mine")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    refusal(remote.source())
    assert (tmp_path / "file").read_bytes() == b"mine"


PAGE = b"<!DOCTYPE html><html><title>Sign in</title></html>"
TABLE = b'question,answer\n"How many?",3\n'


def parquet(**columns: Sequence[object]) -> bytes:
    """A parquet file of these columns."""
    sink = BytesIO()
    pd.DataFrame(columns).to_parquet(sink)
    return sink.getvalue()


WHOLE = parquet(question=["How many?"] * 900, answer=[*range(900)])


@pytest.mark.parametrize(
    ("name", "whole", "bodies_by_fault"),
    [
        (
            "set/questions.parquet",
            WHOLE,
            {
                "a web page": PAGE,
                "it is empty": b"",
                "no whole .parquet file": WHOLE[:-900],
                "no column 'answer'": parquet(question=["x"]),
                "no rows": parquet(question=[], answer=[]),
            },
        ),
        (
            "set/questions.csv",
            TABLE,
            {
                "a web page": b"\n" + PAGE,
                "no whole .csv file": TABLE[:25],
                "line 2 has 1 cells": TABLE[:-3],
                "no column 'answer'": b"question\nx\n",
                "no rows": b"question,answer\n\n",
            },
        ),
    ],
)
def test_a_file_without_a_checksum_must_be_the_whole_table(
    remote: Remote, folder: Path, name: str, whole: bytes, bodies_by_fault: dict[str, bytes]
) -> None:
    """What isn't the table that it should be is never kept, nor used where it is there already."""
    source = Source(name, f"{remote.address}/x", columns=["question", "answer"])
    file = folder / name
    for says, body in bodies_by_fault.items():
        remote.body, remote.promised = body, len(body)
        for stored_bytes in (None, PAGE, body):
            if stored_bytes is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(stored_bytes)
            message = refused(fetch, source, alternative=INSTEAD)
            assert says in message, message
            assert source.url in message
            assert "None" not in message
            assert files(folder) == ({name: stored_bytes} if stored_bytes is not None else {})
        remote.body, remote.promised = whole, len(whole)
        assert fetch(source, alternative=INSTEAD).read_bytes() == whole
        remote.requested_paths.clear()
        assert fetch(source, alternative=INSTEAD) == file
        assert not remote.requested_paths
        assert files(folder) == {name: whole}
        file.unlink()


def test_every_file_without_a_checksum_names_its_columns() -> None:
    """Of the two forms that are looked at."""
    for name, source in SOURCES.items():
        if source.url and not source.sha256:
            assert source.columns, name
            assert name.endswith((".csv", ".parquet")), name


def test_a_damaged_file_is_refused_with_its_path(folder: Path) -> None:
    """One whose end says the right columns; it names the file and what to do."""
    source = SOURCES[MMLU]
    damaged = bytearray(parquet(**{name: ["x" * 90] * 900 for name in source.columns}))
    damaged[4:90] = bytes(86)
    (folder / MMLU).parent.mkdir(parents=True)
    (folder / MMLU).write_bytes(damaged)
    message = refused(downloaded_records, MMLU)
    assert str(folder / MMLU) in message
    assert "remove it" in message


@pytest.mark.skipif(sys.platform != "linux", reason="XDG folders are Linux's")
def test_without_the_variable_the_cache_is_the_platforms_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the variable is empty or not set, the folder is the platform's for caches."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv(CACHE_VARIABLE, "")
    assert cache_folder() == tmp_path / "inspect_confidence"
    monkeypatch.delenv(CACHE_VARIABLE)
    assert cache_folder() == tmp_path / "inspect_confidence"


def test_a_relative_cache_folder_is_relative_to_the_users_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While Inspect loads a task file, a relative cache folder is still the user's."""
    monkeypatch.setenv(CACHE_VARIABLE, "data")
    monkeypatch.setenv("PWD", str(tmp_path))
    monkeypatch.chdir(Path(inspect_confidence.tasks.__file__).parent)
    assert cache_folder() == tmp_path / "data"


def test_without_a_connection_the_reason_is_short(folder: Path) -> None:
    """The library's text repeats the address and its objects; port 9 of this machine is shut."""
    source = Source("set/questions.json", "http://127.0.0.1:9/questions.json", "0" * 64)
    assert refusal(source).endswith("Reason: no connection to 127.0.0.1")
