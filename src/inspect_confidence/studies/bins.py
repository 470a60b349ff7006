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

MAX_RESAMPLES = 1_000
"""Largest number of resamples, enough for the length of a line in a figure."""

MIN_ITEMS = 20
"""Number of items in a bin that the bootstrap interval of a mean needs."""

_EDGE_TOLERANCE = 1e-9
"""Distance in bins up to which a value lies on the edge above it: 0.3 * 10 may be below 3."""
_DECIMALS = 12
"""Decimals of confidences, as in count tables: values that differ by rounding alone are equal."""
_PROBABILITIES_NOTE = "outcomes are probabilities"


@dataclass(frozen=True)
class _Readable:
    """The readable judgments of one condition.

    Attributes:
        key: Task, model and data set.
        condition: Condition of the results.
        rows: Judgments that are `ok` and have all needed columns.
        note: Note on the judgments that were left out.
    """

    key: Key
    condition: Condition
    rows: pd.DataFrame
    note: str

    def column(self, name: str) -> FloatArray:
        """Return a column as numbers."""
        return self.rows[name].to_numpy(float)

    @cached_property
    def unit_index(self) -> IntArray:
        """Index of each judgment's cluster, or of its item if it has no cluster."""
        return pd.factorize(cluster_names(self.rows))[0].astype(np.int64)


def bin_of(values: FloatArray, bins: int = 10, *, own_top: bool = False) -> IntArray:
    """Return the index of the bin of each value in [0, 1].

    Bins are [k/bins, (k+1)/bins), as in ECE. A value that rounding alone puts below an edge lies on
    it. A value of 1 belongs to the last bin, or with `own_top` to an additional one (LifeEval).
    """
    last = bins if own_top else bins - 1
    return np.floor(values * bins + _EDGE_TOLERANCE).clip(0, last).astype(np.int64)


def bin_name(position: int, bins: int = 10) -> str:
    """Return the name of a bin in conditions: `0.1-0.2`, or `1` for the bin of exactly 1."""
    return "1" if position == bins else f"{position / bins:g}-{(position + 1) / bins:g}"


def bin_shares(
    key: Key,
    condition: Condition,
    metric: str,
    values: FloatArray,
    unit_index: IntArray,
    bins: int,
    note: str,
) -> Iterator[Result]:
    """Yield the share of values in each bin, including empty bins, with Wilson's interval.

    `values` are in [0, 1]; without any the shares are NaN. `unit_index` is the index of each
    value's item, `bins` the number of bins of equal width. The part `bin` is added to `condition`.
    """
    positions, unit_count = bin_of(values, bins), len(np.bincount(unit_index))
    for position in range(bins):
        inside = (positions == position).astype(float)
        share = inside.mean() if len(values) else np.nan
        interval = wilson_interval(inside, unit_index, unit_count)
        bin_condition = condition.but(bin=bin_name(position, bins))
        yield key.result(bin_condition, metric, share, interval, n=len(values), note=note)


def confidence_bins(
    rows: pd.DataFrame,
    condition_columns: Sequence[str],
    resampling: Resampling,
    *,
    own_top: bool = False,
    clusters: str = "",
) -> Iterator[Result]:
    """Yield `bin_accuracy` and `bin_confidence` of the bins that hold judgments.

    The interval of the accuracy is Wilson's at the effective sample size of the items. If outcomes
    are probabilities, it is that of a bootstrap over items with at most 1000 resamples.

    Args:
        rows: Judgments with `confidence` and `correct`; those that are not `ok`, or lack one of
            them, are left out and counted in notes.
        condition_columns: Columns that enter the condition, beside the variant.
        resampling: Settings of the bootstrap.
        own_top: Whether a confidence of exactly 1 has an eleventh bin, as in LifeEval.
        clusters: Name, in the plural, of the clusters of dependent items; empty if items are
            independent. With clusters there are no intervals, because a bin holds too few of them.
    """

    def bin_results(group: _Readable) -> Iterator[Result]:
        """Yield accuracy and mean confidence of each bin that holds judgments of a condition."""
        confidence, correct = group.column("confidence"), group.column("correct")
        bins = bin_of(confidence, own_top=own_top)
        filled_bins, column = np.unique(bins, return_inverse=True)
        inside = column[:, None] == np.arange(len(filled_bins))
        outcomes, sizes = np.where(inside, correct[:, None], np.nan), inside.sum(axis=0)
        intervals, remark = _bin_intervals(outcomes, group.unit_index, resampling, clusters)
        accuracy = np.bincount(column, correct) / sizes
        mean = np.bincount(column, confidence) / sizes
        for position, n in enumerate(map(int, sizes)):
            bin_condition = group.condition.but(bin=bin_name(filled_bins[position]))
            interval, key = intervals[position], group.key
            too_few = ""
            if np.isnan(interval).any() and not clusters:
                too_few = f"no interval: fewer than {MIN_ITEMS} items"
            note = join_notes(too_few, remark, group.note)
            yield key.result(
                bin_condition, "bin_accuracy", accuracy[position], interval, n=n, note=note
            )
            yield key.result(bin_condition, "bin_confidence", mean[position], n=n, note=group.note)

    metrics = ("bin_accuracy", "bin_confidence")
    yield from _results_by_condition(
        rows, condition_columns, ("confidence", "correct"), metrics, bin_results
    )


