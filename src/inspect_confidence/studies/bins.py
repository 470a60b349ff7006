"""Distributions of judgments in rows: bins, shares of values, type-2 rates, with intervals."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from inspect_confidence.metrics import (
    METRICS,
    ItemTables,
    bootstrap,
    corp_band,
    corp_curve,
    interval_of,
    means_of,
    resampled_interval,
)
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.metrics.resample import wilson_limits
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.estimate import cluster_names, condition_groups, wilson_interval
from inspect_confidence.studies.notes import describe_counts, join_notes
from inspect_confidence.studies.study import Resampling

RESAMPLES = 1_000
"""Number of resamples, enough for the length of a line in a figure."""

LEAST = 20
"""Number of items in a bin that the bootstrap interval of a mean needs."""

_EDGE = 1e-9
_DIGITS = 12  # as in count tables: what is equal but for rounding is equal
_WEIGHTS = "outcomes are probabilities"


@dataclass(frozen=True)
class _Readable:
    """The judgments of one condition that count; `note` says which judgments were left out."""

    key: Key
    condition: Condition
    rows: pd.DataFrame
    note: str

    def column(self, name: str) -> FloatArray:
        return self.rows[name].to_numpy(float)

    @cached_property
    def unit(self) -> IntArray:
        return pd.factorize(cluster_names(self.rows))[0].astype(np.int64)


def bin_of(values: FloatArray, bins: int = 10, *, own_top: bool = False) -> IntArray:
    """Return the bin of each value in [0, 1]: [k/bins, (k+1)/bins), the last one closed, as in ECE.

    0.3 * 10 may be a little below 3: a value within 1e-9 bins of an edge lies on it. With `own_top`
    exactly 1 has a bin of its own above the others, as in LifeEval.
    """
    last = bins if own_top else bins - 1
    return np.floor(values * bins + _EDGE).clip(0, last).astype(np.int64)


def bin_name(position: int, bins: int = 10) -> str:
    """Name a bin in conditions, `0.1-0.2`; `1` for the bin of exactly 1."""
    return "1" if position == bins else f"{position / bins:g}-{(position + 1) / bins:g}"


def bin_shares(
    key: Key,
    condition: Condition,
    metric: str,
    values: FloatArray,
    unit: IntArray,
    bins: int,
    note: str,
) -> Iterator[Result]:
    """Yield the share of values in [0, 1] in each bin, also empty ones, with Wilson's interval.

    `unit` is the index of each value's item. Without any value shares are NaN.
    """
    positions, units = bin_of(values, bins), len(np.bincount(unit))
    for position in range(bins):
        inside = (positions == position).astype(float)
        share = inside.mean() if len(values) else np.nan
        interval = wilson_interval(inside, unit, units)
        bin_condition = condition.but(bin=bin_name(position, bins))
        yield key.result(bin_condition, metric, share, interval, n=len(values), note=note)


def confidence_bins(
    rows: pd.DataFrame,
    parts: Sequence[str],
    resampling: Resampling,
    *,
    own_top: bool = False,
    clusters: str = "",
) -> Iterator[Result]:
    """Yield `bin_accuracy` and `bin_confidence` of the bins that hold judgments.

    The interval of the accuracy is Wilson's at the effective sample size of the items, or a
    bootstrap over items, of up to 1000 resamples, where outcomes are probabilities.

    Args:
        rows: Judgments with `confidence` and `correct`; those that are not `ok`, or lack one of
            them, are left out and counted in notes.
        parts: Columns that enter the condition, beside the variant.
        resampling: Settings of the bootstrap.
        own_top: Whether a confidence of exactly 1 has an eleventh bin, as in LifeEval.
        clusters: Name of the clusters of dependent items, if any: bins hold too few of them for an
            interval.
    """

    def bin_results(group: _Readable) -> Iterator[Result]:
        confidence, correct = group.column("confidence"), group.column("correct")
        bins, column = np.unique(bin_of(confidence, own_top=own_top), return_inverse=True)
        inside = column[:, None] == np.arange(len(bins))
        outcomes, sizes = np.where(inside, correct[:, None], np.nan), inside.sum(axis=0)
        intervals, remark = _bin_intervals(outcomes, group.unit, resampling, clusters)
        accuracy = np.bincount(column, correct) / sizes
        mean = np.bincount(column, confidence) / sizes
        for position, n in enumerate(map(int, sizes)):
            bin_condition = group.condition.but(bin=bin_name(bins[position]))
            interval = intervals[position]
            too_few = f"no interval: fewer than {LEAST} items" if np.isnan(interval).any() else ""
            note = join_notes(too_few, remark, group.note)
            key = group.key
            yield key.result(
                bin_condition, "bin_accuracy", accuracy[position], interval, n=n, note=note
            )
            yield key.result(bin_condition, "bin_confidence", mean[position], n=n, note=group.note)

    metrics = ("bin_accuracy", "bin_confidence")
    yield from _of_conditions(rows, parts, ("confidence", "correct"), metrics, bin_results)


def _bin_intervals(
    outcomes: FloatArray, unit: IntArray, resampling: Resampling, clusters: str
) -> tuple[FloatArray, str]:
    """Return an interval for each column's mean outcome, and a remark on their method."""
    if clusters:
        return np.full((outcomes.shape[1], 2), np.nan), f"no interval: too few {clusters} in a bin"
    if np.isin(outcomes[~np.isnan(outcomes)], (0, 1)).all():
        units = int(unit.max()) + 1
        return np.array([wilson_interval(flags, unit, units) for flags in outcomes.T]), ""
    return _resampled(outcomes, unit, resampling), f"{_WEIGHTS}: bootstrap interval over items"


