"""Two contenders on the same items: paired differences, their intervals and their tests.

A contender is a model, variant or method. A study describes what it compares by a `Contrast`. This
module resamples the items, with the same resamples for all values; the interval of a difference and
its p come from the same resamples. Exchanging contenders within items would test whether they
answer alike, not whether a metric is equal: two ideal observers of different accuracy have the same
M-ratio and different answers.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from inspect_confidence import metrics
from inspect_confidence.directions import direction_of
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.printing import counted
from inspect_confidence.results import NO_INTERVAL, Condition, Key, Result
from inspect_confidence.studies.calibration import (
    COMPARED_METRICS,
    MEAN_METRICS,
    Answers,
    ConfidenceMetric,
    threshold_metrics,
)
from inspect_confidence.studies.estimate import clusters_of, ordered_units, resampling_note
from inspect_confidence.studies.notes import join_notes
from inspect_confidence.studies.study import Difference, Resampling

ComparedName = tuple[Condition, str]
"""Condition and metric of a compared value."""


@dataclass(frozen=True)
class ComparedStatistic:
    """A metric of two contenders: weights of the units -> values of shape (resamples,).

    Attributes:
        first: Statistic of the first contender's value.
        second: Statistic of the second contender's value.
        items: How many items the values rest on.
    """

    first: metrics.Statistic
    second: metrics.Statistic
    items: int


@dataclass(frozen=True)
class Contrast:
    """Metrics of two contenders (models, variants or methods) on items that both answered readably.

    Attributes:
        names: Condition and metric of each compared value, in order.
        items: How many items each value rests on.
        unit_count: How many items, or clusters of items, are resampled; 0 if there is nothing to
            compare.
        first: Statistic of the first contender's values.
        second: Statistic of the second contender's values.
        own_intervals: By column, the intervals of both contenders, of shape (2, 2), for biased
            metrics with an interval method of their own; NaN where a contender has none.
        clusters: The clusters that are resampled; None if items are.
    """

    names: Sequence[ComparedName]
    items: Sequence[int]
    unit_count: int
    first: metrics.Statistic
    second: metrics.Statistic
    own_intervals: Mapping[int, FloatArray] = field(default_factory=dict)
    clusters: metrics.Clusters | None = None

    @classmethod
    def from_statistics(
        cls,
        compared: Mapping[ComparedName, ComparedStatistic],
        unit_count: int,
        clusters: metrics.Clusters | None,
    ) -> "Contrast":
        """Return the contrast of metrics, each of which has its own statistics of both contenders.

        Without a metric it has no units, which says that there is nothing to compare.
        """
        statistics = compared.values()
        return cls(
            names=list(compared),
            items=[statistic.items for statistic in statistics],
            unit_count=unit_count if compared else 0,
            first=metrics.CombinedStatistic([part.first for part in statistics], _stack_columns),
            second=metrics.CombinedStatistic([part.second for part in statistics], _stack_columns),
            clusters=clusters,
        )


def _stack_columns(*values: FloatArray) -> FloatArray:
    """Return values of shape (resamples,), one array for each metric, as columns of one array."""
    return np.column_stack(values)


def _difference_rule(metric: str, clusters: metrics.Clusters | None) -> metrics.Interval:
    """Return the rule (method, units needed) of the interval of a metric's difference.

    `clusters` are those that are resampled; None if items are.
    """
    return metrics.METRICS[metric].interval.over(clusters).of_difference()


def restrict_to_common_items(sides: Sequence[pd.DataFrame]) -> tuple[pd.Index, list[pd.DataFrame]]:
    """Return the sorted items that both sides have, and each side's judgments of them."""
    items = pd.Index(sorted(set(sides[0]["item"]) & set(sides[1]["item"])))
    return items, [side[side["item"].isin(items)] for side in sides]


def means_contrast(
    names: Sequence[ComparedName],
    sides: Sequence[tuple[FloatArray, IntArray]],
    items: Sequence[int],
    unit_count: int,
) -> Contrast:
    """Return the contrast of two contenders (such as models) in means over their answers.

    `names` are condition and metric of each mean, and `items` how many items it rests on. `sides`
    has for both contenders values of shape (answers, means), NaN where an answer has none, and the
    index of each answer's unit, of `unit_count` ones.
    """
    first, second = (metrics.means_of(values, index, unit_count) for values, index in sides)
    return Contrast(names, items, unit_count, first, second)


