"""What became of a log after its eval: when it was written, which scores were edited, damage."""

import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from inspect_ai._util.file import file
from inspect_ai.log import EvalLog

_SAMPLE = "samples/"
_HEADER, _SUMMARIES, _JOURNAL = "header.json", "summaries.json", "_journal/"
_STEPS = 3
"""Seconds by which a span between times in an archive may be wrong, as each is by up to two."""
_HISTORY = re.compile(rb'"history":\s*\[\s*\{')


def seconds(time: str) -> float:
    """Since 1970; 0 where a log says no time, or none that can be read."""
    try:
        said = datetime.fromisoformat(time)
    except ValueError:
        return 0
    return (said if said.tzinfo else said.replace(tzinfo=UTC)).timestamp()


def written(location: str) -> float:
    """When a log was written, as its archive says; 0 of logs that are none.

    Scoring or editing a log leaves the times of its eval as they were.
    """
    if not location.endswith(".eval"):
        return 0
    with _archive(location) as archive:
        return max(_times(archive))


def check_members(location: str) -> None:
    """Compare the header and the summaries of a log with their checksums, as Inspect doesn't.

    Raises:
        Exception: One of them differs, or can't be unpacked.
    """
    if not location.endswith(".eval"):
        return
    with _archive(location) as archive:
        names = archive.namelist()
        is_ended = _SUMMARIES in names
        for name in names:
            if name in (_HEADER, _SUMMARIES) or (not is_ended and name.startswith(_JOURNAL)):
                archive.read(name)


def edited_scores(location: str, header: EvalLog) -> tuple[int, int]:
    """How many scores somebody edited, and in how many samples that can't be read.

    Whole samples say it, and summaries don't; a damaged sample may have a summary all the same.

    Samples are looked at only where the log may have been written anew: an eval writes as long as
    it takes, and what is edited is written at once. A log in one JSON text is always looked at.
    """
    found = [_edits(text) for text in _texts(location, header)]
    return sum(one for one in found if one is not None), found.count(None)


def _texts(location: str, header: EvalLog) -> Iterator[bytes | None]:
    if not location.endswith(".eval"):
        with file(location, "rb") as opened:
            yield opened.read()
        return
    with _archive(location) as archive:
        times = _times(archive)
        took = seconds(header.stats.completed_at) - seconds(header.stats.started_at)
        if max(times) - min(times) >= took - _STEPS > 0:
            return
        for name in archive.namelist():
            if name.startswith(_SAMPLE):
                text = None
                with suppress(zipfile.BadZipFile, zlib.error):
                    text = archive.read(name)
                yield text


def _edits(text: bytes | None) -> int | None:
    """In the text of a log or of a sample; None where it has none, or isn't JSON."""
    if text is None:
        return None
    if not _HISTORY.search(text):
        return 0
    try:
        parsed: dict[str, Any] = json.loads(text)
    except ValueError:
        return None
    every = [one.get("scores") or {} for one in parsed.get("samples") or [parsed]]
    return sum(bool(score.get("history")) for scores in every for score in scores.values())


@contextmanager
def _archive(location: str) -> Iterator[zipfile.ZipFile]:
    with file(location, "rb") as opened, zipfile.ZipFile(opened) as archive:
        yield archive


def _times(archive: zipfile.ZipFile) -> list[float]:
    """Of its parts, in whatever zone they were written, to two seconds."""
    return [datetime(*one.date_time, tzinfo=UTC).timestamp() for one in archive.infolist()]
