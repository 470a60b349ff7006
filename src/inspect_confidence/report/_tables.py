"""The report's tables: cells that know which row of the results they show."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from inspect_confidence._results import with_parts
from inspect_confidence.plots import shortened
from inspect_confidence.studies import Cell, Study, View

_LONGEST = 120
"""Characters of a name that a table shows; results.csv has it whole."""
_MOST_REASONS = 4
_INFINITE = re.compile(r"\binf\b")
_NUMBER = re.compile(r"[-+]?[\d.,]+%?$|-$")


@dataclass(frozen=True)
class TableCell:
    """A cell of the page.

    Attributes:
        text: As shown.
        row: Which row of results.csv it shows; None if it shows none.
        note: What is told below the table: why it is undefined.
        heads: Whether it says what the line is about.
    """

    text: str
    row: int | None = None
    note: str = ""
    heads: bool = False


@dataclass(frozen=True)
class Table:
    """A table of the page.

    Attributes:
        title: Above it.
        columns: Their headings.
        lines: Its cells.
        caption: Below it.
    """

    title: str
    columns: Sequence[str]
    lines: Sequence[Sequence[TableCell]]
    caption: str = ""

    @property
    def words(self) -> list[bool]:
        """Which columns are of words, not of numbers."""
        return [
            all(line[k].row is None for line in self.lines)
            and any(not _NUMBER.match(line[k].text) for line in self.lines)
            for k in range(len(self.columns))
        ]

    @property
    def undefined(self) -> list[str]:
        """Why numbers are missing, each reason once."""
        notes = dict.fromkeys(cell.note for line in self.lines for cell in line if cell.note)
        return [*notes][:_MOST_REASONS] + (["and others"] if len(notes) > _MOST_REASONS else [])


def of_view(view: View) -> Table:
    """A study's table for the page."""
    columns = [shortened(str(name), _LONGEST) for name in view.table.columns]
    numbers = [
        any(isinstance(value, Cell) for value in view.table.iloc[:, k]) for k in range(len(columns))
    ]
    lines = [
        [of_value(value, heads=not any(numbers[: k + 1])) for k, value in enumerate(line)]
        for line in view.table.itertuples(index=False)
    ]
    return Table(shortened(view.title, _LONGEST), columns, lines, view.caption)


def of_value(value: object, *, heads: bool = False) -> TableCell:
    """A cell of the page from one of a study's tables."""
    text = _INFINITE.sub("∞", shortened(str(value), _LONGEST))
    if isinstance(value, Cell):
        undefined = value.note if text == "-" else ""
        return TableCell(text, value.row, shortened(undefined, 300))
    return TableCell(text, heads=heads)


def exclusions(rows: pd.DataFrame) -> Table | None:
    """How many judgments of each model and data set could be read, and what became of others.

    Args:
        rows: Details of a study.
    """
    counted = rows[rows["metric"] == "status_count"]
    if counted.empty:
        return None
    parts = ["variant", "language", "judge", "window"]
    counted = with_parts(counted, [*parts, "status"])
    keys = ["task", "model", "dataset", *parts]
    statuses = ["ok", *sorted(set(counted["status"]) - {"ok"})]
    lines = []
    for values, some in counted.groupby(keys, sort=False):
        found = {row["status"]: row for row in some.to_dict("records")}
        line = [TableCell(shortened(str(value), _LONGEST), heads=True) for value in values]
        for status in statuses:
            row = found.get(status)
            line.append(
                TableCell(f"{row['value']:,.0f}", int(row["row"])) if row else TableCell("0")
            )
        lines.append(line)
    columns = ["task", "model", "data set", *parts, "read", *statuses[1:]]
    return compact(Table("Judgments, read and left out", columns, lines))


def compact(table: Table) -> Table:
    """The table without columns that say nothing in any line."""
    kept = [k for k in range(len(table.columns)) if any(line[k].text for line in table.lines)]
    columns = [table.columns[k] for k in kept]
    lines = [[line[k] for k in kept] for line in table.lines]
    return Table(table.title, columns, lines, table.caption)


def tables_of(study: Study, results: pd.DataFrame) -> Iterator[Table]:
    """The study's own tables; empty ones are left out."""
    for view in study.views(results):
        if len(view.table):
            yield of_view(view)


def the_rows(rows: pd.DataFrame, most: int) -> Table:
    """The rows that a figure draws, the first ones of many."""
    several = {name for name in ("model", "dataset") if rows[name].nunique() > 1}
    lines = []
    for index, row in zip(rows.index[:most], rows[:most].to_dict("records"), strict=True):
        ends = [_number(row[name]) for name in ("ci_low", "ci_high")]
        note = shortened(row["note"], 300) if pd.isna(row["value"]) else ""
        lines.append(
            [
                *(
                    TableCell(shortened(str(row[name]), 60) if name in several else "", heads=True)
                    for name in ("model", "dataset")
                ),
                TableCell(shortened(row["condition"].replace(";", "; "), _LONGEST), heads=True),
                TableCell(row["metric"]),
                TableCell(_number(row["value"]), int(index), note),
                TableCell("-" if ends == ["-", "-"] else " to ".join(ends)),
                TableCell(f"{row['n']:,}"),
            ]
        )
    columns = ["model", "data set", "condition", "metric", "value", "95% interval", "n"]
    return compact(Table("", columns, lines))


def _number(value: float) -> str:
    return "-" if pd.isna(value) else f"{value:.4g}".replace("inf", "∞")
