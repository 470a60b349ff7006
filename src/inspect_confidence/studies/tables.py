"""Tables that people read: what a study says of one, and what builds it from rows of results.

A cell shows the row whose task, model, data set, metric and condition are just what the table, the
line and the column say together.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from inspect_confidence.results import conditions_of
from inspect_confidence.studies.study import View

_WHOSE = ("task", "model", "dataset")

Said = frozenset[tuple[str, str]]
"""What a row says beside what its line says: names of parts and their values."""


class Cell(str):
    """A number as text that knows where it comes from.

    Frames of cells have `dtype=object`, or pandas would keep the text alone.

    Attributes:
        row: Which row of the results it shows; None if it shows none.
        value: That row's value, for sorting.
        note: That row's note.
    """

    row: int | None
    value: float
    note: str

    def __new__(
        cls, text: str, row: int | None = None, value: float = math.nan, note: str = ""
    ) -> "Cell":
        """The text with its row."""
        made = super().__new__(cls, text)
        made.row, made.value, made.note = row, value, note
        return made


NOTHING = Cell("-")
"""Where there is no such number."""


def cell(
    row: Mapping[Any, Any] | None,
    digits: int = 2,
    *,
    factor: float = 1,
    interval: bool = True,
    mark: str = "",
) -> Cell:
    """A row's number with its interval, `0.63 [0.58, 0.68]`; a dash where it is undefined.

    Args:
        row: Of the results, as `with_parts` gives them; None where there is no such row.
        digits: After the point.
        factor: What the number is multiplied by, as 100 for percent.
        interval: Whether the interval is shown, where it has one.
        mark: Put after it, as stars for p-values.

    Example:
        >>> row = {"value": 0.631, "ci_low": 0.58, "ci_high": 0.68, "row": 7, "note": ""}
        >>> cell(row)
        '0.63 [0.58, 0.68]'
        >>> cell({**row, "value": float("nan")}), cell(None)
        ('-', '-')
    """
    if row is None:
        return NOTHING
    value, low, high = (factor * float(row[name]) for name in ("value", "ci_low", "ci_high"))
    where = (int(row["row"]), float(row["value"]), str(row["note"]))
    if math.isnan(value):
        return Cell("-", *where)
    text = _plain(value, digits)
    if interval and not math.isnan(low):
        text += f" [{_plain(low, digits)}, {_plain(high, digits)}]"
    return Cell(f"{text} {mark}" if mark else text, *where)


def _plain(value: float, digits: int) -> str:
    """The number, without the sign of what is rounded to zero."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


@dataclass(frozen=True)
class Row:
    """A row of results.

    Attributes:
        of: Its task, model, data set and metric, and the parts of its condition.
        record: All its columns, and `row`: its index in the results.
    """

    of: Mapping[str, str]
    record: Mapping[Any, Any]

    def __getitem__(self, name: str) -> str:
        """What the row says of it; empty where it says nothing."""
        return self.of.get(name, "")

    @property
    def value(self) -> float:
        """Its number."""
        return float(self.record["value"])

    @property
    def note(self) -> str:
        """Its note."""
        return str(self.record["note"])


@dataclass(frozen=True)
class Rows:
    """Rows of results that have some parts in common.

    Attributes:
        rows: In the results' order.
        common: What all of them say alike: neither lines nor columns of a table have to.
    """

    rows: Sequence[Row]
    common: frozenset[str] = frozenset()

    @classmethod
    def of(cls, results: pd.DataFrame) -> "Rows":
        """All rows of the results."""
        if "row" not in results:
            results = results.assign(row=results.index)
        records, conditions = results.to_dict("records"), map(dict, conditions_of(results))
        names = (*_WHOSE, "metric")
        return cls(
            [
                Row({name: record[name] for name in names} | condition, record)
                for record, condition in zip(records, conditions, strict=True)
            ]
        )

    def __iter__(self) -> Iterator[Row]:
        """The rows, one by one."""
        return iter(self.rows)

    def where(self, **parts: str) -> "Rows":
        """The rows that say just that of these parts; an empty text is a part left out."""
        kept = [row for row in self if all(row[name] == text for name, text in parts.items())]
        return Rows(kept, self.common | set(parts))

    def each(self, *names: str) -> Iterator[tuple[list[str], "Rows"]]:
        """The rows of each combination of these parts, with the parts' values."""
        found: dict[tuple[str, ...], list[Row]] = {}
        for row in self:
            found.setdefault(tuple(row[name] for name in names), []).append(row)
        for values, rows in found.items():
            yield list(values), Rows(rows, self.common | set(names))

    def among(self, name: str, values: Collection[str]) -> "Rows":
        """The rows whose part is one of these values."""
        return replace(self, rows=[row for row in self if row[name] in values])

    def having(self, name: str) -> "Rows":
        """The rows that say something of the part."""
        return replace(self, rows=[row for row in self if row[name]])

    def by(self, key: Callable[[Row], Any]) -> "Rows":
        """The rows in another order, which is that of a table's lines."""
        return replace(self, rows=sorted(self, key=key))

    def values(self, name: str) -> list[str]:
        """What the rows say of the part, each once."""
        return list(dict.fromkeys(row[name] for row in self))


