"""Where logs lie: listed as Inspect does it, with what tells whether one has changed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_confidence.errors import InvalidArgument

LOGS = (".eval", ".json")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}[:-]\d{2}[:-]\d{2}")
"""How the name of a json file begins that is a log."""


@dataclass(frozen=True)
class Log:
    """A log and its state.

    Attributes:
        location: As Inspect reads it.
        size: In bytes.
        mtime: When it was written (the target, if it is a link); 0 where the place does not say.
        etag: Of an object store, where it changes with the content.
        unreadable: Why nothing can be read there, if that is known: of a folder that can't be
            listed, or a link that isn't followed.
    """

    location: str
    size: int = 0
    mtime: float = 0
    etag: str = ""
    unreadable: str = ""

    @property
    def absolute(self) -> str:
        """Its location wherever one stands."""
        return self.location if "://" in self.location else str(Path(self.location).absolute())

    @property
    def state(self) -> tuple[str, str, int, float, str]:
        """Values that differ between two logs, and between two states of one log."""
        path = self.absolute.removeprefix("file://")
        target = path if "://" in path else str(Path(path).resolve())
        return path, target, self.size, self.mtime, self.etag


def logs_at(place: str) -> list[Log]:
    """The logs at a place (a log, or a folder of them anywhere Inspect reads), newest first.

    Inspect's own listing takes seconds to import and opens each log whose name isn't of its making;
    this one gives the same logs in the same order. It reads links to logs too, and names folders
    that can't be listed and links to folders, which aren't followed: they may lead in circles.

    Raises:
        InvalidArgument: There is no such place.
    """
    local = "://" not in place or place.startswith("file://")
    if "://" not in place and not Path(place).exists():
        raise InvalidArgument(f"PATH={place}: there is no such log, folder or file.")
    files = _files_here(place) if local else _files_there(place)
    if place.endswith(LOGS):
        return [Log(place, one.size, one.mtime, one.etag) for one in files] or [Log(place)]
    newest = sorted(files, key=lambda one: one.mtime, reverse=True)
    return [
        one
        for one in newest
        if one.unreadable or _is_log(one.location.replace("\\", "/").rsplit("/", 1)[-1])
    ]


def _is_log(name: str) -> bool:
    return name.endswith(".eval") or (name.endswith(".json") and bool(_DATED.match(name)))


def _files_here(place: str) -> list[Log]:
    from fsspec.implementations.local import LocalFileSystem  # noqa: PLC0415 # not for every read

    fs = LocalFileSystem()
    path = fs._strip_protocol(place)
    if fs.isfile(path):
        return [_log_here(fs, fs.info(path))]
    return list(_walked(fs, path))


def _walked(fs: Any, folder: str) -> Iterator[Log]:
    """The files in a folder and those below it, and what can't be gone through."""
    try:
        listed = fs.ls(folder, detail=True)
    except OSError as error:
        yield Log(_location(fs, folder), unreadable=f"{error!r:.200}")
        return
    for one in listed:
        location = _location(fs, one["name"])
        if one["type"] == "directory":
            yield from _walked(fs, one["name"])
        elif one["type"] == "file":
            yield _log_here(fs, one)
        elif one["islink"] and (fs.isdir(one["name"]) or "." not in one["name"].rsplit("/", 1)[-1]):
            yield Log(location, unreadable=f"a link to {one['destination']}: name that itself")
        elif one["islink"]:
            yield _log_here(fs, one)


def _log_here(fs: Any, info: Mapping[str, Any]) -> Log:
    """The log that a file, or a link to one, is; size and time of a link are its target's."""
    location = _location(fs, info["name"])
    try:
        stat = Path(info["name"]).stat()
    except OSError:  # a link that leads nowhere: reading it says so
        return Log(location, info["size"], info["mtime"])
    return Log(location, stat.st_size, stat.st_mtime)


_NOT_IN_ADDRESSES = re.compile("[#?%]")
"""What cuts an address off, or stands for something else in one."""


def _location(fs: Any, path: str) -> str:
    """The address of a local path as Inspect lists it, or the path where that leads elsewhere."""
    return path if _NOT_IN_ADDRESSES.search(path) else str(fs.unstrip_protocol(path))


def _files_there(place: str) -> list[Log]:
    # With the credentials and the dates of every provider that Inspect knows.
    from inspect_ai._util.file import filesystem  # noqa: PLC0415 # takes seconds

    fs = filesystem(place)
    try:
        if place.endswith(LOGS):
            found = [fs.info(place)]
        else:
            found = fs.ls(place, recursive=True, on_error="raise")  # type: ignore[arg-type]
    except FileNotFoundError:
        return []
    return [
        Log(one.name, one.size, one.mtime or 0, one.etag or "")
        for one in found
        if one.type == "file"
    ]
