"""Changes to a log after its eval: when it was written, how many scores were edited, damage."""

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

_SAMPLE_FOLDER = "samples/"
_HEADER_FILE, _SUMMARIES_FILE, _JOURNAL_FOLDER = "header.json", "summaries.json", "_journal/"
_CLOCK_ERROR = 3
"""Seconds by which the difference of two times may be wrong: archives round to two seconds."""
_EDIT_HISTORY = re.compile(rb'"history":\s*\[\s*\{')


def timestamp(text: str) -> float:
    """Return an ISO time of a log in seconds since 1970; 0 if it is missing or cannot be read.

    A time without a zone is in UTC.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def write_time(location: str) -> float:
    """Return the newest time in a log's archive, in seconds since 1970; 0 for a json log.

    It shows when the log was written, even after it was scored or edited; the times of the eval in
    its header stay as they were.
    """
    if not location.endswith(".eval"):
        return 0
    with _open_archive(location) as archive:
        return max(_member_times(archive))


def check_members(location: str) -> None:
    """Compare the header and the summaries in an `.eval` log with their checksums.

    The log is a zip archive, in which reading a part compares its checksum; Inspect does not. A log
    without `summaries.json` has them in its journal. Other logs have no checksums.

    Raises:
        Exception: A checksum differs, or a part cannot be unpacked.
    """
    if not location.endswith(".eval"):
        return
    with _open_archive(location) as archive:
        names = archive.namelist()
        has_summaries = _SUMMARIES_FILE in names
        for name in names:
            if name in (_HEADER_FILE, _SUMMARIES_FILE) or (
                not has_summaries and name.startswith(_JOURNAL_FOLDER)
            ):
                archive.read(name)  # compares the checksum


def edited_scores(location: str, header: EvalLog) -> tuple[int, int]:
    """Return how many scores somebody edited, and how many samples are damaged.

    Only whole samples record edits, and a damaged sample may have an intact summary. The samples of
    an `.eval` log are read only if it was written in less time than its eval took: an eval writes
    for as long as it runs, an edited log is written at once. A json log is always read.
    """
    edited = damaged = 0
    for text in _sample_texts(location, header):
        count = _count_edited_scores(text)
        if count is None:
            damaged += 1
        else:
            edited += count
    return edited, damaged


def _sample_texts(location: str, header: EvalLog) -> Iterator[bytes | None]:
    """Yield the JSON of each sample that must be searched for edits, or of a whole json log.

    None stands for a damaged sample. Nothing is yielded for an `.eval` log that was written over as
    long a time as its eval took, because an edited log is written at once.
    """
    if not location.endswith(".eval"):
        with file(location, "rb") as opened:
            yield opened.read()
        return
    with _open_archive(location) as archive:
        member_times = _member_times(archive)
        eval_seconds = timestamp(header.stats.completed_at) - timestamp(header.stats.started_at)
        # Times in archives are rounded. An eval of a few seconds tells nothing and is searched.
        if max(member_times) - min(member_times) >= eval_seconds - _CLOCK_ERROR > 0:
            return
        for name in archive.namelist():
            if name.startswith(_SAMPLE_FOLDER):
                text = None
                with suppress(zipfile.BadZipFile, zlib.error):
                    text = archive.read(name)
                yield text


def _count_edited_scores(text: bytes | None) -> int | None:
    """Return how many scores in a log's or sample's JSON were edited; None if it is damaged."""
    if text is None:
        return None
    if not _EDIT_HISTORY.search(text):  # parsing every text would take longer
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
def _open_archive(location: str) -> Iterator[zipfile.ZipFile]:
    with file(location, "rb") as opened, zipfile.ZipFile(opened) as archive:
        yield archive


def _member_times(archive: zipfile.ZipFile) -> list[float]:
    """Return the times of an archive's parts in seconds (zone unknown, rounded to two seconds)."""
    return [datetime(*part.date_time, tzinfo=UTC).timestamp() for part in archive.infolist()]