@dataclass(frozen=True)
class Column:
    """A number that the lines of a table have.

    Attributes:
        metric: A name in the registry; empty where the table or its lines say which.
        heading: Above it.
        digits: After the point.
        factor: What the number is multiplied by, as 100 for percent.
        interval: Whether its interval is shown.
        where: What its rows say beside what the table and the line say; nothing else may be there.
        mark: Makes what is put after the number of the value of another row, if there is one.
        marked_by: What that row says otherwise.
        count: `n` or `asked`, which is shown instead of the number.
    """

    metric: str
    heading: str
    digits: int = 2
    factor: float = 1
    interval: bool = True
    where: Mapping[str, str] = field(default_factory=dict)
    mark: Callable[[float], str] | None = None
    marked_by: Mapping[str, str] = field(default_factory=dict)
    count: str = ""

    def said(self, **otherwise: str) -> Said:
        """What its rows say."""
        said = {"metric": self.metric, **self.where, **otherwise}
        return frozenset((name, text) for name, text in said.items() if text)

    def cell(self, line: Mapping[Said, Row]) -> Cell:
        """Its cell in a line, of the line's rows."""
        row, other = line.get(self.said()), line.get(self.said(**self.marked_by))
        mark = self.mark(other.value) if self.mark and other else ""
        record = row.record if row else None
        if self.count and record:
            size = int(record[self.count])
            return Cell(f"{size:,}", int(record["row"]), size, str(record["note"]))
        return cell(record, self.digits, factor=self.factor, interval=self.interval, mark=mark)


@dataclass(frozen=True)
class TableSpec:
    """A table of a study: lines in the order of their first rows, numbers in columns.

    Attributes:
        title: Above it.
        rows: What it is made of.
        lines: Parts that tell its lines apart.
        columns: The numbers of each line.
        caption: Below it; a function makes it of the rows that are shown.
        label: Makes the first cells of a line, by heading, of its parts; the parts themselves if
            None.
        layout: Makes another table of this one, such as `columns_with_numbers`.
    """

    title: str
    rows: Rows
    lines: Sequence[str]
    columns: Sequence[Column]
    caption: str | Callable[[Sequence[Row]], str] = ""
    label: Callable[[Mapping[str, str]], Mapping[str, str]] | None = None
    layout: Callable[[pd.DataFrame], pd.DataFrame] | None = None

    def view(self) -> View:
        """The table; without a line where there is nothing to show."""
        named = {name for column in self.columns for name in column.where}
        apart = {*self.lines, *self.rows.common, *(name for name in _WHOSE if name not in named)}
        found: dict[tuple[str, ...], dict[Said, Row]] = defaultdict(dict)
        for row in self.rows:
            said = frozenset(pair for pair in row.of.items() if pair[0] not in apart)
            found[tuple(row[name] for name in self.lines)].setdefault(said, row)
        wanted = {column.said() for column in self.columns}
        lines: list[dict[str, str]] = []
        shown: list[Row] = []
        counts: list[str] = []
        for values, mine in found.items():
            if not wanted.isdisjoint(mine):
                parts = dict(zip(self.lines, values, strict=True))
                cells = {column.heading: column.cell(mine) for column in self.columns}
                lines.append({**(self.label(parts) if self.label else parts), **cells})
                rows = [row for said, row in mine.items() if said in wanted]
                shown += rows
                counts.append(rests_on(rows))
        table = pd.DataFrame(lines, dtype=object)
        if self.layout and lines:
            table = self.layout(table)
        told = not table.columns.intersection(["n", "asked"]).empty
        if not told and set(table.index) <= set(range(len(lines))):  # lines are lines still
            table["n"] = [counts[line] for line in table.index]
        table = table.reset_index(drop=True)
        caption = self.caption if isinstance(self.caption, str) else self.caption(shown)
        return View(self.title, table, caption)


_LOST = re.compile(r"\d+ of \d+ judgments left out: ([^;]*)")


def rests_on(rows: Sequence[Row]) -> str:
    """How many judgments the numbers of a line rest on, of how many asked, and what was left out.

    Of `69 to 77 of 100 (31 unparseable)` the number that leaves out most says what became of them.
    """
    counted = [(int(row.record["n"]), int(row.record["asked"]), row.note) for row in rows]
    if not counted:
        return ""
    asked = max(of for _, of, _ in counted)
    least, most = min(n for n, *_ in counted), max(n for n, *_ in counted)
    said = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    if least == asked:
        return said
    lost = [found[1] for _, _, note in sorted(counted) if (found := _LOST.search(note))]
    return f"{said} of {asked:,}" + (f" ({lost[0]})" if lost else "")


def built(specs: Iterable[TableSpec]) -> list[View]:
    """The tables that have any lines."""
    return [view for spec in specs if len((view := spec.view()).table)]


def columns_with_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """The table without columns of dashes."""
    return table[[name for name in table if (table[name] != "-").any()]]


def titled(*parts: str) -> str:
    """Those parts of a title that there are."""
    return " ".join(filter(None, parts))


def stars(p: float, *levels: float) -> str:
    """A star for each level that the p-value is below."""
    return "*" * sum(p < level for level in levels)
