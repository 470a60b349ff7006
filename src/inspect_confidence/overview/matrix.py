"""The matrix: models by the numbers that stand for the studies, with ranks."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.headlines import Direction, FloatArray, direction_of, headline_rows
from inspect_confidence.overview.numbers import bare, written
from inspect_confidence.results import Condition, conditions_of
from inspect_confidence.studies.unread import ALL_DATASETS, SHARE

MOST = 8
"""Columns."""
_OVER_SETS = ("pooled", "mean", "all")
"""What stands in `dataset` for a number over data sets, the most telling first."""


@dataclass(frozen=True)
class Who:
    """A line's model; variant and judge only where the model has several of them in a task."""

    model: str
    variant: str = ""
    judge: str = ""


@dataclass(frozen=True)
class Column:
    """A number that models have.

    Attributes:
        heading: Above it, a few words.
        where: Its data set, where the task has several.
        title: What it is, in full, with its data set.
    """

    study: str
    task: str
    metric: str
    dataset: str
    heading: str
    where: str
    title: str
    direction: Direction

    def badness(self, value: float) -> float:
        """What is less the better the value is; the value itself where there is no better."""
        if isnan(value) or not self.direction.ordered:
            return value
        return float(self.direction.badness(np.array([value]))[0])


@dataclass(frozen=True)
class Number:
    """A model's number in a column.

    Attributes:
        row: Its row in the results.
        text: With its unit.
        interval: Both ends; empty where it has none.
        value: For sorting.
        note: Why it is undefined, and what was left out.
        low: Its best possible rank; NaN where it has no interval.
        high: Its worst possible rank.
        shade: `better` or `worse` where its ranks all lie in that half of the models.
        unread: The share of replies that couldn't be read.
        unread_row: The row that says so; None if there is none.
    """

    row: int
    text: str
    interval: str
    value: float
    n: int
    note: str
    low: float = nan
    high: float = nan
    shade: str = ""
    unread: str = ""
    unread_row: int | None = None


@dataclass(frozen=True)
class Line:
    """A model's numbers, one a column; None where it has none."""

    who: Who
    numbers: Sequence[Number | None]


@dataclass(frozen=True)
class Matrix:
    """All lines, in the order of the models."""

    columns: Sequence[Column]
    lines: Sequence[Line]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The studies' names, each with how many columns it has."""
        names = [column.study for column in self.columns]
        return [(name, names.count(name)) for name in dict.fromkeys(names)]

    def ranked(self, column: int) -> int:
        """How many models have ranks in a column."""
        numbers = (line.numbers[column] for line in self.lines)
        return sum(one is not None and not isnan(one.low) for one in numbers)


Ranks = Mapping[int, tuple[float, float]]
"""Best and worst rank, by the row of the results."""


def matrix_of(
    results: pd.DataFrame,
    models: Sequence[str],
    ranks: Ranks | None = None,
    most: int = MOST,
    studies: Collection[str] | None = None,
) -> Matrix:
    """The matrix of results.

    As many tasks as there are take turns in giving it a column, each with its next headline number;
    a number over data sets stands for those of each. Undefined numbers of all models make none.

    Args:
        results: In the layout of results; their index is what `row` is.
        models: That answered, in the order of the lines; others, as means over models, have none.
        ranks: Rank intervals by row; by whether intervals overlap if None (`overlap_ranks`).
        most: Columns.
        studies: Names of those that are shown; all if None.
    """
    rows = headline_rows(results[results["model"].isin(models)])
    if studies is not None:
        rows = rows[rows["study"].isin(studies)]
    rows = with_whose(rows)
    shares = _unread(results)
    columns: list[Column] = []
    cells: dict[Who, dict[int, Number]] = {}
    sets = rows.groupby("task")["dataset"].nunique()
    for place, mine in enumerate(_chosen(rows, most)):
        column = _column(mine, several=sets[mine["task"].iloc[0]] > 1)
        columns.append(column)
        low, high = _ranks(mine, column.direction, ranks)
        ranked = int(np.isfinite(low).sum())
        for k, row in enumerate(mine.to_dict("records")):
            number = _number(row, (low[k], high[k]), ranked, shares)
            cells.setdefault(row["who"], {})[place] = number
    order = {model: k for k, model in enumerate(models)}
    whose = sorted(cells, key=lambda who: (order[who.model], who.variant, who.judge))
    places = range(len(columns))
    return Matrix(columns, [Line(who, [cells[who].get(k) for k in places]) for who in whose])


