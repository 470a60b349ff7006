"""Logs at a path or address, as Inspect lists them, and a state by which a change is noticed."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.printing import excerpt

LOG_SUFFIXES = (".eval", ".json")
_LOG_DATE = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}[:-]\d{2}[:-]\d{2}")
"""Date that begins the name of a json file if it is a log."""

Paths = str | PathLike[str] | Iterable[str | PathLike[str]]
"""One path or address of logs, or several."""


def path_texts(paths: Paths) -> list[str]:
    """Return one path or several as a list of texts; refuse objects that are no paths."""
    # Iterating over a frame would give the names of its columns.
    is_single = hasattr(paths, "columns") or not isinstance(paths, Iterable)
    texts = []
    for path in [paths] if is_single or isinstance(paths, str | PathLike) else paths:
        if not isinstance(path, str | PathLike):
            hint = "convert it with .to_pandas(); " if hasattr(path, "to_pandas") else ""
            raise InvalidArgument(
                f"{type(path).__name__} is no path of a log, folder or file; {hint}functions such "
                "as `summarize` also take a pandas frame of judgments with a column 'task'."
            )
        if not fspath(path):  # Inspect would list the working directory
            raise InvalidArgument("A path is empty; name a log, a folder of logs or a table.")
        texts.append(fspath(path))
    if not texts:
        raise InvalidArgument("No path is given; name a log, a folder of logs or a table.")
    return texts


MAX_PART_BYTES = 2 * 2**30
"""Bytes that a part of a log may have unpacked.

The largest legitimate part holds the summaries of all samples: 20,000 samples of 10 KB are 200 MB.
"""
MAX_COMPRESSION = 200
"""Highest allowed ratio of the unpacked to the packed size of a part.

The highest ratio among 924 parts of real logs is 25. A much higher ratio is a sign of a file that
was made to fill memory.
"""
UNCHECKED_BYTES = 64 * 2**20
"""Bytes unpacked up to which a part may have any compression ratio."""


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
        """Address, or absolute path."""
        return self.location if "://" in self.location else str(Path(self.location).absolute())

    @property
    def state(self) -> tuple[str, str, int, float, str]:
        """Values that differ between two logs, and between two states of one log."""
        path = location_text(self.absolute)
        target = path if "://" in path else os.path.realpath(path)  # of a link
        return path, target, self.size, self.mtime, self.etag


def location_text(location: str) -> str:
    """Return the location of a log for messages: a local path without `file://`.

    Example:
        >>> location_text("file:///logs/a.eval"), location_text("s3://bucket/a.eval")
        ('/logs/a.eval', 's3://bucket/a.eval')
    """
    return location.removeprefix("file://")


def list_logs(location: str) -> list[Log]:
    """Return the log at a location, or the logs in a folder and its subfolders, newest first.

    These are the logs that Inspect itself lists, in the same order, and links to logs. Inspect's
    function is not called, because it takes seconds to import and opens each log whose name does
    not follow its pattern. Folders that cannot be listed, and links to folders, which may form
    circles, are returned as unreadable.

    Args:
        location: A path, or an address that Inspect reads, such as `s3://bucket/logs`.

    Raises:
        InvalidArgument: There is no such path.
    """
    is_local = "://" not in location or location.startswith("file://")
    if "://" not in location and not Path(location).exists():
        raise InvalidArgument(f"{location}: there is no such log, folder or file.")
    files = _local_files(location) if is_local else _remote_files(location)
    if location.endswith(LOG_SUFFIXES):
        # Without a file, reading the log gives the error.
        return [Log(location, log.size, log.mtime, log.etag) for log in files] or [Log(location)]
    logs = []
    for log in sorted(files, key=lambda log: log.mtime, reverse=True):
        name = log.location.replace("\\", "/").rsplit("/", 1)[-1]
        if log.unreadable or is_log_name(name):
            logs.append(log)
    return logs


def is_log_name(name: str) -> bool:
    """Return whether a file name is that of a log: `.eval`, or `.json` after a date."""
    return name.endswith(".eval") or (name.endswith(".json") and bool(_LOG_DATE.match(name)))


def _local_files(location: str) -> list[Log]:
    """Return the file at a local path, or the files in a folder, with any name, as logs.

    A path where nothing is, or a folder that cannot be listed, is one log that is `unreadable`.
    """
    from fsspec.implementations.local import LocalFileSystem  # noqa: PLC0415 # not for every read

    fs = LocalFileSystem()
    path = fs._strip_protocol(location)
    if fs.isfile(path):
        return [_local_log(fs, fs.info(path))]
    return list(_list_folder(fs, path))


def _list_folder(fs: Any, folder: str) -> Iterator[Log]:
    """Yield the files in a folder and its subfolders, with any name, as logs.

    `fs` is fsspec's local file system. A folder that cannot be listed, and a link to a folder, is
    an unreadable `Log`. A link whose name has no ending is taken for one to a folder, even if
    nothing is there.
    """
    try:
        infos = fs.ls(folder, detail=True)
    except OSError as error:
        yield Log(_listed_location(fs, folder), unreadable=excerpt(repr(error), 200))
        return
    for info in infos:
        name = info["name"]  # its path
        if info["type"] == "directory":
            yield from _list_folder(fs, name)
        elif info["type"] == "file":
            yield _local_log(fs, info)
        elif info["islink"] and (fs.isdir(name) or "." not in name.rsplit("/", 1)[-1]):
            problem = f"a link to {info['destination']} is not followed; give that path"
            yield Log(_listed_location(fs, name), unreadable=problem)
        elif info["islink"]:
            yield _local_log(fs, info)


def _local_log(fs: Any, info: Mapping[str, Any]) -> Log:
    """Return the log that `fs` lists as `info`; of a link, with its target's size and time."""
    location = _listed_location(fs, info["name"])
    try:
        stat = Path(info["name"]).stat()
    except OSError:  # a link that leads nowhere: reading it says so
        return Log(location, info["size"], info["mtime"])
    return Log(location, stat.st_size, stat.st_mtime)


_AMBIGUOUS_IN_ADDRESSES = re.compile("[#?%]")
"""Characters of paths that have another meaning in an address."""


def _listed_location(fs: Any, path: str) -> str:
    """Return the address of a local path as Inspect lists it, or the path if that is ambiguous."""
    return path if _AMBIGUOUS_IN_ADDRESSES.search(path) else str(fs.unstrip_protocol(path))


def _remote_files(location: str) -> list[Log]:
    """Return the files at an address, with any name, as logs; none if nothing is there."""
    # Inspect knows the credentials of each provider, and the form of its dates.
    from inspect_ai._util.file import filesystem  # noqa: PLC0415 # takes seconds

    fs = filesystem(location)
    try:
        if location.endswith(LOG_SUFFIXES):
            infos = [fs.info(location)]
        else:
            infos = fs.ls(location, recursive=True, on_error="raise")  # type: ignore[arg-type]
    except FileNotFoundError:
        return []
    return [
        Log(info.name, info.size, info.mtime or 0, info.etag or "")
        for info in infos
        if info.type == "file"
    ]
