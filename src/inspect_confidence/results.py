"""Results: one long table of numbers with their task, model, data set and condition."""

import csv
import functools
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from operator import attrgetter, itemgetter
from typing import Any, Literal
from urllib.parse import unquote

import pandas as pd

from inspect_confidence.printing import escape_invisible_json

NO_INTERVAL = (math.nan, math.nan)
"""Ends of the interval of a number without an interval."""

OTHER_ITEMS = "†"
"""Mark of a number that rests on clearly fewer items, or other data sets, than another model's."""
OTHER_DATASETS = f"{OTHER_ITEMS} other data sets than those of other models"
"""Beginning of the note of a mean over other data sets than other models' means."""

# Spreadsheets accept full-width signs too, and skip blanks before a formula. Text that starts with
# apostrophes gets one more, so that the added one can be removed again.
_FORMULA = re.compile(r"'*(?:[\t\r]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")


def as_csv(frame: pd.DataFrame, index: str = "") -> str:
    """Return rows as csv whose texts no spreadsheet takes for a formula; numbers are unchanged.

    Args:
        frame: The rows.
        index: Name of the column with the frame's index; without one the index is left out.
    """
    escaped = {}
    for name in map(str, frame.columns):
        if not pd.api.types.is_numeric_dtype(frame[name]):
            escaped[name] = frame[name].map(escape_formula, na_action="ignore")
    rows = frame.assign(**escaped)
    return rows.to_csv(
        index=bool(index), index_label=index or None, lineterminator="\n", quoting=quoting(rows)
    )


def as_json(frame: pd.DataFrame) -> str:
    """Return rows as a JSON array, with null for NaN and `"Infinity"` or `"-Infinity"`."""
    rows = []
    for row in frame.to_dict("records"):
        rows.append({str(name): json_value(value) for name, value in row.items()})
    text = json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False)
    return escape_invisible_json(text)


def json_value(value: object) -> object:
    """Return a value that JSON can hold: None for NaN, and a text for an infinity."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    if math.isnan(value):
        return None
    return "Infinity" if value > 0 else "-Infinity"


def quoting(frame: pd.DataFrame) -> Literal[0, 2]:
    """Return the quoting of csv with which all text is read back, as a constant of `csv`.

    It is minimal, unless a text has a carriage return: then all texts are quoted. `csv` before
    Python 3.13 writes a lone carriage return without quotes, and readers end the row there.
    """
    for name in frame:
        if pd.api.types.is_numeric_dtype(frame[name]):
            continue
        if any("\r" in str(text) for text in frame[name].unique()):
            return csv.QUOTE_NONNUMERIC
    return csv.QUOTE_MINIMAL


def escape_formula(text: object) -> str:
    """Return text that no spreadsheet reads as a formula.

    Example:
        >>> escape_formula("=1+1"), escape_formula("a=1")
        ("'=1+1", 'a=1')
    """
    return f"'{text}" if _FORMULA.match(str(text)) else str(text)


def unescape_formula(text: str) -> str:
    """Return the text that `escape_formula` was given.

    Example:
        >>> unescape_formula("'=1+1"), unescape_formula("'tis")
        ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


SCHEMA_VERSION = 1
"""Version of the files of judgments and results; docs/judgments.md says what changes it."""


class Condition(Mapping[str, str]):
    """The varied factors of a number: a frozen mapping whose `str` is its encoded text.

    Values are texts; numbers are written in the format `g`. Parts with an empty value are left out
    and keys are sorted. Equality and hash follow from the parts.

    Example:
        >>> condition = Condition(method="direct", level=90.0, variant="")
        >>> str(condition), condition["level"]
        ('level=90;method=direct', '90')
        >>> str(condition.but(variant="temperature=1", method=""))
        'level=90;variant=temperature%3D1'
        >>> Condition.read("level=90;variant=temperature%3D1")
        Condition(level='90', variant='temperature=1')
    """

    __slots__ = ("_parts",)

    def __init__(self, parts: Mapping[str, object] | None = None, **more: object) -> None:
        """Take the condition's parts by name, such as `level=90`; leave out those with no text.

        They are sorted by name, so that equal conditions have equal texts.
        """
        self._parts: dict[str, str] = {}
        for key, value in sorted({**(parts or {}), **more}.items(), key=itemgetter(0)):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            if text:
                self._parts[key] = text

    @classmethod
    @functools.cache
    def read(cls, text: str) -> "Condition":
        """Read a condition from the text that `str` writes; another text is a ValueError."""
        parts = {}
        for pair in filter(None, text.split(";")):
            key, value = pair.split("=", 1)
            parts[key] = unquote(value)
        return cls(parts)

    @property
    def plain(self) -> str:
        """The condition for readers: `str` without percent-encoding, except of the separator `;`.

        Example:
            >>> Condition(level=90, variant="temperature=1").plain
            'level=90;variant=temperature=1'
        """
        pairs = (f"{key}={value}".replace(";", "%3B") for key, value in self.items())
        return ";".join(pairs)

    def but(self, **parts: object) -> "Condition":
        """Return a copy with some parts replaced, or removed if their new value is empty."""
        return Condition(self._parts, **parts)

    def __getitem__(self, key: str) -> str:
        return self._parts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __hash__(self) -> int:
        return hash(tuple(self._parts.items()))

    def __str__(self) -> str:
        return ";".join(f"{key}={value.translate(_ESCAPED)}" for key, value in self._parts.items())

    def __repr__(self) -> str:
        return f"Condition({', '.join(f'{key}={value!r}' for key, value in self._parts.items())})"


