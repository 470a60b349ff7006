"""Two contenders on the same items: paired differences, their intervals and their tests.

A study describes what it compares by a `Contrast`. This module resamples the items, with the same
resamples for all values; the interval of a difference and its p come from the same resamples.
Exchanging contenders within items would test whether they answer alike, not whether a metric is
equal: two ideal observers of different accuracy have the same M-ratio and different answers.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, IntArray
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
"""Condition and metric."""


@dataclass(frozen=True)
class Contrast:
    """Metrics of two contenders on the items that both answered readably.

    Attributes:
        names: Condition and metric of each compared value, in order.
        items: How many items each value rests on.
        units: How many units, mostly items, are resampled; none if 0.
        first: Statistic of the first contender's values.
        second: Statistic of the second contender's values.
        own_intervals: Intervals of both contenders, of shape (2, 2), by column, of metrics that are
            biased and have a method of their own; NaN where a contender has none.
        clusters: What the units are where they aren't items.
    """

    names: Sequence[ComparedName]
    items: Sequence[int]
    units: int
    first: metrics.Statistic
    second: metrics.Statistic
    own_intervals: Mapping[int, FloatArray] = field(default_factory=dict)
    clusters: metrics.Clusters | None = None


def restrict_to_common_items(sides: Sequence[pd.DataFrame]) -> tuple[pd.Index, list[pd.DataFrame]]:
    """Return the items that both contenders have, in order, and their judgments of these items."""
    items = pd.Index(sorted(set(sides[0]["item"]) & set(sides[1]["item"])))
    return items, [side[side["item"].isin(items)] for side in sides]


def means_contrast(
    names: Sequence[ComparedName],
    sides: Sequence[tuple[FloatArray, IntArray]],
    items: Sequence[int],
    units: int,
) -> Contrast:
    """Return the contrast of means over each contender's answers.

    Args:
        names: Condition and metric of each mean.
        sides: For both contenders, values of shape (answers, means), NaN where an answer has none,
            and the index of each answer's unit.
        items: How many items each mean rests on.
        units: How many units there are.
    """
    first, second = (metrics.means_of(values, unit, units) for values, unit in sides)
    return Contrast(names, items, units, first, second)


@dataclass(frozen=True)
class ResampledDifferences:
    """Differences of two contenders on the same items, with their values over resamples.

    Attributes:
        names: Condition and metric of each difference.
        items: How many items each difference rests on.
        units: How many units were resampled for each.
        first: Values of the first contender.
        second: Values of the second contender.
        values: first - second.
        draws: Differences over resamples of the units, of shape (resamples, differences).
        below: Distance of the lower limit from the difference, where the limits follow from the
            intervals of both contenders; else NaN.
        above: Distance of the upper limit.
        clusters: As in `Contrast`.
        grouped: Whether groups of units were resampled, there being many.
    """

    names: Sequence[ComparedName]
    items: IntArray
    units: IntArray
    first: FloatArray
    second: FloatArray
    values: FloatArray
    draws: FloatArray
    below: FloatArray
    above: FloatArray
    clusters: metrics.Clusters | None = None
    grouped: bool = False

    @property
    def design_note(self) -> str:
        """Note on the clusters that are resampled; empty for items."""
        return self.clusters.note if self.clusters else ""

    def test(self, column: int) -> "DifferenceTest":
        """Return a difference's 95% interval and the p that agrees with it, or why it has none."""
        _, metric = self.names[column]
        value, draws = float(self.values[column]), self.draws[:, column]
        if np.isnan(value):
            return DifferenceTest(reason="undefined: either value is undefined")
        rule = metrics.METRICS[metric].interval.over(self.clusters).of_difference()
        units, below, above = int(self.units[column]), self.below[column], self.above[column]
        if not np.isnan(below) and not metrics.too_few(rule, units):
            reach = below if value > 0 else above
            p = 2 * ndtr(ndtri(0.025) * abs(value) / reach) if reach > 0 else float(value == 0)
            return DifferenceTest((value - below, value + above), float(p))
        interval, reason = metrics.interval_of(rule, value, draws, units)
        if reason and reason != metrics.SAME:  # where every item differs alike there is no doubt
            return DifferenceTest(reason=f"no interval: {reason}")
        p = metrics.resampled_p(value, draws, units, method=rule.method)
        if reason:
            return DifferenceTest(interval, p, f"no interval: {reason}")
        return DifferenceTest(interval, p, resampling_note(draws, self.grouped))

    def take(self, columns: Sequence[int]) -> "ResampledDifferences":
        """Return the differences in these columns."""
        arrays = {name: getattr(self, name)[..., columns] for name in _ARRAYS}
        return replace(self, names=[self.names[column] for column in columns], **arrays)


