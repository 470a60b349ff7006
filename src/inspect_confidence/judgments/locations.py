"""Logs at a path or address, as Inspect lists them, and the state that shows a change."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from inspect_confidence.errors import InvalidArgument

LOGS = (".eval", ".json")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}[:-]\d{2}[:-]\d{2}")
"""Beginning of the name of a json file that is a log."""

Paths = str | PathLike[str] | Iterable[str | PathLike[str]]
"""One path or address of logs, or several."""

MAX_PART_BYTES = 2 * 2**30
"""Bytes that a part of a log may have unpacked.

The largest legitimate part holds the summaries of all samples: 20,000 samples of 10 KB are 200 MB.
"""
MAX_COMPRESSION = 200
"""Highest compression ratio of a part larger than `UNCHECKED_BYTES`.

Over 924 parts of real logs the highest ratio is 25; text that repeats itself hundreds of times is
made to fill memory.
"""
UNCHECKED_BYTES = 64 * 2**20
"""Bytes unpacked up to which the compression ratio of a part is of no matter."""


@dataclass(frozen=True)
class Log:
    """A log and its state.

    Attributes:
        location: Path or address, as Inspect reads it.
        size: Size in bytes.
        mtime: Time at which the file (or the target of a link) was written; 0 if it is unknown.
        etag: Tag of the content in an object store, else empty.
        unreadable: Why nothing can be read at the location, if that is known: for a folder that
            cannot be listed, or a link that is not followed.
    """

    location: str
    size: int = 0
    mtime: float = 0
    etag: str = ""
    unreadable: str = ""

    @property
    def absolute(self) -> str:
        """Location that does not depend on the working directory."""
        return self.location if "://" in self.location else str(Path(self.location).absolute())

    @property
    def state(self) -> tuple[str, str, int, float, str]:
        """Values that differ between two logs, and between two states of one log."""
        path = location_text(self.absolute)
        target = path if "://" in path else os.path.realpath(path)
        return path, target, self.size, self.mtime, self.etag


def location_text(location: str) -> str:
    """Return the location of a log for messages: a local path without `file://`.

    Example:
        >>> location_text("file:///logs/a.eval"), location_text("s3://bucket/a.eval")
        ('/logs/a.eval', 's3://bucket/a.eval')
    """
    return location.removeprefix("file://")


def list_logs(place: str) -> list[Log]:
    """Return the logs at a place, newest first: a log, or a folder of logs anywhere Inspect reads.

    Inspect's own listing takes seconds to import and opens each log whose name does not follow its
    pattern; this function returns the same logs in the same order. It also reads links to logs. It
    reports folders that cannot be listed, and links to folders, which are not followed because they
    may form circles.

    Raises:
        InvalidArgument: There is no such place.
    """
    local = "://" not in place or place.startswith("file://")
    if "://" not in place and not Path(place).exists():
        raise InvalidArgument(f"PATH={place}: there is no such log, folder or file.")
    files = _local_files(place) if local else _remote_files(place)
    if place.endswith(LOGS):
        return [Log(place, log.size, log.mtime, log.etag) for log in files] or [Log(place)]
    logs = []
    for log in sorted(files, key=lambda log: log.mtime, reverse=True):
        name = log.location.replace("\\", "/").rsplit("/", 1)[-1]
        if log.unreadable or is_log_name(name):
            logs.append(log)
    return logs


def is_log_name(name: str) -> bool:
    """Return whether a file in a folder is a log, by its name."""
    return name.endswith(".eval") or (name.endswith(".json") and bool(_DATED.match(name)))


def _local_files(place: str) -> list[Log]:
    from fsspec.implementations.local import LocalFileSystem  # noqa: PLC0415 # not for every read

    fs = LocalFileSystem()
    path = fs._strip_protocol(place)
    if fs.isfile(path):
        return [_local_log(fs, fs.info(path))]
    return list(_walk(fs, path))


def _walk(fs: Any, folder: str) -> Iterator[Log]:
    """Yield the files below a folder, and an unreadable `Log` for what cannot be listed."""
    try:
        infos = fs.ls(folder, detail=True)
    except OSError as error:
        yield Log(_location(fs, folder), unreadable=f"{error!r:.200}")
        return
    for info in infos:
        location = _location(fs, info["name"])
        if info["type"] == "directory":
            yield from _walk(fs, info["name"])
        elif info["type"] == "file":
            yield _local_log(fs, info)
        elif info["islink"] and (
            fs.isdir(info["name"]) or "." not in info["name"].rsplit("/", 1)[-1]
        ):
            yield Log(location, unreadable=f"a link to {info['destination']}: name that itself")
        elif info["islink"]:
            yield _local_log(fs, info)


def _local_log(fs: Any, info: Mapping[str, Any]) -> Log:
    """Return the log at a file or link; size and time of a link are those of its target."""
    location = _location(fs, info["name"])
    try:
        stat = Path(info["name"]).stat()
    except OSError:  # a link that leads nowhere: reading it says so
        return Log(location, info["size"], info["mtime"])
    return Log(location, stat.st_size, stat.st_mtime)


_NOT_IN_ADDRESSES = re.compile("[#?%]")
"""Characters that end an address, or have a meaning of their own in it."""


def _location(fs: Any, path: str) -> str:
    """Return the address of a local path as Inspect lists it, or the path if that is ambiguous."""
    return path if _NOT_IN_ADDRESSES.search(path) else str(fs.unstrip_protocol(path))


def _remote_files(place: str) -> list[Log]:
    # With the credentials and the dates of every provider that Inspect knows.
    from inspect_ai._util.file import filesystem  # noqa: PLC0415 # takes seconds

    fs = filesystem(place)
    try:
        if place.endswith(LOGS):
            infos = [fs.info(place)]
        else:
            infos = fs.ls(place, recursive=True, on_error="raise")  # type: ignore[arg-type]
    except FileNotFoundError:
        return []
    return [
        Log(info.name, info.size, info.mtime or 0, info.etag or "")
        for info in infos
        if info.type == "file"
    ]
