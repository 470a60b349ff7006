"""Readers of the records in users' files, bundled files and downloaded files."""

import csv
import functools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from io import StringIO
from pathlib import Path
from string import ascii_uppercase
from typing import Any, cast

from inspect_confidence.arguments import fingerprint, read_text, user_path
from inspect_confidence.datasets.cache import file_of
from inspect_confidence.datasets.selection import ItemT, Split
from inspect_confidence.errors import DataUnavailable, InvalidArgument
from inspect_confidence.printing import excerpt
from inspect_confidence.row_lines import row_lines

Record = dict[str, Any]

LETTERS = ascii_uppercase
"""Letters of the choices, in order."""


def read_records(path: Path, required: Iterable[str]) -> list[Record]:
    """Read the rows of a csv or jsonl file and check that required columns have values.

    Raises:
        InvalidArgument: The file has another form, can't be read, is empty or lacks a column.
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
            columns = ", ".join(map(str, records[0]))
            raise InvalidArgument(f"{path.name} has no column {column!r}; it has: {columns}.")
    for number, record in enumerate(records, start=1):
        for column in required:
            if not cell_text(record.get(column)):
                raise OwnRow(record, path, number).error(f"{column!r} is missing.")
    return records


def _csv_rows(path: Path) -> list[Record]:
    """Return the rows of a user's csv file; refuse repeated columns and rows with more fields.

    Columns without a name may be repeated.
    """
    text = read_text(path)
    header = next(csv.reader(StringIO(text, newline=""), strict=True), [])
    for name, count in Counter(header).items():
        if name and count > 1:
            raise InvalidArgument(f"{path.name} has {count} columns {name!r}; keep one of them.")
    rows = list(csv_records(text, strict=True))
    for number, row in enumerate(rows, start=1):
        if None in row:  # where csv.DictReader puts the further fields
            raise OwnRow(row, path, number).error(
                "it has more fields than the header; quote commas in text."
            )
    return rows


def _jsonl_rows(path: Path) -> list[Record]:
    """Return the objects of a user's jsonl file; refuse a line that is not a JSON object."""
    rows = []
    # Split at line feeds only, because JSON text may contain other line separators.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise InvalidArgument(f"{path.name}, line {number}: {error.msg}.") from error
            except (ValueError, RecursionError) as error:  # thousands of digits, or of brackets
                raise InvalidArgument(
                    f"{path.name}, line {number}: a number is too long, or lists are nested too "
                    "deep; give numbers as they would be read, or texts."
                ) from error
            if not isinstance(row, dict):
                raise InvalidArgument(f"{path.name}, line {number} is not an object.")
            rows.append(row)
    return rows


@dataclass(frozen=True)
class OwnRow:
    """A row of a user's file of questions.

    Attributes:
        record: Cells by column.
        path: Path of the file.
        number: Number of the row, from 1.
    """

    record: Record
    path: Path
    number: int

    @property
    def id(self) -> str:
        """Text of the `id` cell; if it is empty, the file's name and the row's number."""
        return self.text("id") or f"{self.path.stem}-{self.number:04d}"

    @property
    def split(self) -> Split | None:
        """Split that the row's `split` cell names; None if the cell is empty.

        Raises:
            InvalidArgument: The cell is neither `train` nor `test`.
        """
        split = self.text("split")
        if split not in ("train", "test", ""):
            raise self.error(f"split {split!r} is not train or test.")
        return cast(Split, split) if split else None

    def text(self, column: str) -> str:
        """Return a cell's text without surrounding blanks; empty if the cell is absent."""
        return cell_text(self._scalar_cell(column))

    def as_written(self, column: str) -> str:
        """Return the text of a required cell with its surrounding blanks."""
        return str(self._scalar_cell(column))

    def _scalar_cell(self, column: str) -> object:
        """Return the value of the row's cell; None if it is absent, an error if it is nested."""
        value = self.record.get(column)
        if isinstance(value, list | dict):
            raise self.error(f"{column!r} is a list or an object; give a text or a number.")
        return value

    def choices(self) -> tuple[str, ...]:
        """Read the `choices` cell: a list, JSON text, or texts separated by `|`; may be empty.

        Refuse 1 or more than 26 choices, and empty, duplicated or nested ones.
        """
        value = self.record.get("choices")
        if value == [] or not cell_text(value):
            return ()
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                value = str(value).split("|")
        if not isinstance(value, list) or any(isinstance(text, list | dict) for text in value):
            raise self.error(
                f"choices {excerpt(repr(value), 60)} are not a list of texts; "
                'write ["one", "other"] or one|other.'
            )
        choices = tuple(map(str.strip, map(str, value)))
        if not 2 <= len(choices) <= len(LETTERS):
            raise self.error(f"{len(choices)} choices; give 2 to {len(LETTERS)}.")
        if "" in choices or len(set(choices)) < len(choices):
            raise self.error(f"a choice is empty or duplicated: {list(choices)}.")
        return choices

    def letter(self, choices: tuple[str, ...]) -> str:
        """Return the letter of the right choice, which `target` names by letter or text.

        Refuse a target that is neither, or the text of one choice and the letter of another.
        """
        target = self.text("target")
        by_text = choices.index(target) if target in choices else None
        place = LETTERS.find(target.upper()) if len(target) == 1 else -1  # -1: no letter
        by_letter = place if 0 <= place < len(choices) else None
        if None not in (by_text, by_letter) and by_text != by_letter:
            raise self.error(f"target {target!r} is a choice and the letter of another one.")
        right = by_letter if by_text is None else by_text
        if right is None:
            raise self.error(
                f"target {target!r} is neither a letter from A to {LETTERS[len(choices) - 1]} "
                "nor one of the choices."
            )
        return LETTERS[right]

    def error(self, reason: str) -> InvalidArgument:
        """Return the error of a row that can't be used, with the file and the row's line."""
        is_csv = self.path.suffix.lower() == ".csv"
        # The lines at which rows begin; the first one in csv is the header's.
        lines = list(row_lines(read_text(self.path), "," if is_csv else None))[int(is_csv) :]
        return InvalidArgument(f"{self.path.name}, line {lines[self.number - 1]}: {reason}")


