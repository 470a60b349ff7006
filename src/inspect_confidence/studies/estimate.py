"""From judgments to rows of results: statistics of item weights, resampled over the items.

What all studies compute with. Judgments are rows of a frame; `units` are the items that they are
of, in the order of the weights, and `unit` is the number of each judgment's item, as `places`
gives it. A `condition` is what the study varied, a `note` what a reader must know of a number:
what was left out, which definition was chosen.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from inspect_confidence import metrics
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics.arrays import FloatArray, IntArray, distinct
from inspect_confidence.results import NO_INTERVAL, Condition, Key, Result
from inspect_confidence.studies.notes import noted
from inspect_confidence.studies.study import Resampling

FOLLOWED: ContextVar[Callable[[int], object] | None] = ContextVar("followed", default=None)
"""Is told how many judgments were gone through, for the time that is left."""


def runs(
    frame: pd.DataFrame, by: Sequence[str] = ("model", "dataset", "variant")
) -> Iterator[tuple[Key, Condition, pd.DataFrame]]:
    """The judgments of one task by whose they are and what was varied, in the frame's order.

    Of the columns in `by`, `model` and `dataset` are of the key, and empty there where they aren't
    named; the others, where they have a value, make the condition.
    """
    for values, rows in frame.groupby(["task", *by], sort=False, dropna=False):
        parts: dict[str, Any] = dict(zip(["task", *by], values, strict=True))
        key = Key(*(str(parts.pop(name, "")) for name in ("task", "model", "dataset")))
        yield key, Condition({name: one for name, one in parts.items() if pd.notna(one)}), rows
        if follow := FOLLOWED.get():
            follow(len(rows))


def places(rows: pd.DataFrame, units: pd.Index) -> IntArray:
    """The number of each judgment's unit, its item unless it says another, among the units."""
    return np.asarray(units.get_indexer(pd.Index(units_of(rows))), np.int64)


def units_of(rows: pd.DataFrame) -> pd.Series:
    """What is resampled: the column `unit` where there is one, else the item."""
    return rows["unit" if "unit" in rows else "item"]


def refuse_outside(rows: pd.DataFrame, names: Sequence[str], remedy: str = "70% is 0.7.") -> None:
    """Refuse shares that are none.

    Raises:
        InvalidArgument: A number in one of these columns lies outside [0, 1].
    """
    for name in names:
        outside = rows.loc[(rows[name] < 0) | (rows[name] > 1), name]
        if len(outside):
            raise InvalidArgument(f"{name}={outside.iloc[0]:g} is not in [0, 1]; {remedy}")


@dataclass(frozen=True)
class Number:
    """What a number is.

    Attributes:
        condition: What the study varied.
        metric: Its name in the metric registry.
        n: Judgments that it rests on.
        note: For the results.
        interval: Its 95% interval where its metric's is Wilson's or one of its own.
        why: Why it is undefined, where that is known better than from the registry.
        asked: Judgments that were asked for; n if None.
        units: How many of the resampled units it rests on, where not as many as n or all.
        rarest: Judgments of the rarest outcome or type-2 cell, where intervals depend on it.
        without: Why its own method, or any where `interval` is None, gives no interval here.
        drawn: What is to be said of its resamples, where its interval is made of them.
    """

    condition: Mapping[str, object]
    metric: str
    n: int
    note: str = ""
    interval: tuple[float, float] | None = None
    why: str = ""
    asked: int | None = None
    units: int | None = None
    rarest: float = np.inf
    without: str = ""
    drawn: str = ""


@dataclass(frozen=True)
class Estimand:
    """Numbers that one statistic gives together, as those of one count table; often one alone.

    Attributes:
        numbers: What they are.
        statistic: Item weights (resamples, units) -> values of shape (resamples, numbers).
        some: Places of numbers -> the statistic of these alone, where that saves work.
    """

    numbers: Sequence[Number]
    statistic: metrics.Statistic
    some: Callable[[Sequence[int]], metrics.Statistic] | None = None


Made = TypeVar("Made")


def together(
    numbers: Sequence[Number],
    make: metrics.SumStatistic[Made],
    values: Sequence[Callable[[Made], FloatArray]],
) -> Estimand:
    """Numbers that are values of the same tables, or of whatever `make` makes."""

    def some(chosen: Sequence[int]) -> metrics.Statistic:
        return make.map(lambda made: np.column_stack([values[k](made) for k in chosen]))

    return Estimand(numbers, some(range(len(values))), some)


