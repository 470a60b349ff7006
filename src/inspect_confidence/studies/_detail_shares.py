"""Shares of judgments with their intervals, many at once: Wilson's over items, or a bootstrap."""

from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.metrics import bootstrap, means_of, percentile_interval
from inspect_confidence.studies._study import Resampling

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_RESAMPLES = 1_000  # enough for the length of a line in a figure
_NAN = float("nan")


def shares_of_columns(unit: IntArray, column: IntArray) -> tuple[FloatArray, FloatArray]:
    """The share of all judgments that each column holds, and Wilson's intervals.

    Args:
        unit: The number of each judgment's item.
        column: Its column, such as the place of its value among all values.

    Returns:
        Shares, and intervals of shape (columns, 2).
    """
    per_item = np.bincount(unit).astype(float)
    of_item, of_column, count = _cells(unit, column)
    hits = np.bincount(column).astype(float)
    intervals = _wilson(
        hits,
        float(len(unit)),
        np.bincount(of_column, count**2).astype(float),
        np.bincount(of_column, count * per_item[of_item]).astype(float),
        float((per_item**2).sum()),
        float((per_item > 0).sum()),
    )
    return hits / len(unit), intervals


def intervals_of_columns(unit: IntArray, column: IntArray, right: FloatArray) -> FloatArray:
    """Wilson's intervals of the share that is right in each column, of shape (columns, 2).

    Args:
        unit: The number of each judgment's item.
        column: Its column.
        right: 1 or 0.
    """
    _, of_column, trials = _cells(unit, column)
    width = int(column.max()) + 1
    _, cell = np.unique(unit * width + column, return_inverse=True)
    hits = np.bincount(cell, right)
    sums = (hits, trials, hits**2, hits * trials, trials**2, np.ones_like(hits))
    return _wilson(*(np.bincount(of_column, one).astype(float) for one in sums))


def shares_at_least(
    thresholds: FloatArray, confidence: FloatArray, mass: FloatArray, unit: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The share of the mass at or above each threshold, with Wilson's intervals if masses are 1.

    Args:
        thresholds: Descending; none of the confidences is below the last one.
        confidence: Of each judgment.
        mass: What each judgment counts.
        unit: The number of its item.

    Returns:
        Shares, and intervals of shape (thresholds, 2); NaN where there is no judgment.
    """
    if not len(mass):
        return np.full(len(thresholds), _NAN), np.full((len(thresholds), 2), _NAN)
    order = np.argsort(-confidence, kind="stable")
    taken = np.searchsorted(-confidence[order], -thresholds, side="right")

    def up_to(values: FloatArray) -> FloatArray:
        return np.concatenate([[0.0], np.cumsum(values[order])])[taken]

    found = up_to(mass)
    values = found / found[-1]  # the last threshold is the lowest confidence
    if not (mass == 1).all():
        return values, np.full((len(thresholds), 2), _NAN)
    per_item = np.bincount(unit).astype(float)
    # One judgment more of an item raises the square of its count k by 2k + 1.
    before = pd.Series(unit[order]).groupby(unit[order]).cumcount().to_numpy(float)
    squares = np.concatenate([[0.0], np.cumsum(2 * before + 1)])[taken]
    items = float((per_item > 0).sum())
    total = float((per_item**2).sum())
    return values, _wilson(found, float(len(mass)), squares, up_to(per_item[unit]), total, items)


def _wilson(
    hits: FloatArray,
    trials: FloatArray | float,
    squared: FloatArray,
    crossed: FloatArray,
    trials_squared: FloatArray | float,
    items: FloatArray | float,
) -> FloatArray:
    """`clustered_wilson_interval` of many shares, from sums over items.

    Args:
        hits: Sum of an item's successes s.
        trials: Sum of its trials t.
        squared: Sum of s^2.
        crossed: Sum of s t.
        trials_squared: Sum of t^2.
        items: How many have a trial.
    """
    share = hits / trials
    variance = (squared - 2 * share * crossed + share**2 * trials_squared) / np.square(trials)
    independent = share * (1 - share) / trials
    varies = variance > 1e-9 * independent
    ratio = share * (1 - share) / np.where(varies, variance, 1)
    n = np.where(varies, np.minimum(ratio, trials), items)
    z = NormalDist().inv_cdf(0.975)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low = np.where(share == 0, 0, middle - half)
    return np.column_stack([low, np.where(share == 1, 1, middle + half)])


def resampled_of_columns(
    unit: IntArray, column: IntArray, outcome: FloatArray, resampling: Resampling
) -> FloatArray:
    """Percentile intervals of the mean outcome in each column, of shape (columns, 2).

    One item alone has none: it never varies.

    Args:
        unit: The number of each judgment's item.
        column: Its column.
        outcome: In [0, 1].
        resampling: Seed, and number of resamples up to 1000.
    """
    apart = np.where(column[:, None] == np.arange(column.max() + 1), outcome[:, None], _NAN)
    units = int(unit.max()) + 1
    draws = bootstrap(
        {"means": means_of(apart, unit, units)},
        np.zeros(units, np.int64),
        resamples=min(resampling.resamples, _RESAMPLES),
        seed=resampling.seed,
    )["means"]
    items = np.bincount(_cells(unit, column)[1])
    return np.array(
        [
            percentile_interval(values) if several else (_NAN, _NAN)
            for values, several in zip(draws.T, items > 1, strict=True)
        ]
    )


def _cells(unit: IntArray, column: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """The item, the column and the number of judgments of each cell that has any."""
    width = int(column.max()) + 1
    cells, count = np.unique(unit * width + column, return_counts=True)
    return cells // width, cells % width, count.astype(float)
