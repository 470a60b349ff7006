"""Two contenders on the same items: paired differences, their intervals and their tests.

A study says what it compares, a `Contrast`; here the items are resampled, with the same draws for
all numbers, and the interval of a difference and its p come from the same resamples. Exchanging
contenders within items would test that they answer alike, not that a number is the same: two ideal
observers of different accuracy have one M-ratio and no two answers in common.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.results import NO_INTERVAL, Condition, Key, Result
from inspect_confidence.studies.calibration import MEANS, PLAIN, Answers, Form, at_threshold
from inspect_confidence.studies.estimate import of_draws, units_of
from inspect_confidence.studies.notes import noted
from inspect_confidence.studies.study import Difference, Resampling

Name = tuple[Condition, str]
"""Condition and metric."""


@dataclass(frozen=True)
class Contrast:
    """What is compared between two contenders, on the items that both answered readably.

    Attributes:
        names: Of the numbers, in order.
        items: How many items each rests on.
        units: How many units, mostly items, are resampled; none if 0.
        first: What gives the first contender's numbers.
        second: What gives those of the second.
        rarest: As in `estimate.Number`, of each number; none if empty.
        own: The intervals of both sides of numbers whose interval is their own, by number,
            of shape (2, 2); NaN where a side has none.
        clusters: What the units are where they aren't items.
    """

    names: Sequence[Name]
    items: Sequence[int]
    units: int
    first: metrics.Statistic
    second: metrics.Statistic
    rarest: Sequence[float] = ()
    own: Mapping[int, FloatArray] = field(default_factory=dict)
    clusters: metrics.Clusters | None = None


def on_common(sides: Sequence[pd.DataFrame]) -> tuple[pd.Index, list[pd.DataFrame]]:
    """The items that both contenders' judgments are of, in order, and the judgments of those."""
    items = pd.Index(sorted(set(sides[0]["item"]) & set(sides[1]["item"])))
    return items, [side[side["item"].isin(items)] for side in sides]


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
    first, second = (metrics.means_of(values, unit, units) for values, unit in sides)
    return Contrast(names, items, units, first, second)


@dataclass(frozen=True)
class Tested:
    """Differences of two contenders on the same items.

    Attributes:
        names: Of the numbers.
        items: How many items each rests on.
        units: How many units were resampled for each.
        first: Values of the first contender.
        second: Of the second.
        values: first - second.
        draws: Their values over resamples of the units, of shape (resamples, numbers).
        rarest: As in `Contrast`.
        below: How far the lower end lies from a difference whose interval is its own; else NaN.
        above: How far the upper end does.
        clusters: As in `Contrast`.
        grouped: Whether groups of units were resampled, there being many.
    """

    names: Sequence[Name]
    items: IntArray
    units: IntArray
    first: FloatArray
    second: FloatArray
    values: FloatArray
    draws: FloatArray
    rarest: FloatArray
    below: FloatArray
    above: FloatArray
    clusters: metrics.Clusters | None = None
    grouped: bool = False

    def verdict(self, column: int) -> "Verdict":
        """The 95% interval of a difference, the p that agrees with it, or why there is neither."""
        _, metric = self.names[column]
        value, draws = float(self.values[column]), self.draws[:, column]
        if np.isnan(value):
            return Verdict(why="undefined: either value is undefined")
        rule = metrics.METRICS[metric].interval.over(self.clusters).of_difference()
        units = int(self.units[column])
        rarest, below, above = (each[column] for each in (self.rarest, self.below, self.above))
        if not np.isnan(below) and not (why := metrics.too_few(rule, units, rarest)):
            reach = below if value > 0 else above
            p = 2 * ndtr(-ALPHA_Z * abs(value) / reach) if reach > 0 else float(value == 0)
            return Verdict((value - below, value + above), float(p))
        interval, why = metrics.interval_of(rule, value, draws, units, rarest)
        if why and why != metrics.SAME:  # where every item differs alike there is no doubt
            return Verdict(why=f"no interval: {why}")
        p = metrics.resampled_p(value, draws, units, method=rule.method)
        return Verdict(interval, p, f"no interval: {why}" if why else of_draws(draws, self.grouped))

    def take(self, columns: Sequence[int]) -> "Tested":
        """Some of the numbers."""
        arrays = {name: getattr(self, name)[..., columns] for name in _ARRAYS}
        return replace(self, names=[self.names[column] for column in columns], **arrays)


