"""Tables, lists and replies that tests of several folders build from objects, files and servers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, product
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, TypeVar, cast

import pandas as pd
import pytest
from inspect_ai import Task

from inspect_confidence import Judgments
from inspect_confidence.results import Condition
from provider_server import ProviderServer, Reply, Request

Member = TypeVar("Member")
Value = TypeVar("Value")
Row = TypeVar("Row", bound=Mapping[str, Any])


def record_table(records: Iterable[Any]) -> pd.DataFrame:
    """Objects as rows, their attributes as columns."""
    return pd.DataFrame(list(map(vars, records)))


def by_id(records: Iterable[Member]) -> dict[Any, Member]:
    """Records by their id, which no two have in common."""
    return records_by(records, "id")


def records_by(records: Iterable[Member], *names: str) -> dict[Any, Member]:
    """Records by one or several of their attributes, which no two have in common."""
    records = list(records)
    records_by_value = dict(zip(map(attrgetter(*names), records), records, strict=True))
    assert len(records_by_value) == len(records)
    return records_by_value


def parse_jsonl(text: str) -> list[Any]:
    """The objects of JSON lines; empty lines are skipped."""
    return [json.loads(line) for line in text.split("\n") if line]


def requests_to(server: ProviderServer) -> list[Request]:
    """The requests that a server answered, in order."""
    return column_of(server.requests, 0)


def reply_to_each_choice(request: Request, texts: Iterator[str]) -> list[Reply]:
    """The next texts, as many as the request asks for choices."""
    return list(map(Reply, islice(texts, request.body.get("n") or 1)))


def numbered(prefix: str, size: int, digits: int = 1) -> list[str]:
    """Names that end in the numbers from 0, with at least so many digits, such as ids of items."""
    return [f"{prefix}{number:0{digits}d}" for number in range(size)]


def prefixed(prefix: str, values: Iterable[object]) -> list[str]:
    """Each value as a text behind a prefix."""
    return [f"{prefix}{value}" for value in values]


def sample_table(task: Task) -> pd.DataFrame:
    """The samples of a task as rows: id, input, target, and a column for each of their metadata."""
    rows = []
    for sample in task.dataset:
        row = {"id": sample.id, "input": str(sample.input), "target": sample.target}
        rows.append({**row, **(sample.metadata or {})})
    return pd.DataFrame(rows)


def notices_with(judgments: Judgments, text: str) -> list[str]:
    """The notices of judgments that contain a text."""
    return texts_with(judgments.notices, text)


def texts_with(texts: Iterable[str], part: str) -> list[str]:
    """The texts, or lines, that contain a part."""
    return [text for text in texts if part in text]


def only_part_in(text: str, parts: Iterable[str]) -> str:
    """The part that a text contains, which is no more than one."""
    (part_in_text,) = [part for part in parts if part in text]
    return part_in_text


def texts_starting(texts: Iterable[str], start: str | tuple[str, ...]) -> list[str]:
    """The texts, or lines, that begin with a text or with one of several."""
    return [text for text in texts if text.startswith(start)]


def column_of(rows: Iterable[Any], key: Any) -> list[Any]:
    """The value at a key, or at a position, of each row."""
    return list(map(itemgetter(key), rows))


def attributes_of(records: Iterable[Any], name: str) -> list[Any]:
    """An attribute of each record; `a.b` is the attribute `b` of its attribute `a`."""
    return list(map(attrgetter(name), records))


def records_with(records: Iterable[Member], **values: object) -> list[Member]:
    """The records whose attributes have these values."""
    for name, value in values.items():
        records = [record for record in records if getattr(record, name) == value]
    return list(records)


def entries_of(mapping: Mapping[Any, Any], keys: Iterable[Any]) -> dict[Any, Any]:
    """The entries of a mapping at these keys, in the order of the keys."""
    return {key: mapping[key] for key in keys}


def without_nan(values: Iterable[float]) -> list[float]:
    """The values that are not NaN."""
    return [value for value in values if not math.isnan(value)]


def path_or_skip(path: Path) -> Path:
    """The path of data that are not part of this package; without them the test is skipped."""
    if not path.exists():
        pytest.skip(f"{path} does not exist")
    return path


def slow_cases(cases: Iterable[Any]) -> list[Any]:
    """Cases of a parametrized test that only the whole suite runs."""
    return [pytest.param(case, marks=pytest.mark.slow) for case in cases]


def rows_with(rows: Iterable[Row], **values: object) -> list[Row]:
    """The rows that have these values."""
    return [row for row in rows if {**row, **values} == row]


def copies_with(rows: Iterable[Mapping[str, Any]], **values: object) -> list[dict[str, Any]]:
    """Copies of the rows, with other values in some columns."""
    return [{**row, **values} for row in rows]


def combinations_of(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """A row for each combination of values; those of the last column change first."""
    return [dict(zip(values, cells, strict=True)) for cells in product(*values.values())]


def condition_values(rows: pd.DataFrame, name: str) -> list[str]:
    """The value of a part of each row's condition, empty where the condition lacks the part."""
    return [Condition.read(text).get(name, "") for text in rows["condition"]]


def copies_per_value(frame: pd.DataFrame, column: str, values: Iterable[Any]) -> list[pd.DataFrame]:
    """A copy of a frame for each value, which stands in a column of that copy."""
    return [frame.assign(**{column: value}) for value in values]


def frame_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame, whose columns have names."""
    return cast("list[dict[str, Any]]", frame.to_dict("records"))


def rows_by(rows: Iterable[Row], *columns: str) -> dict[Any, Row]:
    """Rows by their values in one or several columns, which no two have in common."""
    rows = list(rows)
    rows_by_value = dict(zip(map(itemgetter(*columns), rows), rows, strict=True))
    assert len(rows_by_value) == len(rows)
    return rows_by_value


def values_by_key(rows: Mapping[Any, Mapping[str, Any]], column: str = "value") -> dict[Any, Any]:
    """The values of rows in a column, by the keys of the rows."""
    return map_values(itemgetter(column), rows)


def map_values(function: Callable[[Any], Value], mapping: Mapping[Any, Any]) -> dict[Any, Value]:
    """A function of each value of a mapping, by the same keys."""
    return {key: function(value) for key, value in mapping.items()}


def shares_of(weights: Mapping[Any, float]) -> dict[Any, float]:
    """Weights divided by their sum, by the same keys."""
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


def tempered_weights(distribution: Mapping[Any, float], temperature: float) -> dict[Any, float]:
    """The probabilities to the power of 1 / temperature, which need not sum to 1."""
    return {value: p ** (1 / temperature) for value, p in distribution.items()}
