"""Distributions of judgments in rows: bins, shares of values, type-2 rates, with intervals."""

from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist

import numpy as np
import pandas as pd

from inspect_confidence.metrics import (
    bootstrap,
    clustered_wilson_interval,
    means_of,
    percentile_interval,
)
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.estimate import noted, rests_on, runs
from inspect_confidence.studies.study import Resampling

RESAMPLES = 1_000
"""Enough for the length of a line in a figure."""

_EDGE = 1e-9
_DIGITS = 12  # as in count tables: what is equal but for rounding is equal
_WEIGHTS = "outcomes are probabilities"


def bin_of(values: FloatArray, bins: int = 10, *, own_top: bool = False) -> IntArray:
    """The bin of each value in [0, 1]: [k/bins, (k+1)/bins), the last one closed, as in ECE.

    0.3 * 10 may be a little below 3: a value within 1e-9 bins of an edge lies on it.

    Args:
        values: None of them NaN.
        bins: How many there are.
        own_top: Whether exactly 1 has a bin of its own above the others, as in LifeEval.
    """
    last = bins if own_top else bins - 1
    return np.floor(values * bins + _EDGE).clip(0, last).astype(np.int64)


def bin_name(place: int, bins: int = 10) -> str:
    """A bin in conditions, `0.1-0.2`; `1` for one of exactly 1."""
    return "1" if place == bins else f"{place / bins:g}-{(place + 1) / bins:g}"


def bin_shares(
    key: Key,
    condition: Condition,
    metric: str,
    values: FloatArray,
    unit: IntArray,
    bins: int,
    note: str,
) -> Iterator[Result]:
    """The share of values in each bin, also in empty ones, with Wilson's interval over items.

    Args:
        key: Of the rows.
        condition: Of the rows, without the bin.
        metric: Likewise.
        values: In [0, 1]; where there is none, shares are NaN.
        unit: The number of each value's item.
        bins: How many there are.
        note: Of the rows.
    """
    trials, place = np.bincount(unit), bin_of(values, bins)
    for k in range(bins):
        inside = np.bincount(unit, place == k)
        share = inside.sum() / len(values) if len(values) else np.nan
        interval = clustered_wilson_interval(inside, trials)
        at = condition.but(bin=bin_name(k, bins))
        yield key.result(at, metric, share, interval, n=len(values), note=note)


def confidence_bins(
    rows: pd.DataFrame, parts: Sequence[str], resampling: Resampling, *, own_top: bool = False
) -> Iterator[Result]:
    """`bin_accuracy` and `bin_confidence` of the bins that hold judgments.

    The interval of the accuracy is Wilson's at the effective sample size of the items, or a
    bootstrap over items where outcomes are probabilities.

    Args:
        rows: Judgments with `confidence` and `correct`; those that are not `ok`, or lack one of
            them, are left out and counted in notes.
        parts: Columns that enter the condition, beside the variant.
        resampling: Number, up to 1000, and seed of the bootstrap.
        own_top: Whether a confidence of exactly 1 has an eleventh bin, as in LifeEval.
    """

    def of(key: Key, at: Condition, read: pd.DataFrame, note: str) -> Iterator[Result]:
        confidence, correct = (read[name].to_numpy(float) for name in ("confidence", "correct"))
        bins, column = np.unique(bin_of(confidence, own_top=own_top), return_inverse=True)
        unit, size = _units(read), np.bincount(column)
        if np.isin(correct, (0, 1)).all():
            intervals, how = _intervals_of_columns(unit, column, correct), ""
        else:
            intervals = _resampled_of_columns(unit, column, correct, resampling)
            how = f"{_WEIGHTS}: bootstrap interval over items"
        accuracy, mean = (np.bincount(column, one) / size for one in (correct, confidence))
        said = noted(how, note)
        for k, n in enumerate(map(int, size)):
            where = at.but(bin=bin_name(bins[k]))
            yield key.result(where, "bin_accuracy", accuracy[k], intervals[k], n=n, note=said)
            yield key.result(where, "bin_confidence", mean[k], n=n, note=note)

    metrics = ("bin_accuracy", "bin_confidence")
    yield from _of_conditions(rows, parts, ("confidence", "correct"), metrics, of)


def type2_rates(rows: pd.DataFrame, parts: Sequence[str]) -> Iterator[Result]:
    """`type2_hit_rate` and `type2_false_alarm_rate` at every confidence that was stated.

    With (0, 0) they are the type-2 ROC curve: the area under the straight lines between them is
    `auroc`. Where outcomes are probabilities p, an answer is right by p and wrong by 1 - p, and
    rates have no interval.

    Args:
        rows: As in `confidence_bins`.
        parts: Columns that enter the condition, beside the variant.
    """

    def of(key: Key, at: Condition, read: pd.DataFrame, note: str) -> Iterator[Result]:
        confidence = np.round(read["confidence"].to_numpy(float), _DIGITS)
        correct, unit = read["correct"].to_numpy(float), _units(read)
        thresholds = np.unique(confidence)[::-1]
        for metric, mass, side in zip(
            metrics, (correct, 1 - correct), ("right", "wrong"), strict=True
        ):
            there = mass > 0
            values, intervals = _shares_at_least(
                thresholds, confidence[there], mass[there], unit[there]
            )
            none = "" if there.any() else f"undefined: no {side} answer"
            weighed = "" if np.isin(mass, (0, 1)).all() else f"{_WEIGHTS}: no interval"
            n, said = int(there.sum()), noted(none, weighed, note)
            for threshold, value, interval in zip(thresholds, values, intervals, strict=True):
                where = at.but(threshold=f"{threshold:.12g}")
                yield key.result(where, metric, value, interval, n=n, note=said)

    metrics = ("type2_hit_rate", "type2_false_alarm_rate")
    yield from _of_conditions(rows, parts, ("confidence", "correct"), metrics, of)


