"""Two contenders' numbers of one count table each, on the items that both answered."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.metrics import (
    ConfidenceTables,
    bonferroni,
    bootstrap,
    holm,
    joined,
    percentile_interval,
)
from inspect_confidence.results import Result, decode_condition, encode_condition
from inspect_confidence.studies.calibration import MEANS, PLAIN, Answers, Form, at_threshold, ratios
from inspect_confidence.studies.study import Difference, Resampling

FloatArray = NDArray[np.float64]
PairedStatistic = Callable[[FloatArray | None, FloatArray | None], FloatArray]
"""Weights of items as either contender answered them -> numbers, as `paired` says."""


@dataclass(frozen=True)
class Paired:
    """Differences of two contenders on the same items, over resamples and over exchanges.

    Attributes:
        first: Values of the first contender, one a number.
        second: Of the second.
        draws: first - second over resamples of the items, of shape (resamples, numbers).
        exchanged: first - second with the contenders exchanged at random within items, likewise;
            what it would be if it made no difference which contender answered.
    """

    first: FloatArray
    second: FloatArray
    draws: FloatArray
    exchanged: FloatArray

    @property
    def p_values(self) -> FloatArray:
        """Two-sided p of each difference, the observed exchange counted; NaN if undefined."""
        return permutation_p(self.first - self.second, self.exchanged)


def permutation_p(observed: FloatArray, exchanged: FloatArray) -> FloatArray:
    """Two-sided p of observed differences: (exchanges at least as far from 0 + 1) / (all + 1).

    Args:
        observed: One a number.
        exchanged: Of shape (permutations, numbers); an undefined one counts as far.
    """
    # The tolerance keeps exchanges that change nothing from being rounded below what they equal.
    nearer = np.abs(exchanged) < np.abs(observed) - 1e-12
    p = (len(exchanged) - nearer.sum(axis=0) + 1) / (len(exchanged) + 1)
    return np.where(np.isnan(observed), np.nan, p)


def paired(
    statistic: PairedStatistic, units: int, resampling: Resampling, stream: int | None = None
) -> Paired:
    """Two contenders' numbers on the same items, their differences resampled and exchanged.

    Args:
        statistic: Weights of the n items as the first contender answered them, and as the second
            did -> an array of shape (resamples, numbers); None stands for weights of 0.
        units: n.
        resampling: Number and seed of resamples, and of permutations.
        stream: Sets the draws of one data set apart from those of another.
    """
    streams = [] if stream is None else [stream]
    drawn = bootstrap(
        {"": lambda weights: statistic(weights, None) - statistic(None, weights)},
        np.zeros(units, np.int64),
        resamples=resampling.resamples,
        seed=[resampling.seed, *streams],
    )[""]
    rng = np.random.default_rng([resampling.seed, *streams, 1])
    exchanged = []
    for start in range(0, resampling.resamples, 500):
        rows = min(500, resampling.resamples - start)
        swap = _coins(rng, rows, units)
        stay = 1 - swap
        exchanged.append(statistic(stay, swap) - statistic(swap, stay))
    everything = np.ones((1, units))
    first, second = statistic(everything, None)[0], statistic(None, everything)[0]
    return Paired(first, second, drawn, np.concatenate(exchanged))


def _coins(rng: np.random.Generator, rows: int, units: int) -> FloatArray:
    """0 or 1 for each unit, stored unit by unit as bootstrap weights are."""
    coins = np.empty((units, rows))
    for first in range(0, rows, 50):  # a block at a time: it stays in the processor's cache
        block = rng.integers(2, size=(min(50, rows - first), units))
        coins[:, first : first + len(block)] = block.T
    return coins.T


def differences(
    statistic: PairedStatistic,
    names: Sequence[tuple[str, str]],
    items: int | Sequence[int],
    units: int,
    resampling: Resampling,
) -> list[Difference]:
    """Paired differences of two contenders, as `compare` shows them.

    Args:
        statistic: As in `paired`.
        names: Condition and metric of each number.
        items: How many items each rests on.
        units: n.
        resampling: Number and seed of resamples, and of permutations.
    """
    found = paired(statistic, units, resampling)
    counts = [items] * len(names) if isinstance(items, int) else items
    results = []
    for i, (condition, metric) in enumerate(names):
        low, high = percentile_interval(found.draws[:, i])
        one, other, p = (float(part[i]) for part in (found.first, found.second, found.p_values))
        results.append(
            Difference(condition, metric, one, other, one - other, low, high, p, counts[i])
        )
    return results


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


_NAN = float("nan")


def mean_tested(some: Sequence[Tested]) -> Tested:
    """The unweighted mean over data sets of the differences that all of them have."""
    names = [name for name in some[0].names if all(name in one.names for one in some)]

    def mean(part: str) -> FloatArray:
        columns = [[one.names.index(name) for name in names] for one in some]
        parts = [getattr(one, part)[..., cols] for one, cols in zip(some, columns, strict=True)]
        return np.asarray(np.mean(parts, axis=0))

    items = sum(one.items for one in some)
    return Tested(items, names, mean("values"), mean("draws"), mean("exchanged"))


def results_of_tests(
    found: Mapping[str, Tested], condition: Mapping[str, object], versus: str, run: Result
) -> Iterator[Result]:
    """Rows of difference and p of every scale against one, adjusted over the scales compared.

    Args:
        found: By scale.
        condition: What the rows have in common.
        versus: The scale that the others are compared with.
        run: A row whose task, model and dataset the results take over.
    """
    p_values = {scale: permutation_p(one.values, one.exchanged) for scale, one in found.items()}
    names = dict.fromkeys(name for one in found.values() for name in one.names)
    for name in names:
        there = [scale for scale, one in found.items() if name in one.names]
        p = np.array([p_values[scale][found[scale].names.index(name)] for scale in there])
        known = ~np.isnan(p)
        adjusted = {"bonferroni": bonferroni(p), "holm": holm(p)}
        for k, scale in enumerate(there):
            one = found[scale]
            place = one.names.index(name)
            where = encode_condition(
                {**condition, **_parts(name), "scale": scale, "versus": versus}
            )
            low, high = percentile_interval(one.draws[:, place])
            row = replace(run, condition=where, n=one.items)
            note = f"on the {one.items} items that both have"
            if undefined := int(np.isnan(one.draws[:, place]).sum()):
                note += f"; undefined in {undefined} of {len(one.draws)} resamples, left out there"
            if np.isnan(p[k]):
                note = "undefined: either value is undefined"
                low = high = _NAN
            yield replace(
                row,
                metric="difference",
                value=float(one.values[place]),
                ci_low=low,
                ci_high=high,
                note=note,
            )
            note = f"{len(one.exchanged)} exchanges within items" if known[k] else note
            adjustment = f"over {known.sum()} comparisons with {versus}" if known[k] else note
            yield replace(row, metric="p_value", value=float(p[k]), note=note)
            for method, values in adjusted.items():
                yield replace(row, metric=f"p_{method}", value=float(values[k]), note=adjustment)


def _parts(name: Name) -> dict[str, object]:
    return {**decode_condition(name[0]), "of": name[1]}
