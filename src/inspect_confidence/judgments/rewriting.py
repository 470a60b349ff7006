"""Changes to a log after its eval: when it was written, which scores were edited, damage."""

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
"""Seconds by which a span of two times in an archive may be wrong; each time by up to two."""
_HISTORY = re.compile(rb'"history":\s*\[\s*\{')


def timestamp(time: str) -> float:
    """Return a time of a log in seconds since 1970; 0 if it is missing or cannot be read."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return 0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def write_time(location: str) -> float:
    """Return when a log was written, according to its archive; 0 for a log that is no archive.

    Scoring or editing a log leaves the times of its eval as they were.
    """
    if not location.endswith(".eval"):
        return 0
    with _archive(location) as archive:
        return max(_part_times(archive))


def check_members(location: str) -> None:
    """Compare the header and the summaries of a log with their checksums; Inspect does not.

    Raises:
        Exception: A checksum differs, or a part cannot be unpacked.
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
    """Return how many scores somebody edited, and how many samples are damaged.

    Only whole samples record edits, summaries do not; a damaged sample may have an intact summary.
    Samples are read only if the log may have been written again: an eval writes for as long as it
    runs, and an edited log is written at once. A log in one JSON text is always read.
    """
    edited = damaged = 0
    for text in _sample_texts(location, header):
        count = _edit_count(text)
        if count is None:
            damaged += 1
        else:
            edited += count
    return edited, damaged


def _sample_texts(location: str, header: EvalLog) -> Iterator[bytes | None]:
    if not location.endswith(".eval"):
        with file(location, "rb") as opened:
            yield opened.read()
        return
    with _archive(location) as archive:
        times = _part_times(archive)
        took = timestamp(header.stats.completed_at) - timestamp(header.stats.started_at)
        if max(times) - min(times) >= took - _STEPS > 0:
            return
        for name in archive.namelist():
            if name.startswith(_SAMPLE):
                text = None
                with suppress(zipfile.BadZipFile, zlib.error):
                    text = archive.read(name)
                yield text


def _edit_count(text: bytes | None) -> int | None:
    """Return the number of edited scores in a log or a sample; None if its text is damaged."""
    if text is None:
        return None
    if not _HISTORY.search(text):
        return 0
    try:
        parsed: dict[str, Any] = json.loads(text)
    except ValueError:
        return None
    count = 0
    for sample in parsed.get("samples") or [parsed]:
        for score in (sample.get("scores") or {}).values():
            count += bool(score.get("history"))
    return count


@contextmanager
def _archive(location: str) -> Iterator[zipfile.ZipFile]:
    with file(location, "rb") as opened, zipfile.ZipFile(opened) as archive:
        yield archive


def _part_times(archive: zipfile.ZipFile) -> list[float]:
    """Return the times of an archive's parts, in an unknown time zone, to two seconds."""
    return [datetime(*part.date_time, tzinfo=UTC).timestamp() for part in archive.infolist()]