@dataclass(frozen=True)
class ResampledDifferences:
    """Differences of two contenders on the same items, with their values over resamples.

    Attributes:
        names: Condition and metric of each difference.
        items: How many items each difference rests on.
        unit_counts: How many units were resampled for each difference.
        first: Values of the first contender.
        second: Values of the second contender.
        values: Differences, first - second.
        draws: Differences over resamples of the units, of shape (resamples, differences).
        means: Means of both contenders' values over the same resamples.
        below: Distance of the lower limit from the difference, if the limits follow from the
            intervals of both contenders; NaN if they come from resamples.
        above: Distance of the upper limit, likewise.
        clusters: The clusters that were resampled; None if items were.
        grouped: Whether groups of units were resampled, because there are many units.
    """

    names: Sequence[ComparedName]
    items: IntArray
    unit_counts: IntArray
    first: FloatArray
    second: FloatArray
    values: FloatArray
    draws: FloatArray
    means: FloatArray
    below: FloatArray
    above: FloatArray
    clusters: metrics.Clusters | None = None
    grouped: bool = False

    @property
    def cluster_note(self) -> str:
        """Note on the clusters that were resampled; empty if items were."""
        return self.clusters.note if self.clusters else ""

    def test(self, column: int) -> "DifferenceTest":
        """Return the 95% interval of the difference at an index of `names`, and its p.

        p is below .05 exactly if the interval excludes 0. If the distances `below` and `above` of
        its limits are defined, interval and p follow from them, otherwise from resamples. If
        interval or p is missing, the test has the reason. Resamples also give the p that both
        values are at the same distance from the best one (`DifferenceTest.p_distance`).
        """
        condition, metric = self.names[column]
        value, draws = float(self.values[column]), self.draws[:, column]
        if np.isnan(value):
            return DifferenceTest(reason="undefined: either value is undefined")
        rule = _difference_rule(metric, self.clusters)
        unit_count = int(self.unit_counts[column])
        below, above = self.below[column], self.above[column]
        p, reason = p_of_difference(rule, value, draws, unit_count, reach=(below, above))
        if reason:
            return DifferenceTest(reason=f"no interval: {reason}")
        if not np.isnan(below):
            return DifferenceTest((value - below, value + above), p)
        # If all resamples have the same difference, there is no interval but p is defined.
        interval, reason = metrics.interval_of(rule, value, draws, unit_count)
        note = f"no interval: {reason}" if reason else resampling_note(draws, self.grouped)
        # Without a best value within the range of the metric, the target and `p_distance` are NaN.
        best = direction_of(metric, condition).target
        mean = (self.first[column] + self.second[column]) / 2
        p_mean = metrics.resampled_p(mean - best, self.means[:, column] - best, unit_count)
        return DifferenceTest(interval, p, note, float(np.maximum(p, p_mean)))

    def take(self, columns: Sequence[int]) -> "ResampledDifferences":
        """Return the differences in these columns."""
        arrays = {name: getattr(self, name)[..., columns] for name in _ARRAY_FIELDS}
        return replace(self, names=[self.names[column] for column in columns], **arrays)


def p_of_difference(
    rule: metrics.Interval,
    difference: float,
    draws: FloatArray,
    unit_count: int,
    reach: tuple[float, float] = NO_INTERVAL,
    balanced_units: float = np.inf,
) -> tuple[float, str]:
    """Return the two-sided p that a difference is 0, and an empty text or why there is no p.

    Args:
        rule: Rule of the difference's interval: its method, and how many units it needs.
        difference: The difference of both contenders' values.
        draws: The difference over resamples; NaN where undefined.
        unit_count: How many units were resampled.
        reach: Distances of the lower and the upper 95% limit from the difference, if they follow
            from the intervals of both contenders: p is then that of a normal distribution with
            these limits. NaN if p is to come from `draws`.
        balanced_units: For a metric that compares right with wrong answers: how many units, half of
            them right, tell as much (`metrics.count_balanced_units`). Few if nearly all are right.
    """
    if reason := metrics.too_few(rule, unit_count):
        return np.nan, reason
    if not np.isnan(reach[0]):
        return p_of_reach(difference, reach), ""
    reason = metrics.why_no_interval(rule, draws, unit_count)
    if reason not in ("", metrics.SAME):  # p is defined if all resamples are the same
        return np.nan, reason
    tail_units = min(unit_count, balanced_units) if rule.compares_outcomes else unit_count
    return metrics.resampled_p(difference, draws, tail_units, method=rule.method), ""


