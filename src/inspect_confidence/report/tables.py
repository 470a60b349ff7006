"""Tables of the report, with cells that name their row of the results."""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import pandas as pd

from inspect_confidence.commands.analysis import Settings
from inspect_confidence.commands.compare import EXPLORATORY, compare
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import METRICS
from inspect_confidence.printing import ALIKE_TEXT, format_estimate, format_number, shortened
from inspect_confidence.published import read_published
from inspect_confidence.redaction import scrub
from inspect_confidence.results import conditions_of, with_parts
from inspect_confidence.studies import Cell, View, all_studies, cell
from inspect_confidence.studies.tables import missing_number, missing_numbers
from inspect_confidence.studies.unread import ALL_DATASETS, summarize_failures

_LONGEST_NAME = 120
"""Maximum number of characters of a name in a table; results.csv has the whole name."""
_INFINITE = re.compile(r"\binf\b")
_NUMBER = re.compile(r"[-+]?[\d.,]+%?$|-$")  # such as -1,200.5, 30% or a dash
_PARTS_THAT_MAY_DIFFER = ("variant", "judge")


@dataclass(frozen=True)
class TableCell:
    """A cell of the page.

    Attributes:
        text: Text of the cell.
        row: Row of results.csv that the cell shows; None if it shows none.
        heads: Whether the cell is a heading of its line.
    """

    text: str
    row: int | None = None
    heads: bool = False


@dataclass(frozen=True)
class Table:
    """A table of the page.

    Attributes:
        title: Title of the table.
        columns: Headings of the columns.
        lines: Cells of each line.
        caption: Text below the table.
        missing: Sentences on its missing numbers.
        fold: Whether the table is folded at first.
    """

    title: str
    columns: Sequence[str]
    lines: Sequence[Sequence[TableCell]]
    caption: str = ""
    missing: str = ""
    fold: bool = False

    @property
    def words(self) -> list[bool]:
        """Flags of the columns of words: no cell has a row of results, and not all are numbers."""
        flags = []
        # A column is its heading and a cell of each line; without lines no column has words.
        for _, *cells in zip(self.columns, *self.lines, strict=True):
            has_rows = any(cell.row is not None for cell in cells)
            flags.append(not has_rows and not all(_NUMBER.match(cell.text) for cell in cells))
        return flags


def view_table(view: View) -> Table:
    """Return a study's table for the page; columns before the first one of numbers are headings."""
    columns = [shortened(str(name), _LONGEST_NAME) for name in view.table.columns]
    n_headings = 0
    for _, column in view.table.items():
        if any(isinstance(value, Cell) for value in column):
            break
        n_headings += 1
    lines = []
    for values in view.table.itertuples(index=False):
        lines.append([value_cell(value, heads=k < n_headings) for k, value in enumerate(values)])
    return Table(
        shortened(view.title, _LONGEST_NAME),
        columns,
        lines=lines,
        caption=view.caption,
        missing=view.missing,
        fold=view.fold,
    )


def value_cell(value: object, *, heads: bool = False) -> TableCell:
    """Return a value of a study's table as a cell of the page.

    A number (`Cell`) has its row of the results. Other values are text, of which `heads` marks the
    headings of a line.
    """
    text = _INFINITE.sub("∞", shortened(str(value), _LONGEST_NAME))
    if isinstance(value, Cell):
        return TableCell(text, value.row)
    return TableCell(text, heads=heads)


def text_cells(*values: object, heads: bool = False, length: int = 60) -> list[TableCell]:
    """Return values as cells without a row of the results."""
    return [TableCell(shortened(str(value), length), heads=heads) for value in values]


def _without_empty_columns(
    title: str, columns: Sequence[str], lines: Sequence[Sequence[TableCell]], caption: str = ""
) -> Table:
    """Return a table without the columns that are empty in all lines: without lines, no column."""
    is_filled = [any(line[k].text for line in lines) for k in range(len(columns))]
    filled_lines = [list(compress(line, is_filled)) for line in lines]
    return Table(title, list(compress(columns, is_filled)), filled_lines, caption)


