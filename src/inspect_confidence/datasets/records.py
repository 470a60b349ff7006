"""Records of a user's own csv or jsonl file."""

import csv
import json
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

from inspect_confidence.arguments import read_text
from inspect_confidence.errors import InvalidArgument

Record = dict[str, Any]


def read_records(path: Path, required: Iterable[str]) -> list[Record]:
    """The rows of a csv or jsonl file, each checked for the columns it must have.

    Raises:
        InvalidArgument: The file is of another kind, can't be read, is empty or lacks a column.
    """
    readers = {".csv": _csv_rows, ".jsonl": _jsonl_rows}
    if path.suffix.lower() not in readers:
        raise InvalidArgument(f"{path.name}: a data set is a .csv or .jsonl file.")
    try:
        records = readers[path.suffix.lower()](path)
    except csv.Error as error:
        raise InvalidArgument(f"{path.name} can't be read: {error}.") from error
    if not records:
        raise InvalidArgument(f"{path.name} holds no rows.")
    for column in required:
        if not any(column in record for record in records):
            there = ", ".join(map(str, records[0]))
            raise InvalidArgument(f"{path.name} has no column {column!r}; it has: {there}.")
    for number, record in enumerate(records, start=1):
        for column in required:
            if record.get(column) in (None, ""):
                raise InvalidArgument(f"{path.name}, row {number}: {column!r} is missing.")
    return records


def _csv_rows(path: Path) -> list[Record]:
    rows = list(csv.DictReader(StringIO(read_text(path), newline=""), strict=True))
    for number, row in enumerate(rows, start=1):
        if None in row:
            raise InvalidArgument(
                f"{path.name}, row {number} has more fields than the header; quote commas in text."
            )
    return rows


def _jsonl_rows(path: Path) -> list[Record]:
    rows = []
    # Only line feeds: JSON text may hold other line separators as they are.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise InvalidArgument(f"{path.name}, line {number}: {error.msg}.") from error
            if not isinstance(row, dict):
                raise InvalidArgument(f"{path.name}, line {number} is not an object.")
            rows.append(row)
    return rows
