"""Records of files: a user's own, those that come with the package, downloaded ones."""

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
from typing import Any

from inspect_confidence.arguments import choice, fingerprint, read_text, user_path
from inspect_confidence.datasets.cache import file_of
from inspect_confidence.datasets.selection import ItemT, Split
from inspect_confidence.errors import DataUnavailable, InvalidArgument

Record = dict[str, Any]

LETTERS = ascii_uppercase
"""What choices are called, in their order."""


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
    rows = list(csv_records(read_text(path), strict=True))
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
    """A row of a user's own file of questions; what can't be used in it is `refused`.

    Attributes:
        record: Its cells by column.
        path: The file.
        number: The row's, from 1.
    """

    record: Record
    path: Path
    number: int

    @property
    def id(self) -> str:
        """The row's own id, or the file's name and the row's number."""
        return self.text("id") or f"{self.path.stem}-{self.number:04d}"

    @property
    def split(self) -> Split | None:
        """`train`, `test`, or None where it has none."""
        split = self.record.get("split") or None
        if split not in ("train", "test", None):
            raise self.refused(f"split {split!r} is not train or test.")
        return split

    def text(self, column: str) -> str:
        """A cell as `cell_text` gives it."""
        return cell_text(self._one(column))

    def as_written(self, column: str) -> str:
        """A cell that is there as text, with its blanks."""
        return str(self._one(column))

    def _one(self, column: str) -> object:
        """A cell that is no list and no object."""
        value = self.record.get(column)
        if isinstance(value, list | dict):
            raise self.refused(f"{column!r} is a list or an object; give a text or a number.")
        return value

    def choices(self) -> tuple[str, ...]:
        """`choices`: a list, its JSON text, or texts between `|`; none where there are none."""
        value = self.record.get("choices")
        if value in (None, "", []):
            return ()
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                value = str(value).split("|")
        if not isinstance(value, list) or any(isinstance(one, list | dict) for one in value):
            raise self.refused(
                f'choices {value!r:.60} are no list of texts; write ["one", "other"] or one|other.'
            )
        choices = tuple(str(choice).strip() for choice in value)
        if not 2 <= len(choices) <= len(LETTERS):
            raise self.refused(f"{len(choices)} choices; give 2 to {len(LETTERS)}.")
        if "" in choices or len(set(choices)) < len(choices):
            raise self.refused(f"choices are empty or there twice: {list(choices)}.")
        return choices

    def letter(self, choices: tuple[str, ...]) -> str:
        """The letter of the one right choice, where `target` is its letter or its text."""
        target = self.text("target")
        by_text = choices.index(target) if target in choices else None
        by_letter = LETTERS.find(target.upper()) if len(target) == 1 else -1
        by_letter = by_letter if by_letter < len(choices) else -1
        if by_text is not None and by_letter not in (-1, by_text):
            raise self.refused(f"target {target!r} is a choice and the letter of another one.")
        if by_text is None and by_letter == -1:
            raise self.refused(
                f"target {target!r} is neither a letter from A to {LETTERS[len(choices) - 1]} "
                "nor one of the choices."
            )
        return LETTERS[by_letter if by_text is None else by_text]

    def refused(self, why: str) -> InvalidArgument:
        """The error of a row that can't be used."""
        return InvalidArgument(f"{self.path.name}, row {self.number}: {why}")


OWN_FILE = "a .csv or .jsonl file"
"""What errors say that a data set may be, beside the known names."""


def load_pool(
    dataset: object,
    known: Mapping[str, Callable[[], tuple[list[ItemT], str]]],
    required: Iterable[str],
    make: Callable[[OwnRow], ItemT],
) -> tuple[str, list[ItemT], str]:
    """Name, items and fingerprint of a data set known by name, or of a user's file as `own_items`.

    Raises:
        InvalidArgument: The name isn't known, or the file or a row can't be used.
    """
    if "." in str(dataset):
        items, version, name = own_items(dataset, required, make)
    else:
        name = choice("dataset", dataset, [*known, OWN_FILE])
        items, version = known[name]()
    return name, items, version


def own_items(
    dataset: object, required: Iterable[str], make: Callable[[OwnRow], ItemT]
) -> tuple[list[ItemT], str, str]:
    """The items of a user's own file, one a row, with the file's fingerprint and name.

    Args:
        dataset: The file, relative to where the user stands.
        required: Columns that it must have.
        make: Gives the item of a row, or raises what `OwnRow.refused` gives.

    Raises:
        InvalidArgument: The file or a row can't be used, or an id stands there twice.
    """
    path = user_path("dataset", dataset)
    rows = enumerate(read_records(path, required), start=1)
    items = [make(OwnRow(record, path, number)) for number, record in rows]
    for name, count in Counter(item.id for item in items).items():
        if count > 1:
            raise InvalidArgument(f"{path.name}: the id {name!r} stands there {count} times.")
    return items, fingerprint(read_text(path)), path.name


def pool_files(
    dataset: object, known: Mapping[str, Sequence[str]]
) -> tuple[str, ...] | tuple[Path]:
    """The files of a data set that `load_pool` knows by name, or the user's own one."""
    if "." in str(dataset):
        return (user_path("dataset", dataset),)
    return tuple(known[str(dataset).strip()])


def cell_text(value: object) -> str:
    """A cell as text without blanks around it: 0 and False are something, None is nothing."""
    return "" if value is None else str(value).strip()


def csv_records(text: str, **dialect: Any) -> Iterator[dict[str, str]]:
    """The rows of csv text under its header; line ends within quotes stay as they are."""
    yield from csv.DictReader(StringIO(text, newline=""), **dialect)


@functools.cache
def bundled_text(file: str) -> str:
    """The text of a file that comes with the package."""
    folder = resources.files("inspect_confidence.datasets") / "bundled"
    return (folder / file).read_text(encoding="utf-8")


def bundled_records(file: str) -> list[Record]:
    """The records of a jsonl file that comes with the package."""
    return [json.loads(line) for line in bundled_text(file).splitlines()]


def downloaded_records(name: str) -> Any:
    """What a source's file holds: its rows, lists as arrays if from parquet; of json the object.

    Raises:
        DataUnavailable: The file could not be downloaded, or can't be read.
    """
    path = file_of(name)
    try:
        return _records(path)
    except (OSError, ValueError, csv.Error) as error:  # pyarrow's and json's are ValueErrors
        raise DataUnavailable(
            f"{path} can't be read ({error!s:.100}); remove it, and it is downloaded again."
        ) from error


def _records(path: Path) -> Any:
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
