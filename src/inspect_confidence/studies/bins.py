"""Distributions of judgments in rows: bins, shares of values, type-2 rates, with intervals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from inspect_confidence.metrics import (
    METRICS,
    Costs,
    ItemTables,
    corp_band,
    corp_curve,
    interval_of,
    means_of,
    resampled_interval,
)
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.metrics.resample import wilson_limits
from inspect_confidence.results import NO_INTERVAL, Condition, Key, Result
from inspect_confidence.studies.estimate import (
    bootstrap_draws,
    cluster_names,
    condition_groups,
    wilson_interval,
)
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
        rows: Judgments that are `ok` and have all needed columns; there may be none.
        n_asked: Number of all judgments of the condition.
        note: Note on the judgments that were left out.
    """

    key: Key
    condition: Condition
    rows: pd.DataFrame
    n_asked: int
    note: str

    def column(self, name: str) -> FloatArray:
        """Return a column as numbers."""
        return self.rows[name].to_numpy(float)

    @cached_property
    def unit_index(self) -> IntArray:
        """Index of each judgment's cluster, or of its item if it has no cluster."""
        return pd.factorize(cluster_names(self.rows))[0].astype(np.int64)

    @property
    def unit_count(self) -> int:
        """Number of clusters, and of items without a cluster; there must be a judgment."""
        return int(self.unit_index.max()) + 1

    def result(
        self,
        parts: Mapping[str, object],
        metric: str,
        value: float,
        interval: Sequence[float] = NO_INTERVAL,
        *,
        n: int,
        note: str,
    ) -> Result:
        """Return a row of results on these judgments; `parts` are added to their condition."""
        condition = self.condition.but(**parts)
        return self.key.result(
            condition, metric, value, interval, n=n, asked=self.n_asked, note=note
        )

    def undefined_results(self, *metrics: str) -> Iterator[Result]:
        """Yield a row with NaN for each metric, because no judgment is readable."""
        note = join_notes("undefined: no readable judgment", self.note)
        for metric in metrics:
            yield self.result({}, metric, np.nan, n=0, note=note)


def _readable_by_condition(
    rows: pd.DataFrame,
    condition_columns: Sequence[str],
    needed: Sequence[str] = ("confidence", "correct"),
) -> Iterator[_Readable]:
    """Yield the readable judgments of each model, data set, variant and condition.

    A condition without a readable judgment has empty `rows`. The values of `condition_columns` and
    the variant make the condition. A judgment is readable if it is `ok` and has a value in all
    columns of `needed`.
    """
    columns = ("model", "dataset", "variant", *condition_columns)
    for key, condition, group in condition_groups(rows, columns):
        present = (group["status"] == "ok") & group[list(needed)].notna().all(axis=1)
        note = describe_counts(group, present)
        yield _Readable(key, condition, group[present], len(group), note)


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

    `values` are in [0, 1]; without any, shares and intervals are NaN. `unit_index` is the index of
    each value's item, `bins` the number of bins of equal width. The part `bin` is added to
    `condition`.
    """
    positions, unit_count = bin_of(values, bins), int(unit_index.max(initial=-1)) + 1
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

    The interval of the accuracy is Wilson's, at a sample size that allows for judgments of an item
    being alike. If outcomes are probabilities, it is that of a bootstrap over items with at most
    1000 resamples. The confidence has no interval. A condition without a readable judgment has one
    row of NaN for each metric.

    Args:
        rows: Judgments with `confidence` and `correct`; those that are not `ok`, or lack one of
            them, are left out and counted in notes.
        condition_columns: Columns that enter the condition, beside the variant.
        resampling: Settings of the bootstrap.
        own_top: Whether a confidence of exactly 1 has an eleventh bin, as in LifeEval.
        clusters: Name, in the plural, of the clusters of dependent items; empty if items are
            independent. With clusters there are no intervals, because a bin holds too few of them.
    """
    for group in _readable_by_condition(rows, condition_columns):
        if len(group.rows):
            yield from _bin_results(group, resampling, own_top, clusters)
        else:
            yield from group.undefined_results("bin_accuracy", "bin_confidence")


