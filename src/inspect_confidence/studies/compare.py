"""Two contenders on the same items: paired differences, their intervals and their tests.

A study says what it compares, a `Contrast`; here the items are resampled for intervals, and the
contenders exchanged within items for p-values, with the same draws for all numbers.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.calibration import MEANS, PLAIN, Answers, Form, at_threshold
from inspect_confidence.studies.estimate import NO_INTERVAL, noted, undefined_in
from inspect_confidence.studies.study import Difference, Resampling

PairedStatistic = Callable[[FloatArray | None, FloatArray | None], FloatArray]
"""Weights of n units as the first contender answered them, and as the second did -> an array of
shape (resamples, numbers); None stands for weights of 0."""

Name = tuple[Condition, str]
"""Condition and metric."""


@dataclass(frozen=True)
class Contrast:
    """What is compared between two contenders, on the items that both answered readably.

    Attributes:
        names: Of the numbers, in order.
        items: How many items each rests on.
        units: How many units, mostly items, are resampled and exchanged; none if 0.
        statistic: What gives the numbers.
    """

    names: Sequence[Name]
    items: Sequence[int]
    units: int
    statistic: PairedStatistic


def on_common(sides: Sequence[pd.DataFrame]) -> tuple[pd.Index, list[pd.DataFrame]]:
    """The items that both contenders' judgments are of, in order, and the judgments of those."""
    items = pd.Index(sorted(set(sides[0]["item"]) & set(sides[1]["item"])))
    return items, [side[side["item"].isin(items)] for side in sides]


def side_by_side(statistic: metrics.Statistic, units: int) -> PairedStatistic:
    """A statistic of 2n units, the first contender's before the second's, as a paired one of n."""

    def paired(first: FloatArray | None, second: FloatArray | None) -> FloatArray:
        nothing = np.zeros((1, units))
        sides = [nothing if side is None else side for side in (first, second)]
        rows = max(map(len, sides))
        return statistic(np.hstack([np.broadcast_to(side, (rows, units)) for side in sides]))

    return paired


def means_contrast(
    names: Sequence[Name],
    sides: Sequence[tuple[FloatArray, IntArray]],
    items: Sequence[int],
    units: int,
) -> Contrast:
    """The contrast of means over what each contender answered.

    Args:
        names: Of the means.
        sides: Of both contenders: values of shape (answers, numbers), NaN where one has none, and
            the number of each answer's unit.
        items: How many items each mean rests on.
        units: How many units there are.
    """
    alone = [metrics.means_of(values, unit, units) for values, unit in sides]
    unit = np.concatenate([unit + k * units for k, (_, unit) in enumerate(sides)])
    both = metrics.means_of(np.vstack([values for values, _ in sides]), unit, 2 * units)

    def paired(first: FloatArray | None, second: FloatArray | None) -> FloatArray:
        if first is None or second is None:
            return alone[0](first) if first is not None else alone[1](np.asarray(second))
        return both(np.hstack([first, second]))

    return Contrast(names, items, units, paired)


@dataclass(frozen=True)
class Tested:
    """Differences of two contenders on the same items, over resamples and over exchanges.

    Attributes:
        names: Of the numbers.
        items: How many items each rests on.
        first: Values of the first contender.
        second: Of the second.
        values: first - second.
        draws: Their values over resamples of the units, of shape (resamples, numbers).
        exchanged: Their values with the contenders exchanged at random within units, likewise.
    """

    names: Sequence[Name]
    items: IntArray
    first: FloatArray
    second: FloatArray
    values: FloatArray
    draws: FloatArray
    exchanged: FloatArray

    @property
    def p_values(self) -> FloatArray:
        """Two-sided p of each difference, the observed exchange counted; NaN if undefined."""
        return permutation_p(self.values, self.exchanged)

    def take(self, columns: Sequence[int]) -> "Tested":
        """Some of the numbers."""
        arrays = [getattr(self, name)[..., columns] for name in _ARRAYS]
        return Tested([self.names[column] for column in columns], *arrays)

    def result(self, column: int, key: Key, condition: Condition, note: str) -> Result:
        """The row of one difference, with the note if it is defined."""
        value, n, interval = self.values[column], int(self.items[column]), NO_INTERVAL
        if np.isnan(value):
            note = "undefined: either value is undefined"
        else:
            interval = metrics.percentile_interval(self.draws[:, column])
        return key.result(condition, "difference", value, interval, n=n, note=note)


