"""Records of a user's own csv or jsonl file."""

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from inspect_confidence._errors import InvalidArgument

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
    except (UnicodeDecodeError, json.JSONDecodeError, csv.Error) as error:
        raise InvalidArgument(f"{path.name} can't be read: {error}.") from error
    if not records:
        raise InvalidArgument(f"{path.name} holds no rows.")
    for number, record in enumerate(records, start=1):
        for column in required:
            if record.get(column) in (None, ""):
                raise InvalidArgument(f"{path.name}, row {number}: {column!r} is missing.")
    return records


def _csv_rows(path: Path) -> list[Record]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def _jsonl_rows(path: Path) -> list[Record]:
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InvalidArgument(f"{path.name}, line {number} is not an object.")
    return rows
