"""Matrix of models and the headline numbers of the studies, with ranks."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from math import isnan, nan

import numpy as np

from inspect_confidence.directions import Direction, direction_of
from inspect_confidence.headlines import headline_rows
from inspect_confidence.metrics import METRICS
from inspect_confidence.overview.numbers import format_number, format_with_interval
from inspect_confidence.overview.ranks import Rank, Ranks
from inspect_confidence.printing import OFTEN_WIDE, counted, shortened
from inspect_confidence.results import OTHER_ITEMS, ResultRow, ResultTable
from inspect_confidence.studies import all_tables
from inspect_confidence.studies.unread import ALL_DATASETS, UNREAD_SHARE

MAX_COLUMNS = 8
"""Default maximum number of columns."""
_MAX_NAME_LENGTH = 40  # maximum number of characters of a data set's name
OVER_SETS = {
    "pooled": "all data sets pooled",
    "mean": "mean of the data sets",
    "all": "all data sets",
}
"""Values of `dataset` for numbers over all data sets, in order of preference, in words."""


@dataclass(frozen=True)
class LineKey:
    """Model of a line; variant and judge are set only if the model has several in a task."""

    model: str
    variant: str = ""
    judge: str = ""


@dataclass(frozen=True)
class MatrixColumn:
    """A column of the matrix: a metric of a study on a data set.

    Attributes:
        heading: Short heading.
        subheading: Data set in words, and n where it is known for all models.
        title: Full name of the metric with the data set.
    """

    study: str
    task: str
    metric: str
    dataset: str
    heading: str
    subheading: str
    title: str
    direction: Direction

    @property
    def definition(self) -> str:
        """Definition of the metric, and whether its interval is often wider than needed."""
        metric = METRICS[self.metric]
        return (
            f"{metric.definition} {OFTEN_WIDE}." if metric.interval.is_wide else metric.definition
        )

    def loss(self, value: float) -> float:
        """Return a number that is smaller for a better value, or the value if none is better."""
        if isnan(value) or not self.direction.ordered:
            return value
        return float(self.direction.loss(np.array([value]))[0])


@dataclass(frozen=True)
class MatrixCell:
    """A model's number in a column.

    Attributes:
        row: Row of the results.
        text: Value with its unit.
        interval: Ends of the 95% interval as text; empty without an interval.
        value: Value for sorting.
        n: Number of judgments behind the value.
        note: Reason why the number is undefined, and exclusions.
        rank: Rank with its interval.
        mark: `OTHER_ITEMS` if the number rests on other items than another model's; else empty.
        unread: Share of parse failures, as text.
        unread_row: Row of that share; None without such a row.
        without_reply: Failures that gave no reply, by status, such as "3 sample_error".
    """

    row: int
    text: str
    interval: str
    value: float
    n: int
    note: str
    rank: Rank
    mark: str = ""
    unread: str = ""
    unread_row: int | None = None
    without_reply: str = ""


@dataclass(frozen=True)
class Line:
    """A model's numbers, one for each column; None if the model has no number."""

    key: LineKey
    numbers: Sequence[MatrixCell | None]


