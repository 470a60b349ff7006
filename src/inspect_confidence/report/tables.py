"""The report's tables: cells that know which row of the results they show."""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from inspect_confidence.commands.analysis import Settings
from inspect_confidence.commands.compare import compare
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import METRICS
from inspect_confidence.plots import shortened
from inspect_confidence.published import read_published
from inspect_confidence.redaction import scrub
from inspect_confidence.results import Condition, with_parts
from inspect_confidence.studies import Cell, View, all_studies, cell
from inspect_confidence.studies.unread import summarize_failures

_LONGEST = 120
"""Characters of a name that a table shows; results.csv has it whole."""
_MOST_REASONS = 4
_INFINITE = re.compile(r"\binf\b")
_NUMBER = re.compile(r"[-+]?[\d.,]+%?$|-$")
_MAY_DIFFER = ("variant", "judge")


@dataclass(frozen=True)
class TableCell:
    """A cell of the page.

    Attributes:
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
    """A table of the page, with its headings and cells, and a caption below it; `fold` is shut."""

    title: str
    columns: Sequence[str]
    lines: Sequence[Sequence[TableCell]]
    caption: str = ""
    fold: bool = False

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
    return Table(shortened(view.title, _LONGEST), columns, lines, view.caption, view.fold)


def of_value(value: object, *, heads: bool = False) -> TableCell:
    """A cell of the page from one of a study's tables."""
    text = _INFINITE.sub("∞", shortened(str(value), _LONGEST))
    if isinstance(value, Cell):
        undefined = value.note if text == "-" else ""
        return TableCell(text, value.row, shortened(undefined, 300))
    return TableCell(text, heads=heads)


def texts(*said: object, heads: bool = False, most: int = 60) -> list[TableCell]:
    """Cells that show no row."""
    return [TableCell(shortened(str(one), most), heads=heads) for one in said]


def _compact(
    title: str, columns: Sequence[str], lines: Sequence[Sequence[TableCell]], caption: str = ""
) -> Table:
    """The table without columns that say nothing in any line."""
    kept = [k for k in range(len(columns)) if any(line[k].text for line in lines)]
    cells = [[line[k] for k in kept] for line in lines]
    return Table(title, [columns[k] for k in kept], cells, caption)


def exclusions(rows: pd.DataFrame) -> Table | None:
    """Of a study's details, how many judgments could be read, and what became of others."""
    counted = rows[rows["metric"] == "status_count"]
    if counted.empty:
        return None
    parts = ["variant", "language", "judge", "window"]
    counted = with_parts(counted, [*parts, "status"])
    statuses = ["ok", *sorted(set(counted["status"]) - {"ok"})]
    lines = []
    for values, some in counted.groupby(["task", "model", "dataset", *parts], sort=False):
        cells = {
            row["status"]: TableCell(f"{row['value']:,.0f}", int(row["row"]))
            for row in some.to_dict("records")
        }
        counts = [cells.get(status, TableCell("0")) for status in statuses]
        lines.append([*texts(*values, heads=True, most=_LONGEST), *counts])
    columns = ["task", "model", "data set", *parts, "read", *statuses[1:]]
    return _compact("Judgments, read and left out", columns, lines)


def unread(rows: pd.DataFrame) -> Table | str:
    """What a study's results say of unread replies: a sentence of one model, a table of several."""
    found, note = summarize_failures(rows)
    if len(found) == 1:
        return f"{found[0].sentence} {note}".rstrip()
    lines = [
        [
            *texts(*one.group, heads=True, most=_LONGEST),
            of_value(cell(one.record, 1, factor=100)),
            TableCell(f"{one.record['n']:,}"),
            TableCell(one.dependence),
        ]
        for one in found
    ]
    columns = ["task", "model", "data set", "variant", "unread (%)", "replies", "in words"]
    return _compact("Replies that could not be read", columns, lines, note)


def _number(value: float, digits: int = 4) -> str:
    return "-" if pd.isna(value) else f"{value:.{digits}g}".replace("inf", "∞")