def estimand(
    condition: Mapping[str, object],
    metric: str,
    statistic: metrics.Statistic,
    n: int,
    note: str = "",
    interval: tuple[float, float] | None = None,
    *,
    asked: int | None = None,
) -> Estimand:
    """One number with a statistic of its own, its values of shape (resamples,)."""
    return Estimand([Number(condition, metric, n, note, interval, asked=asked)], statistic)


def means(
    condition: Mapping[str, object],
    columns: Mapping[str, ArrayLike],
    unit: IntArray,
    units: int,
    note: str | Callable[[FloatArray], str] = "",
) -> Estimand:
    """The mean over judgments of the values of each metric; NaN values are left out.

    Shares of judgments, values of 0 and 1 of a metric whose interval is Wilson's, have it.

    Args:
        condition: Of all of them.
        columns: By metric.
        unit: The number of each judgment's item.
        units: How many items there are.
        note: Of all of them, or what says it of the values.
    """
    values = np.column_stack([np.asarray(column, float) for column in columns.values()])
    numbers = []
    for metric, column in zip(columns, values.T, strict=True):
        there = ~np.isnan(column)
        share = metrics.METRICS[metric].interval.method == "wilson"
        share &= bool(np.isin(column[there], (0, 1)).all())
        numbers.append(
            Number(
                condition,
                metric,
                int(there.sum()),
                note(column) if callable(note) else note,
                wilson(column, unit, units) if share else None,
                asked=len(column),
                units=distinct(unit[there]),
                rarest=unlike(column, unit),
            )
        )
    return Estimand(numbers, metrics.means_of(values, unit, units))


def unlike(values: FloatArray, unit: IntArray) -> int:
    """How many items have another mean of their values than the most that agree; NaN left out."""
    there = ~np.isnan(values)
    n = np.bincount(unit[there])
    means = np.bincount(unit[there], values[there])[n > 0] / n[n > 0]
    _, sizes = np.unique(np.round(means, 12), return_counts=True)
    return int(sizes.sum() - sizes.max(initial=0))


def counted(flags: FloatArray) -> str:
    """How many flags are 1, for a note."""
    return f"{int(np.nansum(flags))} of {(~np.isnan(flags)).sum()}"


def wilson(flags: FloatArray, unit: IntArray, units: int) -> tuple[float, float]:
    """Wilson's interval over items of the share of flags that are 1; NaN is no flag."""
    there = ~np.isnan(flags)
    return metrics.clustered_wilson_interval(
        np.bincount(unit[there], flags[there], minlength=units),
        np.bincount(unit[there], minlength=units),
    )


def count(condition: Mapping[str, object], n: int, note: str = "") -> Estimand:
    """How many judgments there are."""
    return estimand(condition, "n", constant(n), n, note)


def constant(value: float) -> metrics.Statistic:
    """A number that doesn't depend on which items were drawn."""
    return lambda weights: np.full(len(weights), float(value))


@dataclass(frozen=True)
class Drawn:
    """Numbers with their values over resamples.

    Attributes:
        numbers: What they are.
        values: Of all judgments, one a number.
        draws: Of the resamples, of shape (resamples, numbers).
        units: How many units were resampled.
        observe: As in `Resampling`.
        clusters: What the units are where they aren't items.
        grouped: Whether groups of units were resampled, there being many.
    """

    numbers: Sequence[Number]
    values: FloatArray
    draws: FloatArray
    units: int
    observe: Callable[[Result, FloatArray], None] | None = None
    clusters: metrics.Clusters | None = None
    grouped: bool = False