def _bin_results(
    group: _Readable, resampling: Resampling, own_top: bool, clusters: str
) -> Iterator[Result]:
    """Yield accuracy and mean confidence of each bin that holds judgments.

    With `own_top` a confidence of exactly 1 has a bin of its own. `clusters` names clusters of
    dependent items, with which there are no intervals; it is empty if items are independent. Mean
    confidence has no interval: it only places the bin in a figure.
    """
    confidence, correct = group.column("confidence"), group.column("correct")
    # `column` is the position of each judgment's bin among those that hold judgments.
    filled_bins, column = np.unique(bin_of(confidence, own_top=own_top), return_inverse=True)
    is_in_bin = column[:, None] == np.arange(len(filled_bins))  # (judgments, filled bins)
    outcomes, sizes = np.where(is_in_bin, correct[:, None], np.nan), is_in_bin.sum(axis=0)
    intervals, remark = _bin_intervals(outcomes, group.unit_index, resampling, clusters)
    accuracy = np.bincount(column, correct) / sizes
    mean_confidence = np.bincount(column, confidence) / sizes
    for position, n in enumerate(map(int, sizes)):
        parts, interval = {"bin": bin_name(filled_bins[position])}, intervals[position]
        too_few = ""
        if np.isnan(interval).any() and not clusters:
            too_few = f"no interval: fewer than {MIN_ITEMS} items"
        note = join_notes(too_few, remark, group.note)
        yield group.result(parts, "bin_accuracy", accuracy[position], interval, n=n, note=note)
        mean = mean_confidence[position]
        yield group.result(parts, "bin_confidence", mean, n=n, note=group.note)


def _bin_intervals(
    outcomes: FloatArray, unit_index: IntArray, resampling: Resampling, clusters: str
) -> tuple[FloatArray, str]:
    """Return the interval of each column's mean outcome, and a remark on the method.

    `outcomes` have shape (judgments, bins), NaN where a judgment is not in the bin. `clusters`
    names clusters of dependent items; with them intervals are NaN.
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

    CORP is the isotonic regression of outcomes on confidence. At each confidence, it lies in the
    band in 95% of samples if confidence is calibrated. The band is simulated with outcomes of 0 and
    1, so there is none if outcomes are probabilities. `rows` are judgments with `confidence` and
    `correct`; the values of `condition_columns` and the variant make the condition; `resampling`
    has the seed. Without a readable judgment both numbers of a condition are undefined.
    """
    for group in _readable_by_condition(rows, condition_columns):
        if not len(group.rows):
            yield from group.undefined_results("corp_accuracy", "consistency_band")
            continue
        confidence, correct = group.column("confidence"), group.column("correct")
        values, accuracy = corp_curve(confidence, correct)
        n, note = len(confidence), group.note
        conditions = [{"confidence": f"{value:.12g}"} for value in values]
        for parts, height in zip(conditions, accuracy, strict=True):
            yield group.result(parts, "corp_accuracy", height, n=n, note=note)
        if np.isin(correct, (0, 1)).all():
            # Confidence, and the lower and the upper end of the band, at each of `values`.
            band = corp_band(confidence, group.unit_index, seed=resampling.seed)
            for parts, value, low, high in zip(conditions, *band, strict=True):
                ends = min(low, value), max(high, value)  # the band contains the diagonal
                yield group.result(parts, "consistency_band", value, ends, n=n, note=note)


def type2_rates(rows: pd.DataFrame, condition_columns: Sequence[str]) -> Iterator[Result]:
    """Yield `type2_hit_rate` and `type2_false_alarm_rate` at every stated confidence.

    The rates are the shares of right (hit) and of wrong answers (false alarm) with at least that
    confidence. They and (0, 0) are the points of the type-2 ROC curve; the area under the straight
    lines between these is `auroc`. If outcomes are probabilities p, an answer counts as right with
    weight p and as wrong with weight 1 - p, and the rates have no interval. `rows` are judgments
    with `confidence` and `correct`; the values of `condition_columns` and the variant make the
    condition.
    """
    for group in _readable_by_condition(rows, condition_columns):
        if not len(group.rows):
            yield from group.undefined_results("type2_hit_rate", "type2_false_alarm_rate")
            continue
        correct = group.column("correct")
        yield from _rate_results(group, "type2_hit_rate", correct, "right")
        yield from _rate_results(group, "type2_false_alarm_rate", 1 - correct, "wrong")


