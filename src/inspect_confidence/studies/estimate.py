"""From statistics of item weights to rows of results."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import (
    METRICS,
    Statistic,
    basic_interval,
    bootstrap,
    percentile_interval,
)
from inspect_confidence.results import Result, encode_condition
from inspect_confidence.studies.study import Resampling

Value = TypeVar("Value")

LEAST = 20_000
"""Judgments from which on processes save more than the two seconds that they take to start."""

_THREADS = "OMP_NUM_THREADS"


def workers_for(judgments: int, resampling: Resampling) -> int:
    """How many processes that many judgments are worth.

    One where resamples are observed: what observes them is in this process.
    """
    return 1 if resampling.observe or judgments < LEAST else resampling.workers


def spread(
    function: Callable[..., Value], tasks: Sequence[tuple[Any, ...]], workers: int
) -> list[Value]:
    """The function's value for each task, in the tasks' order.

    Args:
        function: Of a module, since processes import it by its name.
        tasks: Its arguments, which are copied to the processes.
        workers: Processes at once; 1 is this one alone.

    Raises:
        InvalidArgument: A process could not start, or was ended from outside. Errors of the
            function are raised as they are.
    """
    if workers == 1 or len(tasks) < 2:
        return [function(*task) for task in tasks]
    # Spawned: this process may have threads, which a fork would leave with locks held.
    pool = ProcessPoolExecutor(min(workers, len(tasks)), mp_context=get_context("spawn"))
    try:
        with pool, _one_thread():
            return list(pool.map(function, *zip(*tasks, strict=True)))
    except BrokenProcessPool as error:
        raise InvalidArgument(
            f"workers={workers}: a process ended before its work was done. In a script, call this "
            'below `if __name__ == "__main__":`, since each process imports the script; where '
            "memory ran out, ask for fewer workers; workers=1 needs no processes."
        ) from error


@contextmanager
def _one_thread() -> Iterator[None]:
    """Processes started within have one thread each for linear algebra: they share the cores."""
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = before or "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]


FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Estimand:
    """A number to estimate.

    Attributes:
        condition: What the study varied.
        metric: Its name in the metric registry.
        statistic: How it follows from item weights.
        n: Judgments that it rests on.
        note: For the results.
        interval: Its 95% interval where that is not the bootstrap's.
    """

    condition: Mapping[str, object]
    metric: str
    statistic: Statistic
    n: int
    note: str
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Number:
    """A number of a family, without its statistic.

    Attributes:
        condition: What the study varied.
        metric: Its name in the metric registry.
        n: Judgments that it rests on.
        note: For the results.
        interval: Its 95% interval where that is not the bootstrap's.
        why: Why it is undefined, where that is known better than from the registry.
    """

    condition: Mapping[str, object]
    metric: str
    n: int
    note: str = ""
    interval: tuple[float, float] | None = None
    why: str = ""


@dataclass(frozen=True)
class Family:
    """Numbers that one statistic gives together, as those of one count table.

    Attributes:
        numbers: What it gives, in order.
        statistic: Weights -> an array of shape (resamples, numbers).
    """

    numbers: Sequence[Number]
    statistic: Statistic


@dataclass(frozen=True)
class Drawn:
    """Numbers with their values over resamples.

    Attributes:
        numbers: What they are.
        values: Of all judgments, one a number.
        draws: Of the resamples, of shape (resamples, numbers).
        observe: Is told each row of results with its draws.
    """

    numbers: Sequence[Number]
    values: FloatArray
    draws: FloatArray
    observe: Callable[[Result, FloatArray], None] | None = None


def estimates(
    estimands: Iterable[Estimand],
    strata: NDArray[np.int64],
    run: Result,
    resampling: Resampling,
) -> list[Result]:
    """A row of results for each estimand, all intervals from the same resamples of the items.

    Args:
        estimands: What to estimate.
        strata: The stratum of each item; train and test items are drawn separately.
        run: A row whose task, model and dataset the results take over.
        resampling: Number and seed.
    """
    families = [
        Family([Number(one.condition, one.metric, one.n, one.note, one.interval)], one.statistic)
        for one in estimands
    ]
    return results_of(draw(families, strata, resampling), run)


def draw(
    families: Sequence[Family],
    strata: NDArray[np.int64],
    resampling: Resampling,
    stream: int | None = None,
) -> Drawn:
    """The numbers of all families over the same resamples of the items.

    Families all of whose numbers have an interval of their own are not resampled, NaN, unless
    somebody observes the resamples. Where every stratum has one item only, each resample is the
    sample itself: numbers then have no interval.

    Args:
        families: What to compute.
        strata: The stratum of each item.
        resampling: Number and seed.
        stream: Sets the draws of one data set apart from those of another.
    """
    if len(strata) == len(np.unique(strata)):
        families = [_without_intervals(family) for family in families]
    seed = resampling.seed if stream is None else [resampling.seed, stream]
    wanted = {
        i: family.statistic
        for i, family in enumerate(families)
        if resampling.observe or any(one.interval is None for one in family.numbers)
    }
    found = bootstrap(wanted, strata, resamples=resampling.resamples, seed=seed)
    everything = np.ones((1, len(strata)))
    values = [family.statistic(everything).reshape(-1) for family in families]
    draws = [
        found[i].reshape(-1, len(value))
        if i in found
        else np.full((resampling.resamples, len(value)), np.nan)
        for i, value in enumerate(values)
    ]
    empty = np.empty((resampling.resamples, 0))
    return Drawn(
        [one for family in families for one in family.numbers],
        np.concatenate([*values, np.empty(0)]),
        np.hstack([*draws, empty]),
        resampling.observe,
    )


def _without_intervals(family: Family) -> Family:
    """The family, its numbers without the intervals that one item a stratum can't give."""
    numbers = [
        one
        if one.interval
        else replace(
            one,
            interval=(float("nan"), float("nan")),
            note="; ".join(filter(None, (one.note, "no interval: one item can't be resampled"))),
        )
        for one in family.numbers
    ]
    return Family(numbers, family.statistic)