def exclusion_table(rows: pd.DataFrame) -> Table | None:
    """Return the numbers of judgments by status, in a line for each model, data set and condition.

    `rows` are a study's details; None if they have no such numbers.
    """
    counted = rows[rows["metric"] == "status_count"]
    if counted.empty:
        return None
    # Parts of the condition by which some studies count; columns without any are left out below.
    parts = ["variant", "language", "judge", "window"]
    counted = with_parts(counted, [*parts, "status"])
    statuses = ["ok", *sorted(set(counted["status"]) - {"ok"})]
    lines = []
    for values, group in counted.groupby(["task", "model", "dataset", *parts], sort=False):
        cells = dict.fromkeys(statuses, TableCell("0"))
        for row in group.to_dict("records"):
            cells[row["status"]] = TableCell(f"{row['value']:,.0f}", int(row["row"]))
        lines.append([*text_cells(*values, heads=True, length=_LONGEST_NAME), *cells.values()])
    # The status "ok", which comes first, is headed "answered".
    columns = ["task", "model", "data set", *parts, "answered", *statuses[1:]]
    return _without_empty_columns("Judgments by status", columns, lines)


def unread_table(rows: pd.DataFrame) -> Table | str:
    """Return the shares of parse failures: a sentence if there is one share, else a table.

    There is a share for each task, model, data set and variant. The sentence is empty if all
    replies could be read: the study's findings then say so.
    """
    shares = summarize_failures(rows)
    if len(shares) == 1:
        return shares[0].sentence if shares[0].row.value else ""
    lines = []
    for share in shares:
        line = text_cells(*share.group, heads=True, length=_LONGEST_NAME)
        line.append(value_cell(cell(share.row.record, 1, factor=100)))
        line.append(TableCell(f"{share.row.n:,}"))
        line.append(TableCell(share.extremes))
        lines.append(line)
    names = ["task", "model", "data set", "variant"]
    columns = [*names, "parse failures (%)", "replies", "by condition"]
    caption = (
        "Brackets are 95% Wilson intervals over items; replies about the same item are not "
        "independent, so few items give a wide interval."
    )
    if any(ALL_DATASETS in share.group for share in shares):
        caption += f' Lines "{ALL_DATASETS}" are of the replies on all data sets together.'
    return _without_empty_columns("Parse failures", columns, lines, caption)


def _number_text(value: float) -> str:
    return format_number(value, ".3g").replace("inf", "∞")


def published_table(results: pd.DataFrame) -> Table | None:
    """Return own and published numbers of the same task, metric and condition; None without any.

    Variant and judge may differ. If numbers on the results' data sets are published, numbers on
    other data sets are omitted. `results` are estimates, with their row as index.
    """
    rows = pd.concat(
        [
            results.assign(row=results.index, origin="own", source="", definition=""),
            read_published().assign(row=-1, origin="published", note=""),
        ]
    )
    # Variant and judge become columns, and leave the condition by which numbers are matched.
    blank = dict.fromkeys(_PARTS_THAT_MAY_DIFFER, "")
    conditions = [str(condition.but(**blank)) for condition in conditions_of(rows)]
    rows = with_parts(rows, _PARTS_THAT_MAY_DIFFER).assign(condition=conditions)
    lines: list[list[TableCell]] = []
    for _, group in rows.groupby(["task", "metric", "condition"]):
        is_own = group["origin"] == "own"
        if is_own.all() or not is_own.any():
            continue
        is_same_dataset = group["dataset"].isin(group["dataset"][is_own])
        compared = group[is_same_dataset] if (is_same_dataset & ~is_own).any() else group
        lines += map(_published_line, compared.to_dict("records"))
    if not lines:
        return None
    columns = ["metric", "condition", "data set", "model", "variant", "judge", "from", "value"]
    return _without_empty_columns(
        "Own and published figures",
        [*columns, "source and difference"],
        lines=lines,
        caption="Published figures come from the studies' own items and the models of their time. "
        "The last column names differences of definition or items.",
    )


