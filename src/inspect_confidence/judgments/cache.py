"""The user's cache: record files of logs that were read, and what was computed of judgments."""

import hashlib
import json
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

from inspect_confidence.judgments.places import Log
from inspect_confidence.judgments.runs import FORMAT, OURS, Run, decode, readers
from inspect_confidence.studies import Recorded
from inspect_confidence.writing import write_whole

VARIABLE = "INSPECT_CONFIDENCE_CACHE"
"""Environment variable that names the folder; `off` turns the cache off."""

LARGEST = 2 * 10**9
"""Bytes of all files; of more, those that were used longest ago are dropped."""


def folder() -> Path | None:
    """Where record files are kept; None where the user wants none."""
    named = os.environ.get(VARIABLE)
    if named == "off":
        return None
    kept = platformdirs.user_cache_path("inspect_confidence") / "judgments"
    return Path(named).expanduser() if named else kept


def said_of_logs(recorded: Recorded) -> list[Any]:
    """What was said of logs of others, as json gives it back; columns are for files."""
    scale = list(recorded.scale or ())
    return [list(recorded.confidence), scale, recorded.score or "", list(recorded.by)]


def digest(log: Log, recorded: Recorded, *more: object) -> str:
    """Of all that decides what is read of a log, and of more."""
    key = json.dumps([FORMAT, readers(), log.state, said_of_logs(recorded), more])
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def kept(log: Log, recorded: Recorded) -> Run | None:
    """What was read of this state of the log before, if it is there."""
    with suppress(Exception):  # whatever has become of the file, the log is there
        file = _file(log, recorded)
        if file is not None and file.is_file():
            run = decode(file)
            used(file)
            return run
    return None


def keep(log: Log, recorded: Recorded, record: bytes) -> None:
    """Keep what was read of a log; a cache that can't be written is none."""
    with suppress(OSError):
        file = _file(log, recorded)
        if file is not None:
            write_whole(file, record)


def place(name: str) -> Path | None:
    """Where a file of that digest is or would be; None where the user wants none."""
    home = folder()
    return home / f"{name}.parquet" if home else None


def used(file: Path) -> None:
    """Note that a file was used now: those that weren't for longest are dropped first."""
    os.utime(file)


def bound(largest: int = LARGEST) -> None:
    """Drop the files that were used longest ago, until all together are no larger than that."""
    home = folder()
    with suppress(OSError):
        ours = [one for one in home.iterdir() if OURS.fullmatch(one.name)] if home else []
        files = [(one.stat(), one) for one in ours]
        size = sum(stat.st_size for stat, _ in files)
        for stat, file in sorted(files, key=lambda one: one[0].st_mtime):
            if size <= largest:
                break
            file.unlink(missing_ok=True)
            size -= stat.st_size


def _file(log: Log, recorded: Recorded) -> Path | None:
    return place(digest(log, recorded, code())) if log.mtime or log.etag else None


@cache
def code() -> str:
    """The state of this package's files: in a checkout they change while the version doesn't."""
    package = Path(__file__).parents[1]
    stats = [(str(one), one.stat()) for one in sorted(package.rglob("*.py"))]
    text = str([(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats])
    return hashlib.sha256(text.encode()).hexdigest()