@dataclass(frozen=True)
class Verdict:
    """What is said of a difference.

    Attributes:
        interval: Its 95% interval.
        p: Two-sided p of no difference, below .05 just where the interval leaves out 0.
        why: Why something of it is missing, or in how many resamples it is undefined.
    """

    interval: tuple[float, float] = NO_INTERVAL
    p: float = np.nan
    why: str = ""


_ARRAYS = ("items", "units", "first", "second", "values", "draws", "rarest", "below", "above")

ALPHA_Z = float(-ndtri(0.025))
"""How many standard errors a normal 95% interval reaches."""


def tested(one: Contrast, resampling: Resampling, stream: int | None) -> Tested:
    """The differences of a contrast with units, resampled; `stream` as in `draw`."""
    seed = [resampling.seed] if stream is None else [resampling.seed, stream]
    sides, strata = {"first": one.first, "second": one.second}, np.zeros(one.units, np.int64)
    how = metrics.resampled_as(list(sides.values()), strata, seed, patterns=True)
    drawn = metrics.bootstrap(
        sides, strata, resamples=resampling.resamples, seed=seed, sampling=how
    )
    everything = np.ones((1, one.units))
    first, second = one.first(everything)[0], one.second(everything)[0]
    items = np.array(one.items, np.int64)
    units = np.minimum(items, one.units)
    below, above = np.full((2, len(items)), np.nan)
    for column, ends in one.own.items():
        both = np.array([first[column], second[column]])
        one_side, other = (drawn[side][:, column] for side in ("first", "second"))
        if not np.allclose(one_side, other, rtol=0, atol=1e-12):  # else it is the same contender
            below[column], above[column] = _apart(both, ends, [one_side, other])
    draws = _difference(drawn["first"], drawn["second"])
    rarest = np.array(one.rarest) if one.rarest else np.full(len(items), np.inf)
    values = _difference(first, second)
    arrays = (items, units, first, second, values, draws, rarest, below, above)
    return Tested(one.names, *arrays, one.clusters, how.grouped)


def _difference(first: FloatArray, second: FloatArray) -> FloatArray:
    """The difference, 0 where they differ by rounding alone: its sign would decide p."""
    difference = first - second
    same = np.abs(difference) <= 1e-12 * np.maximum(np.abs(first), 1)
    return np.where(same, 0.0, difference)


def _apart(
    values: FloatArray, ends: FloatArray, drawn: Sequence[FloatArray]
) -> tuple[float, float]:
    """How far the ends of a difference lie from it (Zou 2007, MOVER).

    Args:
        values: Of both sides.
        ends: Of their intervals, of shape (2, 2); NaN where a side has none.
        drawn: Both sides' values over the same resamples, for their correlation.
    """
    (lower, upper), (other_lower, other_upper) = np.abs(ends - values[:, None])
    varies = all(np.ptp(side) > 0 for side in drawn)
    shared = float(np.corrcoef(drawn[0], drawn[1])[0, 1]) if varies else 0.0

    def reach(one: float, other: float) -> float:
        return float(np.sqrt(max(one**2 + other**2 - 2 * shared * one * other, 0)))

    return reach(lower, other_upper), reach(upper, other_lower)


def differences(one: Contrast, resampling: Resampling) -> list[Difference]:
    """The paired differences of a contrast as `compare` shows them; none where it has no units."""
    if not one.units:
        return []
    # Where nothing has an interval, resamples would cost much and say nothing.
    found = tested(one, resampling if _uses_draws(one) else replace(resampling, resamples=1), None)
    rows = []
    for column, (condition, metric) in enumerate(found.names):
        said = found.verdict(column)
        first, second, value = (
            float(each[column]) for each in (found.first, found.second, found.values)
        )
        ends, n = said.interval, int(found.items[column])
        rows.append(
            Difference(str(condition), metric, first, second, value, *ends, said.p, n, said.why)
        )
    return rows


