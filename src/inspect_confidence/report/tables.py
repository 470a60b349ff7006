"""The report's tables: cells that know which row of the results they show."""

import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from inspect_confidence.commands.analysis import Settings
from inspect_confidence.commands.compare import compare
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.headlines import headline_rows
from inspect_confidence.metrics import METRICS
from inspect_confidence.plots import shortened
from inspect_confidence.privacy import scrub
from inspect_confidence.published import read_published
from inspect_confidence.report.figures import Job, Planned, ReportFigure
from inspect_confidence.results import COLUMNS, Condition, as_csv, with_parts, without
from inspect_confidence.studies import Cell, Study, View, all_studies, cell

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


_READS = (
    "One line a number that stands for a study, with its 95% interval; the mark on a line is the "
    "best that can be had."
)


def profiles(
    results: pd.DataFrame, models: Collection[str], directory: Path
) -> Iterator[tuple[str, Planned, Table]]:
    """For each model its name, its profile's figure, not drawn yet, and the same as a table.

    Args:
        results: In the layout of results, their index what the page calls the row.
        models: Those that answered, in contrast to means over models.
        directory: Where the figures' files go.
    """
    rows = headline_rows(results)
    rows = rows[rows["model"].isin(models)]
    for number, (model, mine) in enumerate(rows.groupby("model", sort=False), 1):
        name = f"profile-{number}"
        title = f"Confidence profile of {shortened(str(model), 60)}"
        used = list(dict.fromkeys(mine["metric"]))
        definitions = [(one, METRICS[one].definition) for one in used]
        figure = ReportFigure(name, title, _READS, definitions, mine[COLUMNS])
        (directory / f"{name}.csv").write_text(as_csv(mine[COLUMNS], "row"), encoding="utf-8")
        job = Job(name, "profile", title, mine, directory / name)
        yield shortened(str(model), 80), (figure, job), _profile_table(mine)


def _profile_table(rows: pd.DataFrame) -> Table:
    titles = {study.name: study.title.split(":")[0] for study in all_studies()}
    lines = []
    for index, row in zip(rows.index, rows.to_dict("records"), strict=True):
        number = cell({**row, "row": index}, 3)
        direction = METRICS[row["metric"]].direction
        lines.append(
            [
                TableCell(titles[row["study"]], heads=True),
                TableCell(str(row["label"]), heads=True),
                TableCell(shortened(row["dataset"], 60)),
                TableCell(shortened(row["variant"], 60)),
                TableCell(shortened(row["judge"], 60)),
                of_value(number),
                TableCell(direction if direction != "none" else "neither"),
                TableCell(f"{row['n']:,}"),
            ]
        )
    columns = ["study", "number", "data set", "variant", "judge", "value", "better", "n"]
    return compact(Table("", columns, lines))


def beside(results: pd.DataFrame) -> Table | None:
    """Own and published figures of the same metric and condition; None where there are none.

    Args:
        results: Of a study, their index what the page calls the row.
    """
    known = read_published()
    known, own = (
        rows.assign(
            condition=[without(text, "variant") for text in rows["condition"]],
            variant=[Condition.read(text).get("variant", "") for text in rows["condition"]],
        )
        for rows in (known[known["task"].isin(set(results["task"]))], results)
    )
    keys = ["task", "metric", "condition"]
    there = set(map(tuple, own[keys].to_numpy())) & set(map(tuple, known[keys].to_numpy()))
    lines = []
    for key in sorted(there):
        for index, row in _of(own, key).iterrows():
            number = of_value(cell({**row.to_dict(), "row": index}, 3))
            lines.append(_line(key, row, number, "own", ""))
        for _, row in _of(known, key).iterrows():
            number = TableCell(cell({**row.to_dict(), "row": -1, "note": ""}, 3))
            said = ". ".join(filter(None, (row["source"], row["definition"])))
            lines.append(_line(key, row, number, "published", said))
    if not lines:
        return None
    columns = ["metric", "condition", "data set", "model", "variant", "from", "value"]
    return compact(
        Table(
            "Own figures beside published ones",
            [*columns, "source and difference"],
            lines,
            "Published figures rest on the studies' own items and models at their time; where "
            "their definition or items differ from ours, the last column says so.",
        )
    )