def p_of_reach(value: float, reach: tuple[float, float]) -> float:
    """Return the two-sided p that a number is 0, from the distances of its lower and upper limit.

    It is that of a normal distribution whose 95% limit on the side of 0 lies at the same distance.
    If that distance is 0 or NaN, p is 1 for the number 0 and 0 for any other.
    """
    below, above = reach
    to_limit = below if value > 0 else above
    if not to_limit > 0:
        return float(not value)
    return float(2 * ndtr(ndtri(0.025) * abs(value) / to_limit))


def joined_reach(
    values: tuple[float, float], first_ends: FloatArray, second_ends: FloatArray, *, biased: bool
) -> tuple[float, float]:
    """Return how far below and above a difference its limits lie, from both values' intervals.

    Distances of independent values are added as squares (Zou and Donner 2008, Statistics in
    Medicine 27). Values that are `biased` lie above the true ones on average: one may exceed the
    true one by all of its distance to the lower limit, so that the distances themselves are added.
    The ends are those of the 95% interval of each value.
    """
    first, second = values
    add = np.add if biased else np.hypot
    below = add(first - first_ends[0], second_ends[1] - second)
    above = add(first_ends[1] - first, second - second_ends[0])
    return float(below), float(above)


@dataclass(frozen=True)
class DifferenceTest:
    """The interval and the p of a difference.

    Attributes:
        interval: The 95% interval; NaN if there is none.
        p: Two-sided p of no difference, below .05 exactly if the interval excludes 0.
        reason: Why the interval or p is missing, or in how many resamples it is undefined.
        p_distance: Two-sided p that both values are at the same distance from the metric's best
            value t; NaN if t is an end of the metric's range, or unknown. |a - t| = |b - t| holds
            if a = b or if (a + b)/2 = t, so p is the larger one of these two hypotheses'
            (intersection-union test; Berger 1982, doi:10.1080/00401706.1982.10487790).
    """

    interval: tuple[float, float] = NO_INTERVAL
    p: float = np.nan
    reason: str = ""
    p_distance: float = np.nan


_ARRAY_FIELDS = (
    *("items", "unit_counts", "first", "second"),
    *("values", "draws", "means", "below", "above"),
)
"""Fields of `ResampledDifferences` with one entry, or one column, for each difference."""


def resample_contrast(
    contrast: Contrast, resampling: Resampling, stream: int | None
) -> ResampledDifferences:
    """Compute the differences of two contenders on all units and over resamples of the units.

    Contenders are models, variants or scales, and `contrast` has a statistic for each that gives
    the compared values, a column each. If the intervals of two values come from a method of the
    metric's own (`own_intervals`), they tell how far the limits of the difference lie `below` and
    `above` it; of other values these distances are NaN. `stream` is the number of the data set,
    None if there is a single one; resamples of data sets with different numbers are independent.
    """
    seed = [resampling.seed] if stream is None else [resampling.seed, stream]
    strata = np.zeros(contrast.unit_count, np.int64)  # one stratum
    sides = contrast.first, contrast.second
    # With `patterns`, units that are equal in both statistics have one weight, which is faster.
    plan = metrics.resampled_as(sides, strata, seed, patterns=True)
    first_draws, second_draws = _draw_pair(contrast, plan, resampling.resamples, seed)
    sample_weights = np.ones((1, contrast.unit_count))  # each unit once: no resample
    first, second = contrast.first(sample_weights)[0], contrast.second(sample_weights)[0]
    items = np.array(contrast.items, np.int64)
    below, above = np.full((2, len(items)), np.nan)
    for column, (first_ends, second_ends) in contrast.own_intervals.items():
        both = float(first[column]), float(second[column])
        # Only biased metrics, such as ECE, have intervals of their own in a contrast.
        below[column], above[column] = joined_reach(both, first_ends, second_ends, biased=True)
    with np.errstate(invalid="ignore"):  # the mean of inf and -inf is NaN
        means = (first_draws + second_draws) / 2
    return ResampledDifferences(
        contrast.names,
        items,
        # A difference may rest on fewer items than there are units in the contrast.
        unit_counts=np.minimum(items, contrast.unit_count),
        first=first,
        second=second,
        values=_subtract(first, second),
        draws=_subtract_draws(first_draws, second_draws),
        means=means,
        below=below,
        above=above,
        clusters=contrast.clusters,
        grouped=plan.grouped,
    )


