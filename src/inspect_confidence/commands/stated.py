"""Judgments by whose they are and how they were asked for: what is recalibrated, and acted upon."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.read import Judgments
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.results import Condition
from inspect_confidence.studies import TaskTable, all_tables, study_of
from inspect_confidence.studies.notes import replied

LEAST_ITEMS, LEAST_OUTCOMES = 100, 10
"""Train items, and of either outcome, that a map is fitted to at least."""


@dataclass(frozen=True)
class Judged:
    """Completed judgments of one model, variant and way of answering, over all data sets.

    Attributes:
        task: Of them.
        model: As in the judgments.
        variant: Likewise.
        way: What the study tells contenders apart by beside these, as its method, and the nominal
            level of intervals.
        rows: The judgments; where the status isn't `ok` none counts.
    """

    task: str
    model: str
    variant: str
    way: Mapping[str, object]
    rows: pd.DataFrame

    @property
    def condition(self) -> Condition:
        """The way as results have it, the ends of a scale as `scale`."""
        low, high = (self.way.get(end) for end in ("low", "high"))
        scale = "" if low is None else f"{low:g}-{high:g}"
        told = {name: one or "" for name, one in self.way.items() if name not in ("low", "high")}
        return Condition(told, scale=scale)

    @property
    def name(self) -> str:
        """For people."""
        return " ".join(filter(None, (self.model, self.variant, *self.condition.values())))

    @property
    def unit(self) -> IntArray:
        """The number of each judgment's item; items of two data sets are never the same."""
        return np.asarray(self.rows.groupby(["dataset", "item"], sort=False).ngroup(), np.int64)

    @property
    def read(self) -> NDArray[np.bool_]:
        """Which judgments count."""
        return (self.rows["status"] == "ok").to_numpy()

    @property
    def items(self) -> int:
        """How many items have a judgment that counts."""
        return len(np.unique(self.unit[self.read]))

    def pooled(self) -> pd.DataFrame:
        """The judgments with items named across data sets, as if these were one."""
        rows = self.rows.assign(item=[f"{unit}" for unit in self.unit], dataset="")
        return rows.drop(columns="unit", errors="ignore")

    def take(self, chosen: NDArray[np.bool_]) -> Self:
        """Some of the judgments."""
        return replace(self, rows=self.rows[chosen])

    def answered(self) -> Self:
        """Those that are replies of the model, readable or not."""
        return self.take(replied(self.rows["status"]))


class Stated(Judged):
    """Judgments with `confidence` and `correct`."""

    @property
    def confidence(self) -> FloatArray:
        """Of each judgment, NaN where none counts."""
        return self.rows["confidence"].where(self.rows["status"] == "ok").to_numpy(float)

    @property
    def correct(self) -> FloatArray:
        """Of each judgment, NaN where no answer can be called right or wrong."""
        return self.rows["correct"].to_numpy(float)

    @property
    def read(self) -> NDArray[np.bool_]:
        """Where there are both."""
        return ~np.isnan(self.confidence + self.correct)


class Bounded(Judged):
    """Judgments with `lower`, `upper` and `truth`, at one nominal level.

    The level is missing where intervals are made of several judgments.
    """

    @property
    def level(self) -> float:
        """In percent; NaN where it is missing."""
        level = self.way["level"]
        return float(level) if isinstance(level, float) else np.nan

    @property
    def read(self) -> NDArray[np.bool_]:
        """Where there are all three."""
        known = self.rows[["lower", "upper", "truth"]].notna().all(axis=1).to_numpy()
        return super().read & known


def stated_judgments(judgments: Judgments) -> list[Stated]:
    """Judgments of stated confidence, by model, variant and way.

    Raises:
        InvalidArgument: There is none.
    """
    found = [*_stated(judgments)]
    if not found:
        raise _none("stated confidence", [one for one in _tables() if one.stated], judgments)
    return found


def judgments_by_way(judgments: Judgments) -> list[Stated | Bounded]:
    """Judgments of stated confidence and of intervals, by model, variant, way and level.

    Raises:
        InvalidArgument: There are none.
    """
    found: list[Stated | Bounded] = [*_stated(judgments), *_bounded(judgments)]
    if not found:
        known = [one for one in _tables() if one.stated or one.intervals]
        raise _none("stated confidence or interval", known, judgments)
    return found


def _none(what: str, known: Sequence[TaskTable], judgments: Judgments) -> InvalidArgument:
    return InvalidArgument(
        f"There is no {what} of {' or '.join(table.task for table in known)} in what was read: "
        f"{', '.join(judgments)}."
    )


def _tables() -> Collection[TaskTable]:
    return all_tables().values()


def _stated(judgments: Judgments) -> Iterator[Stated]:
    for table in _tables():
        if table.stated is not None and table.task in judgments:
            rows = table.stated(judgments[table.task])
            yield from _ways(Stated, table.task, rows, study_of(table.task).contenders)


def _bounded(judgments: Judgments) -> Iterator[Bounded]:
    for table in _tables():
        if table.intervals is not None and table.task in judgments:
            rows = judgments[table.task]
            rows = rows.assign(level=rows["level"].where(table.intervals(rows)))
            by = [*study_of(table.task).contenders, "level"]
            yield from _ways(Bounded, table.task, rows, by)


Kind = TypeVar("Kind", bound=Judged)


def _ways(kind: type[Kind], task: str, rows: pd.DataFrame, by: Sequence[str]) -> Iterator[Kind]:
    for key, some in rows.groupby(["model", "variant", *by], sort=False, dropna=False):
        # A NaN alone isn't itself: there is no scale.
        way = {
            name: value if value == value else None  # noqa: PLR0124
            for name, value in zip(by, key[2:], strict=True)
        }
        yield kind(task, str(key[0]), str(key[1]), way, some.reset_index(drop=True))


def in_train(rows: pd.DataFrame, seed: int) -> NDArray[np.bool_]:
    """Which judgments are of the half of the items that this seed makes train items.

    An item's half follows from the seed, its data set and its name alone, so that whoever has the
    seed can tell it: the first bit of the SHA-256 of `seed/dataset/item` is 0.
    """
    names = rows["dataset"].astype(str) + "/" + rows["item"].astype(str)
    halves = {one: sha256(f"{seed}/{one}".encode()).digest()[0] < 128 for one in names.unique()}
    return names.map(halves).to_numpy(bool)