def report_shares(
    rows: pd.DataFrame, parts: Sequence[str], report: str = "raw"
) -> Iterator[Result]:
    """`report_share` of every value that was reported, with Wilson's interval.

    Args:
        rows: Judgments with the column `report`; those that are not `ok` are left out.
        parts: Columns that enter the condition, beside the variant.
        report: The column that holds what was reported.
    """

    def of(key: Key, at: Condition, read: pd.DataFrame, note: str) -> Iterator[Result]:
        reports = np.round(read[report].to_numpy(float), _DIGITS)
        values, column = np.unique(reports, return_inverse=True)
        shares, intervals = _shares_of_columns(_units(read), column)
        for value, share, interval in zip(values, shares, intervals, strict=True):
            where = at.but(report=f"{value:.12g}")
            yield key.result(where, "report_share", share, interval, n=len(read), note=note)

    yield from _of_conditions(rows, parts, (report,), ("report_share",), of)


def _of_conditions(
    rows: pd.DataFrame,
    parts: Sequence[str],
    needed: Sequence[str],
    metrics: Sequence[str],
    of: Callable[[Key, Condition, pd.DataFrame, str], Iterator[Result]],
) -> Iterator[Result]:
    """The rows of each condition's judgments that count; undefined ones where none does."""
    for key, at, some in runs(rows, ("model", "dataset", "variant", *parts)):
        there = (some["status"] == "ok") & some[list(needed)].notna().all(axis=1)
        note = rests_on(some, there)
        if there.any():
            yield from of(key, at, some[there], note)
            continue
        none = noted("undefined: no readable judgment", note)
        yield from (key.result(at, metric, np.nan, n=0, note=none) for metric in metrics)


# Intervals of the share that each of many columns holds. `unit` is the number of each judgment's
# item, `column` its column, such as the place of its value among all values.


def _shares_of_columns(unit: IntArray, column: IntArray) -> tuple[FloatArray, FloatArray]:
    """The share of all judgments that each column holds, and Wilson's intervals."""
    per_item = np.bincount(unit).astype(float)
    of_item, of_column, count = _cells(unit, column)
    hits, n = np.bincount(column).astype(float), float(len(unit))
    squared = np.bincount(of_column, count**2).astype(float)
    crossed = np.bincount(of_column, count * per_item[of_item]).astype(float)
    total, items = float((per_item**2).sum()), float((per_item > 0).sum())
    return hits / n, _wilson(hits, n, squared, crossed, total, items)


def _intervals_of_columns(unit: IntArray, column: IntArray, right: FloatArray) -> FloatArray:
    """Wilson's intervals of the share that is right, 1 or 0, in each column."""
    _, of_column, trials = _cells(unit, column)
    _, cell = np.unique(unit * (int(column.max()) + 1) + column, return_inverse=True)
    hits = np.bincount(cell, right)
    sums = (hits, trials, hits**2, hits * trials, trials**2, np.ones_like(hits))
    return _wilson(*(np.bincount(of_column, one).astype(float) for one in sums))


def _shares_at_least(
    thresholds: FloatArray, confidence: FloatArray, mass: FloatArray, unit: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The share of the mass at or above each threshold, with Wilson's intervals if masses are 1.

    Thresholds descend, and no confidence is below the last one; all is NaN where there is no
    judgment.
    """
    none = np.full((len(thresholds), 2), np.nan)
    if not len(mass):
        return none[:, 0], none
    order = np.argsort(-confidence, kind="stable")
    taken = np.searchsorted(-confidence[order], -thresholds, side="right")

    def up_to(values: FloatArray) -> FloatArray:
        return np.concatenate([[0.0], np.cumsum(values[order])])[taken]

    found = up_to(mass)
    values = found / found[-1]  # the last threshold is the lowest confidence
    if not (mass == 1).all():
        return values, none
    per_item = np.bincount(unit).astype(float)
    # One judgment more of an item raises the square of its count k by 2k + 1.
    before = pd.Series(unit[order]).groupby(unit[order]).cumcount().to_numpy(float)
    squares = np.concatenate([[0.0], np.cumsum(2 * before + 1)])[taken]
    total, items = float((per_item**2).sum()), float((per_item > 0).sum())
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


def _resampled_of_columns(
    unit: IntArray, column: IntArray, outcome: FloatArray, resampling: Resampling
) -> FloatArray:
    """Percentile intervals of the mean outcome in each column; one item alone has none."""
    apart = np.where(column[:, None] == np.arange(column.max() + 1), outcome[:, None], np.nan)
    units = int(unit.max()) + 1
    draws = bootstrap(
        {"means": means_of(apart, unit, units)},
        np.zeros(units, np.int64),
        resamples=min(resampling.resamples, RESAMPLES),
        seed=resampling.seed,
    )["means"]
    intervals = np.array([percentile_interval(values) for values in draws.T])
    intervals[np.bincount(_cells(unit, column)[1]) < 2] = np.nan
    return intervals


def _cells(unit: IntArray, column: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """The item, the column and the number of judgments of each cell that has any."""
    width = int(column.max()) + 1
    cells, count = np.unique(unit * width + column, return_counts=True)
    return cells // width, cells % width, count.astype(float)


def _units(read: pd.DataFrame) -> IntArray:
    return pd.factorize(read["item"])[0].astype(np.int64)