def _uses_draws(one: Contrast) -> bool:
    """Whether any number of a contrast has an interval."""
    rarest = one.rarest or [np.inf] * len(one.names)
    rules = (metrics.METRICS[name].interval.over(one.clusters) for _, name in one.names)
    return any(
        rule.of_difference().method != "none"
        and not metrics.too_few(rule.of_difference(), min(items, one.units), least)
        for rule, items, least in zip(rules, one.items, rarest, strict=True)
    )


@dataclass(frozen=True)
class Pair:
    """The readable judgments of two contenders on the items that both have, by their units."""

    items: pd.Index
    units: pd.Index
    first: Answers
    second: Answers

    @classmethod
    def of(cls, first: pd.DataFrame, second: pd.DataFrame) -> "Pair":
        """Of completed judgments."""
        items, sides = on_common(
            [side[(side["status"] == "ok") & side["correct"].notna()] for side in (first, second)]
        )
        units = pd.Index(units_of(sides[0]).unique())
        return cls(items, units, *(Answers.of(side, units) for side in sides))

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
    clusters: metrics.Clusters | None = None,
) -> Contrast:
    """The contrast of stated confidence in two contenders' completed judgments.

    Means, the numbers `plain`, and type-2 sensitivity at the thresholds are compared.
    """
    return of_pairs([Pair.of(first, second)], thresholds, plain, condition, clusters)


def tested_against(
    baseline: pd.DataFrame, others: Mapping[str, pd.DataFrame], resampling: Resampling, stream: int
) -> dict[str, Tested]:
    """The differences of several contenders from one; those without a common item are left out.

    Contenders that share their items with it are resampled together, since the
    numbers of the one that all are compared with are the same then. Judgments are completed;
    `stream` is as in `draw`.
    """
    alike: dict[tuple[Hashable, ...], dict[str, Pair]] = {}
    for name, rows in others.items():
        pair = Pair.of(rows, baseline)
        if len(pair.items):
            alike.setdefault((pair.choices, *pair.items), {})[name] = pair
    found: dict[str, Tested] = {}
    for pairs in alike.values():
        one = of_pairs(list(pairs.values()), resampling.thresholds, PLAIN)
        together, size = tested(one, resampling, stream), len(one.names) // len(pairs)
        for k, name in enumerate(pairs):
            found[name] = together.take(range(k * size, (k + 1) * size))
    return {name: found[name] for name in others if name in found}