def _bin_intervals(
    outcomes: FloatArray, unit_index: IntArray, resampling: Resampling, clusters: str
) -> tuple[FloatArray, str]:
    """Return the interval of each column's mean outcome, and a remark on the method.

    Args:
        outcomes: Outcomes of shape (judgments, bins), NaN where a judgment is not in the bin.
        unit_index: The index of each judgment's item.
        resampling: Settings of the bootstrap, which is used if an outcome is not 0 or 1.
        clusters: Plural name of clusters of dependent items, with which intervals are NaN; empty if
            items are independent.
    """
    if clusters:
        return np.full((outcomes.shape[1], 2), np.nan), f"no interval: too few {clusters} in a bin"
    if np.isin(outcomes[~np.isnan(outcomes)], (0, 1)).all():
        unit_count = int(unit_index.max()) + 1
        intervals = [wilson_interval(flags, unit_index, unit_count) for flags in outcomes.T]
        return np.array(intervals), ""
    remark = f"{_PROBABILITIES_NOTE}: bootstrap interval over items"
    return _bootstrap_intervals(outcomes, unit_index, resampling), remark


def corp_curve_rows(
    rows: pd.DataFrame, condition_columns: Sequence[str], resampling: Resampling
) -> Iterator[Result]:
    """Yield `corp_accuracy` and `consistency_band` at every stated confidence.

    CORP is the isotonic regression of outcomes on confidence. The band simulates outcomes of
    calibrated confidence, so there is none if outcomes are probabilities. `rows` are judgments with
    `confidence` and `correct`; the values of `condition_columns` and the variant make the
    condition; `resampling` has the seed.
    """

    def curve_results(group: _Readable) -> Iterator[Result]:
        """Yield a condition's isotonic accuracy at each stated confidence, then the CORP band."""
        confidence, correct = group.column("confidence"), group.column("correct")
        values, accuracy = corp_curve(confidence, correct)
        n, key, note = len(confidence), group.key, group.note
        conditions = [group.condition.but(confidence=f"{value:.12g}") for value in values]
        for condition, height in zip(conditions, accuracy, strict=True):
            yield key.result(condition, "corp_accuracy", height, n=n, note=note)
        if np.isin(correct, (0, 1)).all():
            band = corp_band(confidence, group.unit_index, seed=resampling.seed)
            for condition, value, low, high in zip(conditions, *band, strict=True):
                ends = min(low, value), max(high, value)  # the band contains the diagonal
                yield key.result(condition, "consistency_band", value, ends, n=n, note=note)

    metrics = ("corp_accuracy", "consistency_band")
    yield from _results_by_condition(
        rows, condition_columns, ("confidence", "correct"), metrics, curve_results
    )


