"""Tables, lists and replies that tests of several folders build from objects, files and servers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product
from typing import Any, Protocol, TypeVar, cast

import pandas as pd
from inspect_ai import Task

from inspect_confidence import Judgments
from provider_server import ProviderServer, Reply, Request


class HasId(Protocol):
    """An object with an id, such as an item."""

    @property
    def id(self) -> Any:
        """The id."""


Record = TypeVar("Record", bound=HasId)
Row = TypeVar("Row", bound=Mapping[str, Any])


def record_table(records: Iterable[Any]) -> pd.DataFrame:
    """Objects as rows, their attributes as columns."""
    return pd.DataFrame(list(map(vars, records)))


def by_id(records: Iterable[Record]) -> dict[Any, Record]:
    """Records by their id, which no two have in common."""
    records = list(records)
    records_by_id = {record.id: record for record in records}
    assert len(records_by_id) == len(records)
    return records_by_id


def parse_jsonl(text: str) -> list[Any]:
    """The objects of JSON lines; empty lines are skipped."""
    return [json.loads(line) for line in text.split("\n") if line]


def requests_to(server: ProviderServer) -> list[Request]:
    """The requests that a server answered, in order."""
    return [request for request, _ in server.requests]


def reply_to_each_choice(request: Request, texts: Iterator[str]) -> list[Reply]:
    """The next texts, as many as the request asks for choices."""
    return list(map(Reply, islice(texts, request.body.get("n") or 1)))


def numbered(prefix: str, size: int) -> list[str]:
    """Names that end in the numbers from 0, such as ids of items."""
    return [f"{prefix}{number}" for number in range(size)]


def sample_table(task: Task) -> pd.DataFrame:
    """The samples of a task as rows: id, input, target, and a column for each of their metadata."""
    rows = []
    for sample in task.dataset:
        row = {"id": sample.id, "input": str(sample.input), "target": sample.target}
        rows.append({**row, **(sample.metadata or {})})
    return pd.DataFrame(rows)


def notices_with(judgments: Judgments, text: str) -> list[str]:
    """The notices of judgments that contain a text."""
    return [notice for notice in judgments.notices if text in notice]


def column_of(rows: Iterable[Any], key: Any) -> list[Any]:
    """The value at a key, or at a position, of each row."""
    return [row[key] for row in rows]


def attributes_of(records: Iterable[Any], name: str) -> list[Any]:
    """An attribute of each record."""
    return [getattr(record, name) for record in records]


def rows_with(rows: Iterable[Row], **values: object) -> list[Row]:
    """The rows that have these values."""
    return [row for row in rows if {**row, **values} == row]


def copies_with(rows: Iterable[Mapping[str, Any]], **values: object) -> list[dict[str, Any]]:
    """Copies of the rows, with other values in some columns."""
    return [{**row, **values} for row in rows]


def combinations_of(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """A row for each combination of values; those of the last column change first."""
    return [dict(zip(values, cells, strict=True)) for cells in product(*values.values())]


def frame_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame, whose columns have names."""
    return cast("list[dict[str, Any]]", frame.to_dict("records"))


def rows_by(rows: Iterable[Row], key: str) -> dict[Any, Row]:
    """Rows by their value in a column, which no two have in common."""
    rows = list(rows)
    rows_by_value = {row[key]: row for row in rows}
    assert len(rows_by_value) == len(rows)
    return rows_by_value


def values_by_key(rows: Mapping[Any, Mapping[str, Any]], column: str = "value") -> dict[Any, Any]:
    """The values of rows in a column, by the keys of the rows."""
    return {key: row[column] for key, row in rows.items()}