def _interval(metric: str, value: float, draws: FloatArray) -> tuple[float, float]:
    if METRICS[metric].interval != "basic":
        return percentile_interval(draws)
    low, high = basic_interval(value, draws)
    return max(low, METRICS[metric].low), max(high, value)


def results_of(drawn: Drawn, run: Result) -> list[Result]:
    """A row of results for each number.

    Args:
        drawn: The numbers.
        run: A row whose task, model and dataset the results take over.
    """
    results = []
    for one, value, draws in zip(drawn.numbers, drawn.values, drawn.draws.T, strict=True):
        low, high = one.interval or _interval(one.metric, float(value), draws)
        notes = [one.note]
        if np.isnan(value):
            low = high = float("nan")
            notes.insert(0, f"undefined: {one.why or METRICS[one.metric].undefined}")
        elif one.interval is None and (undefined := int(np.isnan(draws).sum())):
            notes.append(f"undefined in {undefined} of {len(draws)} resamples, left out there")
        result = replace(
            run,
            condition=encode_condition(one.condition),
            metric=one.metric,
            value=float(value),
            ci_low=low,
            ci_high=high,
            n=one.n,
            note="; ".join(note for note in notes if note),
        )
        results.append(result)
        if drawn.observe:
            drawn.observe(result, draws)
    return results


def averaged(drawn: Mapping[str, Drawn], left_out: Collection[str], *, independent: bool) -> Drawn:
    """The unweighted mean of every number that all of them have.

    The mean of their draws is a draw of the mean: data sets were resampled independently, models
    with the same items.

    Args:
        drawn: By data set, or by model.
        left_out: Metrics that have no mean, such as a count.
        independent: Whether they were resampled independently, so that intervals of shares can be
            put together; else numbers with an interval of their own are left out too.
    """
    keyed = [
        {(tuple(sorted(one.condition.items())), one.metric): i for i, one in enumerate(d.numbers)}
        for d in drawn.values()
    ]
    shared = [key for key in keyed[0] if all(key in other for other in keyed[1:])]
    columns = [[places[key] for key in shared] for places in keyed]
    kept, numbers = [], []
    for k, key in enumerate(shared):
        ones = [d.numbers[cols[k]] for d, cols in zip(drawn.values(), columns, strict=True)]
        if key[1] in left_out or not (independent or all(one.interval is None for one in ones)):
            continue
        values = [d.values[cols[k]] for d, cols in zip(drawn.values(), columns, strict=True)]
        undefined = [name for name, value in zip(drawn, values, strict=True) if np.isnan(value)]
        kept.append(k)
        numbers.append(
            replace(
                ones[0],
                metric=key[1],
                n=sum(one.n for one in ones),
                note=f"unweighted mean of {', '.join(drawn)}",
                interval=_mean_interval(np.array(values), ones),
                why=f"undefined in {', '.join(undefined)}",
            )
        )
    columns = [[cols[k] for k in kept] for cols in columns]
    means = [d.values[cols] for d, cols in zip(drawn.values(), columns, strict=True)]
    draws = [d.draws[:, cols] for d, cols in zip(drawn.values(), columns, strict=True)]
    observe = next(iter(drawn.values())).observe
    return Drawn(numbers, np.mean(means, axis=0), np.mean(draws, axis=0), observe)


def _mean_interval(values: FloatArray, numbers: Sequence[Number]) -> tuple[float, float] | None:
    """The interval of a mean of shares from the shares' own (Zou and Donner's MOVER)."""
    if any(one.interval is None for one in numbers):
        return None
    bounds = np.array([one.interval for one in numbers], float)
    below, above = np.sqrt(np.square(bounds - values[:, None]).sum(axis=0)) / len(numbers)
    return float(values.mean() - below), float(values.mean() + above)
