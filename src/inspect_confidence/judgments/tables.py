"""Users' tables as frames: csv, tsv, jsonl, json and parquet files, also packed by gzip."""

import codecs
import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.locations import (
    MAX_COMPRESSION,
    MAX_PART_BYTES,
    UNCHECKED_BYTES,
    is_log_name,
)
from inspect_confidence.results import unescape_formula

_SEPARATED = (".csv", ".tsv", ".txt")
_LINES = (".jsonl", ".ndjson")
_SUFFIXES = (*_SEPARATED, *_LINES, ".json", ".parquet")
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SURPLUS = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
"""Error of pandas for a row of more cells than the first."""
_BEGINNING = 1_000
"""Characters of a json file that tell a table from a log of Inspect."""


@dataclass(frozen=True)
class UserTable:
    """Rows of a user's file.

    Attributes:
        frame: Rows, numbered from 0; all cells of a csv file are text.
        decimal_comma: Whether a comma in a number is a decimal one: in files with semicolons.
    """

    frame: pd.DataFrame
    decimal_comma: bool = False


def is_table(place: str) -> bool:
    """Return whether a path is a table by its ending; a json file also by its beginning."""
    name = _unpacked_name(place)
    if not name.endswith(_SUFFIXES):
        return False
    return not name.endswith(".json") or _is_json_table(Path(place))


def file_stem(place: str) -> str:
    """Return the name of a table's file without its folder and endings."""
    return Path(_unpacked_name(place)).stem


def read_table(path: Path) -> UserTable:
    """Read the rows of a user's file.

    A csv file may be separated by commas, semicolons, tabs or bars; its header decides. A json file
    is a list of records, one such list under a name, records by id (column `id`), or columns by
    name. Fields of nested records are columns such as `metrics.acc`.

    Raises:
        InvalidArgument: The file can't be read, has no rows, is neither in UTF-8 nor in UTF-16 with
            a byte order mark, has rows of more cells than its header, or a column without a name or
            with another's.
    """
    name = _unpacked_name(path.name)
    try:
        if name.endswith(".parquet"):
            table = UserTable(_read_parquet(path))
        elif name.endswith((*_LINES, ".json")):
            records = _records_of_lines if name.endswith(_LINES) else _records_of_json
            rows = [dict(_flat_fields(record)) for record in records(path)]
            table = UserTable(pd.DataFrame(rows, dtype=object))
        else:
            table = _read_separated(path)
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"{path} is not UTF-8 ({error.reason}); save it as UTF-8.") from error
    except RecursionError:
        raise InvalidArgument(f"{path} can't be read: its records are nested too deep.") from None
    except pd.errors.EmptyDataError:
        table = UserTable(pd.DataFrame())
    except (OSError, EOFError, zlib.error, ValueError) as error:
        if isinstance(error, InvalidArgument):
            raise
        problem = " ".join(str(error).split())
        raise InvalidArgument(f"{path} can't be read: {problem.removesuffix('.')}.") from error
    if not len(table.frame):
        raise InvalidArgument(f"{path} has no rows; give a file with judgments.")
    names = pd.Index([str(column).strip() for column in table.frame.columns])
    if names.has_duplicates:
        twice = names[names.duplicated()][0]
        raise InvalidArgument(f"{path} has two columns {twice!r}; rename or drop one of them.")
    return UserTable(table.frame.set_axis(names, axis="columns"), table.decimal_comma)


def _unpacked_name(place: str) -> str:
    return place.removesuffix(".gz")


def _read_bytes(path: Path) -> bytes:
    """Return the content of a file, unpacked unless it would fill memory, a text in UTF-8."""
    if path.suffix != ".gz":
        return _as_utf8(path.read_bytes())
    limit = min(MAX_PART_BYTES, max(UNCHECKED_BYTES, MAX_COMPRESSION * path.stat().st_size))
    with gzip.open(path) as opened:
        content = opened.read(limit + 1)
    if len(content) > limit:
        raise InvalidArgument(f"{path} has more than {limit / 1e6:.0f} MB unpacked; unpack it.")
    return _as_utf8(content)