@dataclass(frozen=True)
class DifferenceTest:
    """The interval and the p of a difference.

    Attributes:
        interval: Its 95% interval.
        p: Two-sided p of no difference, below .05 just where the interval leaves out 0.
        reason: Why the interval or p is missing, or in how many resamples it is undefined.
    """

    interval: tuple[float, float] = NO_INTERVAL
    p: float = np.nan
    reason: str = ""


_ARRAYS = ("items", "units", "first", "second", "values", "draws", "below", "above")


def resample_contrast(
    contrast: Contrast, resampling: Resampling, stream: int | None
) -> ResampledDifferences:
    """Compute a contrast's differences and resample its units; `stream` as in `resample`."""
    seed = [resampling.seed] if stream is None else [resampling.seed, stream]
    sides = contrast.first, contrast.second
    strata = np.zeros(contrast.units, np.int64)
    plan = metrics.resampled_as(sides, strata, seed, patterns=True)
    if contrast.clusters is not None and contrast.clusters.are_ordered:
        by_side = metrics.smooth_draws(
            dict(enumerate(sides)),
            contrast.units,
            resamples=resampling.resamples,
            seed=seed,
            trend=contrast.clusters.trend,
        )
        first_draws, second_draws = by_side[0], by_side[1]
    else:
        first_draws, second_draws = metrics.bootstrap_pair(
            *sides, strata, resamples=resampling.resamples, seed=seed, sampling=plan
        )
    unit_weights = np.ones((1, contrast.units))
    first, second = contrast.first(unit_weights)[0], contrast.second(unit_weights)[0]
    items = np.array(contrast.items, np.int64)
    below, above = np.full((2, len(items)), np.nan)
    for column, (first_ends, second_ends) in contrast.own_intervals.items():
        # Its own value may be too high by as much as a side's lower limit is below it.
        below[column] = (first[column] - first_ends[0]) + (second_ends[1] - second[column])
        above[column] = (first_ends[1] - first[column]) + (second[column] - second_ends[0])
    return ResampledDifferences(
        contrast.names,
        items,
        np.minimum(items, contrast.units),
        first,
        second,
        _difference(first, second),
        _differences_of_draws(first_draws, second_draws),
        below,
        above,
        contrast.clusters,
        plan.grouped,
    )


def _difference(first: FloatArray, second: FloatArray) -> FloatArray:
    """Subtract; where values differ by rounding alone return 0, since the sign decides p."""
    with np.errstate(invalid="ignore"):
        difference = first - second  # of two infinite values undefined
    is_rounding = np.abs(difference) <= 1e-12 * np.maximum(np.abs(first), 1)
    return np.where(is_rounding & np.isfinite(difference), 0.0, difference)


def _differences_of_draws(first: FloatArray, second: FloatArray) -> FloatArray:
    """Subtract; the difference of two unbounded values is unbounded, to either side in turn."""
    is_unbounded = np.isinf(first) & (first == second)
    sides = np.where(np.arange(len(first)) % 2, np.inf, -np.inf)[:, None]
    return np.where(is_unbounded, sides, _difference(first, second))


def differences(contrast: Contrast, resampling: Resampling) -> list[Difference]:
    """Return a contrast's paired differences as `compare` shows them; none if it has no units."""
    if not contrast.units:
        return []
    if not _needs_resamples(contrast):
        resampling = replace(resampling, resamples=1)
    resampled = resample_contrast(contrast, resampling, None)
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
                note=join_notes(test.reason, resampled.design_note),
            )
        )
    return rows


def _needs_resamples(contrast: Contrast) -> bool:
    """Return whether any value of a contrast has an interval from resamples."""
    for (_, metric), items in zip(contrast.names, contrast.items, strict=True):
        rule = metrics.METRICS[metric].interval.over(contrast.clusters).of_difference()
        if rule.method != "none" and not metrics.too_few(rule, min(items, contrast.units)):
            return True
    return False