def with_whose(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with `variant` and `judge`, with the columns `row` and `who`: whose line they are in."""
    told = {}
    for name in ("variant", "judge"):
        several = rows.groupby(["task", "model"])[name].transform("nunique") > 1
        told[name] = rows[name].where(several.astype(bool), "")
    who = map(Who, rows["model"], told["variant"], told["judge"])
    return rows.assign(row=rows.index, who=pd.Series(list(who), index=rows.index, dtype=object))


def _chosen(rows: pd.DataFrame, most: int) -> Iterator[pd.DataFrame]:
    """The rows of each column, in the studies' order, those of most models first."""
    short = rows[rows["short"] != ""]
    # A study of another package need not say what is short.
    rows = pd.concat([short, rows[~rows["study"].isin(short["study"])]])
    by_task: dict[str, list[pd.DataFrame]] = {}
    for (task, *_), mine in rows.groupby(["task", "metric", "label"], sort=False):
        for one in _of_datasets(mine):
            if one["value"].notna().any():
                by_task.setdefault(str(task), []).append(one)
    # Those of most models first, so that they are the ones with a column more.
    taking = sorted(by_task.values(), key=lambda some: -max(map(len, some)))
    turns = chain.from_iterable(zip_longest(*taking))
    kept = [one for one in turns if one is not None][:most]
    chosen = [one for some in by_task.values() for one in some if any(one is k for k in kept)]
    widest = dict.fromkeys(rows["study"], 0)
    for one in chosen:
        study = one["study"].iloc[0]
        widest[study] = max(widest[study], len(one))
    # Where not all models answered all studies, those come first that most of them did.
    yield from sorted(chosen, key=lambda one: -widest[one["study"].iloc[0]])


def _of_datasets(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """The rows over data sets, where all models have one; those of each data set otherwise."""
    everyone = set(rows["who"])
    for name in _OVER_SETS:
        over = rows[rows["dataset"] == name]
        if len(over) and set(over["who"]) == everyone:
            return [over]
    sets = [mine for _, mine in rows.groupby("dataset", sort=False)]
    return sorted(sets, key=len, reverse=True)


def _column(rows: pd.DataFrame, *, several: bool) -> Column:
    study, task, metric, dataset, label, short = (
        str(rows[name].iloc[0]) for name in ("study", "task", "metric", "dataset", "label", "short")
    )
    condition = str(Condition.read(rows["condition"].iloc[0]))
    return Column(
        *(study, task, metric, dataset),
        heading=short or label,
        where=dataset if several else "",
        title=f"{label}, data set {dataset}",
        direction=direction_of(metric, condition),
    )


def _ranks(
    rows: pd.DataFrame, direction: Direction, given: Ranks | None
) -> tuple[FloatArray, FloatArray]:
    if given is None:
        ends = rows[["ci_low", "ci_high"]].to_numpy(float)
        return overlap_ranks(ends[:, 0], ends[:, 1], direction)
    pairs = np.array([given.get(int(row), (nan, nan)) for row in rows["row"]])
    return pairs[:, 0], pairs[:, 1]


def overlap_ranks(
    low: FloatArray, high: FloatArray, direction: Direction
) -> tuple[FloatArray, FloatArray]:
    """The best and the worst rank that each model can have, by which intervals lie apart.

    The best is 1 and how many have an interval that lies wholly on the better side, the worst the
    number of models less how many have one on the worse side. Without an interval, a direction or
    another model there is none: NaN.

    Args:
        low: Lower ends of the intervals, NaN where there is none.
        high: Upper ends.
        direction: What is better.
    """
    best, worst = (np.full(len(low), nan) for _ in "12")
    there = np.isfinite(low + high)
    if not direction.ordered or there.sum() < 2:
        return best, worst
    low, high = low[there], high[there]
    sides = np.array([direction.badness(low), direction.badness(high)])
    near, far = sides.min(axis=0), sides.max(axis=0)
    if direction.name == "target":
        near = np.where((low <= direction.target) & (direction.target <= high), 0, near)
    best[there] = 1 + (far < near[:, None]).sum(axis=1)
    worst[there] = len(low) - (near > far[:, None]).sum(axis=1)
    return best, worst


def _number(
    row: Mapping[Any, Any],
    ranks: tuple[float, float],
    ranked: int,
    shares: Mapping[tuple[str, ...], tuple[int, float]],
) -> Number:
    metric, value, n = str(row["metric"]), float(row["value"]), int(row["n"])
    ends = [float(row[name]) for name in ("ci_low", "ci_high")]
    low, high = ranks
    better, worse = high <= ranked / 2, low >= ranked / 2 + 1
    whose = (str(row["task"]), str(row["model"]), str(row["variant"]))
    places = (str(row["dataset"]), ALL_DATASETS, "")
    found = next((shares[key] for at in places if (key := (*whose, at)) in shares), None)
    return Number(
        row=int(row["row"]),
        text=written(metric, value, n),
        interval="" if any(map(isnan, ends)) else ", ".join(bare(metric, one) for one in ends),
        value=value,
        n=n,
        note=str(row["note"]),
        low=low,
        high=high,
        shade="better" if better else "worse" if worse else "",
        unread=written(SHARE, found[1]) if found else "",
        unread_row=found[0] if found else None,
    )


def _unread(results: pd.DataFrame) -> dict[tuple[str, ...], tuple[int, float]]:
    """Row and share of unread replies by task, model, variant and data set; "" is any one."""
    rows = results[(results["metric"] == SHARE) & results["value"].notna()]
    found: dict[tuple[str, ...], tuple[int, float]] = {}
    for index, condition, row in zip(
        rows.index, conditions_of(rows), rows.to_dict("records"), strict=True
    ):
        if set(condition) <= {"variant"}:
            whose = (str(row["task"]), str(row["model"]), condition.get("variant", ""))
            share = (int(index), float(row["value"]))
            found[*whose, str(row["dataset"])] = share
            found.setdefault((*whose, ""), share)
    return found
