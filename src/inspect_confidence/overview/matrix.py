"""Matrix of models and the headline numbers of the studies, with ranks."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.headlines import Direction, direction_of, headline_rows
from inspect_confidence.metrics import METRICS
from inspect_confidence.overview.numbers import format_number, interval_ends
from inspect_confidence.overview.ranks import Rank, Ranks, headline_ranks
from inspect_confidence.printing import shortened
from inspect_confidence.results import OTHER_ITEMS, Condition, conditions_of
from inspect_confidence.studies.unread import ALL_DATASETS, UNREAD_SHARE

MAX_COLUMNS = 8
"""Default maximum number of columns."""
_LONGEST = 40
"""Maximum number of characters of a data set's name."""
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
        """Definition of the metric, in a sentence."""
        return METRICS[self.metric].definition

    def loss(self, value: float) -> float:
        """Return a number that is smaller for a better value, or the value without a direction."""
        if isnan(value) or not self.direction.ordered:
            return value
        return float(self.direction.loss(np.array([value]))[0])


@dataclass(frozen=True)
class MatrixCell:
    """A model's number in a column.

    Attributes:
        row: Row of the results.
        text: Value with its unit.
        interval: Ends of the interval as text; empty without an interval.
        value: Value for sorting.
        note: Reason why the number is undefined, and exclusions.
        rank: Rank with its interval.
        mark: `OTHER_ITEMS` if the number rests on other items than another model's; else empty.
        unread: Share of parse failures, as text.
        unread_row: Row of that share; None without such a row.
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
        """Rank of each line in the first column with its interval: `2 (1 to 3)`, a tie as `2=`."""
        ranks = [line.numbers[0].rank if line.numbers[0] else Rank(nan) for line in self.lines]
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
    """Split a matrix into boards of models that answered alike.

    A column joins the first board with which it shares a model and of which at most `MOST_EMPTY` of
    the cells are empty with it. A board has the lines with a number in it.

    Args:
        matrix: The matrix.
        ranked: Whether the lines of a board are sorted by the rank in its first column.
    """
    boards: list[list[int]] = []
    for place in range(len(matrix.columns)):
        for board in boards:
            is_shared = not _lines_of(matrix, [place]).isdisjoint(_lines_of(matrix, board))
            if is_shared and _empty_share(matrix, [*board, place]) <= MOST_EMPTY:
                board.append(place)
                break
        else:
            boards.append([place])
    parts = [_part(matrix, board) for board in boards]
    return (
        [replace(part, lines=sorted(part.lines, key=_first_rank)) for part in parts]
        if ranked
        else parts
    )


def _part(matrix: Matrix, places: Sequence[int]) -> Matrix:
    """Return some columns of a matrix, with the lines that have a number in them."""
    lines = []
    for line in matrix.lines:
        cells = [line.numbers[place] for place in places]
        if any(cell is not None for cell in cells):
            lines.append(Line(line.key, cells))
    return Matrix([matrix.columns[place] for place in places], lines)


def _lines_of(matrix: Matrix, places: Sequence[int]) -> set[LineKey]:
    return {line.key for line in _part(matrix, places).lines}


def _empty_share(matrix: Matrix, places: Sequence[int]) -> float:
    cells = [cell for line in _part(matrix, places).lines for cell in line.numbers]
    return sum(cell is None for cell in cells) / len(cells)


def _first_rank(line: Line) -> tuple[bool, float]:
    """Return a key that sorts lines by their rank in the first column, undefined ranks last."""
    cell = line.numbers[0]
    rank = cell.rank.rank if cell else nan
    return isnan(rank), rank


def matrix_of(
    results: pd.DataFrame,
    models: Sequence[str],
    ranks: Ranks | None = None,
    max_columns: int = MAX_COLUMNS,
    studies: Collection[str] | None = None,
) -> Matrix:
    """Return the matrix of results.

    Tasks alternately add a column with their next headline number. A number over all data sets is
    preferred to the numbers of single data sets. Numbers that are undefined for all models have no
    column.

    Args:
        results: Table in the layout of results; its index gives the rows' numbers.
        models: Models that answered, in the order of the lines; rows of other names, such as means
            over models, have no line.
        ranks: Ranks by row; if None, from the intervals, as of independent numbers.
        max_columns: Maximum number of columns.
        studies: Names of the studies to include; all if None.
    """
    if ranks is None:
        ranks = headline_ranks(results, models, {})
    rows = headline_rows(results[results["model"].isin(models)])
    if studies is not None:
        rows = rows[rows["study"].isin(studies)]
    rows = with_line_keys(rows)
    shares = _unread_shares(results)
    columns: list[MatrixColumn] = []
    cells: dict[LineKey, dict[int, MatrixCell]] = {}
    for place, column_rows in enumerate(_column_rows(rows, max_columns)):
        column = _column(column_rows)
        columns.append(column)
        for row in column_rows.to_dict("records"):
            number = _number(row, ranks[row["row"]], shares)
            cells.setdefault(row["key"], {})[place] = number
    order = list(models).index
    keys = sorted(cells, key=lambda key: (order(key.model), key.variant, key.judge))
    places = range(len(columns))
    return Matrix(columns, [Line(key, list(map(cells[key].get, places))) for key in keys])


def with_line_keys(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the columns `row` and `key` (the `LineKey`) to rows with `variant` and `judge`."""
    parts = {}
    for name in ("variant", "judge"):
        several = rows.groupby(["task", "model"])[name].transform("nunique") > 1
        parts[name] = rows[name].where(several.astype(bool), "")
    keys = map(LineKey, rows["model"], parts["variant"], parts["judge"])
    return rows.assign(row=rows.index, key=pd.Series(list(keys), index=rows.index, dtype=object))