@dataclass(frozen=True)
class Matrix:
    """The columns, and the lines in the order of the models."""

    columns: Sequence[MatrixColumn]
    lines: Sequence[Line]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Names of the studies with their numbers of columns."""
        return list(Counter(column.study for column in self.columns).items())

    @property
    def rank_texts(self) -> list[str]:
        """Rank of each line in the first column with its interval: `2 (1 to 3)`, a tie as `2=`.

        A line without a rank has an empty text.
        """
        ranks = []
        for line in self.lines:
            number = line.numbers[0]
            ranks.append(number.rank if number else Rank(nan))
        shared = Counter(rank.rank for rank in ranks)
        texts = []
        for rank in ranks:
            if isnan(rank.rank):
                texts.append("")
                continue
            tie = "=" if shared[rank.rank] > 1 else ""
            interval = "" if isnan(rank.low) else f" ({rank.low:g} to {rank.high:g})"
            texts.append(f"{rank.rank:g}{tie}{interval}")
        return texts


MOST_EMPTY = 1 / 3
"""Share of the cells of a board that may be empty at most."""


def boards_of(matrix: Matrix, *, ranked: bool = False) -> list[Matrix]:
    """Split a matrix into tables of models that have numbers in the same columns.

    A column joins the first table with which it shares a model, if at most a third (`MOST_EMPTY`)
    of the table's cells is then empty. A table has the lines of the models with a number in it;
    with `ranked` they are sorted by the rank in its first column.
    """
    boards: list[list[int]] = []  # positions of the columns of each table
    for column_index in range(len(matrix.columns)):
        for board in boards:
            is_shared = not _lines_of(matrix, [column_index]).isdisjoint(_lines_of(matrix, board))
            if is_shared and _empty_share(matrix, [*board, column_index]) <= MOST_EMPTY:
                board.append(column_index)
                break
        else:
            boards.append([column_index])
    tables = [_select_columns(matrix, board) for board in boards]
    if not ranked:
        return tables
    return [replace(table, lines=sorted(table.lines, key=_rank_sort_key)) for table in tables]


def _select_columns(matrix: Matrix, column_indices: Sequence[int]) -> Matrix:
    """Return some columns of a matrix, with the lines that have a number in them."""
    lines = []
    for line in matrix.lines:
        cells = [line.numbers[column_index] for column_index in column_indices]
        if cells.count(None) < len(cells):
            lines.append(Line(line.key, cells))
    return Matrix([matrix.columns[column_index] for column_index in column_indices], lines)


def _lines_of(matrix: Matrix, column_indices: Sequence[int]) -> set[LineKey]:
    return {line.key for line in _select_columns(matrix, column_indices).lines}


def _empty_share(matrix: Matrix, column_indices: Sequence[int]) -> float:
    """Return the share of cells without a number in the table of some columns, not all empty."""
    lines = _select_columns(matrix, column_indices).lines
    cells = list(chain.from_iterable(line.numbers for line in lines))
    return cells.count(None) / len(cells)


def _rank_sort_key(line: Line) -> tuple[bool, float]:
    """Return the sort key of a line: its rank in the first column; undefined ranks are last."""
    cell = line.numbers[0]
    rank = cell.rank.rank if cell else nan
    return isnan(rank), rank


def matrix_of(
    results: ResultTable,
    models: Sequence[str],
    ranks: Ranks | None = None,
    max_columns: int = MAX_COLUMNS,
    studies: Collection[str] | None = None,
) -> Matrix:
    """Return the matrix of headline numbers: a line for each model, a column for each number.

    Studies, and their tasks, alternately add a column with their next headline number. A number
    over all data sets is preferred to the numbers of single data sets. Numbers that are undefined
    for all models have no column. Lines are in the order of `models`, those that answered; rows of
    other names, such as means over models, have none.

    Args:
        results: Results, of any metrics.
        models: Models that answered.
        ranks: Ranks by row; a number without one, such as all if None, is not ranked.
        max_columns: Maximum number of columns.
        studies: Names of the studies to include; all if None.
    """
    rows = headline_rows(results.among("model", models))
    if studies is not None:
        rows = rows.among("study", studies)
    line_keys = keys_of_lines(rows)
    shares = _unread_shares(results)
    columns: list[MatrixColumn] = []
    cells: dict[LineKey, dict[int, MatrixCell]] = {}
    for column_index, column_rows in enumerate(_rows_by_column(rows, line_keys, max_columns)):
        columns.append(_matrix_column(column_rows))
        for row in column_rows:
            rank = (ranks or {}).get(row.index, Rank(nan))
            number = _matrix_cell(row, rank, shares)
            cells.setdefault(line_keys[row.index], {})[column_index] = number
    order = list(models)
    keys = sorted(cells, key=lambda key: (order.index(key.model), key.variant, key.judge))
    column_indices = range(len(columns))
    return Matrix(columns, [Line(key, list(map(cells[key].get, column_indices))) for key in keys])


def keys_of_lines(rows: ResultTable) -> Mapping[int, LineKey]:
    """Return the key of each row's line in the matrix, by the row's index.

    A line is a model; a variant or judge is in the key only if the model has several in a task.
    """
    keys: dict[int, LineKey] = {}
    for (_, model), group in rows.groups("task", "model"):
        has_variants = len(group.values("variant")) > 1
        has_judges = len(group.values("judge")) > 1
        for row in group:
            variant = row["variant"] if has_variants else ""
            keys[row.index] = LineKey(model, variant, row["judge"] if has_judges else "")
    return keys


def _rows_by_column(
    rows: ResultTable, keys: Mapping[int, LineKey], limit: int
) -> list[ResultTable]:
    """Return the rows of each column: of a headline number on a data set, or over all of them.

    Studies take turns to add a column, and within a study its tasks, up to the limit. The added
    columns are then sorted: the study with the most models first, each in the order of its tasks.
    Without rows the list is empty. `rows` are those of `headline_rows`; `keys` has the key of each
    row's line (a model) by the row's index.
    """
    by_study = _columns_by_study_and_task(rows, keys)
    # Selection: the study with the most models has the first turn and so any additional column; of
    # equal ones that of the user's own eval, whose table takes logs of all unknown tasks.
    own_evals = {task for task, table in all_tables().items() if table.fallback}
    studies_in_order = sorted(
        (_take_in_turns(by_task.values()) for by_task in by_study.values()),
        key=lambda columns: (-max(map(len, columns)), columns[0].first["task"] not in own_evals),
    )
    # Tables have no equality, so the selected ones are recognized by `id`.
    selected_ids = set(map(id, _take_in_turns(studies_in_order)[:limit]))
    # Order: as in `by_study`, except that studies with more models come first.
    selected: list[ResultTable] = []
    for by_task in by_study.values():
        for column in chain.from_iterable(by_task.values()):
            if id(column) in selected_ids:
                selected.append(column)
    most_models: dict[str, int] = {}
    for column in selected:
        study = column.first["study"]
        most_models[study] = max(most_models.get(study, 0), len(column))
    return sorted(selected, key=lambda column: -most_models[column.first["study"]])


def _columns_by_study_and_task(
    rows: ResultTable, keys: Mapping[int, LineKey]
) -> dict[str, dict[str, list[ResultTable]]]:
    """Return the rows of each possible column by study and task.

    Only numbers with a short name have columns, but all of a study without short names, as one of
    another package may be. A number has one column over all data sets if every line has it there,
    else one for each data set; a column that is undefined for all models is left out. `keys` has
    the line (model, variant and judge) of each row, by the row's index.
    """
    with_short_name = rows.having("short")
    other_studies = set(rows.values("study")) - set(with_short_name.values("study"))
    column_rows = ResultTable([*with_short_name, *rows.among("study", other_studies)])
    columns: dict[str, dict[str, list[ResultTable]]] = {}
    for (study, task, _, _), group in column_rows.groups("study", "task", "metric", "label"):
        for table in _split_by_dataset(group, keys):
            if len(table.defined()):
                columns.setdefault(study, {}).setdefault(task, []).append(table)
    return columns


def _take_in_turns(groups: Iterable[Sequence[ResultTable]]) -> list[ResultTable]:
    """Return the first table of each group, then the second of each that has one, and so on."""
    turns = chain.from_iterable(zip_longest(*groups))
    return [table for table in turns if table is not None]


def _split_by_dataset(rows: ResultTable, keys: Mapping[int, LineKey]) -> list[ResultTable]:
    """Return one table over all data sets if every line has a row in it, else one for each set.

    `keys` has the line (model, variant and judge) of each row, by the row's index. Rows over all
    sets have one of three names of data sets, such as `pooled` (`OVER_SETS`, in order of
    preference). Tables with more lines come first.
    """
    lines = {keys[row.index] for row in rows}
    for name in OVER_SETS:
        pooled = rows.matching(dataset=name)
        if len(pooled) and {keys[row.index] for row in pooled} == lines:
            return [pooled]
    return sorted((group for _, group in rows.groups("dataset")), key=len, reverse=True)


def dataset_text(row: ResultRow) -> str:
    """Return the data set of a row in words; a pooled one names its parts, as the note does.

    If their names and sizes are long, it has their number: "pooled (8 data sets)".
    """
    dataset = row["dataset"]
    for part in row.note.split("; "):
        if dataset == "pooled" and part.startswith("pooled: "):
            sizes = part.removeprefix("pooled: ")
            if len(text := f"pooled ({sizes})") <= _MAX_NAME_LENGTH:
                return text
            # A comma in a size, such as 1,000, has no blank behind it.
            return f"pooled ({counted(len(sizes.split(', ')), 'data set')})"
    return OVER_SETS.get(dataset) or shortened(dataset, _MAX_NAME_LENGTH)


def _counts_text(rows: ResultTable) -> str:
    """Return the least and the greatest n of the defined numbers, at least one, in words."""
    counts = [row.n for row in rows.defined()]
    smallest, largest = min(counts), max(counts)
    return f"n = {smallest:,}" + (f" to {largest:,}" if largest > smallest else "")


def _matrix_column(rows: ResultTable) -> MatrixColumn:
    """Return the column of rows with the same headline; the first row tells what they share."""
    first = rows.first
    return MatrixColumn(
        study=first["study"],
        task=first["task"],
        metric=first["metric"],
        dataset=first["dataset"],
        heading=first["short"] or first["label"],
        subheading=", ".join(filter(None, [dataset_text(first), _counts_text(rows)])),
        title=f"{first['label']}, data set {first['dataset']}",
        direction=direction_of(first["metric"], first.condition),
    )


def _matrix_cell(
    row: ResultRow, rank: Rank, shares: Mapping[tuple[str, ...], Sequence[ResultRow]]
) -> MatrixCell:
    """Return the cell of a row of results.

    `shares` has the rows with shares of parse failures by task, model, variant and data set. The
    cell has the share on its own data set, else that over all data sets, else the first defined one
    (key with data set ""). If a part of its condition has a share, such as a confidence target, it
    has that share.
    """
    metric = row["metric"]
    share = None
    for dataset in (row["dataset"], ALL_DATASETS, ""):
        key = (row["task"], row["model"], row["variant"], dataset)
        # Shares of other values than the row's, such as of another target, are not of the cell.
        candidates = []
        for candidate in shares.get(key, ()):
            if candidate.condition.items() <= row.condition.items():
                candidates.append(candidate)
        if candidates:
            share = max(candidates, key=lambda candidate: len(candidate.condition))
            break
    # The share's note also says how many judgments had no reply: `not counted: 3 sample_error`.
    parts = share.note.split("; ") if share else []
    not_counted = [part.removeprefix("not counted: ") for part in parts if "not counted" in part]
    text, interval = format_with_interval(metric, row.value, row.low, row.high, row.n)
    return MatrixCell(
        row=row.index,
        text=text,
        interval=interval,
        value=row.value,
        n=row.n,
        note=row.note,
        rank=rank,
        mark=OTHER_ITEMS if OTHER_ITEMS in row.note else "",
        unread=format_number(UNREAD_SHARE, share.value) if share else "",
        unread_row=share.index if share else None,
        without_reply=", ".join(not_counted),
    )


def _unread_shares(results: ResultTable) -> dict[tuple[str, ...], list[ResultRow]]:
    """Return the rows with shares of parse failures by task, model, variant and data set.

    These are the share of all replies, and those of each value of a part of the condition, such as
    a confidence target; undefined shares are left out. For numbers over data sets, which may have
    no share of their own, the key with data set "" has one row: of the shares of all replies that
    are defined, that on the data set whose row comes first.
    """
    shares: dict[tuple[str, ...], list[ResultRow]] = {}
    for row in results.matching(metric=UNREAD_SHARE).defined():
        group = (row["task"], row["model"], row["variant"])
        shares.setdefault((*group, row["dataset"]), []).append(row)
        if set(row.condition) <= {"variant"}:
            shares.setdefault((*group, ""), [row])
    return shares