OWN_FILE = "a .csv or .jsonl file"
"""Entry for users' files in an error's list of data sets."""


def is_user_file(dataset: object) -> bool:
    """Return whether a data set is a user's file; names of data sets have no point."""
    return "." in str(dataset)


def own_items(
    dataset: object, required: Iterable[str], parse: Callable[[OwnRow], ItemT]
) -> tuple[list[ItemT], str, str]:
    """Load a user's file, and return its items (one per row), its fingerprint and its name.

    Args:
        dataset: Path of the file, relative to the user's working folder.
        required: Columns that the file must have.
        parse: Parser of a row; raises `OwnRow.error` if the row can't be used.

    Raises:
        InvalidArgument: The file or a row can't be used, or an id occurs twice.
    """
    path = user_path("dataset", dataset)
    rows = enumerate(read_records(path, required), start=1)
    items = [parse(OwnRow(record, path, number)) for number, record in rows]
    for name, count in Counter(item.id for item in items).items():
        if count > 1:
            raise InvalidArgument(
                f"{path.name}: {count} rows have the id {name!r}; make ids unique."
            )
    return items, fingerprint(read_text(path)), path.name


def pool_files(
    dataset: object, files: Mapping[str, Sequence[str]]
) -> tuple[str, ...] | tuple[Path]:
    """Return the files of a named data set, or the path of the user's file."""
    if is_user_file(dataset):
        return (user_path("dataset", dataset),)
    return tuple(files[str(dataset).strip()])


def cell_text(value: object) -> str:
    """Return a cell's text without surrounding blanks; None is empty, 0 and False are not."""
    return "" if value is None else str(value).strip()


def cell_number(text: str) -> float | None:
    """Return the number (also nan or inf) that a cell's text writes, or None if it writes none."""
    try:
        return None if "_" in text else float(text)  # Python alone takes 1_0 for 10
    except ValueError:
        return None


def csv_records(text: str, **dialect: Any) -> Iterator[dict[str, str]]:
    """Yield the rows of csv text by column; line ends within quotes are preserved."""
    yield from csv.DictReader(StringIO(text, newline=""), **dialect)


@functools.cache
def bundled_text(file: str) -> str:
    """Return the text of a bundled file."""
    folder = resources.files("inspect_confidence.datasets") / "bundled"
    return (folder / file).read_text(encoding="utf-8")


def bundled_records(file: str) -> list[Record]:
    """Return the records of a bundled jsonl file."""
    return list(map(json.loads, bundled_text(file).splitlines()))


def downloaded_records(name: str) -> Any:
    """Read a source's file: the rows of a table, or the object of a json file.

    Lists in the cells of a parquet file are arrays.

    Raises:
        DataUnavailable: The file could not be downloaded, or can't be read.
    """
    path = file_of(name)
    try:
        return _parse_file(path)
    except (OSError, ValueError, csv.Error) as error:  # pyarrow's and json's are ValueErrors
        raise DataUnavailable(
            f"{path} can't be read ({excerpt(error, 100)}); remove it, and it is downloaded again."
        ) from error


def _parse_file(path: Path) -> Any:
    """Return the content of a parquet, csv, tsv, json or jsonl file, as its name says."""
    if path.suffix == ".parquet":
        # Imported here because pandas takes a second, which other data sets should not cost.
        import pandas as pd  # noqa: PLC0415

        table = pd.read_parquet(path)
        columns = list(map(str, table.columns))
        return [dict(zip(columns, row, strict=True)) for row in table.itertuples(index=False)]
    text = read_text(path)
    if path.suffix in (".csv", ".tsv"):
        return list(csv_records(text, delimiter="\t" if path.suffix == ".tsv" else ","))
    if path.suffix == ".json":
        return json.loads(text)
    return list(map(json.loads, text.removesuffix("\n").split("\n")))
