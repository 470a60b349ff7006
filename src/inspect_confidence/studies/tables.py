"""Display tables: how a study specifies one, and how it is built from rows of results.

A cell shows the row whose task, model, data set, metric and condition are exactly the parts of the
table, the line and the column together.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import pandas as pd

from inspect_confidence.metrics import METRICS
from inspect_confidence.printing import (
    OFTEN_WIDE,
    P_VALUES,
    counted,
    format_estimate,
    format_number,
    format_p,
    shortened,
)
from inspect_confidence.results import (
    KEY_PARTS,
    OTHER_DATASETS,
    OTHER_ITEMS,
    ResultRow,
    ResultTable,
)
from inspect_confidence.studies.notes import merge_reasons, reason_in
from inspect_confidence.studies.study import View

Parts = frozenset[tuple[str, str]]
"""Names and values of a row's parts, without those of its line."""


class Cell(str):
    """A number as text, with the row of results that it shows.

    Frames of cells have `dtype=object`, or pandas would keep the text alone.

    Attributes:
        row: Index of the row in the results; None if the cell shows none.
        value: That row's value, for sorting.
        missing: What is missing, `UNDEFINED` or `NO_INTERVAL`, and why; None if nothing is.
    """

    row: int | None
    value: float
    missing: tuple[str, str] | None

    def __new__(
        cls,
        text: str,
        row: int | None = None,
        value: float = math.nan,
        missing: tuple[str, str] | None = None,
    ) -> "Cell":
        """Make a cell from its text, its row's index and value, and what it lacks, with why."""
        cell_text = super().__new__(cls, text)
        cell_text.row, cell_text.value, cell_text.missing = row, value, missing
        return cell_text


UNDEFINED, NO_INTERVAL = "Undefined", "No interval"
"""What a cell may lack: its number, or the interval of the number."""


def missing_number(text: str, note: str) -> tuple[str, str] | None:
    """Return what the text of an estimate lacks, and why; None if it lacks nothing.

    The reason follows "undefined: " or "no interval: " in the note. If the note of an undefined
    number has neither, it is the whole note. An interval is only missing if there is a reason:
    constants have none.

    Example:
        >>> missing_number("-", "undefined: every answer is right; 3 of 9 judgments left out")
        ('Undefined', 'every answer is right')
        >>> missing_number("0.50", "no interval: fewer than 100 items")
        ('No interval', 'fewer than 100 items')
    """
    if text == "-":
        reason = reason_in(note, "undefined")
        return (UNDEFINED, note if reason is None else reason) if note else None
    reason = None if "[" in text else reason_in(note, "no interval")
    return None if reason is None else (NO_INTERVAL, reason)


NOTHING = Cell("-")
"""The cell of a number that doesn't exist."""


def cell(
    row: Mapping[Any, Any] | None,
    digits: int = 2,
    *,
    factor: float = 1,
    interval: bool = True,
    mark: str = "",
) -> Cell:
    """Write a row's value with its interval, `0.63 [0.58, 0.68]`; a dash if it is undefined.

    The cell is this text, and keeps the row's index and value, and why the value or its interval is
    missing. A dagger follows if the note has one: the value rests on clearly fewer items than
    another model's.

    Args:
        row: Row of the results, with its index as `row`; None if there is no such row.
        digits: Digits after the point; p-values have a form of their own, such as <0.001.
        factor: Factor of the value and its interval, such as 100 for percent.
        interval: Whether the interval is shown, if the value has one.
        mark: Text after the value, such as stars for p-values.

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
    form = f".{digits}f"
    text = format_estimate(value, low, high, form) if interval else format_number(value, form)
    if row.get("metric") in P_VALUES:
        text = format_p(value)
    if not math.isnan(value):
        text += f" {mark}" if mark else ""
        if OTHER_ITEMS in str(row["note"]):
            text += f" {OTHER_ITEMS}"
    missing = missing_number(text, str(row["note"])) if interval or text == "-" else None
    return Cell(text, int(row["row"]), float(row["value"]), missing)


@dataclass(frozen=True)
class Column:
    """A column of a display table: which number each line shows.

    Attributes:
        metric: Name in the registry; empty where the table or its lines name the metric.
        heading: Heading above the column.
        digits: Digits after the point.
        factor: Factor of the number, such as 100 for percent.
        interval: Whether the interval is shown.
        where: All parts of the column's rows beside those of the table and the line.
        mark: Value of another row, such as a p-value -> text after the number.
        marked_by: Parts in which the other row differs from the column's.
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

    def parts(self, **changes: str) -> Parts:
        """Return the names and values that tell the column's rows from others, with changes."""
        parts = {"metric": self.metric, **self.where, **changes}
        return frozenset((name, text) for name, text in parts.items() if text)

    def cell(self, line: Mapping[Parts, ResultRow]) -> Cell:
        """Return the column's cell in a line: its number or count, a dash if no row has its parts.

        `line` has the line's rows by their parts (metric and condition). A second row, whose parts
        differ by `marked_by`, gives a mark after the number, such as stars for a p-value.
        """
        row, marking_row = line.get(self.parts()), line.get(self.parts(**self.marked_by))
        mark = self.mark(marking_row.value) if self.mark and marking_row else ""
        if self.count and row:
            size = int(row.record[self.count])
            return Cell(f"{size:,}", row.index, size)
        record = row.record if row else None
        return cell(record, self.digits, factor=self.factor, interval=self.interval, mark=mark)


