"""Users' tables as frames: csv, tsv, jsonl, json and parquet files, also packed by gzip."""

import codecs
import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.locations import (
    MAX_COMPRESSION,
    MAX_PART_BYTES,
    UNCHECKED_BYTES,
    is_log_name,
)
from inspect_confidence.metrics.arrays import double_array
from inspect_confidence.printing import counted, excerpt
from inspect_confidence.results import unescape_formula
from inspect_confidence.row_lines import row_lines

_SEPARATED_SUFFIXES = (".csv", ".tsv", ".txt")
_JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
_TABLE_SUFFIXES = (*_SEPARATED_SUFFIXES, *_JSON_LINES_SUFFIXES, ".json", ".parquet")
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SURPLUS_CELLS = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
"""Error of pandas for a row of more cells than the first."""
_SEPARATOR_LINE = re.compile(rb"(?:\xef\xbb\xbf)?sep=([,;|\t])\r?\n", re.IGNORECASE)
"""First line of a csv file that tells Excel the separator."""
_INSPECTED_BYTES = 1_000
"""Bytes at the beginning of a json file in which a log of Inspect shows its version and status."""


@dataclass(frozen=True)
class UserTable:
    """Rows of a user's file.

    Attributes:
        frame: Rows, numbered from 0; all cells of a csv file are text.
        decimal_comma: Whether a comma in a number is a decimal one, as in files with semicolons.
        empty_rows: Number of rows without any cell, which `frame` lacks.
    """

    frame: pd.DataFrame
    decimal_comma: bool = False
    empty_rows: int = 0


def is_table(path: str) -> bool:
    """Return whether a path is a table, by its ending, also before `.gz`.

    A json file must also begin like a table: logs of Inspect are json files, too.
    """
    name = _unpacked_name(path)
    if not name.endswith(_TABLE_SUFFIXES):
        return False
    return not name.endswith(".json") or _is_json_table(Path(path))


def file_stem(path: str) -> str:
    """Return the name of a table's file without its folder, its ending and `.gz`."""
    name = Path(path)
    return Path(name.stem).stem if name.suffix.lower() == ".gz" else name.stem


def row_place(source: str, row: int) -> str:
    """Return where a row, from 0, stands: `line 3` of a csv or jsonl file, else `row 2`.

    If a file has columns of several models, its rows were repeated for each model, and `row` counts
    on; the line is that of the row in the file.
    """
    name = _unpacked_name(source)
    is_separated = name.endswith(_SEPARATED_SUFFIXES)
    if is_separated or name.endswith(_JSON_LINES_SUFFIXES):
        try:
            content = _read_bytes(Path(source))
            separator = _detect_separator(content) if is_separated else None
            lines = list(row_lines(content.decode("utf-8-sig"), separator, skip_empty=True))
            if is_separated:  # the header, and the line that names the separator
                lines = lines[2 if _SEPARATOR_LINE.match(content) else 1 :]
            return f"line {lines[row % len(lines)]}"
        except (OSError, csv.Error):
            pass  # not a file, or a cell too long for the csv module
    return f"row {row + 1}"


class RowMistake(InvalidArgument):
    """A mistake in rows of a user's file, whose other rows can be checked without them.

    Attributes:
        problem: What is wrong, and in which rows, without the remedy.
        remedy: What to do.
        rows: Numbers of these rows, from 0.
    """

    def __init__(
        self, source: str, rows: Iterable[int], problem: str, remedy: str, *, is_full: bool = False
    ) -> None:
        """Make the error; the places of the rows are added to the problem unless it `is_full`."""
        self.rows, self.problem, self.remedy = list(map(int, rows)), problem, remedy
        if not is_full:
            more_text = more_rows_text(source, self.rows[1:])
            self.problem = f"{row_place(source, self.rows[0])}: {problem}{more_text}"
        super().__init__(f"{source}{':' if is_full else ','} {self.problem}; {remedy}.")


_MAX_CHARACTERS = 370
"""Length that a further kind of mistakes must not exceed in an error: about two lines."""