def _rate_results(
    group: _Readable, metric: str, mass: FloatArray, outcome: str
) -> Iterator[Result]:
    """Yield the share of right, or wrong, answers with confidence at or above each threshold.

    Thresholds are the stated confidences, the highest first. `outcome` says which answers, "right"
    or "wrong"; `mass` is the weight with which each judgment counts among them. If a weight is not
    0 or 1, but a probability, the shares have no interval.
    """
    confidence = np.round(group.column("confidence"), _DECIMALS)
    thresholds = np.unique(confidence)[::-1]
    present = mass > 0
    values, intervals = _shares_at_least(
        thresholds, confidence[present], mass[present], group.unit_index[present]
    )
    undefined = "" if present.any() else f"undefined: no {outcome} answer"
    weighted = "" if np.isin(mass, (0, 1)).all() else f"{_PROBABILITIES_NOTE}: no interval"
    n, note = int(present.sum()), join_notes(undefined, weighted, group.note)
    for threshold, value, interval in zip(thresholds, values, intervals, strict=True):
        parts = {"threshold": f"{threshold:.12g}"}
        yield group.result(parts, metric, value, interval, n=n, note=note)


MAX_THRESHOLDS = 101
"""Largest number of points of a curve; if there are more confidences, points are evenly spaced in
rank.
"""


def utility_curve(
    rows: pd.DataFrame, condition_columns: Sequence[str], resampling: Resampling
) -> Iterator[Result]:
    """Yield `expected_utility` of answering only from each stated confidence on.

    `rows` are judgments with `confidence` and `correct`; the values of `condition_columns` and the
    variant make the condition; `resampling` has the costs, which are the utilities of right, wrong
    and declined answers; without them nothing is yielded. If there are more than 101 confidences,
    101 of them, evenly spaced in rank, have a row. Never answering has no row, because its utility
    follows from the costs alone.
    """
    if resampling.costs is None:
        return
    for group in _readable_by_condition(rows, condition_columns):
        if len(group.rows):
            yield from _utility_results(group, resampling.costs, resampling)
        else:
            yield from group.undefined_results("expected_utility")


def _utility_results(group: _Readable, costs: Costs, resampling: Resampling) -> Iterator[Result]:
    """Yield the utility of answering only from each stated confidence (threshold) on.

    With more than `MAX_THRESHOLDS` confidences, so many of them, evenly spaced in rank, are
    thresholds. The group has at least one readable judgment.
    """
    unit_count = group.unit_count
    confidence, correct = np.round(group.column("confidence"), _DECIMALS), group.column("correct")
    distinct = np.unique(confidence)
    count = min(len(distinct), MAX_THRESHOLDS)
    thresholds = distinct[np.linspace(0, len(distinct) - 1, count).round().astype(np.int64)]
    # An answer is given at all thresholds up to the highest one that its confidence reaches; the
    # lowest threshold is the least confidence, which every answer reaches.
    reached = thresholds[np.searchsorted(thresholds, confidence, side="right") - 1]
    count_tables = ItemTables.from_judgments(reached, correct, group.unit_index, unit_count)
    # Utilities from each threshold on, of shape (resamples, thresholds). The last column of
    # `utilities` is dropped: never answering is no threshold.
    utility = count_tables.table_statistic.map(lambda tables: costs.utilities(tables)[:, :-1])
    values = utility(np.ones((1, unit_count)))[0]  # of the sample, in which units have weight 1
    resamples = min(resampling.resamples, MAX_RESAMPLES)
    draws = bootstrap_draws(utility, unit_count, resamples, resampling.seed)
    rule = METRICS["expected_utility"].interval
    for threshold, value, value_draws in zip(thresholds, values, draws.T, strict=True):
        parts = {"costs": str(costs), "answered_from": f"{threshold:.12g}"}
        interval, reason = interval_of(rule, value, value_draws, unit_count)
        note = join_notes(f"no interval: {reason}" if reason else "", group.note)
        n = len(confidence)
        yield group.result(parts, "expected_utility", value, interval, n=n, note=note)


def report_shares(rows: pd.DataFrame, condition_columns: Sequence[str]) -> Iterator[Result]:
    """Yield `report_share`, the share of each reported number, with Wilson's interval.

    A report is `raw`, the number as the model stated it, rounded to 12 decimals; reports out of
    range count too. `rows` are judgments; the values of `condition_columns` and the variant make
    the condition. Without reports a condition has one undefined result.
    """
    rows = rows.assign(status=rows["status"].replace("out_of_range", "ok"))
    for group in _readable_by_condition(rows, condition_columns, ("raw",)):
        if not len(group.rows):
            yield from group.undefined_results("report_share")
            continue
        reports = np.round(group.column("raw"), _DECIMALS)
        n = len(reports)
        values, counts = np.unique(reports, return_counts=True)
        for value, count in zip(values, counts, strict=True):
            is_value = (reports == value).astype(float)
            interval = wilson_interval(is_value, group.unit_index, group.unit_count)
            parts, share = {"report": f"{value:.12g}"}, count / n
            yield group.result(parts, "report_share", share, interval, n=n, note=group.note)