_HEADINGS = {"dataset": "data set"}
"""Heading of a part of a table's lines whose name, as a column of the results, is no heading."""
_METRIC_HEADINGS = ("measure", "metric")
"""Headings of a column that names the metric of each line."""


@dataclass(frozen=True)
class TableSpec:
    """A display table of a study: lines in the order of their first rows, numbers in columns.

    Attributes:
        title: Title above the table.
        rows: Rows of results that it shows.
        lines: Parts that tell its lines apart.
        columns: The numbers of each line.
        caption: Caption below the table, or a function of the shown rows that returns it.
        interval_caption: Sentence on the intervals, put before the caption if a cell has one.
        counts_undefined: Whether lines without any number are left out, and counted below the table
            with their reasons. If no line has a number, all are shown.
        label: Parts of a line -> its first cells by heading; the parts, below their names, if None.
        layout: Function that makes another table of this one, such as `columns_with_numbers`.
    """

    title: str
    rows: ResultTable
    lines: Sequence[str]
    columns: Sequence[Column]
    caption: str | Callable[[Sequence[ResultRow]], str] = ""
    label: Callable[[Mapping[str, str]], Mapping[str, str]] | None = None
    layout: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    interval_caption: str = ""
    counts_undefined: bool = False

    def view(self) -> View:
        """Return this table with its caption; it has no line if no row has the columns' parts.

        A row's parts are its metric and parts of the condition, by which its column is found. The
        first cells of a line name it (`label`); with `counts_undefined` lines without a number are
        left out, and counted below the table, if another line has one; `layout`, if set, makes
        another table of the finished one. A column `n` with the counts of judgments is added,
        unless the table has counts, or the layout has made other lines.
        """
        column_parts = {column.parts() for column in self.columns}
        cells_by_line: list[dict[str, str]] = []  # by heading
        rows_of_lines: list[dict[Parts, ResultRow]] = []  # by the parts of their column
        shown_rows: list[ResultRow] = []
        for names, line_rows in self._rows_by_line().items():
            rows = {parts: row for parts, row in line_rows.items() if parts in column_parts}
            if not rows:
                continue
            line = dict(zip(self.lines, names, strict=True))
            if self.label:
                first_cells = self.label(line)
            else:
                first_cells = {_HEADINGS.get(name, name): text for name, text in line.items()}
            cells = {column.heading: column.cell(line_rows) for column in self.columns}
            cells_by_line.append({**first_cells, **cells})
            rows_of_lines.append(rows)
            shown_rows += rows.values()
        table = pd.DataFrame(cells_by_line, dtype=object)
        n_lines, undefined = len(cells_by_line), pd.DataFrame()
        if self.counts_undefined and n_lines:
            has_number = (table[[column.heading for column in self.columns]] != "-").any(axis=1)
            if has_number.any():
                table, undefined = table[has_number], table[~has_number]
        if self.layout and n_lines:
            table = self.layout(table)
        shows_counts = not table.columns.intersection(["n", "asked"]).empty
        # Lines that a layout makes anew are named by text, lines that it keeps by their number.
        if not shows_counts and set(table.index) <= set(range(n_lines)):
            # The layout may have dropped columns, whose rows then do not count.
            shown_parts = {column.parts() for column in self.columns if column.heading in table}
            counts = []
            for line_number in table.index:
                rows = rows_of_lines[line_number]
                kept_rows = [row for parts, row in rows.items() if parts in shown_parts]
                counts.append(describe_line_counts(kept_rows or list(rows.values())))
            table["n"] = counts
        table = table.reset_index(drop=True)
        caption = self.caption if isinstance(self.caption, str) else self.caption(shown_rows)
        if _has_text(table, "["):  # the interval of a number stands in brackets
            caption = join_title(self.interval_caption, self._wide_intervals(shown_rows), caption)
        if _has_text(table, OTHER_ITEMS):  # the dagger of a number on other items than most
            caption = join_title(caption, *explain_marks(shown_rows))
        missing = join_title(undefined_lines(undefined, n_lines), missing_numbers(table))
        return View(self.title, table, caption, missing)

    def _wide_intervals(self, rows: Sequence[ResultRow]) -> str:
        """Return a sentence on the columns whose intervals are often wider than 95% needs.

        `rows` are those that the table shows. The text is empty without such columns. Columns that
        show counts, or no intervals, are not named.
        """
        with_interval = {row["metric"] for row in rows if not math.isnan(row.low)}
        headings = []
        for column in self.columns:
            is_wide = column.metric in with_interval and METRICS[column.metric].interval.is_wide
            if is_wide and column.interval and not column.count:
                headings.append(column.heading)
        return f"{OFTEN_WIDE}: {', '.join(headings)}." if headings else ""

    def _rows_by_line(self) -> dict[tuple[str, ...], dict[Parts, ResultRow]]:
        """Return this table's rows by the values of their line, then by the parts of their column.

        A line is such as ("gpt", "mmlu") for lines by model and data set, the parts of a column
        such as {("metric", "ece"), ("bins", "15")}. Parts that all rows share, and parts of the key
        (task, model, data set) that no column names, are left out. Of rows with the same parts the
        first one counts.
        """
        column_names = {name for column in self.columns for name in column.where}
        key_names = set(KEY_PARTS) - column_names
        ignored_names = {*self.lines, *self.rows.common, *key_names}
        rows_by_line: dict[tuple[str, ...], dict[Parts, ResultRow]] = defaultdict(dict)
        for row in self.rows:
            parts = frozenset(part for part in row.parts.items() if part[0] not in ignored_names)
            line = tuple(row[name] for name in self.lines)
            rows_by_line[line].setdefault(parts, row)
        return rows_by_line