def type2_rates(rows: pd.DataFrame, condition_columns: Sequence[str]) -> Iterator[Result]:
    """Yield `type2_hit_rate` and `type2_false_alarm_rate` at every stated confidence.

    The rates and (0, 0) are the points of the type-2 ROC curve. The area under the straight lines
    between them is `auroc`. If outcomes are probabilities p, an answer counts as right with weight
    p and as wrong with weight 1 - p, and the rates have no interval. `rows` are judgments with
    `confidence` and `correct`; the values of `condition_columns` and the variant make the
    condition.
    """
    metrics = ("type2_hit_rate", "type2_false_alarm_rate")

    def rate_results(group: _Readable) -> Iterator[Result]:
        """Yield both rates of a condition at each threshold, the highest first.

        Right answers give the hit rate, wrong ones the false-alarm rate; a probability p counts as
        right with weight p, as wrong with weight 1 - p.
        """
        confidence = np.round(group.column("confidence"), _DECIMALS)
        correct = group.column("correct")
        thresholds = np.unique(confidence)[::-1]
        outcomes = (correct, "right"), (1 - correct, "wrong")
        for metric, (mass, outcome) in zip(metrics, outcomes, strict=True):
            present = mass > 0
            values, intervals = _shares_at_least(
                thresholds, confidence[present], mass[present], group.unit_index[present]
            )
            undefined = "" if present.any() else f"undefined: no {outcome} answer"
            weighted = "" if np.isin(mass, (0, 1)).all() else f"{_PROBABILITIES_NOTE}: no interval"
            n, note = int(present.sum()), join_notes(undefined, weighted, group.note)
            for threshold, value, interval in zip(thresholds, values, intervals, strict=True):
                condition = group.condition.but(threshold=f"{threshold:.12g}")
                yield group.key.result(condition, metric, value, interval, n=n, note=note)

    yield from _results_by_condition(
        rows, condition_columns, ("confidence", "correct"), metrics, rate_results
    )


MAX_THRESHOLDS = 101
"""Largest number of points of a curve; if there are more confidences, points are evenly spaced in
rank.
"""


def utility_curve(
    rows: pd.DataFrame, condition_columns: Sequence[str], resampling: Resampling
) -> Iterator[Result]:
    """Yield `expected_utility` of answering from each stated confidence on; nothing without costs.

    `rows` are judgments with `confidence` and `correct`; the values of `condition_columns` and the
    variant make the condition; `resampling` has the costs. Of more than 101 confidences the rows
    are of 101 evenly spaced in rank. Never answering has no row, because its utility follows from
    the costs alone.
    """
    costs = resampling.costs
    if costs is None:
        return

    def utility_results(group: _Readable) -> Iterator[Result]:
        """Yield the utility of answering from each stated confidence on, at most 101 of them."""
        unit_count = int(group.unit_index.max()) + 1
        confidence, correct = group.column("confidence"), group.column("correct")
        count_tables = ItemTables.from_judgments(confidence, correct, group.unit_index, unit_count)
        count = min(len(count_tables.values), MAX_THRESHOLDS)
        ranks = np.linspace(0, len(count_tables.values) - 1, count).round().astype(np.int64)
        utility = count_tables.table_statistic.map(lambda tables: costs.utilities(tables)[:, ranks])
        values = costs.utilities(count_tables.tables(np.ones((1, unit_count))))[0, ranks]
        draws = bootstrap(
            {"utility": utility},
            np.zeros(unit_count, np.int64),
            resamples=min(resampling.resamples, MAX_RESAMPLES),
            seed=resampling.seed,
        )["utility"]
        rule = METRICS["expected_utility"].interval
        for rank, value, value_draws in zip(ranks, values, draws.T, strict=True):
            threshold = f"{count_tables.values[rank]:.12g}"
            condition = group.condition.but(costs=str(costs), answered_from=threshold)
            interval, reason = interval_of(rule, value, value_draws, unit_count)
            note = join_notes(f"no interval: {reason}" if reason else "", group.note)
            n = len(confidence)
            yield group.key.result(condition, "expected_utility", value, interval, n=n, note=note)

    needed, metrics = ("confidence", "correct"), ("expected_utility",)
    yield from _results_by_condition(rows, condition_columns, needed, metrics, utility_results)


def report_shares(
    rows: pd.DataFrame, condition_columns: Sequence[str], report: str = "raw"
) -> Iterator[Result]:
    """Yield `report_share` of every value in the column `report`, with Wilson's interval.

    `rows` are judgments; the values of `condition_columns` and the variant make the condition.
    """

    def share_results(group: _Readable) -> Iterator[Result]:
        """Yield the share of each reported value of a condition."""
        reports = np.round(group.column(report), _DECIMALS)
        unit_count = int(group.unit_index.max()) + 1
        values, counts = np.unique(reports, return_counts=True)
        for value, count in zip(values, counts, strict=True):
            is_value = (reports == value).astype(float)
            interval = wilson_interval(is_value, group.unit_index, unit_count)
            condition, n = group.condition.but(report=f"{value:.12g}"), len(reports)
            share = count / n
            yield group.key.result(condition, "report_share", share, interval, n=n, note=group.note)

    yield from _results_by_condition(
        rows, condition_columns, (report,), ("report_share",), share_results
    )