def corp_rows(rows: pd.DataFrame, parts: Sequence[str], resampling: Resampling) -> Iterator[Result]:
    """Yield `corp_accuracy` and `consistency_band` at every confidence that was stated.

    There is no band if outcomes are probabilities, because no outcomes are drawn from the
    confidence then. `rows` and `parts` are as in `confidence_bins`; `resampling` has the seed.
    """

    def curve_results(group: _Readable) -> Iterator[Result]:
        confidence, correct = group.column("confidence"), group.column("correct")
        values, accuracy = corp_curve(confidence, correct)
        n, key, note = len(confidence), group.key, group.note
        conditions = [group.condition.but(confidence=f"{value:.12g}") for value in values]
        for condition, height in zip(conditions, accuracy, strict=True):
            yield key.result(condition, "corp_accuracy", height, n=n, note=note)
        if np.isin(correct, (0, 1)).all():
            band = corp_band(confidence, group.unit, seed=resampling.seed)
            for condition, value, low, high in zip(conditions, *band, strict=True):
                ends = min(low, value), max(high, value)
                yield key.result(condition, "consistency_band", value, ends, n=n, note=note)

    metrics = ("corp_accuracy", "consistency_band")
    yield from _of_conditions(rows, parts, ("confidence", "correct"), metrics, curve_results)


def type2_rates(rows: pd.DataFrame, parts: Sequence[str]) -> Iterator[Result]:
    """Yield `type2_hit_rate` and `type2_false_alarm_rate` at every confidence that was stated.

    Together with (0, 0) the rates are the type-2 ROC curve: the area under the straight lines
    between its points is `auroc`. If outcomes are probabilities p, an answer is right by p and
    wrong by 1 - p, and the rates have no interval. `rows` and `parts` are as in `confidence_bins`.
    """
    metrics = ("type2_hit_rate", "type2_false_alarm_rate")

    def rate_results(group: _Readable) -> Iterator[Result]:
        confidence = np.round(group.column("confidence"), _DIGITS)
        correct = group.column("correct")
        thresholds = np.unique(confidence)[::-1]
        sides = (correct, "right"), (1 - correct, "wrong")
        for metric, (mass, side) in zip(metrics, sides, strict=True):
            present = mass > 0
            values, intervals = _shares_at_least(
                thresholds, confidence[present], mass[present], group.unit[present]
            )
            undefined = "" if present.any() else f"undefined: no {side} answer"
            weighted = "" if np.isin(mass, (0, 1)).all() else f"{_WEIGHTS}: no interval"
            n, note = int(present.sum()), join_notes(undefined, weighted, group.note)
            for threshold, value, interval in zip(thresholds, values, intervals, strict=True):
                condition = group.condition.but(threshold=f"{threshold:.12g}")
                yield group.key.result(condition, metric, value, interval, n=n, note=note)

    yield from _of_conditions(rows, parts, ("confidence", "correct"), metrics, rate_results)


MOST_THRESHOLDS = 101
"""Largest number of points of a curve; of more confidences some are chosen, evenly by rank."""


def utility_curve(
    rows: pd.DataFrame, parts: Sequence[str], resampling: Resampling
) -> Iterator[Result]:
    """Yield `expected_utility` of answering from each stated confidence on, if costs are given.

    `rows` and `parts` are as in `confidence_bins`. The utility of never answering follows from the
    costs alone.
    """
    costs = resampling.costs
    if costs is None:
        return

    def utility_results(group: _Readable) -> Iterator[Result]:
        units = int(group.unit.max()) + 1
        confidence, correct = group.column("confidence"), group.column("correct")
        cells = ItemTables.from_judgments(confidence, correct, group.unit, units)
        count = min(len(cells.values), MOST_THRESHOLDS)
        ranks = np.linspace(0, len(cells.values) - 1, count).round().astype(np.int64)
        tables = cells.tables(np.ones((1, units)))
        values = costs.utilities(tables)[0, ranks]
        draws = bootstrap(
            {
                "utility": cells.table_statistic.map(
                    lambda tables: costs.utilities(tables)[:, ranks]
                )
            },
            np.zeros(units, np.int64),
            resamples=min(resampling.resamples, RESAMPLES),
            seed=resampling.seed,
        )["utility"]
        rule = METRICS["expected_utility"].interval
        for rank, value, value_draws in zip(ranks, values, draws.T, strict=True):
            threshold = f"{cells.values[rank]:.12g}"
            condition = group.condition.but(costs=str(costs), answered_from=threshold)
            interval, reason = interval_of(rule, value, value_draws, units)
            note = join_notes(f"no interval: {reason}" if reason else "", group.note)
            n = len(confidence)
            yield group.key.result(condition, "expected_utility", value, interval, n=n, note=note)

    needed, metrics = ("confidence", "correct"), ("expected_utility",)
    yield from _of_conditions(rows, parts, needed, metrics, utility_results)


