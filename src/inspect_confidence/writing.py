"""Files that are there whole or not at all, and in a line why one can't be."""

import errno
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from inspect_confidence.errors import InvalidArgument

_NAMED = 40
"""Characters of a file's name in the name that it is written under: file systems bound names."""
_LEFT = re.compile(r".*\.[0-9a-f]{32}\.new", re.DOTALL)
_ABANDONED = 3600
"""Seconds after which what was being written is not any more."""

_FULL = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota is used up",
    errno.EFBIG: "it would be larger than files may be here",
}
_CLOSED = {
    errno.EACCES: "there is no permission",
    errno.EPERM: "there is no permission",
    errno.EROFS: "the file system is read-only",
}


def write_whole(file: Path, content: bytes, *, durable: bool = False) -> None:
    """Write a file that is there whole or not at all; durable ones outlive a loss of power.

    Raises:
        OSError: The system refuses; what was there before still is.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f"{file.name[:_NAMED]}.{uuid4().hex}.new")
    try:
        with new.open("wb") as opened:
            opened.write(content)
            if durable:
                opened.flush()
                os.fsync(opened.fileno())
        if file.exists():
            shutil.copymode(file, new)
        new.replace(file)
    except BaseException:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise


def write_file(file: Path, content: bytes | str) -> Path:
    """Write an output of a command: the old file is there until the new one is whole.

    Folders that it lies in are made. A pipe or a device is written to as it is.

    Raises:
        InvalidArgument: The system refuses; the error names the file and the remedy.
    """
    raw = _bytes(content)
    try:
        if file.exists() and not file.is_file():
            file.write_bytes(raw)
            return file
        target = Path(os.path.realpath(file))  # a link stays one
        _check_open(target)
        write_whole(target, raw, durable=True)
        _clear(target.parent, target.name)
    except OSError as error:
        raise refused(file, error) from error
    return file


def put(file: Path, content: bytes | str) -> Path:
    """Write a file of a folder that is `staged`, making the folders that it lies in."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(_bytes(content))
    return file


@contextmanager
def staged(folder: Path, *, last: str = "") -> Iterator[Path]:
    """A folder, not made yet, for an output of files that take their places at the end.

    Until all are written, and on the disk, those of the output before are as they were. What else
    is in the folder stays.

    Args:
        folder: Where they go; made if it isn't there.
        last: The file that takes its place after all others.

    Raises:
        InvalidArgument: The system refuses; the error names the folder and the remedy.
    """
    beside = folder / f".{uuid4().hex}.new"
    new = beside / "files"  # for the writer to make
    made = not folder.exists()
    try:
        with naming(folder):
            beside.mkdir(parents=True)
            yield new
            _take_places(new, folder, last)
            _clear(folder, "")
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        if made:
            with suppress(OSError):  # it holds what was written
                folder.rmdir()


@contextmanager
def naming(folder: Path) -> Iterator[None]:
    """What the system refuses of a folder while it is written to, as `refused` says it."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL or str(error.filename or "").startswith(str(folder)):
            raise refused(folder, error) from error
        raise


def refused(path: Path, error: OSError) -> InvalidArgument:
    """The error of a path that can't be written to: what is wrong, and what to do."""
    number = error.errno or 0
    if number in _FULL:
        why, remedy = _FULL[number], "free some room, or name another place"
    else:
        why = _CLOSED.get(number) or (error.strerror or type(error).__name__).lower()
        remedy = "name another place"
    return InvalidArgument(f"{path} can't be written: {why}; {remedy}.")


def _bytes(content: bytes | str) -> bytes:
    """Text that is no valid Unicode keeps the codes of what isn't."""
    return content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")


def _take_places(new: Path, folder: Path, last: str) -> None:
    files = [one.relative_to(new) for one in sorted(new.rglob("*")) if one.is_file()]
    files.sort(key=lambda one: str(one) == last)
    for one in files:
        with (new / one).open("r+b") as opened:
            os.fsync(opened.fileno())
    for one in files:  # before the first takes its place: all do, or none
        _check_open(folder / one)
        (folder / one).parent.mkdir(parents=True, exist_ok=True)
    for one in files:
        (new / one).replace(folder / one)


def _check_open(file: Path) -> None:
    """Refuse what replacing would change in spite of its permissions, or can't."""
    if file.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    if file.exists() and not os.access(file, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))


def _clear(folder: Path, name: str) -> None:
    """Remove what commands that were killed left here of that file, or of folders of files."""
    with suppress(OSError):
        for one in folder.iterdir():
            ours = _LEFT.fullmatch(one.name) and one.name[:-37] == name[:_NAMED]
            if ours and time.time() - one.stat().st_mtime > _ABANDONED:
                if one.is_dir():
                    shutil.rmtree(one, ignore_errors=True)
                else:
                    one.unlink()