def of_pairs(
    pairs: Sequence[Pair],
    thresholds: Sequence[float],
    plain: Sequence[Form],
    condition: Condition = Condition(),  # noqa: B008 # it is frozen
    clusters: metrics.Clusters | None = None,
) -> Contrast:
    """The contrasts of pairs with the same items, choices and second contender, as one."""
    choices, items, units = pairs[0].choices, len(pairs[0].items), len(pairs[0].units)
    compared = {"type2_dprime", "meta_d_ideal"} | ({"m_ratio"} if choices else set())
    further = (form for one in thresholds for form in at_threshold(one, choices))
    forms = [*MEANS, *plain, *(form for form in further if form.metric in compared)]
    sides, other = [pair.first.cells() for pair in pairs], pairs[0].second.cells()

    names = [(condition.but(**form.condition), form.metric) for form in forms] * len(pairs)
    rules = [metrics.METRICS[form.metric].interval.over(clusters).of_difference() for form in forms]
    everything = np.ones((1, units))

    def least_of(cells: metrics.ItemTables) -> list[float]:
        tables = cells.tables(everything)
        return [form.rarest(tables) for form in forms]

    against = least_of(other)
    rarest = [list(map(min, least_of(side), against)) for side in sides]
    enough = [
        [not metrics.too_few(rule, units, least) for rule, least in zip(rules, row, strict=True)]
        for row in rarest
    ]
    used = [rule.method != "none" and any(row[k] for row in enough) for k, rule in enumerate(rules)]
    seconds = {k: pairs[0].second.interval(form) for k, form in enumerate(forms) if used[k]}
    ends = {
        i * len(forms) + k: np.array([pair.first.interval(form), seconds[k]], float)
        for i, pair in enumerate(pairs)
        for k, form in enumerate(forms)
        if used[k] and form.interval and enough[i][k]
    }

    def values_of(answers: Answers, cells: metrics.ItemTables) -> metrics.Statistic:
        """Of resamples those alone that an interval is made of."""
        given = [answers.value_of(form) for form in forms]

        def values(tables: metrics.ConfidenceTables) -> FloatArray:
            none = np.full(len(tables.right), np.nan)
            alone = len(tables.right) == 1
            return np.column_stack(
                [value(tables) if used[k] or alone else none for k, value in enumerate(given)]
            )

        return cells.table_statistic.map(values)

    firsts = [values_of(pair.first, side) for pair, side in zip(pairs, sides, strict=True)]
    last = values_of(pairs[0].second, other)

    first = metrics.CombinedStatistic(firsts, lambda *values: np.hstack(values))
    second = metrics.CombinedStatistic([last], lambda values: np.tile(values, len(sides)))
    least = [one for row in rarest for one in row]
    return Contrast(names, [items] * len(names), units, first, second, least, ends, clusters)


def mean_tested(some: Sequence[Tested]) -> Tested:
    """The unweighted mean over data sets of the differences that all of them have."""
    names = [name for name in some[0].names if all(name in one.names for one in some)]
    shared = [one.take([one.names.index(name) for name in names]) for one in some]

    def over(part: str, how: Callable[..., FloatArray]) -> Any:
        return how([getattr(one, part) for one in shared], axis=0)

    how: dict[str, Callable[..., Any]] = {"items": np.sum, "units": np.min, "rarest": np.min}
    mean = Tested(names, *(over(part, how.get(part, np.mean)) for part in _ARRAYS))
    # Of what is biased there is no interval: bias gets no smaller with the number of data sets.
    none = np.full(len(names), np.nan)
    return replace(mean, below=none, above=none)


def results_of_tests(
    found: Mapping[str, Tested], key: Key, condition: Condition, part: str
) -> Iterator[Result]:
    """Rows of difference and p of several contenders against one, adjusted over all of them.

    Of the condition `versus` says which one all are compared with, `part` which contender it is.
    """
    for name in dict.fromkeys(name for one in found.values() for name in one.names):
        columns = {who: one.names.index(name) for who, one in found.items() if name in one.names}
        rows = [
            difference_of(
                found[who], column, key, condition.but(**name[0], **{"of": name[1], part: who})
            )
            for who, column in columns.items()
        ]
        p = np.array([tested.value for _, tested in rows])
        over = f"over {(~np.isnan(p)).sum()} comparisons with {condition['versus']}"
        adjusted = {"p_bonferroni": metrics.bonferroni(p), "p_holm": metrics.holm(p)}
        for k, (difference, tested) in enumerate(rows):
            yield from (difference, tested)
            for metric, values in adjusted.items():
                note = tested.note if np.isnan(p[k]) else over
                yield replace(tested, metric=metric, value=float(values[k]), note=note)


def difference_of(
    one: Tested, column: int, key: Key, condition: Condition
) -> tuple[Result, Result]:
    """The rows of a difference and of its p; the condition says `of` what and `versus` whom."""
    said, value, n = one.verdict(column), one.values[column], int(one.items[column])
    note = said.why if np.isnan(value) else noted(f"on the {n} items that both have", said.why)
    why = said.why.removeprefix("undefined: ").removeprefix("no interval: ")
    of_p = f"undefined: {why}" if np.isnan(said.p) else ""
    return (
        key.result(condition, "difference", value, said.interval, n=n, note=note),
        key.result(condition, "p_value", said.p, n=n, note=of_p),
    )