def beside(results: pd.DataFrame) -> Table | None:
    """Own and published figures of the same metric and condition; None where there are none.

    Variant and judge may differ. Where figures of the data sets that were asked are published,
    those of others are left out.
    """
    rows = pd.concat(
        [
            results.assign(row=results.index, origin="own", source="", definition=""),
            read_published().assign(row=-1, origin="published", note=""),
        ]
    )
    rows = with_parts(rows, _MAY_DIFFER).assign(
        condition=[
            str(Condition.read(text).but(**dict.fromkeys(_MAY_DIFFER, "")))
            for text in rows["condition"]
        ]
    )
    lines = []
    for (_, metric, condition), some in rows.groupby(["task", "metric", "condition"]):
        own = some["origin"] == "own"
        if own.all() or not own.any():
            continue
        asked = some["dataset"].isin(some["dataset"][own])
        for row in (some[asked] if (asked & ~own).any() else some).to_dict("records"):
            number = cell(row, 3)
            said = ". ".join(filter(None, (row["source"], row["definition"])))
            lines.append(
                [
                    TableCell(str(metric), heads=True),
                    TableCell(str(condition).replace(";", "; ") or "-", heads=True),
                    *texts(row["dataset"] or "-"),
                    *texts(row["model"], most=80),
                    *texts(row["variant"], row["judge"], row["origin"]),
                    of_value(number) if row["origin"] == "own" else TableCell(number),
                    TableCell(said or "-"),
                ]
            )
    if not lines:
        return None
    columns = ["metric", "condition", "data set", "model", "variant", "judge", "from", "value"]
    return _compact(
        "Own figures beside published ones",
        [*columns, "source and difference"],
        lines,
        "Published figures rest on the studies' own items and models at their time; where "
        "their definition or items differ from ours, the last column says so.",
    )


def differences(
    judged: Mapping[str, pd.DataFrame],
    baseline: str,
    settings: Settings,
) -> dict[str, Table]:
    """By study a table of each model's numbers less the baseline's, on the items of both."""
    found = {}
    title = f"Differences from {shortened(scrub(baseline), 60)}"
    for study in all_studies():
        base, others = {}, {}
        for table in study.tables:
            frame = judged.get(table.task, pd.DataFrame({"model": []}))
            mine = frame["model"] == baseline
            if mine.any() and not mine.all():
                base[table.task], others[table.task] = frame[mine], frame[~mine]
        if not base:
            continue
        try:
            found[study.name] = _differences(title, compare(others, base, **settings))
        except InvalidArgument as error:  # no items in common
            found[study.name] = Table(title, ["why there are none"], [[TableCell(str(error))]])
    return found


def _differences(title: str, compared: pd.DataFrame) -> Table:
    lines = [
        [
            *texts(scrub(row["a"]), scrub(row["b"]), heads=True, most=80),
            *texts(scrub(row["dataset"]), heads=True),
            TableCell(row["condition"].replace(";", "; ")),
            TableCell(row["metric"]),
            TableCell(_number(row["value_a"], 3)),
            TableCell(_number(row["value_b"], 3)),
            _difference(row),
            TableCell(_number(row["p"], 3), note=row["note"]),
            TableCell(_number(row["p_holm"], 3)),
            TableCell(f"{row['items']:,}"),
        ]
        for row in compared.to_dict("records")
    ]
    columns = ["who", "against", "data set", "condition", "metric", "value", "its value"]
    return Table(
        title,
        [*columns, "difference", "p", "p (Holm)", "items"],
        lines,
        "Value less the baseline's on the items that both answered, with its 95% interval over "
        "resampled items and p of no difference from the same resamples: below .05 just where the "
        f"interval leaves out 0. Holm's adjustment is over all {compared['p'].notna().sum():,} "
        "rows of the study that have a p.",
    )


def _difference(row: Mapping[Hashable, Any]) -> TableCell:
    value, *ends = (_number(row[name], 3) for name in ("difference", "ci_low", "ci_high"))
    if value == "-":
        return TableCell("-", note=f"{row['metric']}: {METRICS[row['metric']].undefined}")
    return TableCell(value if ends == ["-", "-"] else f"{value} [{', '.join(ends)}]")