def _published_line(row: Mapping[Hashable, Any]) -> list[TableCell]:
    """Return the line of an own or a published number; a dash stands for what it does not have."""
    number = cell(row, 3)  # value and interval, with three digits
    source = ". ".join(filter(None, (row["source"], row["definition"])))
    return [
        TableCell(row["metric"], heads=True),
        TableCell(row["condition"].replace(";", "; ") or "-", heads=True),
        *text_cells(row["dataset"] or "-"),
        *text_cells(row["model"], length=80),
        *text_cells(row["variant"], row["judge"], row["origin"]),
        # A published number has no row of the results, to which a value cell refers.
        value_cell(number) if row["origin"] == "own" else TableCell(number),
        TableCell(source or "-"),
    ]


def difference_tables(
    judgments: Mapping[str, pd.DataFrame], baseline: str, settings: Settings
) -> dict[str, Table]:
    """Return tables of the models' differences from a baseline on common items, by study.

    Studies without judgments of both are left out. Without common items a table has the reason.
    """
    tables = {}
    title = f"Differences from {shortened(scrub(baseline), 60)}"
    for study in all_studies():
        of_baseline, of_others = {}, {}  # judgments by task
        for task in study.tasks:
            if task not in judgments:
                continue
            frame = judgments[task]
            is_baseline = frame["model"] == baseline
            if is_baseline.any() and not is_baseline.all():
                of_baseline[task], of_others[task] = frame[is_baseline], frame[~is_baseline]
        if not of_baseline:
            continue
        try:
            tables[study.name] = _difference_table(
                title, compare(of_others, of_baseline, **settings)
            )
        except InvalidArgument as error:  # no items in common
            tables[study.name] = Table(title, ["why there are none"], [[TableCell(str(error))]])
    return tables


def _difference_table(title: str, compared: pd.DataFrame) -> Table:
    """Return a table of the rows that `compare` returns, with a caption."""
    lines = []
    for row in compared.to_dict("records"):
        line = [
            *text_cells(scrub(row["a"]), scrub(row["b"]), heads=True, length=80),
            *text_cells(scrub(row["dataset"]), heads=True),
            TableCell(row["condition"].replace(";", "; ")),
            TableCell(row["metric"]),
            TableCell(_number_text(row["value_a"])),
            TableCell(_number_text(row["value_b"])),
            TableCell(_difference_text(row)),
            TableCell(_number_text(row["p"])),
            TableCell(EXPLORATORY if row["role"] == EXPLORATORY else _number_text(row["p_holm"])),
            TableCell(f"{row['items']:,}"),
        ]
        lines.append(line)
    columns = ["model", "baseline", "data set", "condition", "metric", "value", "baseline value"]
    return Table(
        title,
        [*columns, "difference", "p", "p (Holm)", "items"],
        lines=lines,
        caption="Difference: value minus the baseline's, on the items that both models answered, "
        "with its 95% interval over resampled items. p (no difference) comes from the same "
        "resamples and is below .05 exactly if the interval excludes 0. Holm's adjustment covers "
        f"the {compared['family'].max():,} comparisons of the primary metric; other rows are "
        "exploratory, without adjustment."
        f"{f' {ALIKE_TEXT}' if (compared['difference'] == 0).any() else ''}",
        missing=missing_numbers(_differences_by_metric(compared)),
    )


def _difference_text(row: Mapping[Hashable, Any]) -> str:
    """Return a difference with its interval; a dash if it is undefined."""
    text = format_estimate(row["difference"], row["ci_low"], row["ci_high"], ".3g")
    return text.replace("inf", "∞")


def _differences_by_metric(compared: pd.DataFrame) -> pd.DataFrame:
    """Return differences as display cells, in a column for each metric.

    A cell has the reason why its number or interval is missing: for a dash, the one that the metric
    is undefined in general, otherwise the one in the row's note.
    """
    columns: dict[str, list[Cell]] = {}
    for row in compared.to_dict("records"):
        text = _difference_text(row)
        note = f"undefined: {METRICS[row['metric']].undefined}" if text == "-" else row["note"]
        columns.setdefault(row["metric"], []).append(Cell(text, missing=missing_number(text, note)))
    return pd.DataFrame(
        {metric: pd.Series(cells, dtype=object) for metric, cells in columns.items()}
    )