def join_mistakes(mistakes: Sequence[RowMistake]) -> InvalidArgument:
    """Return one error for all kinds of mistakes in a file, at least one.

    That in the most rows, of equals the first, has its remedy. Others follow as problems, at least
    one and as many as fit; the rest are counted.
    """
    main = max(mistakes, key=lambda mistake: len(mistake.rows))
    problems = [mistake.problem for mistake in mistakes if mistake is not main]
    if not problems:
        return main
    message = f"{main.message} Correct as well: {problems.pop(0)}"
    while problems and len(message) + len(problems[0]) < _MAX_CHARACTERS:
        message += f"; {problems.pop(0)}"
    if problems:
        message += f"; {counted(len(problems), 'more kind')} of mistakes"
    return InvalidArgument(f"{message}.")


_MAX_PLACES = 3
"""Maximum number of places that a text lists."""


def row_places(source: str, rows: Sequence[int]) -> str:
    """Return where rows, from 0, stand: `lines 3, 8, 12, ...`, `line 3` or `row 2`.

    At least one row is given, and up to three are named: by lines in a csv or jsonl file.
    """
    # A line of a file with columns of several models has several rows.
    places = dict.fromkeys(row_place(source, row) for row in rows[:_MAX_PLACES])
    kind, _, _ = next(iter(places)).partition(" ")  # line or row
    numbers = ", ".join(place.partition(" ")[2] for place in places)
    more = ", ..." if len(rows) > _MAX_PLACES else ""
    return f"{kind}{'s' if more or len(places) > 1 else ''} {numbers}{more}"


def more_rows_text(source: str, rows: Sequence[int]) -> str:
    """Return the end of an error on a row: how many more are like it, and where; may be empty."""
    if not rows:
        return ""
    count = f"{len(rows):,} more {'is' if len(rows) == 1 else 'are'}"
    return f" ({count} like it: {row_places(source, rows)})"


def read_table(path: Path) -> UserTable:
    """Read the rows of a user's file.

    A csv file may be separated by commas, semicolons, tabs or bars; its header decides, or a first
    line such as `sep=;`. Its empty rows and its empty columns without a name are left out. A json
    file is a list of records, one such list under a name, records by id (column `id`), or columns
    by name. Fields of nested records become columns such as `metrics.acc`.

    Args:
        path: The file. Its ending decides the format; it may be packed as `.gz`.

    Raises:
        InvalidArgument: The file cannot be read, has no rows, or has two columns of one name. It is
            neither in UTF-8 nor in UTF-16 with a byte order mark. A row has more cells than the
            header.
    """
    name = _unpacked_name(path.name)
    try:
        if name.endswith(".parquet"):
            table = UserTable(_flatten_structs(_read_parquet(path)))
        elif name.endswith((*_JSON_LINES_SUFFIXES, ".json")):
            # Both functions take the path and return the file's records as mappings.
            records = _records_of_lines if name.endswith(_JSON_LINES_SUFFIXES) else _records_of_json
            rows = [dict(_flatten_record(record)) for record in records(path)]
            table = UserTable(pd.DataFrame(rows, dtype=object))
        else:
            table = _read_separated_text(path)
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"{path} is not UTF-8 ({error.reason}); save it as UTF-8.") from error
    except RecursionError:
        raise InvalidArgument(f"{path} can't be read: its records are nested too deep.") from None
    except pd.errors.EmptyDataError:
        table = UserTable(pd.DataFrame())
    except (OSError, EOFError, zlib.error, ValueError) as error:
        if isinstance(error, InvalidArgument):  # a `ValueError` that names file and remedy already
            raise
        problem = " ".join(str(error).split())
        raise InvalidArgument(f"{path} can't be read: {problem.removesuffix('.')}.") from error
    if not len(table.frame):
        raise InvalidArgument(f"{path} has no rows; give a file with judgments.")
    names = pd.Index([str(column).strip() for column in table.frame.columns])
    if names.has_duplicates:
        duplicate = names[names.duplicated()][0]
        if not duplicate:
            raise InvalidArgument(
                f"{path} has {(names == '').sum()} columns without a name; the first line names "
                "the columns: remove lines above it, and name or drop columns."
            )
        raise InvalidArgument(f"{path} has two columns {duplicate!r}; rename or drop one of them.")
    return replace(table, frame=table.frame.set_axis(names, axis="columns"))


def _unpacked_name(path: str) -> str:
    """Return a path's name in lower case, without the ending `.gz`."""
    return path.lower().removesuffix(".gz")