def _of(rows: pd.DataFrame, key: tuple[str, ...]) -> pd.DataFrame:
    task, metric, condition = key
    return rows[
        (rows["task"] == task) & (rows["metric"] == metric) & (rows["condition"] == condition)
    ]


def _line(
    key: tuple[str, ...], row: "pd.Series[Any]", number: TableCell, origin: str, said: str
) -> list[TableCell]:
    return [
        TableCell(key[1], heads=True),
        TableCell(key[2].replace(";", "; ") or "-", heads=True),
        TableCell(shortened(str(row["dataset"]), 60) or "-"),
        TableCell(shortened(str(row["model"]), 80)),
        TableCell(shortened(str(row["variant"]), 60)),
        TableCell(origin),
        number,
        TableCell(said or "-"),
    ]


def differences(
    judged: Mapping[str, pd.DataFrame],
    baseline: str,
    settings: Settings,
) -> dict[str, Table]:
    """By study a table of each model's numbers less the baseline's, on the items of both.

    Args:
        judged: Judgments by task.
        baseline: A model as the judgments name it.
        settings: How numbers are computed.
    """
    found = {}
    for study in all_studies():
        frames = {table.task: judged[table.task] for table in study.tables if table.task in judged}
        base = {task: frame[frame["model"] == baseline] for task, frame in frames.items()}
        others = {task: frame[frame["model"] != baseline] for task, frame in frames.items()}
        there = [task for task in frames if len(base[task]) and len(others[task])]
        if not there:
            continue
        try:
            compared = compare(
                {task: others[task] for task in there},
                {task: base[task] for task in there},
                **settings,
            )
        except InvalidArgument as error:  # no items in common
            found[study.name] = _nothing(baseline, str(error))
            continue
        found[study.name] = _table(compared, baseline)
    return found


def _table(compared: pd.DataFrame, baseline: str) -> Table:
    lines = [
        [
            TableCell(shortened(scrub(row["a"]), 80), heads=True),
            TableCell(shortened(scrub(row["b"]), 80), heads=True),
            TableCell(shortened(scrub(row["dataset"]), 60), heads=True),
            TableCell(row["condition"].replace(";", "; ")),
            TableCell(row["metric"]),
            TableCell(_text(row["value_a"])),
            TableCell(_text(row["value_b"])),
            _difference(row),
            TableCell(_text(row["p_holm"])),
            TableCell(f"{row['items']:,}"),
        ]
        for row in compared.to_dict("records")
    ]
    name = shortened(scrub(baseline), 60)
    columns = ["who", "against", "data set", "condition", "metric", "value", "its value"]
    columns += ["difference", "p", "items"]
    return Table(
        f"Differences from {name}",
        columns,
        lines,
        "Value less the baseline's on the items that both answered, with its 95% bootstrap "
        "interval; p of a permutation test that exchanges the two within items, after Holm's "
        "adjustment over all rows of the study.",
    )


def _difference(row: Mapping[Hashable, Any]) -> TableCell:
    if pd.isna(row["difference"]):
        return TableCell("-", note=f"{row['metric']}: {METRICS[row['metric']].undefined}")
    ends = [_text(row[name]) for name in ("ci_low", "ci_high")]
    interval = "" if ends == ["-", "-"] else f" [{', '.join(ends)}]"
    return TableCell(f"{_text(row['difference'])}{interval}")


def _text(value: float) -> str:
    return "-" if pd.isna(value) else f"{value:.3g}".replace("inf", "∞")


def _nothing(baseline: str, why: str) -> Table:
    name = shortened(scrub(baseline), 60)
    return Table(f"Differences from {name}", ["why there are none"], [[TableCell(why)]])