@dataclass(frozen=True)
class Pair:
    """The readable judgments of two contenders on their common items, by unit.

    Attributes:
        items: The common items.
        units: Their units.
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
        cls, first: pd.DataFrame, second: pd.DataFrame, *, are_chances: bool = False
    ) -> "Pair":
        """Pair the completed judgments of two contenders; `are_chances` as in `Answers`."""
        readable = [
            side[(side["status"] == "ok") & side["correct"].notna()] for side in (first, second)
        ]
        items, (first, second) = restrict_to_common_items(readable)
        units = ordered_units(first)
        return cls(
            items,
            units,
            Answers.from_frame(first, units, are_chances=are_chances),
            Answers.from_frame(second, units, are_chances=are_chances),
            clusters_of(first),
        )

    @property
    def choices(self) -> int | None:
        """Number of choices of every item; None if the contenders' items differ in it."""
        return self.first.choices if self.first.choices == self.second.choices else None


def confidence_contrast(
    first: pd.DataFrame,
    second: pd.DataFrame,
    thresholds: Sequence[float],
    compared: Sequence[ConfidenceMetric] = COMPARED_METRICS,
    condition: Condition = Condition(),  # noqa: B008 # it is frozen
    clusters: metrics.Clusters | None = None,
    *,
    are_chances: bool = False,
) -> Contrast:
    """Return the contrast of stated confidence in two contenders' completed judgments.

    Means, the metrics `compared`, and type-2 sensitivity at the thresholds are contrasted;
    `are_chances` is as in `Answers`.
    """
    pair = Pair.from_frames(first, second, are_chances=are_chances)
    return contrast_of_pairs([pair], thresholds, compared, condition, clusters)


def differences_from_baseline(
    baseline: pd.DataFrame,
    contenders: Mapping[str, pd.DataFrame],
    resampling: Resampling,
    stream: int,
) -> dict[str, ResampledDifferences]:
    """Return the differences of contenders from a baseline; those without a common item are absent.

    Contenders that share the same items with the baseline are resampled together, since the
    baseline's values are the same for them. Judgments are completed; `stream` is as in `resample`.
    """
    pairs_by_items: dict[tuple[Hashable, ...], dict[str, Pair]] = {}
    for name, rows in contenders.items():
        pair = Pair.from_frames(rows, baseline)
        if len(pair.items):
            pairs_by_items.setdefault((pair.choices, *pair.items), {})[name] = pair
    by_contender: dict[str, ResampledDifferences] = {}
    for pairs in pairs_by_items.values():
        contrast = contrast_of_pairs(list(pairs.values()), resampling.thresholds, COMPARED_METRICS)
        resampled = resample_contrast(contrast, resampling, stream)
        columns_of_pairs = np.split(np.arange(len(contrast.names)), len(pairs))
        for name, columns in zip(pairs, columns_of_pairs, strict=True):
            by_contender[name] = resampled.take(columns.tolist())
    return {name: by_contender[name] for name in contenders if name in by_contender}


@dataclass(frozen=True)
class _Contender:
    """One contender's judgments with their count tables by item."""

    answers: Answers
    cells: metrics.ItemTables

    def statistic(
        self, compared: Sequence[ConfidenceMetric], resampled: Sequence[bool]
    ) -> metrics.Statistic:
        """Return the values of all metrics; over resamples those `resampled`, others are NaN."""
        functions = [self.answers.value_function(metric) for metric in compared]

        def values(tables: metrics.ConfidenceTables) -> FloatArray:
            undefined = np.full(len(tables.right), np.nan)
            is_total = len(tables.right) == 1
            columns = []
            for function, is_resampled in zip(functions, resampled, strict=True):
                columns.append(function(tables) if is_resampled or is_total else undefined)
            return np.column_stack(columns)

        return self.cells.table_statistic.map(values)


