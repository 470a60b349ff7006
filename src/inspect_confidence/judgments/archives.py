"""Headers of logs, read after a check that no part of the log would fill memory."""

import zipfile

from inspect_ai._util.file import file, filesystem
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelConfig

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.locations import (
    MAX_COMPRESSION,
    MAX_PART_BYTES,
    UNCHECKED_BYTES,
    location_text,
)


def read_header(location: str) -> EvalLog:
    """Read the header of a log; refuse a log of which a part would fill memory."""
    refuse_oversized(location)
    return read_eval_log(location, header_only=True)


def models_by_role(header: EvalLog) -> dict[str, list[ModelConfig]]:
    """Return the models of each role in a run, such as `grader`; a role may have several."""
    models = {}
    for role, configs in (header.eval.model_roles or {}).items():
        models[role] = configs if isinstance(configs, list) else [configs]
    return models


def refuse_oversized(location: str) -> None:
    """Refuse a log that would fill memory when it is unpacked. Other files are not checked.

    Raises:
        InvalidArgument: A part of an `.eval` log, or a whole `.json` log, is larger than
            `MAX_PART_BYTES`; or a part is larger than `UNCHECKED_BYTES` and compressed more than
            `MAX_COMPRESSION` times.
    """
    if location.endswith(".json"):
        size = filesystem(location).info(location).size
        if size > MAX_PART_BYTES:
            raise InvalidArgument(
                f"{location_text(location)} has {size / 1e6:.0f} MB, which would fill memory; "
                f"logs up to {MAX_PART_BYTES / 1e6:.0f} MB are read."
            )
    if not location.endswith(".eval"):
        return
    with file(location, "rb") as opened, zipfile.ZipFile(opened) as archive:
        members = archive.infolist()
    for member in members:
        size = member.file_size
        ratio = size / max(member.compress_size, 1)  # an empty part has no bytes
        if size > MAX_PART_BYTES or (size > UNCHECKED_BYTES and ratio > MAX_COMPRESSION):
            raise InvalidArgument(
                f"{location_text(location)}: its part {member.filename[:100]!r} has "
                f"{size / 1e6:.0f} MB unpacked, {ratio:.0f} times its packed size, which would "
                "fill memory; the log is not read."
            )
