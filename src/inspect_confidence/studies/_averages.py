"""Unweighted means of numbers over data sets or over models."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from inspect_confidence.studies._estimates import Drawn, Number

FloatArray = NDArray[np.float64]


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
