"""Headers of logs, read only after the sizes of the log's parts have been checked."""

import zipfile

from inspect_ai._util.file import file, filesystem
from inspect_ai.log import EvalLog, read_eval_log

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.places import (
    ALWAYS_UNPACKED,
    HIGHEST_RATIO,
    LARGEST_MEMBER,
    shown_place,
)


def read_header(location: str) -> EvalLog:
    """Read the header of a log, whose parts must not be oversized.

    Raises:
        InvalidArgument: A part of the log would fill memory.
    """
    refuse_oversized(location)
    return read_eval_log(location, header_only=True)


def refuse_oversized(location: str) -> None:
    """Refuse a log that would fill memory: a part of an archive, or a whole json file.

    Raises:
        InvalidArgument: A part is larger than `LARGEST_MEMBER`, or larger than `ALWAYS_UNPACKED`
            and compressed more than `HIGHEST_RATIO` times.
    """
    if location.endswith(".json"):
        size = filesystem(location).info(location).size
        if size > LARGEST_MEMBER:
            raise InvalidArgument(
                f"{shown_place(location)} has {size / 1e6:.0f} MB; it is not read."
            )
    if not location.endswith(".eval"):
        return
    with file(location, "rb") as opened, zipfile.ZipFile(opened) as archive:
        members = archive.infolist()
    for member in members:
        size = member.file_size
        ratio = size / max(member.compress_size, 1)
        if size > LARGEST_MEMBER or (size > ALWAYS_UNPACKED and ratio > HIGHEST_RATIO):
            raise InvalidArgument(
                f"{shown_place(location)}: its part {member.filename[:100]!r} has "
                f"{size / 1e6:.0f} MB unpacked, {ratio:.0f} times its packed size; it is not read."
            )