_ARRAYS = ("items", "first", "second", "values", "draws", "exchanged")


def permutation_p(observed: FloatArray, exchanged: FloatArray) -> FloatArray:
    """Two-sided p of observed differences: (exchanges at least as far from 0 + 1) / (all + 1).

    `exchanged` has shape (permutations, numbers); an undefined one counts as far.
    """
    # The tolerance keeps exchanges that change nothing from being rounded below what they equal.
    nearer = np.abs(exchanged) < np.abs(observed) - 1e-12
    p = (len(exchanged) - nearer.sum(axis=0) + 1) / (len(exchanged) + 1)
    return np.where(np.isnan(observed), np.nan, p)


def tested(one: Contrast, resampling: Resampling, stream: int | None) -> Tested:
    """The differences of a contrast with units, resampled and exchanged; `stream` as in `draw`."""
    seed = [resampling.seed] if stream is None else [resampling.seed, stream]
    draws = metrics.bootstrap(
        {"": lambda weights: one.statistic(weights, None) - one.statistic(None, weights)},
        np.zeros(one.units, np.int64),
        resamples=resampling.resamples,
        seed=seed,
    )[""]
    rng = np.random.default_rng([*seed, 1])
    exchanged = []
    for start in range(0, resampling.resamples, 500):
        swap = _coins(rng, min(500, resampling.resamples - start), one.units)
        stay = 1 - swap
        exchanged.append(one.statistic(stay, swap) - one.statistic(swap, stay))
    everything = np.ones((1, one.units))
    first, second = one.statistic(everything, None)[0], one.statistic(None, everything)[0]
    items = np.array(one.items, np.int64)
    return Tested(one.names, items, first, second, first - second, draws, np.concatenate(exchanged))


def _coins(rng: np.random.Generator, rows: int, units: int) -> FloatArray:
    """0 or 1 for each unit, stored unit by unit as bootstrap weights are."""
    coins = np.empty((units, rows))
    for first in range(0, rows, 50):  # a block at a time: it stays in the processor's cache
        block = rng.integers(2, size=(min(50, rows - first), units))
        coins[:, first : first + len(block)] = block.T
    return coins.T


def differences(one: Contrast, resampling: Resampling) -> list[Difference]:
    """The paired differences of a contrast as `compare` shows them; none where it has no units."""
    if not one.units:
        return []
    found = tested(one, resampling, None)
    numbers = (found.first, found.second, found.values)
    intervals = np.transpose([metrics.percentile_interval(draws) for draws in found.draws.T])
    columns = [values.tolist() for values in (*numbers, *intervals, found.p_values, found.items)]
    return [
        Difference(str(condition), metric, *values)
        for (condition, metric), *values in zip(found.names, *columns, strict=True)
    ]


@dataclass(frozen=True)
class _Pair:
    """The readable judgments of two contenders on the items that both have."""

    items: pd.Index
    first: Answers
    second: Answers

    @classmethod
    def of(cls, first: pd.DataFrame, second: pd.DataFrame) -> "_Pair":
        items, sides = on_common(
            [side[(side["status"] == "ok") & side["correct"].notna()] for side in (first, second)]
        )
        return cls(items, *(Answers.of(side, items) for side in sides))

    @property
    def choices(self) -> int | None:
        """How many choices all items have, if both say the same."""
        return self.first.choices if self.first.choices == self.second.choices else None


def contrast(
    first: pd.DataFrame,
    second: pd.DataFrame,
    thresholds: Sequence[float],
    plain: Sequence[Form] = PLAIN,
    condition: Condition = Condition(),  # noqa: B008 # it is frozen
) -> Contrast:
    """The contrast of stated confidence in two contenders' completed judgments.

    Means, the numbers `plain`, and type-2 sensitivity at the thresholds are compared.
    """
    return _of_pairs([_Pair.of(first, second)], thresholds, plain, condition)