def contrast_of_pairs(
    pairs: Sequence[Pair],
    thresholds: Sequence[float],
    compared: Sequence[ConfidenceMetric],
    condition: Condition = Condition(),  # noqa: B008 # it is frozen
    clusters: metrics.Clusters | None = None,
) -> Contrast:
    """Return one contrast of pairs that have the same items, choices and second contender.

    Declared clusters of the items are resampled unless others are given.

    Its columns are all metrics of the first pair, then those of the second pair, and so on; the
    second contender's values are computed once and repeated. A metric is resampled if there are
    enough units for its interval.
    """
    choices, items, units = pairs[0].choices, len(pairs[0].items), len(pairs[0].units)
    clusters = clusters or pairs[0].clusters
    compared = _with_sensitivity(compared, thresholds, choices)
    firsts = [_Contender(pair.first, pair.first.cells()) for pair in pairs]
    second = _Contender(pairs[0].second, pairs[0].second.cells())
    resampled, own_intervals = [], {}
    for column, metric in enumerate(compared):
        rule = metrics.METRICS[metric.metric].interval.over(clusters).of_difference()
        has_interval = rule.method != "none" and not metrics.too_few(rule, units)
        resampled.append(has_interval and rule.method != "own")
        if has_interval and rule.method == "own" and metric.interval:
            second_interval = second.answers.interval(metric)
            for row, first in enumerate(firsts):
                ends = np.array([first.answers.interval(metric), second_interval], float)
                own_intervals[row * len(compared) + column] = ends
    first_values = [first.statistic(compared, resampled) for first in firsts]
    second_values = second.statistic(compared, resampled)
    names = [(condition.but(**metric.condition), metric.metric) for metric in compared]
    return Contrast(
        names * len(pairs),
        [items] * len(names) * len(pairs),
        units,
        metrics.CombinedStatistic(first_values, lambda *values: np.hstack(values)),
        metrics.CombinedStatistic([second_values], lambda values: np.tile(values, len(pairs))),
        own_intervals,
        clusters,
    )


def _with_sensitivity(
    compared: Sequence[ConfidenceMetric], thresholds: Sequence[float], choices: int | None
) -> list[ConfidenceMetric]:
    """Add means before the metrics and type-2 sensitivity at each threshold after them."""
    names = {"type2_dprime", "meta_d_ideal"} | ({"m_ratio"} if choices else set())
    with_sensitivity = [*MEAN_METRICS, *compared]
    for threshold in thresholds:
        at_threshold = threshold_metrics(threshold, choices)
        with_sensitivity += [metric for metric in at_threshold if metric.metric in names]
    return with_sensitivity


def mean_differences(parts: Sequence[ResampledDifferences]) -> ResampledDifferences:
    """Return the unweighted mean over data sets of the differences that all of them have."""
    names = [name for name in parts[0].names if all(name in part.names for part in parts)]
    shared = [part.take([part.names.index(name) for name in names]) for part in parts]
    reductions: dict[str, Callable[..., Any]] = {
        "items": np.sum,
        "units": np.min,
    }
    arrays = {}
    for field_name in _ARRAYS:
        reduction = reductions.get(field_name, np.mean)
        with np.errstate(invalid="ignore"):  # unbounded on either side: undefined
            arrays[field_name] = reduction([getattr(part, field_name) for part in shared], axis=0)
    clusters = next(filter(None, (part.clusters for part in parts)), None)
    return ResampledDifferences(names, **arrays, clusters=clusters)


TEST_METRICS = "difference", "p_value", "p_bonferroni", "p_holm"
"""Metrics of `results_of_tests`; `difference_results` has the first two."""


def results_of_tests(
    contenders: Mapping[str, ResampledDifferences], key: Key, condition: Condition, part: str
) -> Iterator[Result]:
    """Yield difference and p of contenders against one baseline, p adjusted over the contenders.

    `versus` in the condition names the baseline. The condition's part with the name `part` names
    the contender.
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
        over = f"over {(~np.isnan(p)).sum()} comparisons with {condition['versus']}"
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
    """Return the rows of a difference and of its p.

    In the condition, `of` names the compared metric and `versus` the reference.
    """
    test, value = resampled.test(column), resampled.values[column]
    n = int(resampled.items[column])
    note = test.reason
    if not np.isnan(value):
        note = join_notes(f"on the {n} items that both have", test.reason, resampled.design_note)
    reason = test.reason.removeprefix("undefined: ").removeprefix("no interval: ")
    p_note = f"undefined: {reason}" if np.isnan(test.p) else ""
    return (
        key.result(condition, "difference", value, test.interval, n=n, note=note),
        key.result(condition, "p_value", test.p, n=n, note=p_note),
    )