def _draw_pair(
    contrast: Contrast, plan: metrics.Resampled, resamples: int, seed: Sequence[int]
) -> tuple[FloatArray, FloatArray]:
    """Return the values of the two that are compared, such as models, over the same resamples.

    `plan` says how units are drawn. If clusters lie along a line, as ages do, values are drawn from
    a normal distribution that takes neighbours as dependent, without the plan.
    """
    clusters = contrast.clusters
    if clusters is None or not clusters.are_ordered:
        return metrics.bootstrap_pair(
            contrast.first,
            contrast.second,
            plan.strata,
            resamples=resamples,
            seed=seed,
            sampling=plan,
        )
    draws = metrics.smooth_draws(
        {"first": contrast.first, "second": contrast.second},
        contrast.unit_count,
        resamples=resamples,
        seed=seed,
        trend=clusters.trend,
    )
    return draws["first"], draws["second"]


def _subtract(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return first - second; a difference by rounding alone is 0, because the sign decides p.

    The difference of two equal infinite values is NaN.
    """
    with np.errstate(invalid="ignore"):
        difference = first - second
    is_rounding = np.abs(difference) <= 1e-12 * np.maximum(np.abs(first), 1)
    return np.where(is_rounding & np.isfinite(difference), 0.0, difference)


def _subtract_draws(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return first - second, each of shape (resamples, differences).

    The difference of two equal infinite values may be anything: it is -inf in even resamples and
    inf in odd ones, so that its interval is unbounded on both sides.
    """
    is_unbounded = np.isinf(first) & (first == second)
    infinities = np.where(np.arange(len(first)) % 2, np.inf, -np.inf)[:, None]
    return np.where(is_unbounded, infinities, _subtract(first, second))


def differences(contrast: Contrast, resampling: Resampling) -> list[Difference]:
    """Return the paired differences of two contenders; an empty list without common units.

    `contrast` has a statistic of each contender's values, with the condition and metric of each.
    If no difference has an interval, a single resample is drawn, which saves time.
    """
    if not contrast.unit_count:
        return []
    if not _has_any_interval(contrast):
        resampling = replace(resampling, resamples=1)
    resampled = resample_contrast(contrast, resampling, stream=None)  # a single data set
    rows = []
    for column, (condition, metric) in enumerate(resampled.names):
        test = resampled.test(column)
        low, high = test.interval
        rows.append(
            Difference(
                str(condition),
                metric,
                first=float(resampled.first[column]),
                second=float(resampled.second[column]),
                difference=float(resampled.values[column]),
                ci_low=low,
                ci_high=high,
                p=test.p,
                items=int(resampled.items[column]),
                note=join_notes(test.reason, resampled.cluster_note),
                p_distance=test.p_distance,
            )
        )
    return rows


def _has_any_interval(contrast: Contrast) -> bool:
    """Return whether any difference can have an interval: by its rule, and its number of units."""
    for (_, metric), items in zip(contrast.names, contrast.items, strict=True):
        rule = _difference_rule(metric, contrast.clusters)
        if rule.method != "none" and not metrics.too_few(rule, min(items, contrast.unit_count)):
            return True
    return False


@dataclass(frozen=True)
class Pair:
    """The readable judgments of two contenders on their common items, by unit.

    Attributes:
        items: The common items.
        units: Names of the resampled units: the items, or their clusters.
        first: Judgments of the first contender.
        second: Judgments of the second contender.
        clusters: The declared clusters of the items; None if there are none.
    """

    items: pd.Index
    units: pd.Index
    first: Answers
    second: Answers
    clusters: metrics.Clusters | None = None

    @classmethod
    def from_frames(
        cls,
        first: pd.DataFrame,
        second: pd.DataFrame,
        *,
        units: pd.Index | None = None,
        are_chances: bool = False,
    ) -> "Pair":
        """Pair the readable judgments of two contenders on the items that both have.

        Judgments have `confidence` and `correct` in [0, 1]; those that are not `ok`, or have no
        `correct`, are left out. `units` are the names of the resampled units, by default of the
        common items or their clusters. `are_chances` says that outcomes between 0 and 1 are chances
        of being right, not credits.
        """
        readable = [
            side[(side["status"] == "ok") & side["correct"].notna()] for side in (first, second)
        ]
        items, (first, second) = restrict_to_common_items(readable)
        units = ordered_units(first) if units is None else units
        return cls(
            items=items,
            units=units,
            first=Answers.from_frame(first, units, are_chances=are_chances),
            second=Answers.from_frame(second, units, are_chances=are_chances),
            clusters=clusters_of(first),
        )

    @property
    def choices(self) -> int | None:
        """Number of choices of every item; None if there are none, or numbers differ."""
        return self.first.choices if self.first.choices == self.second.choices else None


def confidence_contrast(
    first: pd.DataFrame,
    second: pd.DataFrame,
    thresholds: Sequence[float],
    compared: Sequence[ConfidenceMetric] = COMPARED_METRICS,
    condition: Condition = Condition(),  # noqa: B008 # it is frozen
    clusters: metrics.Clusters | None = None,
    *,
    units: pd.Index | None = None,
    are_chances: bool = False,
    requests: Callable[[str], bool] = lambda _: True,
) -> Contrast:
    """Return the metrics of stated confidence of two contenders, a statistic for each.

    The statistics compute them from weights of the units, on the items of which both contenders
    have a readable judgment.

    Args:
        first: Judgments of the first contender.
        second: Judgments of the second contender.
        thresholds: Thresholds of type-2 sensitivity, which is compared beside means and `compared`.
        compared: Metrics that are compared.
        condition: Condition of all compared values.
        clusters: The clusters that are resampled; those that the judgments declare if None.
        units: Names of the resampled units; those of the common items if None.
        are_chances: Whether outcomes between 0 and 1 are chances of being right, not credits.
        requests: Whether a metric is to be compared; others take no time.
    """
    pair = Pair.from_frames(first, second, units=units, are_chances=are_chances)
    return contrast_of_pairs([pair], thresholds, compared, condition, clusters, requests)


def differences_from_baseline(
    baseline: pd.DataFrame,
    contenders: Mapping[str, pd.DataFrame],
    resampling: Resampling,
    stream: int,
) -> dict[str, ResampledDifferences]:
    """Return the differences of contenders, such as scales, from a baseline, by contender.

    A contender without an item in common with the baseline is left out. Contenders that share the
    same items with the baseline are resampled together, because the baseline's values are the same
    for them. Judgments have `confidence` and `correct` in [0, 1]. `stream` is the number of the
    data set: resamples of different numbers are independent.
    """
    # By the number of choices (M-ratio depends on it) and the common items, then by contender.
    pairs_by_items: dict[tuple[Hashable, ...], dict[str, Pair]] = {}
    for name, rows in contenders.items():
        pair = Pair.from_frames(rows, baseline)
        if len(pair.items):
            pairs_by_items.setdefault((pair.choices, *pair.items), {})[name] = pair
    by_contender: dict[str, ResampledDifferences] = {}
    for pairs in pairs_by_items.values():
        contrast = contrast_of_pairs(list(pairs.values()), resampling.thresholds, COMPARED_METRICS)
        resampled = resample_contrast(contrast, resampling, stream)
        # The contrast has all metrics of the first pair, then all of the second, and so on.
        columns_of_pairs = np.split(np.arange(len(contrast.names)), len(pairs))
        for name, columns in zip(pairs, columns_of_pairs, strict=True):
            by_contender[name] = resampled.take(columns.tolist())
    return {name: by_contender[name] for name in contenders if name in by_contender}


def _metrics_statistic(
    answers: Answers, compared: Sequence[ConfidenceMetric], resampled: Sequence[bool]
) -> metrics.Statistic:
    """Return the statistic whose columns are the metrics `compared` of one contender's answers.

    On all units it computes every metric. Over resamples it computes only those that `resampled`
    flags, and the other columns are NaN.
    """
    functions = [answers.value_function(metric) for metric in compared]

    def values(tables: metrics.ConfidenceTables) -> FloatArray:
        """Return the metrics of each table, a column each; NaN in resamples if not `resampled`."""
        n_tables = len(tables.right)  # a single table is that of all units
        columns = [np.empty((n_tables, 0))]  # for `hstack`, if no metric is compared
        for function, is_resampled in zip(functions, resampled, strict=True):
            is_computed = is_resampled or n_tables == 1
            column = function(tables) if is_computed else np.full(n_tables, np.nan)
            columns.append(column[:, None])
        return np.hstack(columns)

    return answers.count_tables().table_statistic.map(values)


def contrast_of_pairs(
    pairs: Sequence[Pair],
    thresholds: Sequence[float],
    compared: Sequence[ConfidenceMetric],
    condition: Condition = Condition(),  # noqa: B008 # it is frozen
    clusters: metrics.Clusters | None = None,
    requests: Callable[[str], bool] = lambda _: True,
) -> Contrast:
    """Return the statistics of several contenders and of one other, with which all are compared.

    Contenders are models, variants or scales. A pair has the readable judgments of two of them on
    their common items; all pairs, at least one, have the same items, number of choices and second
    contender. The columns of the statistics are all metrics of the first pair, then those of the
    second, and so on: accuracy, mean confidence, the metrics `compared`, and how well high
    confidence tells right from wrong answers at each threshold, if `requests` is true of the
    metric. The second contender's values are computed once and repeated. A metric is resampled if
    there are enough units for its interval, unless that has a method of its own; the intervals of
    both contenders by that method are then kept by column. The units are the `clusters`, by default
    those that the judgments declare.
    """
    choices, items, unit_count = pairs[0].choices, len(pairs[0].items), len(pairs[0].units)
    clusters = clusters or pairs[0].clusters
    compared = add_means_and_sensitivity(compared, thresholds, choices)
    compared = [metric for metric in compared if requests(metric.metric)]
    second = pairs[0].second  # of all pairs
    are_resampled, own_intervals = [], {}
    for position, metric in enumerate(compared):
        rule = _difference_rule(metric.metric, clusters)
        has_interval = rule.method != "none" and not metrics.too_few(rule, unit_count)
        are_resampled.append(has_interval and rule.method != "own")
        if has_interval and rule.method == "own":
            second_interval = second.interval(metric)
            for pair_number, pair in enumerate(pairs):
                column = pair_number * len(compared) + position
                # None, for a metric that has no such interval after all, becomes NaN.
                ends = np.array([pair.first.interval(metric), second_interval], float)
                own_intervals[column] = ends
    first_values = [_metrics_statistic(pair.first, compared, are_resampled) for pair in pairs]
    second_values = _metrics_statistic(second, compared, are_resampled)
    names = [(condition.but(**metric.condition), metric.metric) for metric in compared]
    return Contrast(
        names * len(pairs),
        [items] * len(names) * len(pairs),
        unit_count,
        metrics.CombinedStatistic(first_values, lambda *values: np.hstack(values)),
        metrics.CombinedStatistic([second_values], lambda values: np.tile(values, len(pairs))),
        own_intervals,
        clusters,
    )


def add_means_and_sensitivity(
    compared: Sequence[ConfidenceMetric], thresholds: Sequence[float], choices: int | None
) -> list[ConfidenceMetric]:
    """Add accuracy and mean confidence before the metrics, sensitivities after them.

    Type-2 sensitivity (how well high confidence tells right from wrong answers, as d', meta-d' and
    M-ratio) is at each threshold from which on confidence counts as high. M-ratio is added only if
    all items have the same number of choices.
    """
    names = {"type2_dprime", "meta_d_ideal"} | ({"m_ratio"} if choices else set())
    all_metrics = [*MEAN_METRICS, *compared]
    for threshold in thresholds:
        at_threshold = threshold_metrics(threshold, choices)
        all_metrics += [metric for metric in at_threshold if metric.metric in names]
    return all_metrics


def mean_differences(parts: Sequence[ResampledDifferences]) -> ResampledDifferences:
    """Return the unweighted mean over data sets of the differences that all of them have.

    `parts` are the differences on each data set, at least one. Items are summed; the number of
    units is the smallest of any data set; values, draws and the distances of interval ends from
    the values are averaged. The clusters are those of the first data set that has any; `grouped`
    is true if any data set has so many units that groups of them were resampled.
    """
    names = list(parts[0].names)
    for part in parts:
        names = [name for name in names if name in part.names]
    shared = [part.take(list(map(part.names.index, names))) for part in parts]
    reductions: dict[str, Callable[..., Any]] = {"items": np.sum, "unit_counts": np.min}
    arrays = {}
    for field_name in _ARRAY_FIELDS:  # all fields with an entry, or a column, per difference
        reduction = reductions.get(field_name, np.mean)
        with np.errstate(invalid="ignore"):  # the mean of inf and -inf is NaN
            arrays[field_name] = reduction([getattr(part, field_name) for part in shared], axis=0)
    clusters = next(filter(None, (part.clusters for part in parts)), None)
    grouped = any(part.grouped for part in parts)
    return ResampledDifferences(names, **arrays, clusters=clusters, grouped=grouped)


TEST_METRICS = "difference", "p_value", "p_bonferroni", "p_holm"
"""Metrics of `results_of_tests`; `difference_results` returns the first two."""


def results_of_tests(
    contenders: Mapping[str, ResampledDifferences], key: Key, condition: Condition, part: str
) -> Iterator[Result]:
    """Yield the difference of each contender from one baseline, with p and its two adjustments.

    Each contender has a difference for each condition and metric (`names`). The p of each name is
    adjusted, by Bonferroni and by Holm, over the contenders that have it. In the rows' condition,
    `versus` names the baseline, and the part named `part`, such as `scale`, the contender.
    """
    names = dict.fromkeys(chain.from_iterable(side.names for side in contenders.values()))
    for name in names:
        compared, metric = name
        rows = []
        for contender, resampled in contenders.items():
            if name in resampled.names:
                test_condition = condition.but(**compared, **{"of": metric, part: contender})
                column = resampled.names.index(name)
                rows.append(difference_results(resampled, column, key, test_condition))
        p = np.array([p_row.value for _, p_row in rows])
        tested = counted(int((~np.isnan(p)).sum()), "comparison")
        over = f"over {tested} with {condition['versus']}"
        bonferroni, holm = metrics.bonferroni(p), metrics.holm(p)
        for position, (difference, p_row) in enumerate(rows):
            note = p_row.note if np.isnan(p[position]) else over
            yield difference
            yield p_row
            for adjusted, values in (("p_bonferroni", bonferroni), ("p_holm", holm)):
                yield replace(p_row, metric=adjusted, value=float(values[position]), note=note)


def difference_results(
    resampled: ResampledDifferences, column: int, key: Key, condition: Condition
) -> tuple[Result, Result]:
    """Return two rows of results: the difference in a column, and its p.

    In `condition`, the part `of` names the compared metric and `versus` the reference.
    """
    test, value = resampled.test(column), resampled.values[column]
    n = int(resampled.items[column])
    note = test.reason
    if not np.isnan(value):
        items = f"on the {counted(n, 'item')} that both have"
        note = join_notes(items, test.reason, resampled.cluster_note)
    # Why the difference is undefined, or has no interval, is also why p is undefined.
    reason = test.reason.removeprefix("undefined: ").removeprefix("no interval: ")
    p_note = f"undefined: {reason}" if np.isnan(test.p) else ""
    return (
        key.result(condition, "difference", value, test.interval, n=n, note=note),
        key.result(condition, "p_value", test.p, n=n, note=p_note),
    )
