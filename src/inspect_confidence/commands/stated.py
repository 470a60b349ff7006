"""Judgments of stated confidence by whose they are: what is recalibrated, and acted upon."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.read import Judgments
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.results import Condition
from inspect_confidence.studies import all_studies
from inspect_confidence.studies.estimate import replied

LEAST_ITEMS, LEAST_OUTCOMES = 100, 10
"""Train items, and of either outcome, that a map is fitted to at least."""


@dataclass(frozen=True)
class Stated:
    """Completed judgments of one model, variant and way of stating confidence, over all data sets.

    Attributes:
        task: Of them.
        model: As in the judgments.
        variant: Likewise.
        way: What the study tells contenders apart by beside these, as its method.
        rows: The judgments, with `confidence` and `correct`; where the status isn't `ok` the
            confidence doesn't count.
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
    def confidence(self) -> FloatArray:
        """Of each judgment, NaN where none counts."""
        return self.rows["confidence"].where(self.rows["status"] == "ok").to_numpy(float)

    @property
    def correct(self) -> FloatArray:
        """Of each judgment, NaN where no answer can be called right or wrong."""
        return self.rows["correct"].to_numpy(float)

    @property
    def unit(self) -> IntArray:
        """The number of each judgment's item; items of two data sets are never the same."""
        return np.asarray(self.rows.groupby(["dataset", "item"], sort=False).ngroup(), np.int64)

    @property
    def read(self) -> NDArray[np.bool_]:
        """Where there are both."""
        return ~np.isnan(self.confidence + self.correct)

    def take(self, chosen: NDArray[np.bool_]) -> "Stated":
        """Some of the judgments."""
        return Stated(self.task, self.model, self.variant, self.way, self.rows[chosen])

    def answered(self) -> "Stated":
        """Those that are replies of the model, readable or not."""
        return self.take(replied(self.rows["status"]))


def stated_judgments(judgments: Judgments) -> Iterator[Stated]:
    """Judgments of stated confidence, by model, variant and way.

    Raises:
        InvalidArgument: There is none.
    """
    found = False
    for study in all_studies():
        for table in study.tables:
            if table.stated is None or table.task not in judgments:
                continue
            rows = table.stated(judgments[table.task])
            by = ["model", "variant", *study.contenders]
            for key, some in rows.groupby(by, sort=False, dropna=False):
                found = True
                # A NaN alone isn't itself: there is no scale.
                way = {
                    name: value if value == value else None  # noqa: PLR0124
                    for name, value in zip(study.contenders, key[2:], strict=True)
                }
                mine = some.reset_index(drop=True)
                yield Stated(table.task, str(key[0]), str(key[1]), way, mine)
    if not found:
        known = [one.task for study in all_studies() for one in study.tables if one.stated]
        raise InvalidArgument(
            f"There is no stated confidence of {' or '.join(known)} in what was read: "
            f"{', '.join(judgments)}."
        )


def in_train(rows: pd.DataFrame, seed: int) -> NDArray[np.bool_]:
    """Which judgments are of the half of the items that this seed makes train items.

    An item's half follows from the seed, its data set and its name alone, so that whoever has the
    seed can tell it: the first bit of the SHA-256 of `seed/dataset/item` is 0.
    """
    names = rows["dataset"].astype(str) + "/" + rows["item"].astype(str)
    halves = {one: sha256(f"{seed}/{one}".encode()).digest()[0] < 128 for one in names.unique()}
    return names.map(halves).to_numpy(bool)
