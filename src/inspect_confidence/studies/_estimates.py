"""From statistics of item weights to rows of results."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from inspect_confidence._results import Result, encode_condition
from inspect_confidence.metrics import (
    METRICS,
    Statistic,
    basic_interval,
    bootstrap,
    percentile_interval,
)
from inspect_confidence.studies._study import Resampling

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


_REFLECTED = frozenset({"meta_information", "id_mae", "cd_mae", "m_avg_cv"})
"""Metrics that resampling biases upwards, as it does distances and mutual information: percentile
intervals of the latter cover 60 to 72% at usual numbers of items."""


def _interval(metric: str, value: float, draws: FloatArray) -> tuple[float, float]:
    if metric not in _REFLECTED:
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