def draw(
    estimands: Iterable[Estimand],
    units: int | IntArray,
    resampling: Resampling,
    stream: int | None = None,
    clusters: metrics.Clusters | None = None,
    *,
    alone: bool = False,
) -> Drawn:
    """All numbers over the same resamples of the items.

    Draws are NaN of numbers that have no use for them: that have no interval, or one of their own.

    Args:
        estimands: What to compute.
        units: How many items there are, or the stratum of each where they are drawn within strata.
        resampling: Number and seed.
        stream: Sets the draws of one data set apart from those of another.
        clusters: What the units are where they aren't items.
        alone: Whether no other draw of these units is put beside this one.
    """
    strata = np.zeros(units, np.int64) if isinstance(units, int) else units
    wanted = list(estimands)
    numbers = [number for one in wanted for number in one.numbers]
    ends = np.cumsum([0, *(len(one.numbers) for one in wanted)])
    resampled: dict[tuple[int, ...], metrics.Statistic] = {}
    for one, start in zip(wanted, ends, strict=False):
        used = [
            k
            for k, number in enumerate(one.numbers)
            if resampling.observe or _uses_draws(number, len(strata), clusters)
        ]
        if used and one.some:
            resampled[tuple(start + k for k in used)] = one.some(used)
        elif used:
            resampled[tuple(range(start, start + len(one.numbers)))] = one.statistic
    seed = resampling.seed if stream is None else [resampling.seed, stream]
    alone = alone and not resampling.observe
    how = metrics.resampled_as(list(resampled.values()), strata, seed, patterns=alone)
    found = metrics.bootstrap(
        resampled, strata, resamples=resampling.resamples, seed=seed, sampling=how
    )
    draws = np.full((resampling.resamples, len(numbers)), np.nan)
    for places_of, drawn in found.items():
        draws[:, places_of] = drawn.reshape(len(draws), -1)
    everything = np.ones((1, len(strata)))
    values = [one.statistic(everything).reshape(-1) for one in wanted]
    return Drawn(
        numbers,
        np.concatenate([*values, np.empty(0)]),
        draws,
        len(strata),
        resampling.observe,
        clusters,
        how.grouped,
    )


def undrawn(found: Iterable[tuple[Number, float]]) -> Drawn:
    """Numbers with their values that nothing is resampled for: their intervals are their own."""
    given = list(found)
    values = np.array([value for _, value in given], float)
    most = max((one.n for one, _ in given), default=0)
    return Drawn([one for one, _ in given], values, np.full((1, len(given)), np.nan), most)


def _uses_draws(one: Number, units: int, clusters: metrics.Clusters | None) -> bool:
    """Whether its interval, or that of a mean of it over models, is made of resamples."""
    rule = metrics.METRICS[one.metric].interval.over(clusters)
    if rule.method in ("own", "none"):
        return False
    return not metrics.too_few(rule, _units_of_number(one, units), one.rarest)


def results_of(drawn: Drawn, key: Key) -> list[Result]:
    """A row of results for each number."""
    results = []
    for one, value, draws in zip(drawn.numbers, drawn.values, drawn.draws.T, strict=True):
        interval, note = NO_INTERVAL, one.note
        if np.isnan(value):
            note = noted(f"undefined: {_reason(one)}", note)
        else:
            interval, remark = _interval(one, float(value), draws, drawn)
            note = noted(note, remark)
        row = key.result(
            one.condition, one.metric, value, interval, n=one.n, asked=one.asked, note=note
        )
        results.append(row)
        if drawn.observe:
            drawn.observe(row, draws)
    return results


def _interval(
    one: Number, value: float, draws: FloatArray, drawn: Drawn
) -> tuple[tuple[float, float], str]:
    """A number's interval, and what is to be said of it: why there is none, as a rule."""
    about, units = metrics.METRICS[one.metric], _units_of_number(one, drawn.units)
    rule = about.interval.over(drawn.clusters)
    low, high = NO_INTERVAL if one.interval is None else one.interval
    if one.without or not np.isnan(low):
        few = "" if one.interval is None else metrics.too_few(rule, units, one.rarest)
        why = few or (metrics.SAME if low == high else one.without if np.isnan(low) else "")
        return (NO_INTERVAL, f"no interval: {why}") if why else ((low, high), "")
    (low, high), why = metrics.interval_of(rule, value, draws, units, one.rarest)
    if why or np.isnan(low):
        return NO_INTERVAL, f"no interval: {why}" if why else ""
    if rule.method in ("basic", "debiased"):
        low, high = max(low, about.low), min(high, about.high)
    return (low, high), noted(of_draws(draws, drawn.grouped), one.drawn)