def tested_against(
    baseline: pd.DataFrame, others: Mapping[str, pd.DataFrame], resampling: Resampling, stream: int
) -> dict[str, Tested]:
    """The differences of several contenders from one; those without a common item are left out.

    Contenders that share their items with it are resampled and exchanged together, since the
    numbers of the one that all are compared with are the same then. Judgments are completed;
    `stream` is as in `draw`.
    """
    alike: dict[tuple[Hashable, ...], dict[str, _Pair]] = {}
    for name, rows in others.items():
        pair = _Pair.of(rows, baseline)
        if len(pair.items):
            alike.setdefault((pair.choices, *pair.items), {})[name] = pair
    found: dict[str, Tested] = {}
    for pairs in alike.values():
        one = _of_pairs(list(pairs.values()), resampling.thresholds, PLAIN)
        together, size = tested(one, resampling, stream), len(one.names) // len(pairs)
        for k, name in enumerate(pairs):
            found[name] = together.take(range(k * size, (k + 1) * size))
    return {name: found[name] for name in others if name in found}


def _of_pairs(
    pairs: Sequence[_Pair],
    thresholds: Sequence[float],
    plain: Sequence[Form],
    condition: Condition = Condition(),  # noqa: B008 # it is frozen
) -> Contrast:
    """The contrasts of pairs with the same items, choices and second contender, as one."""
    choices, items = pairs[0].choices, len(pairs[0].items)
    compared = {"type2_dprime", "meta_d_ideal"} | ({"m_ratio"} if choices else set())
    further = (form for one in thresholds for form in at_threshold(one, choices))
    forms = [*MEANS, *plain, *(form for form in further if form.metric in compared)]
    sides, other = [pair.first.cells() for pair in pairs], pairs[0].second.cells()

    def values(tables: metrics.ConfidenceTables) -> FloatArray:
        return np.column_stack([form.value(tables) for form in forms])

    def statistic(first: FloatArray | None, second: FloatArray | None) -> FloatArray:
        against = None if second is None else other.tables(second)
        if first is None:
            return np.tile(values(against), len(sides)) if against else np.empty((0, 0))
        tables = [side.tables(first) for side in sides]
        return np.hstack(
            [values(metrics.joined(one, against) if against else one) for one in tables]
        )

    names = [(condition.but(**form.condition), form.metric) for form in forms] * len(pairs)
    return Contrast(names, [items] * len(names), items, statistic)


def mean_tested(some: Sequence[Tested]) -> Tested:
    """The unweighted mean over data sets of the differences that all of them have."""
    names = [name for name in some[0].names if all(name in one.names for one in some)]
    shared = [one.take([one.names.index(name) for name in names]) for one in some]

    def mean(part: str) -> FloatArray:
        return np.asarray(np.mean([getattr(one, part) for one in shared], axis=0))

    items = np.sum([one.items for one in shared], axis=0)
    return Tested(names, items, *map(mean, _ARRAYS[1:]))


def results_of_tests(
    found: Mapping[str, Tested], key: Key, condition: Condition, part: str
) -> Iterator[Result]:
    """Rows of difference and p of several contenders against one, adjusted over all of them.

    Of the condition `versus` says which one all are compared with, `part` which contender it is.
    """
    p_values = {name: one.p_values for name, one in found.items()}
    for name in dict.fromkeys(name for one in found.values() for name in one.names):
        columns = {who: one.names.index(name) for who, one in found.items() if name in one.names}
        p = np.array([p_values[who][column] for who, column in columns.items()])
        compared = f"over {(~np.isnan(p)).sum()} comparisons with {condition['versus']}"
        adjusted = {"p_bonferroni": metrics.bonferroni(p), "p_holm": metrics.holm(p)}
        for k, (who, column) in enumerate(columns.items()):
            one, known = found[who], not np.isnan(p[k])
            at = condition.but(**name[0], **{"of": name[1], part: who})
            said = f"on the {one.items[column]} items that both have"
            row = one.result(column, key, at, noted(said, undefined_in(one.draws[:, column])))
            yield row
            said = f"{len(one.exchanged)} exchanges within items" if known else row.note
            yield key.result(at, "p_value", p[k], n=row.n, note=said)
            said = compared if known else row.note
            for metric, values in adjusted.items():
                yield key.result(at, metric, values[k], n=row.n, note=said)
