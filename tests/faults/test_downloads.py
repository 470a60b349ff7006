"""Downloads that are cut, changed, refused, or answered with a web page; several at once."""

from __future__ import annotations

import hashlib
import stat
import sys
from dataclasses import replace
from io import BytesIO
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pandas as pd
import pytest

from build import attributes_of
from faults.children import bound, tree
from faults.ledger import held
from inspect_confidence.datasets.cache import CACHE_VARIABLE, SOURCES, Source, fetch
from inspect_confidence.errors import DataUnavailable
from remote import Remote

INSTEAD = "-T dataset=bundled"
PAGE = b"<!doctype html>\n<html><title>Sign in to go on</title></html>\n"
AT_ONCE = 4


def published(source: Source) -> bytes:
    """A file that could be the source's: with its columns, or any bytes where they are pinned."""
    columns = dict.fromkeys(source.columns or ["x"], range(500))
    frame = pd.DataFrame(columns).astype(str)
    if source.name.endswith(".parquet"):
        sink = BytesIO()
        frame.to_parquet(sink)
        return sink.getvalue()
    return frame.to_csv(index=False).encode()


def cases(body: bytes) -> dict[str, tuple[bytes, int, int]]:
    """What comes instead: bytes, how many were promised, and the status."""
    half = body[: len(body) // 2]
    return {
        "a web page": (PAGE, len(PAGE), 200),
        "cut below the announced length": (half, len(body), 200),
        "cut with its length announced": (half, len(half), 200),
        "empty": (b"", 0, 200),
        "other bytes": (bytes(len(body)), len(body), 200),
        "not found": (body, len(body), 404),
        "unavailable": (body, len(body), 503),
    }


@pytest.mark.slow
def test_bad_downloads(remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every source: one line with address and remedy, the cache clean; then the file is had."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    outcomes: dict[str, dict[str, bool]] = {}
    for source in (candidate for candidate in SOURCES.values() if candidate.url):
        body = published(source)
        sha256 = hashlib.sha256(body).hexdigest() if source.sha256 else None
        local_source = replace(source, url=f"{remote.address}/{source.name}", sha256=sha256)
        for name, (sent, promised, status) in cases(body).items():
            remote.sends(sent, promised, status)
            message = ""
            try:
                fetch(local_source, alternative=INSTEAD)
            except DataUnavailable as error:
                message = error.format_message()
            clean = not tree(tmp_path)
            outcomes.setdefault(name, {})[f"{source.name}: {message}"] = (
                clean and local_source.url in message and INSTEAD in message and "\n" not in message
            )
        remote.sends(body)
        outcomes.setdefault("whole", {})[source.name] = (
            fetch(local_source, alternative=INSTEAD).read_bytes() == body
        )
        (tmp_path / source.name).unlink()
    happened = "one line with the address and what works without it"
    good = outcomes.pop("whole")
    assert all(good.values()), good
    failed = []
    for name, outcome_by_source in outcomes.items():
        fault = f"A download: {name}"
        failed += held("disk", fault, outcome_by_source, happened, "nothing; it isn't kept")
    assert failed == []


def a_parquet_source() -> Source:
    """A source of a test split in parquet."""
    return next(source for source in SOURCES.values() if source.name.endswith("test.parquet"))


@pytest.mark.slow
@pytest.mark.parametrize("pinned", [True, False])
def test_several_processes_fill_one_cache(remote: Remote, tmp_path: Path, pinned: bool) -> None:
    """At once, over and over: each has the whole file, and there is one."""
    source = a_parquet_source()
    body = published(source)
    remote.sends(body)
    sha256 = hashlib.sha256(body).hexdigest() if pinned else None
    local_source = replace(source, url=f"{remote.address}/x", sha256=sha256)
    context = get_context("forkserver")
    context.set_forkserver_preload(["faults.children", "faults.test_downloads"])
    outcomes = {}
    for turn in range(5):
        folder = tmp_path / str(turn)
        start = context.Barrier(AT_ONCE)
        processes = [
            context.Process(target=fetched, args=(local_source, folder, start, body))
            for _ in range(AT_ONCE)
        ]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        codes = attributes_of(processes, "exitcode")
        outcomes[f"{turn}: {codes}"] = not any(codes) and tree(folder) == {local_source.name: body}
    fault = f"{AT_ONCE} processes fill one cache, {'with' if pinned else 'without'} a checksum"
    assert held("disk", fault, outcomes, "nothing; each has the file", "nothing") == []


def fetched(source: Source, folder: Path, start: Barrier, body: bytes) -> None:
    """Fetch with the others, and check what was had."""
    import os  # noqa: PLC0415

    os.environ[CACHE_VARIABLE] = str(folder)
    start.wait()
    assert fetch(source, alternative=INSTEAD).read_bytes() == body


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="capabilities of Linux")
def test_a_cache_that_is_read_only(remote: Remote, tmp_path: Path) -> None:
    """What is in it is used; what isn't is a line."""
    source = a_parquet_source()
    body = published(source)
    remote.sends(body)
    outcomes = {}
    for is_cached in (True, False):
        folder = tmp_path / str(is_cached)
        file = folder / source.name
        file.parent.mkdir(parents=True)
        if is_cached:
            file.write_bytes(body)
        for folder_above in (file.parent, *file.parent.parents[:2]):
            folder_above.chmod(stat.S_IRUSR | stat.S_IXUSR)
        local_source = replace(source, url=f"{remote.address}/x")
        context = get_context("forkserver")
        context.set_forkserver_preload(["faults.children", "faults.test_downloads"])
        process = context.Process(target=read_only, args=(local_source, folder, is_cached))
        process.start()
        process.join()
        outcomes[f"there: {is_cached}"] = process.exitcode == 0
    happened = "an existing file is used; otherwise one line names the folder"
    assert held("disk", "A read-only cache of data sets", outcomes, happened, "nothing") == []


def read_only(source: Source, folder: Path, is_cached: bool) -> None:
    """Fetch where nothing may be written."""
    import os  # noqa: PLC0415

    bound()
    os.environ[CACHE_VARIABLE] = str(folder)
    try:
        fetch(source, alternative=INSTEAD)
    except DataUnavailable as error:
        message = error.format_message()
        assert not is_cached, message
        assert str(folder) in message
        assert "\n" not in message
    else:
        assert is_cached