def of_draws(draws: FloatArray, grouped: bool) -> str:
    """What a note says of resamples: in how many a number is undefined, whether of groups."""
    some = int(np.isnan(draws).sum())
    return noted(
        f"undefined in {some} of {len(draws)} resamples, left out there" if some else "",
        f"resampled in {metrics.GROUPS:,} groups" if grouped else "",
    )


def averaged(
    drawn: Mapping[str, Drawn],
    left_out: Collection[str],
    *,
    independent: bool,
    missed: Collection[str] = (),
) -> Drawn:
    """The unweighted mean, over data sets or models, of every number that all of them have.

    The mean of their draws is a draw of the mean: data sets were resampled independently, so that
    intervals of shares can be put together; models were resampled
    together over all items of any of them, so that items that both have move them together, and
    others don't: of models without a common item the draws are independent but for the drawn
    number of each one's items. Metrics `left_out`, such as a count, have no mean, and no p has one.
    Of metrics `missed` there is an undefined number, with the reason, where only some have one.
    """
    each = list(drawn.values())
    columns = [
        {(Condition(one.condition), one.metric): i for i, one in enumerate(some.numbers)}
        for some in each
    ]
    numbers, kept, absent = [], [], []
    over = f"unweighted mean of {', '.join(drawn)}"
    for name in dict.fromkeys(name for mine in columns for name in mine):
        without = [of for of, mine in zip(drawn, columns, strict=True) if name not in mine]
        if name[1] in left_out or metrics.METRICS[name[1]].unit == "probability":  # a test's p
            continue
        if without:
            if name[1] in missed:
                absent.append(Number(*name, 0, over, why=f"there is none of {', '.join(without)}"))
            continue
        found = [(some, mine[name]) for some, mine in zip(each, columns, strict=True)]
        ones = [some.numbers[i] for some, i in found]
        values = np.array([some.values[i] for some, i in found])
        undefined = {
            of: _reason(one)
            for of, one, value in zip(drawn, ones, values, strict=True)
            if np.isnan(value)
        }
        reasons = "; ".join(dict.fromkeys(undefined.values()))
        kept.append([i for _, i in found])
        numbers.append(
            replace(
                ones[0],
                n=sum(one.n for one in ones),
                note=over,
                interval=_mean_interval(values, ones, independent),
                units=min(
                    _units_of_number(one, some.units)
                    for one, (some, _) in zip(ones, found, strict=True)
                ),
                rarest=min(one.rarest for one in ones),
                asked=sum(one.n if one.asked is None else one.asked for one in ones),
                why=f"undefined in {', '.join(undefined)} ({reasons})",
                without=min(ones, key=lambda one: (not one.without, one.rarest)).without,
            )
        )
    places = np.array(kept, np.int64).reshape(-1, len(each)).T
    values = np.mean([some.values[at] for some, at in zip(each, places, strict=True)], axis=0)
    draws = np.mean([some.draws[:, at] for some, at in zip(each, places, strict=True)], axis=0)
    return Drawn(
        [*numbers, *absent],
        np.pad(values, (0, len(absent)), constant_values=np.nan),
        np.pad(draws, ((0, 0), (0, len(absent))), constant_values=np.nan),
        sum(some.units for some in each) if independent else each[0].units,
        each[0].observe,
        each[0].clusters,
        any(some.grouped for some in each),
    )


def _reason(one: Number) -> str:
    return one.why or metrics.METRICS[one.metric].undefined


def _units_of_number(one: Number, units: int) -> int:
    """How many of the resampled units a number rests on."""
    return min(one.n, units) if one.units is None else one.units


def _mean_interval(
    values: FloatArray, numbers: Sequence[Number], independent: bool
) -> tuple[float, float] | None:
    """The interval of a mean from its numbers' own; None where resamples give it.

    Of independent shares it is Zou and Donner's (MOVER). Of numbers with a method of their own
    there is none: bias, as of ECE, doesn't get smaller with the number of data sets as errors do.
    """
    if any(one.interval is None for one in numbers):
        return None
    if len(numbers) == 1:
        return numbers[0].interval
    if metrics.METRICS[numbers[0].metric].interval.method == "own":
        return NO_INTERVAL
    if not independent:
        return None
    bounds = np.array([one.interval for one in numbers], float)
    below, above = np.sqrt(np.square(bounds - values[:, None]).sum(axis=0)) / len(numbers)
    return float(values.mean() - below), float(values.mean() + above)