def _column_rows(rows: pd.DataFrame, limit: int) -> Iterator[pd.DataFrame]:
    """Yield the rows of each column; studies with the most models come first."""
    short = rows[rows["short"] != ""]
    # A study of another package may have no short names.
    rows = pd.concat([short, rows[~rows["study"].isin(short["study"])]])
    by_task: dict[str, list[pd.DataFrame]] = {}
    for (task, *_), group in rows.groupby(["task", "metric", "label"], sort=False):
        defined = [frame for frame in _by_dataset(group) if frame["value"].notna().any()]
        if defined:
            by_task.setdefault(str(task), []).extend(defined)
    # Tasks with the most models come first, so that they get any additional column.
    tasks = sorted(by_task.values(), key=lambda frames: -max(map(len, frames)))
    alternating = chain.from_iterable(zip_longest(*tasks))
    selected = set(map(id, islice(filter(_is_frame, alternating), limit)))
    chosen = [frame for frame in chain(*by_task.values()) if id(frame) in selected]
    widest = dict.fromkeys(rows["study"], 0)
    for frame in chosen:
        study = frame["study"].iloc[0]
        widest[study] = max(widest[study], len(frame))
    yield from sorted(chosen, key=lambda frame: -widest[frame["study"].iloc[0]])


def _is_frame(value: pd.DataFrame | None) -> bool:
    return value is not None


def _by_dataset(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the rows over all data sets if every model has one, else those of each data set."""
    keys = set(rows["key"])
    for name in OVER_SETS:
        pooled = rows[rows["dataset"] == name]
        if len(pooled) and set(pooled["key"]) == keys:
            return [pooled]
    sets = [group for _, group in rows.groupby("dataset", sort=False)]
    return sorted(sets, key=len, reverse=True)


def _dataset_text(dataset: str) -> str:
    return OVER_SETS.get(dataset) or shortened(dataset, _LONGEST)


def _counts(rows: pd.DataFrame) -> str:
    """Return the least and the greatest n of the defined numbers, in words."""
    counts = rows.loc[rows["value"].notna(), "n"]
    smallest, largest = int(counts.min()), int(counts.max())
    return f"n = {smallest:,}" + (f" to {largest:,}" if largest > smallest else "")


def _column(rows: pd.DataFrame) -> MatrixColumn:
    first = rows.iloc[0]
    metric, dataset, label = str(first["metric"]), str(first["dataset"]), str(first["label"])
    return MatrixColumn(
        study=str(first["study"]),
        task=str(first["task"]),
        metric=metric,
        dataset=dataset,
        heading=str(first["short"]) or label,
        subheading=", ".join(filter(None, [_dataset_text(dataset), _counts(rows)])),
        title=f"{label}, data set {dataset}",
        direction=direction_of(metric, str(Condition.read(first["condition"]))),
    )


def _number(
    row: Mapping[Any, Any], rank: Rank, shares: Mapping[tuple[str, ...], tuple[int, float]]
) -> MatrixCell:
    metric, value, n = str(row["metric"]), float(row["value"]), int(row["n"])
    unread_row, unread = None, ""
    for dataset in (str(row["dataset"]), ALL_DATASETS, ""):
        key = (str(row["task"]), str(row["model"]), str(row["variant"]), dataset)
        if key in shares:
            unread_row, share = shares[key]
            unread = format_number(UNREAD_SHARE, share)
            break
    return MatrixCell(
        row=int(row["row"]),
        text=format_number(metric, value, n),
        interval=interval_ends(metric, value, float(row["ci_low"]), float(row["ci_high"])),
        value=value,
        n=n,
        note=str(row["note"]),
        rank=rank,
        mark=OTHER_ITEMS if OTHER_ITEMS in str(row["note"]) else "",
        unread=unread,
        unread_row=unread_row,
    )


def _unread_shares(results: pd.DataFrame) -> dict[tuple[str, ...], tuple[int, float]]:
    """Return row and share of parse failures by task, model, variant and data set ("" for any)."""
    rows = results[(results["metric"] == UNREAD_SHARE) & results["value"].notna()]
    shares: dict[tuple[str, ...], tuple[int, float]] = {}
    for index, condition, row in zip(
        rows.index, conditions_of(rows), rows.to_dict("records"), strict=True
    ):
        if set(condition) <= {"variant"}:
            group = (str(row["task"]), str(row["model"]), condition.get("variant", ""))
            share = (int(index), float(row["value"]))
            shares[*group, str(row["dataset"])] = share
            shares.setdefault((*group, ""), share)
    return shares
