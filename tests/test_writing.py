"""Outputs are there whole or not at all, and what the system refuses is a line."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import files
from inspect_confidence.results import escape_formula, unescape_formula
from inspect_confidence.writing import name_write_errors, put, staged, write_error, write_file
from refusals import refused as said_of


def test_a_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    """With its permissions, through a link, in folders that weren't there; nothing is left."""
    old = write_file(tmp_path / "a" / "b.csv", "old")
    old.chmod(0o640)
    (tmp_path / "link.csv").symlink_to(old)
    write_file(tmp_path / "link.csv", "new \ud800")
    assert (tmp_path / "link.csv").is_symlink()
    assert old.stat().st_mode & 0o777 == 0o640
    assert files(tmp_path / "a") == {"b.csv": b"new \\ud800"}
    reader, writer = os.pipe()
    write_file(Path(f"/dev/fd/{writer}"), "to a pipe")
    os.close(writer)
    with os.fdopen(reader, "rb") as read:
        assert read.read() == b"to a pipe"


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "the disk is full; free some room"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "no permission"),
        (errno.ENOTDIR, "not a directory"),
    ],
)
def test_what_is_refused_names_path_and_remedy(tmp_path: Path, number: int, says: str) -> None:
    """In one line, whatever the system says."""
    message = write_error(tmp_path / "x.csv", OSError(number, os.strerror(number))).format_message()
    assert str(tmp_path / "x.csv") in message
    assert says in message
    assert "name another place" in message
    assert "\n" not in message


def breaks(folder: Path) -> Callable[[], object]:
    """Writes a part of an output, and then meets a full disk."""

    def write() -> None:
        with staged(folder) as new:
            put(new / "a.txt", "new")
            put(new / "c" / "d.txt", "new")
            with Path("/dev/full").open("wb", buffering=0) as full:
                full.write(b"x")

    return write


def test_a_file_that_the_disk_refuses_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The content has been written when the disk reports the error; nothing else is left."""

    def refuse(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(tmp_path))

    write_file(tmp_path / "a.csv", "old")
    monkeypatch.setattr(os, "fsync", refuse)
    assert "a.csv can't be written" in said_of(write_file, tmp_path / "a.csv", "new")
    assert files(tmp_path) == {"a.csv": b"old"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a device that is full")
def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    """A file of one output, all files of an output of several, and no folder that wasn't there."""
    place = tmp_path / "out"
    assert "disk is full" in said_of(breaks(place))
    assert not place.exists()
    with staged(place, last="a.txt") as new:
        put(new / "a.txt", "old")
    (place / "mine.txt").write_text("mine")
    before = files(place)
    assert str(place) in said_of(breaks(place))
    assert files(place) == before
    with staged(place) as new:
        put(new / "c" / "d.txt", "new")
    assert files(place) == {**before, "c/d.txt": b"new"}


def test_nothing_takes_its_place_where_one_can_not(tmp_path: Path) -> None:
    """A folder stands where a file shall go: the other files stay as they were, too."""
    (tmp_path / "z.txt").mkdir()
    (tmp_path / "a.txt").write_text("old")

    def write() -> None:
        with staged(tmp_path) as new:
            put(new / "a.txt", "new")
            put(new / "z.txt", "new")

    assert str(tmp_path) in said_of(write)
    assert files(tmp_path) == {"a.txt": b"old"}
    assert "is a directory" in said_of(write_file, tmp_path / "z.txt", "new")


@pytest.mark.parametrize("folder", [".", "report"])
def test_an_error_without_a_path_is_not_one_of_writing_to_the_folder(folder: str) -> None:
    """Also in the current folder, in which an empty path would lie."""
    error = OSError(errno.EIO, os.strerror(errno.EIO))
    with pytest.raises(OSError, match="error") as raised, name_write_errors(Path(folder)):
        raise error
    assert raised.value is error


def test_what_a_killed_command_left_goes_an_hour_later(tmp_path: Path) -> None:
    """Of that file, and of folders of files; what is being written now stays."""
    mark = "0123456789abcdef" * 2
    old_file = tmp_path / f"x.csv.{mark}.new"
    other_file = tmp_path / f"y.csv.{mark}.new"
    folder = tmp_path / f".{mark}.new"
    folder.mkdir()
    for path in (old_file, other_file):
        path.write_text("half")
    write_file(tmp_path / "x.csv", "whole")
    assert old_file.exists()
    for path in (old_file, other_file, folder):
        os.utime(path, (0, 0))
    write_file(tmp_path / "x.csv", "whole")
    assert not old_file.exists()
    assert other_file.exists()
    with staged(tmp_path) as new:
        put(new / "z.csv", "whole")
    assert not folder.exists()
    assert set(files(tmp_path)) == {"x.csv", other_file.name, "z.csv"}


@given(st.text())
def test_what_a_spreadsheet_would_compute_is_read_back(text: str) -> None:
    """Text that was made harmless is what it was, apostrophes of its own included."""
    assert unescape_formula(escape_formula(text)) == text
    assert not escape_formula(text).startswith(("=", "+", "-", "@", "\t", "\r"))