def _as_utf8(content: bytes) -> bytes:
    """Return a text with UTF-16's byte order mark, as spreadsheets write it, in UTF-8."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16").encode()
    return content


def _read_separated(path: Path) -> UserTable:
    """Return the rows of a csv file as text.

    The header is read as a row: otherwise pandas renames columns, and takes surplus cells for an
    index. A row that ends early lacks its last cells. An apostrophe that keeps spreadsheets
    from running a cell as a formula is removed.
    """
    content = _read_bytes(path)
    separator = _separator(content)
    options: dict[str, Any] = {"dtype": str, "keep_default_na": False, "header": None}
    try:
        rows = pd.read_csv(BytesIO(content), sep=separator, **options)
    except pd.errors.ParserError as error:
        if surplus := _SURPLUS.search(str(error)):
            columns, line, cells = surplus.groups()
            raise InvalidArgument(
                f"{path}, line {line} has {cells} cells and the first line {columns}; the first "
                "line names the columns, and cells with a separator stand in quotation marks."
            ) from None
        if separator != "\t":
            raise
        # Files with tabs often hold texts with single quotation marks.
        rows = pd.read_csv(BytesIO(content), sep=separator, quoting=csv.QUOTE_NONE, **options)
    for column in rows:
        if rows[column].str.startswith("'", na=False).any():
            rows[column] = rows[column].map(unescape_formula, na_action="ignore")
    frame = rows.iloc[1:].set_axis(rows.iloc[0].fillna(""), axis="columns")
    return UserTable(frame.reset_index(drop=True), decimal_comma=separator == ";")


def _separator(content: bytes) -> str:
    """Return the separator that occurs most often in the header, outside quotation marks."""
    header = content[:100_000].lstrip().split(b"\n", 1)[0].decode("utf-8-sig", "replace")
    names = "".join(header.split('"')[::2])
    return max(_SEPARATORS, key=names.count)


def _read_parquet(path: Path) -> pd.DataFrame:
    """Return the rows of a parquet file; index columns become columns again."""
    try:
        frame = pd.read_parquet(BytesIO(_read_bytes(path)) if path.suffix == ".gz" else path)
    except OSError:
        raise
    except Exception as error:  # of a damaged file, KeyError and NotImplementedError among them
        raise ValueError(f"this is no whole parquet file ({error!r:.100})") from error
    names = [name for name in frame.index.names if name is not None]
    return frame.reset_index(level=names).reset_index(drop=True)


def _records_of_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the record of each line that is not empty."""
    lines = _read_bytes(path).decode("utf-8-sig").split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise InvalidArgument(f"{path}, line {number} is not JSON: {error.msg}.") from None
        if not isinstance(record, dict):
            raise InvalidArgument(f"{path}, line {number} is no record {{...}} with named fields.")
        yield record


def _records_of_json(path: Path) -> list[Mapping[str, Any]]:
    """Return the records of a json file: a list, a list under a name, or records by id."""
    content = json.loads(_read_bytes(path).decode("utf-8-sig"))
    if not content:
        return []
    if _are_columns(content):
        records: list[dict[str, Any]] = pd.DataFrame(content).astype(object).to_dict("records")  # type: ignore[assignment] # keys of json are texts
        return list(records)
    if isinstance(content, dict):
        lists = [value for value in content.values() if _are_records(value)]
        if len(lists) == 1:
            return list(lists[0])
        if all(isinstance(value, dict) for value in content.values()):
            return [{"id": name, **record} for name, record in content.items()]
    if not _are_records(content):
        raise InvalidArgument(f"{path} is no list of records; write [{{...}}, ...] or one a line.")
    return list(content)


def _are_columns(content: object) -> bool:
    """Return whether a dict has lists of one length, or cells by the number of their row."""
    if not isinstance(content, dict):
        return False
    columns = list(content.values())
    if all(isinstance(cells, list) and not _are_records(cells) for cells in columns):
        return len(columns) > 1 and len({len(cells) for cells in columns}) == 1
    if not all(isinstance(cells, dict) for cells in columns):
        return False
    rows = columns[0].keys()
    return all(map(str.isdigit, rows)) and all(cells.keys() == rows for cells in columns)


def _are_records(value: object) -> bool:
    is_list = isinstance(value, list) and bool(value)
    return is_list and all(isinstance(record, dict) for record in value)  # type: ignore[attr-defined]


def _flat_fields(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of a record; those of nested records as `outer.inner`, lists as JSON."""
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from _flat_fields(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", json.dumps(value) if isinstance(value, list) else value


def _is_json_table(path: Path) -> bool:
    """Return whether a json file is a table; logs of Inspect begin with their version."""
    try:
        if path.suffix == ".gz":
            with gzip.open(path) as opened:
                beginning = opened.read(_BEGINNING)
        else:
            with path.open("rb") as plain:
                beginning = plain.read(_BEGINNING)
    except (OSError, EOFError, zlib.error):
        return False  # of a place that is not local, or does not exist
    text = beginning.decode("utf-8-sig", "ignore").lstrip()
    if text.startswith("{"):
        return not is_log_name(path.name) and not ('"version"' in text and '"status"' in text)
    return text.startswith("[")