def _results_by_condition(
    rows: pd.DataFrame,
    condition_columns: Sequence[str],
    needed: Sequence[str],
    metrics: Sequence[str],
    compute: Callable[[_Readable], Iterator[Result]],
) -> Iterator[Result]:
    """Yield the results of each model, data set, variant and condition.

    Args:
        rows: Judgments.
        condition_columns: Columns that enter the condition, beside the variant.
        needed: Columns without which a judgment does not count.
        metrics: Metrics that are undefined, a row each, if no judgment of a condition counts.
        compute: Judgments of a condition that count -> its results.
    """
    columns = ("model", "dataset", "variant", *condition_columns)
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
    thresholds: FloatArray, confidence: FloatArray, mass: FloatArray, unit_index: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the share of judgments, weighted by mass, with confidence at or above each threshold.

    The second array has Wilson's intervals. Shares and intervals are NaN without judgments, and
    intervals if a mass is not 1.

    Args:
        thresholds: Thresholds in descending order; the last one is the lowest confidence.
        confidence: Confidence of each judgment.
        mass: Weight of each judgment.
        unit_index: The index of each judgment's item.
    """
    no_intervals = np.full((len(thresholds), 2), np.nan)
    if not len(mass):
        return no_intervals[:, 0], no_intervals
    order = np.argsort(-confidence, kind="stable")
    included = np.searchsorted(-confidence[order], -thresholds, side="right")

    def sums_up_to_threshold(values: FloatArray) -> FloatArray:
        return np.concatenate([[0.0], np.cumsum(values)])[included]

    sums = sums_up_to_threshold(mass[order])
    shares = sums / sums[-1]
    if not (mass == 1).all():
        return shares, no_intervals
    per_item = np.bincount(unit_index).astype(float)
    # Squared number of an item's judgments so far: one more of k judgments adds 2k + 1.
    before = pd.Series(unit_index[order]).groupby(unit_index[order]).cumcount().to_numpy(float)
    squares = sums_up_to_threshold(np.asarray(2 * before + 1, np.float64))
    # Variance of a share over items with s judgments at or above the threshold of t:
    # sum (s - share * t)^2 / (sum t)^2.
    products = sums_up_to_threshold(per_item[unit_index][order])
    trials = np.full(len(shares), len(mass), float)
    spread = squares - 2 * shares * products + shares**2 * (per_item**2).sum()
    items = np.full(len(shares), (per_item > 0).sum(), float)
    items_with_any = sums_up_to_threshold(np.asarray(before == 0, float))
    is_last = before == per_item[unit_index][order] - 1
    items_with_all = sums_up_to_threshold(np.asarray(is_last, float))
    # Items with a judgment at or above the threshold, or items with one below, whichever are fewer.
    rarer = np.minimum(items_with_any, items - items_with_all)
    return shares, wilson_limits(shares, spread / trials**2, trials, items, rarer=rarer)


def _bootstrap_intervals(
    outcomes: FloatArray, unit_index: IntArray, resampling: Resampling
) -> FloatArray:
    """Return the bootstrap interval of each column's mean outcome; NaN for fewer than 20 items.

    `outcomes` have shape (judgments, bins), NaN where a judgment is not in the bin; `unit_index` is
    the index of each judgment's item.
    """
    unit_count = int(unit_index.max()) + 1
    draws = bootstrap(
        {"means": means_of(outcomes, unit_index, unit_count)},
        np.zeros(unit_count, np.int64),
        resamples=min(resampling.resamples, MAX_RESAMPLES),
        seed=resampling.seed,
    )["means"]
    intervals = np.full((len(draws.T), 2), np.nan)
    for position, (values, column) in enumerate(zip(draws.T, outcomes.T, strict=True)):
        items = len(np.unique(unit_index[~np.isnan(column)]))
        if items >= MIN_ITEMS:
            mean = float(np.nanmean(column))
            intervals[position] = resampled_interval(mean, values, items)
    return intervals