_LEFT_OUT_PATTERN = re.compile(
    r"(?P<part>\d+) of (?P<whole>\d+) judgments? left out: (?P<reasons>[^;]*)"
)


def describe_line_counts(rows: Sequence[ResultRow]) -> str:
    """Describe how many judgments the numbers of a line use, such as "69 to 77 of 100 (31 echo)".

    The reasons in brackets, if a note has any, are those of the number that leaves out most. They
    count judgments; if the number counts other units, such as contexts or items of several draws,
    the text says so: "13 of 15 (9 of 30 judgments: 9 echo)". Without rows the text is empty.
    """
    if not rows:
        return ""
    # By count, then by the number asked for and the note, so that equal counts have one order.
    counts = sorted((row.n, row.asked, row.note) for row in rows)
    smallest, largest = counts[0][0], counts[-1][0]
    n_asked = max(asked_of_row for _, asked_of_row, _ in counts)
    text = f"{smallest:,}" if smallest == largest else f"{smallest:,} to {largest:,}"
    if smallest == n_asked:  # no number leaves out a judgment
        return text
    text += f" of {n_asked:,}"
    for _, _, note in counts:
        if left_out := _LEFT_OUT_PATTERN.search(note):
            part, whole, statuses = left_out.groups()
            reasons = statuses.replace("_", " ")
            if int(whole) != n_asked:
                reasons = f"{int(part):,} of {int(whole):,} judgments: {reasons}"
            return f"{text} ({reasons})"
    return text


def _has_text(table: pd.DataFrame, text: str) -> bool:
    """Return whether any number of the table contains a text, such as a bracket or a mark."""
    return any(isinstance(cell, Cell) and text in cell for cell in table.to_numpy().ravel())


def explain_marks(rows: Iterable[ResultRow]) -> list[str]:
    """Return a sentence on each meaning that the dagger beside the numbers of `rows` has."""
    notes = [row.note for row in rows]
    sentences = []
    if any(OTHER_DATASETS in note for note in notes):
        sentences.append(f"{OTHER_DATASETS}: these means are not comparable.")
    # OTHER_ITEMS is the dagger alone. The note OTHER_DATASETS begins with it; that is no such mark.
    if any(OTHER_ITEMS in note.replace(OTHER_DATASETS, "") for note in notes):
        sentences.append(f"{OTHER_ITEMS} on fewer items: n is below 90% of the metric's largest.")
    return sentences


_MAX_REASONS = 4
"""Most reasons that are written below a table."""