# Quoting more than what separates the pairs would make model names unreadable.
_ESCAPED = str.maketrans({"%": "%25", "=": "%3D", ";": "%3B"})


@dataclass(frozen=True)
class Result:
    """An estimate with its key, condition and metric.

    Attributes:
        task: Name without the package's prefix.
        model: Name in Inspect.
        dataset: Name in the log.
        condition: Encoded text of the varied factors.
        metric: A name from the metric registry.
        value: The number; NaN if it is undefined, with the reason in `note`.
        ci_low: Lower end of its 95% interval; NaN if it has none.
        ci_high: Upper end.
        n: Number of judgments behind the value.
        asked: Number of judgments asked for; `note` counts those left out by status.
        note: Reason of a NaN or of no interval, definition chosen, counts left out.
    """

    task: str
    model: str
    dataset: str
    condition: str
    metric: str
    value: float
    ci_low: float
    ci_high: float
    n: int
    asked: int
    note: str


@dataclass(frozen=True)
class Key:
    """Task, model and data set of results.

    Attributes:
        task: Name without the package's prefix.
        model: Name in Inspect.
        dataset: Name in the log.
    """

    task: str
    model: str
    dataset: str

    def result(
        self,
        condition: Mapping[str, object],
        metric: str,
        value: float,
        interval: Sequence[float] = NO_INTERVAL,
        *,
        n: int,
        asked: int | None = None,
        note: str = "",
    ) -> Result:
        """Return a result of this key: of its task, model and data set.

        Args:
            condition: The varied factors.
            metric: A name from the metric registry.
            value: The number; NaN if it is undefined, with the reason in `note`.
            interval: Both ends of its 95% interval; NaN if it has none.
            n: Number of judgments behind the value.
            asked: Number of judgments asked for; n if None.
            note: Reason of a NaN or of no interval, definition chosen, counts left out.
        """
        low, high = map(float, interval)
        return Result(
            task=self.task,
            model=self.model,
            dataset=self.dataset,
            condition=str(Condition(condition)),
            metric=metric,
            value=float(value),
            ci_low=low,
            ci_high=high,
            n=n,
            asked=n if asked is None else asked,
            note=note,
        )


COLUMNS = [field.name for field in fields(Result)]


def results_frame(results: Iterable[Result]) -> pd.DataFrame:
    """Return results as a data frame, which has all columns even without rows."""
    # pandas would make a deep copy of each dataclass.
    return pd.DataFrame(list(map(attrgetter(*COLUMNS), results)), columns=COLUMNS)


def conditions_of(results: pd.DataFrame) -> list[Condition]:
    """Return the condition of each row of results."""
    return list(map(Condition.read, results["condition"]))


