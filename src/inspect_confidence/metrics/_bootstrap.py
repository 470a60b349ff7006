"""Resampling of items, for any statistic that can be written with a weight for each item.

A statistic takes weights of shape (resamples, units) and gives one value a resample. A weight
is how often the unit (an item, with all its judgments) was drawn, so judgments of one item stay
together, several statistics share the same draws, and a difference of two is paired.
"""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inspect_confidence.metrics._arrays import FloatArray

Name = TypeVar("Name", bound=Hashable)

Statistic = Callable[[FloatArray], FloatArray]
"""Weights (resamples, units) -> values (resamples,), NaN where undefined.

An array (resamples, m) holds m numbers that are computed together.
"""

_CHUNK = 500_000
"""Weights held in memory at once, 4 MB: 500 resamples of 1,000 items."""

_BLOCK = 50
"""Resamples drawn at once: their random numbers stay in the processor's cache."""


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> Statistic:
    """The statistic sum(w numerator) / sum(w denominator), from sums over each unit.

    NaN where the denominator is 0; infinite where a unit with an infinite numerator was drawn.
    """
    above, below = np.asarray(numerator, float), np.asarray(denominator, float)
    # An infinite value of a unit that was not drawn must not make 0 * inf = NaN.
    sums = np.column_stack(
        [np.where(np.isinf(above), 0, above), below, above == np.inf, above == -np.inf]
    )

    def statistic(weights: FloatArray) -> FloatArray:
        top, bottom, up, down = (weights @ sums).T
        with np.errstate(divide="ignore", invalid="ignore"):
            finite = top / bottom
        infinite = np.where((up > 0) & (down > 0), np.nan, np.where(up > 0, np.inf, -np.inf))
        values = np.where((up > 0) | (down > 0), infinite, finite)
        return np.where(bottom > 0, values, np.nan)

    return statistic


def mean_of(values: ArrayLike, unit: NDArray[np.int64], units: int) -> Statistic:
    """The mean of judgments' values, each weighing as much as its unit; NaN values left out."""
    array = np.asarray(values, float)
    there = ~np.isnan(array)
    return ratio(
        np.bincount(unit[there], array[there], minlength=units),
        np.bincount(unit[there], minlength=units),
    )


def means_of(values: ArrayLike, unit: NDArray[np.int64], units: int) -> Statistic:
    """The means of several finite values of each judgment at once; NaN values left out.

    Args:
        values: Of shape (judgments, m).
        unit: The number of each judgment's unit.
        units: How many units there are.

    Returns:
        A statistic of shape (resamples, m).
    """
    array = np.asarray(values, float)
    there = ~np.isnan(array)
    sums = np.zeros((units, 2 * array.shape[1]))
    np.add.at(sums, unit, np.hstack([np.where(there, array, 0), there]))

    def statistic(weights: FloatArray) -> FloatArray:
        top, bottom = np.hsplit(weights @ sums, 2)
        return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), np.nan)

    return statistic


def middle_of(
    values: ArrayLike, unit: NDArray[np.int64]
) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]]:
    """The lower and the upper weighted median of judgments' values; NaN values left out."""
    array = np.asarray(values, float)
    order = np.argsort(array)[: int((~np.isnan(array)).sum())]
    ranked, of_unit = array[order], unit[order]

    def middle(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        if not len(ranked):
            return np.full(len(weights), np.nan), np.full(len(weights), np.nan)
        mass = np.cumsum(weights[:, of_unit], axis=1)
        half = mass[:, -1:] / 2
        drawn = half[:, 0] > 0
        low = np.where(drawn, ranked[(mass >= half).argmax(axis=1)], np.nan)
        high = np.where(drawn, ranked[(mass > half).argmax(axis=1)], np.nan)
        return low, high

    return middle


def median_of(values: ArrayLike, unit: NDArray[np.int64]) -> Statistic:
    """The median of judgments' values, each weighing as much as its unit; NaN values left out.

    The mean of the lower and the upper weighted median, so that whole-number weights give the
    same as repeating the values.
    """
    middle = middle_of(values, unit)

    def statistic(weights: FloatArray) -> FloatArray:
        low, high = middle(weights)
        return (low + high) / 2

    return statistic


def resampled_weights(
    strata: NDArray[np.int64], resamples: int, seed: int | Sequence[int]
) -> Iterator[FloatArray]:
    """Bootstrap weights in chunks: units drawn with replacement, within each stratum.

    Each chunk is stored unit by unit (Fortran's order), as sparse products take it.
    """
    rng = np.random.default_rng(seed)
    members = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    most = max(1, min(500, _CHUNK // max(len(strata), 1)))
    for start in range(0, resamples, most):
        rows = min(most, resamples - start)
        weights = np.zeros((len(strata), rows))
        for member in members:
            for first in range(0, rows, _BLOCK):
                size = (min(_BLOCK, rows - first), len(member))
                drawn = rng.integers(len(member), size=size)
                drawn += len(member) * np.arange(len(drawn))[:, None]
                counts = np.bincount(drawn.ravel(), minlength=drawn.size)
                weights[member, first : first + len(drawn)] = counts.reshape(size).T
        yield weights.T


def bootstrap(
    statistics: Mapping[Name, Statistic],
    strata: NDArray[np.int64],
    *,
    resamples: int = 10_000,
    seed: int | Sequence[int] = 0,
) -> dict[Name, FloatArray]:
    """Values of every statistic over the same resamples of the units.

    Args:
        statistics: What to compute, by any name.
        strata: The stratum of each unit; units are drawn with replacement within it.
        resamples: Number of resamples.
        seed: Of the draws.

    Returns:
        For each name an array of `resamples` values, or rows of values.

    Raises:
        ValueError: `resamples` is below 1.
    """
    if resamples < 1:
        raise ValueError(f"resamples={resamples} is below 1.")
    values: dict[Name, list[FloatArray]] = {name: [] for name in statistics}
    for weights in resampled_weights(strata, resamples, seed):
        for name, statistic in statistics.items():
            values[name].append(statistic(weights))
    return {name: np.concatenate(chunks) for name, chunks in values.items()}


def percentile_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Percentile interval of bootstrap values; undefined resamples are left out, NaN if all are.

    Quantiles are order statistics (no interpolation), so that infinite values stay infinite.
    """
    array = np.asarray(values, float)
    array = array[~np.isnan(array)]
    if not len(array):
        return float("nan"), float("nan")
    array.sort()
    tail = (1 - confidence) / 2
    # The tolerance keeps 0.025 * 10,000 at the 250th value: in floats it is a little more.
    ranks = (math.ceil(share * len(array) - 1e-9) for share in (tail, 1 - tail))
    low, high = (array[max(rank, 1) - 1] for rank in ranks)
    return float(low), float(high)


def basic_interval(
    value: float, values: ArrayLike, confidence: float = 0.95
) -> tuple[float, float]:
    """Basic (reflected) interval: twice the value less the percentile interval's ends.

    For statistics that are biased as much in a resample as in the sample, where the percentile
    interval has the bias twice. Undefined resamples are left out, NaN if all are.

    Args:
        value: Of the sample.
        values: Of the resamples.
        confidence: Of the interval.
    """
    low, high = percentile_interval(values, confidence)
    return 2 * value - high, 2 * value - low