def missing_numbers(table: pd.DataFrame) -> str:
    """Return sentences on the undefined numbers and missing intervals of a display table.

    A sentence is such as "Undefined: AUROC in 1 of 2 lines. Reason: every answer is right." There
    are at most four; further reasons are counted. Reasons that differ only in whole numbers are
    one. If the lines name the metrics, the sentences do, as "ECE for gpt in 1 of 2 lines", which
    counts the lines of ECE. The text is empty if no missing number has a reason.
    """
    number_names = _number_names(table)  # by line and heading
    line_counts = Counter(chain.from_iterable(map(dict.values, number_names)))
    missing_values: list[tuple[str, str, str]] = []  # name of the number, kind and reason
    for heading, column in table.items():
        for names_of_line, value in zip(number_names, column, strict=True):
            if isinstance(value, Cell) and value.missing:
                missing_values.append((names_of_line[str(heading)], *value.missing))
    joint_reasons = merge_reasons(reason for *_, reason in missing_values)
    # Numbers of lines by kind, reason and name, as {"Undefined": {"no answer": {"AUROC": 1}}}.
    lines_by_kind: dict[str, dict[str, dict[str, int]]] = {UNDEFINED: {}, NO_INTERVAL: {}}
    for name, kind, reason in missing_values:
        lines = lines_by_kind[kind].setdefault(joint_reasons[reason], {})
        lines[name] = lines.get(name, 0) + 1
    sentences = []
    for kind, lines_by_reason in lines_by_kind.items():
        for reason, lines in lines_by_reason.items():
            names = []
            for name, n_lines in lines.items():
                total = line_counts[name]
                names.append(f"{name} in {n_lines} of {total} lines" if n_lines < total else name)
            sentences.append(f"{kind}: {', '.join(names)}. Reason: {shortened(reason, 300)}.")
    text = " ".join(sentences[:_MAX_REASONS])
    if further_sentences := sentences[_MAX_REASONS:]:
        reasons_text = counted(len(further_sentences), "further reason")
        text += f" {reasons_text}: see the notes in the results."
    return text


def _number_names(table: pd.DataFrame) -> list[dict[str, str]]:
    """Return for each line of a display table the names of its numbers by heading of their column.

    The name is the heading. If a column of the table names the metric of each line, the metric
    comes first, as in "ECE for gpt", and stands alone if the heading says no more than "value".
    """
    metric_heading = next((name for name in _METRIC_HEADINGS if name in table), None)
    if metric_heading is None:
        return [{str(heading): str(heading) for heading in table} for _ in range(len(table))]
    names_by_line = []
    for metric in table[metric_heading]:
        names = {heading: f"{metric} for {heading}" for heading in map(str, table)}
        names_by_line.append({**names, "value": str(metric)})
    return names_by_line


def undefined_lines(table: pd.DataFrame, total: int) -> str:
    """Return a sentence on the lines of a display table that are undefined and left out.

    It names the first cells of the lines, and the four commonest reasons with their numbers of
    lines; of several reasons in a line the first counts. The text is empty without lines.

    Args:
        table: The lines that are left out; each has a cell with a reason.
        total: Number of lines with those that are not left out.
    """
    if table.empty:
        return ""
    lines_by_reason: Counter[str] = Counter()
    for values in table.itertuples(index=False):
        cells = [value for value in values if isinstance(value, Cell)]
        reasons = [reason for _, reason in filter(None, (cell.missing for cell in cells))]
        lines_by_reason[reasons[0]] += 1
    commonest = lines_by_reason.most_common()
    texts = []
    for reason, n_lines in commonest[:_MAX_REASONS]:
        texts.append(f"{shortened(reason, 300)} ({counted(n_lines, 'line')})")
    if other_reasons := commonest[_MAX_REASONS:]:
        reasons_text = counted(len(other_reasons), "other reason")
        lines_left = counted(sum(n_lines for _, n_lines in other_reasons), "line")
        texts.append(f"{reasons_text}, in the notes of the results ({lines_left})")
    names = ", ".join(table.iloc[:, 0].unique())
    lines_text = f"{len(table)} of {counted(total, 'line')} ({names})"
    reason_heading = "Reason" if len(commonest) == 1 else "Reasons"
    return f"Left out, as undefined: {lines_text}. {reason_heading}: {'; '.join(texts)}."


def views_with_lines(specs: Iterable[TableSpec]) -> list[View]:
    """Return the tables that have at least one line."""
    return [view for spec in specs if len((view := spec.view()).table)]


def columns_with_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table without columns that hold nothing but dashes; without lines if all do."""
    table = table.loc[:, (table != "-").any()]
    has_number = any(isinstance(text, Cell) and text != "-" for text in table.to_numpy().ravel())
    return table if has_number else table.iloc[:0]


def line_labels(headings: Mapping[str, str], line: Mapping[str, str]) -> Mapping[str, str]:
    """Return a line's first cells by heading; an empty one is a dash.

    `line` has the texts of its parts by name, and `headings` the heading of each part whose name,
    written in words, is not its heading.
    """
    return {headings.get(name, name.replace("_", " ")): text or "-" for name, text in line.items()}


def join_title(*parts: str) -> str:
    """Join the parts of a title with spaces; empty parts are left out."""
    return " ".join(filter(None, parts))