def _read_bytes(path: Path) -> bytes:
    """Return the unpacked content of a file, UTF-16 as UTF-8; refuse what would fill memory."""
    if path.suffix.lower() != ".gz":
        return _as_utf8(path.read_bytes())
    # At most 2 GB unpacked; above 64 MB at most 200 times the packed size, as in logs.
    limit = min(MAX_PART_BYTES, max(UNCHECKED_BYTES, MAX_COMPRESSION * path.stat().st_size))
    with gzip.open(path) as opened:
        content = opened.read(limit + 1)
    if len(content) > limit:
        raise InvalidArgument(
            f"{path} has more than {limit / 1e6:.0f} MB unpacked, which may fill memory; unpack it."
        )
    return _as_utf8(content)


def _as_utf8(content: bytes) -> bytes:
    """Return content with the byte order mark of UTF-16 as UTF-8; other content unchanged."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16").encode()
    return content


def _read_separated_text(path: Path) -> UserTable:
    """Return the rows of a csv file as text.

    A row that ends early lacks its last cells; one with more cells than the header is refused. An
    apostrophe that keeps spreadsheets from running a cell as a formula is removed.

    Raises:
        ValueError: The file holds zero bytes.
    """
    content = _read_bytes(path)
    if b"\0" in content[:_INSPECTED_BYTES]:
        raise ValueError(
            "it holds zero bytes, as UTF-16 without a byte order mark does; save it as UTF-8"
        )
    separator = _detect_separator(content)
    # With a header, pandas would rename columns and take surplus cells for an index.
    options: dict[str, Any] = {"dtype": str, "keep_default_na": False, "header": None}
    options["skiprows"] = 1 if _SEPARATOR_LINE.match(content) else 0
    try:
        rows = pd.read_csv(BytesIO(content), sep=separator, **options)
    except pd.errors.ParserError as error:
        if surplus := _SURPLUS_CELLS.search(str(error)):
            columns, line, cells = surplus.groups()
            lines = content.decode("utf-8-sig").splitlines(keepends=True)
            rows = csv.reader(lines, delimiter=separator)
            more = sum(len(row) > int(columns) for row in rows) - 1
            more_text = f" ({counted(more, 'more row')} too long)" if more > 0 else ""
            raise InvalidArgument(
                f"{path}, line {line} has {cells} cells and the first line {columns}{more_text}; "
                "the first line names the columns, and cells with a separator stand in quotation "
                "marks."
            ) from None
        if separator != "\t":
            raise
        # Files with tabs often hold texts with single quotation marks.
        rows = pd.read_csv(BytesIO(content), sep=separator, quoting=csv.QUOTE_NONE, **options)
    for column in rows:
        if rows[column].str.startswith("'", na=False).any():
            rows[column] = rows[column].map(unescape_formula, na_action="ignore")
    header, cells = rows.iloc[0].fillna("").str.strip(), rows.iloc[1:]
    # Spreadsheets also write empty rows and columns, if they were used once.
    is_filled = cells.fillna("").ne("")
    is_row, is_column = is_filled.any(axis=1), (header != "") | is_filled.any(axis=0)
    cells = cells.loc[is_row, is_column]
    frame = cells.set_axis(header[cells.columns], axis="columns").reset_index(drop=True)
    # Countries that write 0,5 separate cells by semicolons.
    return UserTable(frame, decimal_comma=separator == ";", empty_rows=int((~is_row).sum()))


def _detect_separator(content: bytes) -> str:
    """Return the separator that the first line names or has most often, outside quotation marks.

    It is a comma if the line has none.
    """
    if separator_line := _SEPARATOR_LINE.match(content):
        return separator_line[1].decode()
    # Every second part between quotation marks is outside of them.
    header = content[:100_000].lstrip().split(b"\n", 1)[0].decode("utf-8-sig", "replace")
    unquoted_text = "".join(header.split('"')[::2])
    return max(_SEPARATORS, key=unquoted_text.count)


def _read_parquet(path: Path) -> pd.DataFrame:
    """Return the rows of a parquet file; a named index becomes a column.

    Raises:
        OSError: The file cannot be opened.
        ValueError: It is not a parquet file, or damaged.
    """
    try:
        is_packed = path.suffix.lower() == ".gz"
        frame = pd.read_parquet(BytesIO(_read_bytes(path)) if is_packed else path)
    except OSError:
        raise
    except Exception as error:  # a damaged file may raise KeyError, NotImplementedError and others
        raise ValueError(
            f"it is not a parquet file, or damaged ({excerpt(repr(error), 100)})"
        ) from error
    # Shares of 32 bits are read as the decimals that they stand for.
    for name in frame.columns[frame.dtypes.map(_is_low_precision)]:
        frame[name] = double_array(frame[name])
    names = [name for name in frame.index.names if name is not None]
    return frame.reset_index(level=names).reset_index(drop=True)


def _is_low_precision(dtype: object) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "f" and dtype.itemsize < 8


def _flatten_structs(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with a column such as `metrics.acc` for each field of columns of records.

    A column counts as one of records if a cell holds a record with a field; cells that hold none
    are missing in the new columns.
    """
    parts = []
    for name in frame:
        if frame[name].dtype != object:
            parts.append(frame[[name]])
            continue
        records = [cell if isinstance(cell, Mapping) else {} for cell in frame[name]]
        if not any(records):
            parts.append(frame[[name]])
            continue
        rows = [dict(_flatten_record(record, f"{name}.")) for record in records]
        parts.append(pd.DataFrame(rows, frame.index, dtype=object))
    return pd.concat(parts, axis="columns") if parts else frame


