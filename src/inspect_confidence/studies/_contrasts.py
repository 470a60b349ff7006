"""Two contenders' numbers of one count table each, on the items that both answered."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence._results import encode_condition
from inspect_confidence.metrics import ConfidenceTables, joined
from inspect_confidence.studies._calibration import (
    MEANS,
    PLAIN,
    Answers,
    Form,
    at_threshold,
    ratios,
)
from inspect_confidence.studies._paired import PairedStatistic, paired
from inspect_confidence.studies._study import Resampling

FloatArray = NDArray[np.float64]
Name = tuple[str, str]
"""Encoded condition and metric."""


@dataclass(frozen=True)
class Contrast:
    """What is compared between two contenders, on the items that both answered readably.

    Attributes:
        items: How many items that is.
        names: Of the numbers, in order.
        statistic: Weights of the items as either contender answered them -> numbers.
    """

    items: int
    names: Sequence[Name]
    statistic: PairedStatistic


@dataclass(frozen=True)
class Tested:
    """Differences of two contenders.

    Attributes:
        items: How many items they rest on.
        names: Of the numbers.
        values: The differences.
        draws: Over resamples of the items, of shape (resamples, numbers).
        exchanged: With the contenders exchanged at random within items, likewise.
    """

    items: int
    names: Sequence[Name]
    values: FloatArray
    draws: FloatArray
    exchanged: FloatArray


@dataclass(frozen=True)
class _Pair:
    """The readable judgments of two contenders on the items that both have.

    Attributes:
        items: In the weights' order.
        first: One contender's answers.
        second: The other's.
    """

    items: pd.Index
    first: Answers
    second: Answers

    @classmethod
    def of(cls, first: pd.DataFrame, second: pd.DataFrame) -> "_Pair":
        read = [
            side[(side["status"] == "ok") & side["correct"].notna()] for side in (first, second)
        ]
        items = pd.Index(sorted(set(read[0]["item"]) & set(read[1]["item"])))
        one, other = (Answers.of(side[side["item"].isin(items)], items) for side in read)
        return cls(items, one, other)

    @property
    def choices(self) -> int | None:
        """How many choices all items have, if both say the same."""
        return self.first.choices if self.first.choices == self.second.choices else None


def contrast(
    first: pd.DataFrame,
    second: pd.DataFrame,
    thresholds: Sequence[float],
    plain: Sequence[Form] = PLAIN,
) -> Contrast:
    """The contrast of two contenders' judgments, completed.

    Args:
        first: One contender's.
        second: The other's.
        thresholds: From which on confidence counts as high, for type-2 sensitivity.
        plain: The other numbers compared, beside means.
    """
    return _side_by_side([_Pair.of(first, second)], thresholds, plain)


def tested(one: Contrast, resampling: Resampling, stream: int) -> Tested | None:
    """Its differences, resampled and exchanged; None where no item has both."""
    if not one.items:
        return None
    found = paired(one.statistic, one.items, resampling, stream)
    return Tested(one.items, one.names, found.first - found.second, found.draws, found.exchanged)


def tested_against(
    baseline: pd.DataFrame,
    others: Mapping[str, pd.DataFrame],
    resampling: Resampling,
    stream: int,
) -> dict[str, Tested]:
    """The differences of several contenders from one; those without a common item are left out.

    Contenders that share their items with it are resampled and exchanged together, since the
    numbers of the one that all are compared with are the same then.

    Args:
        baseline: The completed judgments of the one.
        others: Of the others, by name.
        resampling: Number and seed of resamples and exchanges, and thresholds.
        stream: Sets the draws of one data set apart from those of another.
    """
    pairs = {name: _Pair.of(rows, baseline) for name, rows in others.items()}
    alike: dict[tuple[Hashable, ...], list[str]] = {}
    for name, pair in pairs.items():
        alike.setdefault((pair.choices, *pair.items), []).append(name)
    found: dict[str, Tested] = {}
    for names in alike.values():
        one = _side_by_side([pairs[name] for name in names], resampling.thresholds, PLAIN)
        together = tested(one, resampling, stream)
        if together is not None:
            found |= zip(names, _split(together, len(names)), strict=True)
    return {name: found[name] for name in others if name in found}


def _split(together: Tested, parts: int) -> Iterator[Tested]:
    """What `_side_by_side` put together."""
    size = len(together.names) // parts
    for start in range(0, len(together.names), size):
        mine = slice(start, start + size)
        yield Tested(
            together.items,
            together.names[mine],
            together.values[mine],
            together.draws[:, mine],
            together.exchanged[:, mine],
        )


def _side_by_side(
    pairs: Sequence[_Pair], thresholds: Sequence[float], plain: Sequence[Form]
) -> Contrast:
    """The contrasts of pairs with the same items, choices and second contender, as one."""
    forms = [*MEANS, *plain]
    choices = pairs[0].choices
    for threshold in thresholds:
        forms += at_threshold(threshold)
        forms += [
            form for form in ratios(threshold, choices) if form.metric == "m_ratio" and choices
        ]
    sides = [pair.first.cells() for pair in pairs]
    other = pairs[0].second.cells()

    def values(tables: ConfidenceTables) -> FloatArray:
        return np.column_stack([form.value(tables) for form in forms])

    def statistic(first: FloatArray | None, second: FloatArray | None) -> FloatArray:
        against = None if second is None else other.tables(second)
        if first is None:
            return np.tile(values(against), len(sides)) if against else np.empty((0, 0))
        return np.hstack(
            [
                values(joined(side.tables(first), against) if against else side.tables(first))
                for side in sides
            ]
        )

    names = [(encode_condition(form.condition), form.metric) for form in forms]
    return Contrast(len(pairs[0].items), names * len(pairs), statistic)
