"""Atomic writing of files and folders, with one-line errors."""

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

_NAME_LENGTH = 40
"""Number of characters of a file's name in its temporary name: file systems limit names."""
_TEMPORARY = re.compile(r".*\.[0-9a-f]{32}\.new", re.DOTALL)
_LEFTOVER_AGE = 3600
"""Age in seconds from which a temporary file is no longer being written."""

_SPACE_ERRORS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota is used up",
    errno.EFBIG: "it exceeds the size limit for files",
}
_ACCESS_ERRORS = {
    errno.EACCES: "there is no permission",
    errno.EPERM: "there is no permission",
    errno.EROFS: "the file system is read-only",
}


def write_whole(file: Path, content: bytes) -> None:
    """Replace a file atomically; the new file survives a loss of power.

    Raises:
        OSError: The file can't be written; an old file is unchanged.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    # The name is cut, since file systems limit the length of names.
    temporary = file.with_name(f"{file.name[:_NAME_LENGTH]}.{uuid4().hex}.new")
    try:
        with temporary.open("wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())  # on the disk before it takes the place of the old file
        if file.exists():
            shutil.copymode(file, temporary)  # its permissions stay
        temporary.replace(file)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_file(file: Path, content: bytes | str) -> Path:
    """Write an output of a command atomically, and create its folder if necessary.

    A pipe or a device is written to directly.

    Raises:
        InvalidArgument: The file can't be written; the error names the file and the remedy.
    """
    raw = _encode_text(content)
    try:
        if file.exists() and not file.is_file():
            file.write_bytes(raw)
            return file
        target = Path(os.path.realpath(file))  # keeps a symbolic link
        _check_writable(target)
        write_whole(target, raw)
        _remove_leftovers(target.parent, target.name)  # of commands that were killed
    except OSError as error:
        raise write_error(file, error) from error
    return file


def put(file: Path, content: bytes | str) -> Path:
    """Write a file into a `staged` folder, and create its own folder if necessary."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(_encode_text(content))
    return file


@contextmanager
def staged(folder: Path, *, last: str = "") -> Iterator[Path]:
    """Yield the path of a temporary folder whose files move to `folder` at the end.

    The caller creates the temporary folder. Old files stay unchanged until all new ones are on the
    disk; other files in `folder` are kept.

    Args:
        folder: Target of the files; created if necessary.
        last: Name of the file that is moved last, because it refers to the others.

    Raises:
        InvalidArgument: A file can't be written; the error names the folder and the remedy.
    """
    staging = folder / f".{uuid4().hex}.new"
    new_files = staging / "files"  # created by the caller
    is_new = not folder.exists()
    try:
        with name_write_errors(folder):
            staging.mkdir(parents=True)
            yield new_files
            _move_files(new_files, folder, last)
            # Of commands that were killed; a staging folder has no name before its UUID.
            _remove_leftovers(folder, name="")
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        if is_new:
            with suppress(OSError):  # the folder has files
                folder.rmdir()


@contextmanager
def lock_folder(folder: Path, refusal: str) -> Iterator[None]:
    """Keep other processes out of a folder until the process ends or leaves the context.

    Windows, and file systems without locks, keep nobody out.

    Args:
        folder: An existing folder; its file `.lock` is made.
        refusal: The error if another process has locked the folder.

    Raises:
        InvalidArgument: Another process has locked the folder.
    """
    with (folder / ".lock").open("a") as lock:
        try:
            import fcntl  # noqa: PLC0415 # missing on Windows

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidArgument(refusal) from None
        except (ImportError, OSError):  # a file system without locks
            pass
        yield


@contextmanager
def name_write_errors(folder: Path) -> Iterator[None]:
    """Turn errors of writing to a folder (no space, or a path in it) into `write_error`.

    Other errors, such as of reading a file elsewhere or without a path, are raised as they are.
    """
    try:
        yield
    except OSError as error:
        has_path = error.filename is not None
        is_in_folder = has_path and Path(str(error.filename)).is_relative_to(folder)
        if is_in_folder or error.errno in _SPACE_ERRORS:
            raise write_error(folder, error) from error
        raise


def write_error(path: Path, error: OSError) -> InvalidArgument:
    """Return the error for a path that can't be written, with the cause and the remedy."""
    number = error.errno or 0  # which neither table has
    if number in _SPACE_ERRORS:
        reason, remedy = _SPACE_ERRORS[number], "free some room, or name another place"
    else:
        reason = _ACCESS_ERRORS.get(number) or (error.strerror or type(error).__name__).lower()
        remedy = "name another place"
    return InvalidArgument(f"{path} can't be written: {reason}; {remedy}.")


def _encode_text(content: bytes | str) -> bytes:
    """Return text as UTF-8, lone surrogates as their codes; bytes unchanged."""
    return content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")


def _move_files(new_files: Path, folder: Path, last: str) -> None:
    """Move all files of a folder to another one, after checks; the file named `last` comes last.

    That file may refer to the others, which then exist already.

    Raises:
        OSError: A target is a folder or not writable; then no file is moved.
    """
    files = [file.relative_to(new_files) for file in sorted(new_files.rglob("*")) if file.is_file()]
    files.sort(key=lambda file: str(file) == last)
    for file in files:
        with (new_files / file).open("r+b") as opened:
            os.fsync(opened.fileno())  # on the disk before it takes the place of an old file
    for file in files:  # check all targets before the first file is moved
        _check_writable(folder / file)
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
    for file in files:
        (new_files / file).replace(folder / file)


def _check_writable(file: Path) -> None:
    """Raise an error for a folder, or a file without write permission, which `replace` ignores."""
    if file.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    if file.exists() and not os.access(file, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))


def _remove_leftovers(folder: Path, name: str) -> None:
    """Remove temporary files or folders that killed commands left for the target `name`."""
    with suppress(OSError):
        for path in folder.iterdir():
            # The name is the target's, cut if it is long, and 37 characters: a point, the
            # hexadecimal UUID and ".new". A young file may still be written by another command.
            is_leftover = _TEMPORARY.fullmatch(path.name) and path.name[:-37] == name[:_NAME_LENGTH]
            if is_leftover and time.time() - path.stat().st_mtime > _LEFTOVER_AGE:
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()