def with_parts(results: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """Add parts of the condition as columns, which are empty if a part is missing.

    The column `row` has the index of each row in `results`, unless `results` has a column `row`;
    the new index counts from 0.
    """
    if "row" not in results:
        results = results.assign(row=results.index)
    conditions = conditions_of(results)
    parts = {}
    for name in names:
        parts[name] = [condition.get(name, "") for condition in conditions]
    return results.reset_index(drop=True).assign(**parts)


def change_variant(variant: str, /, **parts: object) -> str:
    """Return the text of a variant with some parts replaced, or removed if they are empty.

    A variant that a user's file names may be any text: it stays, and the parts follow it.

    Example:
        >>> change_variant("effort=low;temperature=1", temperature="")
        'effort=low'
        >>> change_variant("second prompt", file="b")
        'second prompt;file=b'
    """
    try:
        condition = Condition.read(variant)
    except ValueError:
        return ";".join(filter(None, (variant, str(Condition(parts)))))
    return str(condition.but(**parts))


KEY_PARTS = tuple(field.name for field in fields(Key))


@dataclass(frozen=True)
class ResultRow:
    """A row of results.

    Attributes:
        index: Index of the row in the frame of results.
        record: All its columns, and `row`: the index.
        condition: Its varied factors.
        parts: Its task, model, data set, metric, and the parts of its condition, by name.
    """

    index: int
    record: Mapping[Any, Any]
    condition: Condition
    parts: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        """Return the part of that name; empty if the row has none."""
        return self.parts.get(name, "")

    def labelled(self, **parts: str) -> "ResultRow":
        """Return the row with further parts (names with a text), such as a label."""
        return replace(self, parts={**self.parts, **parts})

    @cached_property
    def shared(self) -> Condition:
        """The row's condition without variant and judge, in which compared models may differ."""
        return self.condition.but(variant="", judge="")

    @property
    def value(self) -> float:
        """Value of the row's metric."""
        return float(self.record["value"])

    @property
    def low(self) -> float:
        """Lower end of the value's 95% interval; NaN without one."""
        return float(self.record["ci_low"])

    @property
    def high(self) -> float:
        """Upper end of the value's 95% interval; NaN without one."""
        return float(self.record["ci_high"])

    @property
    def n(self) -> int:
        """Number of judgments behind the value."""
        return int(self.record["n"])

    @property
    def asked(self) -> int:
        """Number of judgments asked for."""
        return int(self.record["asked"])

    @property
    def note(self) -> str:
        """Note on the value."""
        return str(self.record["note"])


@dataclass(frozen=True)
class ResultTable:
    """Rows of results, selected by their parts.

    Attributes:
        rows: Rows in the results' order.
        common: Parts that all rows share: lines and columns of a display table leave them out.
    """

    rows: Sequence[ResultRow]
    common: frozenset[str] = frozenset()

    @classmethod
    def from_frame(cls, results: pd.DataFrame) -> "ResultTable":
        """Take all rows of a frame of results.

        The index of a row is that in its column `row`; without that column, that of the frame.
        """
        if "row" not in results:
            results = results.assign(row=results.index)
        rows = []
        values_by_column = {str(name): results[name].tolist() for name in results}
        # `to_dict("records")` takes three times as long.
        values_of_rows = zip(*values_by_column.values(), strict=True)
        for row_values, condition in zip(values_of_rows, conditions_of(results), strict=True):
            record = dict(zip(values_by_column, row_values, strict=True))
            # KEY_PARTS are task, model and dataset.
            parts = {name: record[name] for name in (*KEY_PARTS, "metric")}
            rows.append(ResultRow(int(record["row"]), record, condition, parts | dict(condition)))
        return cls(rows)

    def __iter__(self) -> Iterator[ResultRow]:
        """Iterate over the rows."""
        return iter(self.rows)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a frame with their index and the columns of results only."""
        records = [row.record for row in self]
        return pd.DataFrame(records, [row.index for row in self], COLUMNS)

    @property
    def first(self) -> ResultRow:
        """The first row."""
        return self.rows[0]

    def matching(self, **parts: str) -> "ResultTable":
        """Return the rows whose parts (task, model, metric, level...) have these texts.

        An empty text means that the part is absent. Displays of the table returned leave these
        parts out of labels (`common`), since all rows share them.
        """
        rows = list(self)
        for name, text in parts.items():
            rows = [row for row in rows if row[name] == text]
        return ResultTable(rows, self.common | set(parts))

    def groups(self, *names: str) -> Iterator[tuple[list[str], "ResultTable"]]:
        """Yield each combination of values of the named parts, with the table of its rows.

        Combinations are in the order of their first rows. The value of a part that a row lacks is
        empty. The named parts are `common` to a table's rows, so that its display leaves them out.
        """
        groups: dict[tuple[str, ...], list[ResultRow]] = {}
        for row in self:
            values_of_row = tuple(map(row.__getitem__, names))
            groups.setdefault(values_of_row, []).append(row)
        for values, rows in groups.items():
            yield list(values), ResultTable(rows, self.common | set(names))

    def among(self, name: str, values: Collection[str]) -> "ResultTable":
        """Return the rows whose part is one of these values."""
        names = set(values)
        return replace(self, rows=[row for row in self if row[name] in names])

    def having(self, name: str) -> "ResultTable":
        """Return the rows that have the part of that name."""
        return replace(self, rows=[row for row in self if row[name]])

    def sorted_by(self, key: Callable[[ResultRow], Any]) -> "ResultTable":
        """Return the rows sorted; a display table has its lines in this order."""
        return replace(self, rows=sorted(self, key=key))

    def defined(self) -> "ResultTable":
        """Return the rows with a value."""
        return replace(self, rows=[row for row in self if not math.isnan(row.value)])

    def values(self, name: str) -> list[str]:
        """Return the different values of the part, in the order of the rows."""
        return list(dict.fromkeys(row[name] for row in self))