def _records_of_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the record of each line that is not empty; refuse lines that hold something else."""
    numbers = []
    lines = _read_bytes(path).decode("utf-8-sig").split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            record = None
        if isinstance(record, dict):
            yield record
        else:
            numbers.append(number)
    if numbers:
        text = f"{counted(len(numbers), 'line is', 'lines are')} no JSON record {{...}}"
        raise InvalidArgument(f"{path}: {text}; correct line {numbers[0]} and any others.")


def _records_of_json(path: Path) -> list[Mapping[str, Any]]:
    """Return the records of a json file, which may have several forms; none if it is empty."""
    content = json.loads(_read_bytes(path).decode("utf-8-sig"))
    if not content:
        return []
    if _is_column_dict(content):  # columns by name
        records: list[dict[str, Any]] = pd.DataFrame(content).astype(object).to_dict("records")  # type: ignore[assignment] # keys of json are texts
        return list(records)
    if isinstance(content, dict):
        lists = [value for value in content.values() if _is_record_list(value)]
        if len(lists) == 1:  # one list of records under a name
            return list(lists[0])
        if all(isinstance(value, dict) for value in content.values()):
            # Records by their id.
            return [{"id": name, **record} for name, record in content.items()]
    if not _is_record_list(content):
        raise InvalidArgument(
            f"{path} is not a list of records; write [{{...}}, ...], or one record in each line of "
            "a .jsonl file."
        )
    return list(content)


def _is_column_dict(content: object) -> bool:
    """Return whether json content is a table of columns by name.

    A column is a list of cells, or a mapping from row numbers to cells as pandas writes it; all
    columns have the same rows. A single list may be something else and does not count.
    """
    if not isinstance(content, dict):
        return False
    columns = list(content.values())
    if all(isinstance(cells, list) and not _is_record_list(cells) for cells in columns):
        return len(columns) > 1 and len(set(map(len, columns))) == 1
    if not all(isinstance(cells, dict) for cells in columns):
        return False
    rows = columns[0].keys()
    return all(map(str.isdigit, rows)) and all(cells.keys() == rows for cells in columns)


def _is_record_list(value: object) -> bool:
    """Return whether a value is a list of dicts that is not empty."""
    is_list = isinstance(value, list) and bool(value)
    return is_list and all(isinstance(record, dict) for record in value)  # type: ignore[attr-defined]


def _flatten_record(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield names and values of a record's fields; nested ones as `outer.inner`, lists as JSON."""
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from _flatten_record(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", json.dumps(value) if isinstance(value, list) else value


def _is_json_table(path: Path) -> bool:
    """Return whether a json file is a table by its first bytes; logs begin with their version.

    A file that cannot be opened is none.
    """
    try:
        if path.suffix.lower() == ".gz":
            with gzip.open(path) as opened:
                beginning = opened.read(_INSPECTED_BYTES)
        else:
            with path.open("rb") as plain:
                beginning = plain.read(_INSPECTED_BYTES)
    except (OSError, EOFError, zlib.error):
        return False  # the path is an address, or does not exist
    text = beginning.decode("utf-8-sig", "ignore").lstrip()
    if text.startswith("{"):
        return not is_log_name(path.name) and not ('"version"' in text and '"status"' in text)
    return text.startswith("[")