def _shares_at_least(
    thresholds: FloatArray, confidence: FloatArray, mass: FloatArray, unit_index: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the share of judgments with confidence at or above each threshold, and intervals.

    Judgments are weighted by `mass`, such as the probability that the answer is right. Intervals
    are Wilson's; they are NaN if a mass is not 1. Without judgments all are NaN. Thresholds are in
    descending order, the last one the lowest confidence, so that its share is 1.
    """
    no_intervals = np.full((len(thresholds), 2), np.nan)
    if not len(mass):
        return np.full(len(thresholds), np.nan), no_intervals
    order = np.argsort(-confidence, kind="stable")  # the highest confidence first
    # How many judgments, in this order, have at least the confidence of each threshold.
    included = np.searchsorted(-confidence[order], -thresholds, side="right")
    sums = _running_sums(mass[order], included)
    shares = sums / sums[-1]
    if not (mass == 1).all():
        return shares, no_intervals
    return shares, _share_intervals(shares, unit_index[order], included)


def _running_sums(values: FloatArray, included: IntArray) -> FloatArray:
    """Return the sum of the first `k` values, for each `k` in `included`."""
    return np.concatenate([[0.0], np.cumsum(values)])[included]


def _share_intervals(shares: FloatArray, unit_index: IntArray, included: IntArray) -> FloatArray:
    """Return Wilson's interval of the share of judgments at or above each threshold of confidence.

    Its variance is taken over items. `unit_index` is the index of each judgment's item, the highest
    confidence first. `included` is the number of judgments at or above each threshold, and `shares`
    their share.
    """
    per_item = np.bincount(unit_index).astype(float)
    # How many judgments of the same item come before each judgment.
    before = pd.Series(unit_index).groupby(unit_index).cumcount().to_numpy(float)
    # Variance of a share over items with s of their t judgments at or above the threshold:
    # sum (s - share t)^2 / (sum t)^2 = (sum s^2 - 2 share sum s t + share^2 sum t^2) / (sum t)^2.
    # One more judgment of an item with k so far adds 2k + 1 to its s^2, and t to its s t.
    squares = _running_sums(np.asarray(2 * before + 1, np.float64), included)
    products = _running_sums(per_item[unit_index], included)
    trials = np.full(len(shares), len(unit_index), float)
    spread = squares - 2 * shares * products + shares**2 * (per_item**2).sum()
    items = np.full(len(shares), (per_item > 0).sum(), float)
    items_with_any = _running_sums((before == 0).astype(float), included)
    is_last = before == per_item[unit_index] - 1
    items_with_all = _running_sums(is_last.astype(float), included)
    # Items with a judgment at or above the threshold, or items with one below, whichever are fewer.
    # With few of them it can't be estimated how alike the judgments of an item are, so that these
    # count as one.
    rarer = np.minimum(items_with_any, items - items_with_all)
    return wilson_limits(shares, spread / trials**2, trials, items, rarer=rarer)


def _bootstrap_intervals(
    outcomes: FloatArray, unit_index: IntArray, resampling: Resampling
) -> FloatArray:
    """Return the bootstrap interval of each column's mean outcome; NaN for fewer than 20 items.

    `outcomes` have shape (judgments, bins), NaN where a judgment is not in the bin.
    """
    unit_count = int(unit_index.max()) + 1
    # The least and the greatest possible outcome, by column: resamples also add items with these,
    # because outcomes of a sample may all be equal.
    ends = [(0.0, 1.0)] * outcomes.shape[1]
    means = means_of(outcomes, unit_index, unit_count, ends)
    resamples = min(resampling.resamples, MAX_RESAMPLES)
    draws = bootstrap_draws(means, unit_count, resamples, resampling.seed)  # (resamples, bins)
    intervals = np.full((len(draws.T), 2), np.nan)
    for position, column in enumerate(outcomes.T):
        items = len(np.unique(unit_index[~np.isnan(column)]))
        if items >= MIN_ITEMS:
            mean = float(np.nanmean(column))
            intervals[position] = resampled_interval(mean, draws[:, position], items)
    return intervals