def report_shares(
    rows: pd.DataFrame, parts: Sequence[str], report: str = "raw"
) -> Iterator[Result]:
    """Yield `report_share` of every value in the column `report`, with Wilson's interval.

    `rows` and `parts` are as in `confidence_bins`.
    """

    def share_results(group: _Readable) -> Iterator[Result]:
        reports, units = np.round(group.column(report), _DIGITS), int(group.unit.max()) + 1
        values, counts = np.unique(reports, return_counts=True)
        for value, count in zip(values, counts, strict=True):
            interval = wilson_interval((reports == value).astype(float), group.unit, units)
            condition, n = group.condition.but(report=f"{value:.12g}"), len(reports)
            share = count / n
            yield group.key.result(condition, "report_share", share, interval, n=n, note=group.note)

    yield from _of_conditions(rows, parts, (report,), ("report_share",), share_results)


def _of_conditions(
    rows: pd.DataFrame,
    parts: Sequence[str],
    needed: Sequence[str],
    metrics: Sequence[str],
    compute: Callable[[_Readable], Iterator[Result]],
) -> Iterator[Result]:
    """Yield the computed rows of each condition; undefined rows if no judgment counts."""
    columns = ("model", "dataset", "variant", *parts)
    for key, condition, group in condition_groups(rows, columns):
        present = (group["status"] == "ok") & group[list(needed)].notna().all(axis=1)
        note = describe_counts(group, present)
        if present.any():
            results = compute(_Readable(key, condition, group[present], note))
        else:
            undefined = join_notes("undefined: no readable judgment", note)
            results = (
                key.result(condition, metric, np.nan, n=0, note=undefined) for metric in metrics
            )
        for result in results:
            yield replace(result, asked=len(group))


def _shares_at_least(
    thresholds: FloatArray, confidence: FloatArray, mass: FloatArray, unit: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the share of the mass at or above each threshold, with Wilson's intervals.

    There are no intervals if masses other than 1 occur. Thresholds descend, and no confidence is
    below the last one; without judgments all is NaN.
    """
    no_intervals = np.full((len(thresholds), 2), np.nan)
    if not len(mass):
        return no_intervals[:, 0], no_intervals
    order = np.argsort(-confidence, kind="stable")
    included = np.searchsorted(-confidence[order], -thresholds, side="right")

    def sums_up_to_threshold(values: FloatArray) -> FloatArray:
        return np.concatenate([[0.0], np.cumsum(values)])[included]

    sums = sums_up_to_threshold(mass[order])
    shares = sums / sums[-1]  # the last threshold is the lowest confidence
    if not (mass == 1).all():
        return shares, no_intervals
    per_item = np.bincount(unit).astype(float)
    # One judgment more of an item raises the square of its count k by 2k + 1.
    before = pd.Series(unit[order]).groupby(unit[order]).cumcount().to_numpy(float)
    squares = sums_up_to_threshold(np.asarray(2 * before + 1, np.float64))
    # Over items, with s successes in t judgments: sum (s - share t)^2 / (sum t)^2.
    products = sums_up_to_threshold(per_item[unit][order])
    trials = np.full(len(shares), len(mass), float)
    spread = squares - 2 * shares * products + shares**2 * (per_item**2).sum()
    items = np.full(len(shares), (per_item > 0).sum(), float)
    with_hit = sums_up_to_threshold(np.asarray(before == 0, float))
    without_miss = sums_up_to_threshold(np.asarray(before == per_item[unit][order] - 1, float))
    rarer = np.minimum(with_hit, items - without_miss)
    return shares, wilson_limits(shares, spread / trials**2, trials, items, rarer=rarer)


def _resampled(outcomes: FloatArray, unit: IntArray, resampling: Resampling) -> FloatArray:
    """Return intervals of each column's mean outcome; columns with few items have none."""
    units = int(unit.max()) + 1
    draws = bootstrap(
        {"means": means_of(outcomes, unit, units)},
        np.zeros(units, np.int64),
        resamples=min(resampling.resamples, RESAMPLES),
        seed=resampling.seed,
    )["means"]
    intervals = np.full((len(draws.T), 2), np.nan)
    for position, (values, column) in enumerate(zip(draws.T, outcomes.T, strict=True)):
        items = len(np.unique(unit[~np.isnan(column)]))
        if items >= LEAST:
            mean = float(np.nanmean(column))
            intervals[position] = resampled_interval(mean, values, items)
    return intervals
