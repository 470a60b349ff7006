"""Estimates and their intervals: statistics of item weights, resampled over the items.

All studies compute with these functions. Judgments are rows of a frame. The resampled units are the
items that judgments belong to, or the clusters of items: `units` names them in the order of the
weights, `unit_count` is their number, and `unit_index` is the position of each judgment's unit, as
`unit_indices` returns it. A `condition` is what the study varied; a `note` tells the reader what
was left out and which definition was chosen.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from inspect_confidence import metrics
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    count_flags,
    count_units,
    unit_sizes,
)
from inspect_confidence.metrics.registry import Interval
from inspect_confidence.results import NO_INTERVAL, Condition, Key, Result
from inspect_confidence.studies.notes import COUNT, UNNAMED_DATASET, join_notes, merge_reasons
from inspect_confidence.studies.study import Observer, ResampledValue, Resampling

PROGRESS: ContextVar[Callable[[int], object] | None] = ContextVar("progress", default=None)
"""Optional progress callback; receives the number of judgments processed."""


def condition_groups(
    frame: pd.DataFrame, columns: Sequence[str] = ("model", "dataset", "variant")
) -> Iterator[tuple[Key, Condition, pd.DataFrame]]:
    """Yield the key, condition and rows of each group of one task's judgments.

    `model` and `dataset` become part of the key if they are in `columns`, otherwise they are empty
    in it. The other columns make the condition; a missing value is no part of it. Groups come in
    the frame's order. After each, the callback in `PROGRESS` receives its number of judgments.
    """
    for values, rows in frame.groupby(["task", *columns], sort=False, dropna=False):
        parts: dict[str, Any] = dict(zip(["task", *columns], values, strict=True))
        task, model, dataset = (str(parts.pop(name, "")) for name in ("task", "model", "dataset"))
        condition = {name: value for name, value in parts.items() if pd.notna(value)}
        yield Key(task, model, dataset), Condition(condition), rows
        if report_progress := PROGRESS.get():
            report_progress(int(rows[COUNT].sum()) if COUNT in rows else len(rows))


def field_values(rows: pd.DataFrame) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield each value of each field of `--by`, as `domain=law`, and which judgments have it.

    An empty text comes first, with all judgments. Empty values of a field are left out.
    """
    yield "", np.ones(len(rows), bool)
    if "by" not in rows:
        return
    texts = rows["by"]
    # A judgment's `by` encodes all of its fields, so that each different text is read once.
    fields_by_text = {text: Condition.read(text) for text in texts.unique()}
    for field in dict.fromkeys(chain.from_iterable(fields_by_text.values())):
        values = texts.map({text: parts.get(field, "") for text, parts in fields_by_text.items()})
        for value in sorted(set(values) - {""}):
            yield str(Condition({field: value})), (values == value).to_numpy()


def unit_indices(rows: pd.DataFrame, units: pd.Index) -> IntArray:
    """Return the position of each judgment's unit in `units`; -1 if it is not among them."""
    return np.asarray(units.get_indexer(pd.Index(unit_names(rows))), np.int64)


def unit_names(rows: pd.DataFrame) -> pd.Series:
    """Return each judgment's resampled unit: the column `unit` if there is one, else its cluster.

    An item without a cluster is a unit of its own.
    """
    return rows["unit"] if "unit" in rows else cluster_names(rows)


def ordered_units(rows: pd.DataFrame) -> pd.Index:
    """Return each unit once, in the order of the rows, or sorted if they have a column `unit`.

    The study defines these units; they may be ages, which are like their neighbours.
    """
    units: list[str] = unit_names(rows).unique().tolist()
    return pd.Index(sorted(units) if "unit" in rows else units)


def cluster_names(rows: pd.DataFrame) -> pd.Series:
    """Return each judgment's cluster, or its item if that has no cluster."""
    if "cluster" not in rows or not (rows["cluster"] != "").any():
        return rows["item"]
    return rows["item"].where(rows["cluster"] == "", _CLUSTER_PREFIX + rows["cluster"])


_CLUSTER_PREFIX = "cluster\0"
"""Prefix of clusters' names, since a cluster and an item may have the same name."""

MIN_CLUSTERS = 10
"""Number of clusters below which there is no interval: their variance is too uncertain."""


def clusters_of(rows: pd.DataFrame) -> metrics.Clusters | None:
    """Return the clusters of items that the user declares, which are resampled instead of items.

    None if no cluster has several items: items are then resampled. None also if the study defines
    the resampled units itself, by a column `unit`.
    """
    if "unit" in rows:
        return None
    clusters, items = cluster_names(rows).nunique(), rows["item"].nunique()
    if clusters == items:
        return None
    note = f"{clusters:,} clusters of {items:,} items are resampled"
    return metrics.Clusters("clusters", MIN_CLUSTERS, note, are_declared=True)


def check_shares(rows: pd.DataFrame, names: Sequence[str], remedy: str = "70% is 0.7.") -> None:
    """Check that the columns `names` hold shares; NaN passes.

    Raises:
        InvalidArgument: A number in one of these columns lies outside [0, 1]; the message ends with
            `remedy`.
    """
    for name in names:
        outside = rows.loc[(rows[name] < 0) | (rows[name] > 1), name]
        if len(outside):
            raise InvalidArgument(f"{name}={outside.iloc[0]:g} is not in [0, 1]; {remedy}")


@dataclass(frozen=True)
class Estimate:
    """Description of an estimate without its value: metric, condition, counts and interval rule.

    Attributes:
        condition: What the study varied.
        metric: Name in the metric registry.
        n: Judgments that the estimate rests on.
        note: Remark for the results.
        interval: The 95% interval, if it does not come from resamples but from Wilson's method or
            the metric's own.
        undefined_reason: Why the value is undefined; the registry's reason if empty.
        n_asked: Judgments that were asked for; n if None.
        unit_count: Resampled units that the estimate rests on; the smaller of n and all units if
            None.
        balanced_units: Number of units by `metrics.count_balanced_units`; infinite if outcomes are
            not compared.
        no_interval_reason: Why the metric's own method gives no interval, or, where `interval` is
            None, why there is none at all.
        resampling_note: Note on the resampling, shown if the interval comes from it.
    """

    condition: Mapping[str, object]
    metric: str
    n: int
    note: str = ""
    interval: tuple[float, float] | None = None
    undefined_reason: str = ""
    n_asked: int | None = None
    unit_count: int | None = None
    balanced_units: float = np.inf
    no_interval_reason: str = ""
    resampling_note: str = ""


def estimate_counts(
    present: BoolArray, unit_index: IntArray, counts: IntArray | None = None
) -> dict[str, Any]:
    """Return the fields `n`, `n_asked` and `unit_count` of an `Estimate`.

    `present` says of each judgment whether the estimate rests on it, and `unit_index` has the
    position of its unit. `counts` has the number of equal judgments that each stands for, as
    `judgment_counts` returns them.
    """
    return {
        "n": count_flags(present, counts),
        "n_asked": count_flags(np.ones(len(present), bool), counts),
        "unit_count": count_units(unit_index[present], None if counts is None else counts[present]),
    }


@dataclass(frozen=True)
class Statistics:
    """Estimates that one statistic computes together, as those of one count table; often just one.

    Attributes:
        estimates: What the columns of the statistic's values are.
        statistic: Item weights (resamples, units) -> values of shape (resamples, estimates).
        subset: Positions of estimates -> the statistic of these alone, where that saves work; None
            if they can only be computed together.
    """

    estimates: Sequence[Estimate]
    statistic: metrics.Statistic
    subset: Callable[[Sequence[int]], metrics.Statistic] | None = None

    def restrict(self, positions: Sequence[int]) -> tuple[IntArray, metrics.Statistic]:
        """Return positions of estimates, and a statistic with a column for each of them.

        They are the wanted `positions` if `subset` can compute these alone, otherwise all.
        """
        if self.subset:
            return np.array(positions, np.int64), self.subset(positions)
        return np.arange(len(self.estimates)), self.statistic


Tables = TypeVar("Tables")


def statistics_of_tables(
    estimates: Sequence[Estimate],
    make_tables: metrics.SumStatistic[Tables],
    values: Sequence[Callable[[Tables], FloatArray]],
) -> Statistics:
    """Return estimates with the statistic that computes them from the same count tables.

    Any of them can be computed without the others, which saves work if few are requested.

    Args:
        estimates: Descriptions of the estimates, without values.
        make_tables: Item weights (resamples, items) -> one table for each resample.
        values: For each estimate, the function of the tables that gives its value in each.
    """

    def subset(positions: Sequence[int]) -> metrics.Statistic:
        """Return the statistic of the estimates at these positions, a column each.

        It takes item weights, of one sample or many resamples, and returns a row for each of them.
        """
        return make_tables.map(
            lambda tables: np.column_stack([values[position](tables) for position in positions])
        )

    return Statistics(estimates, subset(range(len(values))), subset)


def means(
    condition: Mapping[str, object],
    columns: Mapping[str, ArrayLike],
    unit_index: IntArray,
    unit_count: int,
    note: str | Callable[[FloatArray], str] | Mapping[str, str] = "",
    *,
    counts: IntArray | None = None,
) -> Statistics:
    """Return the mean over judgments of the values of each metric; NaN values are left out.

    A mean of zeros and ones has Wilson's interval if the registry gives it to the metric; other
    means are resampled.

    Args:
        condition: Condition of all estimates.
        columns: Values by metric, one a judgment.
        unit_index: Position of each judgment's unit, as `unit_indices` returns it.
        unit_count: How many units there are.
        note: Note of all estimates, the notes by metric, or a function of a metric's values that
            returns its note.
        counts: How many equal judgments each stands for, as `judgment_counts` returns them. Here
            they give n and Wilson's interval; `resample` then weights units by them.
    """

    def note_of(metric: str, column: FloatArray) -> str:
        """Return the note of a metric with these values, in whichever form notes were given."""
        if isinstance(note, Mapping):
            return note[metric]
        return note(column) if callable(note) else note

    values = np.column_stack([np.asarray(column, float) for column in columns.values()])
    estimates = []
    for metric, column in zip(columns, values.T, strict=True):
        present = ~np.isnan(column)
        is_share = metrics.METRICS[metric].interval.method == "wilson"
        is_share &= bool(np.isin(column[present], (0, 1)).all())
        estimate = Estimate(
            condition,
            metric,
            note=note_of(metric, column),
            interval=wilson_interval(column, unit_index, unit_count, counts) if is_share else None,
            **estimate_counts(present, unit_index, counts),
        )
        estimates.append(estimate)
    extremes = [_extremes_of(metric) for metric in columns]
    return Statistics(estimates, metrics.means_of(values, unit_index, unit_count, extremes))


def _extremes_of(metric: str) -> tuple[float, float]:
    """Return the least and the greatest possible value of a metric.

    Resamples of a mean add pseudo-units with these values, so that intervals of few units are wide
    enough. A range without an end has infinite or NaN extremes (`UNBOUNDED_ABOVE`: NaN below and
    infinity above; `UNBOUNDED`: both infinite), in place of which `metrics.bootstrap` takes values
    that follow from the sample's extreme ones.
    """
    registered = metrics.METRICS[metric]
    if np.isfinite(registered.high):
        return registered.low, registered.high
    return metrics.UNBOUNDED_ABOVE if np.isfinite(registered.low) else metrics.UNBOUNDED


def flag_count_note(flags: FloatArray, counts: IntArray | None = None) -> str:
    """Return a note such as "3 of 20": how many flags are 1, of those that aren't NaN."""
    return f"{count_flags(flags == 1, counts)} of {count_flags(~np.isnan(flags), counts)}"


def wilson_interval(
    flags: FloatArray, unit_index: IntArray, unit_count: int, counts: IntArray | None = None
) -> tuple[float, float]:
    """Return Wilson's 95% interval, over units, of the share of flags that are 1.

    Flags are 0, 1, or NaN for judgments that don't count; if all are NaN, so is the interval.
    `counts` has the number of equal judgments that each stands for; one each if None.
    """
    present = ~np.isnan(flags)
    return metrics.clustered_wilson_interval(
        np.bincount(unit_index[present], flags[present], minlength=unit_count),
        np.bincount(unit_index[present], minlength=unit_count),
        counts=unit_sizes(unit_index, counts, unit_count),
    )


def judgment_count(condition: Mapping[str, object], n: int, note: str = "") -> Statistics:
    """Return the number of judgments as an estimate, the same in every resample."""
    return Statistics([Estimate(condition, "n", n, note)], constant_statistic(n))


def constant_statistic(value: ArrayLike) -> metrics.Statistic:
    """Return a statistic with the same value, or the same row of values, in every resample."""
    return lambda weights: np.full((len(weights), *np.shape(value)), value, float)


@dataclass(frozen=True)
class ResampledEstimates:
    """Estimates with their values, of all judgments and of each resample.

    Attributes:
        estimates: Descriptions of the estimates.
        values: Values on all judgments, one for each estimate.
        draws: Values on the resamples, of shape (resamples, estimates).
        unit_count: How many units were resampled.
        observe: Callback for each result, as in `Resampling`.
        clusters: The clusters that were resampled; None if items were.
        grouped: Whether groups of units were resampled, because there are many units.
    """

    estimates: Sequence[Estimate]
    values: FloatArray
    draws: FloatArray
    unit_count: int
    observe: Observer | None = None
    clusters: metrics.Clusters | None = None
    grouped: bool = False


def resample(
    statistics: Iterable[Statistics],
    units: int | IntArray,
    resampling: Resampling,
    stream: int | None = None,
    clusters: metrics.Clusters | None = None,
    *,
    unpaired: bool = False,
    counts: IntArray | None = None,
) -> ResampledEstimates:
    """Compute the requested estimates on all judgments and over the same resamples.

    The draws of an estimate are its values over resamples; they are NaN if its interval needs none.
    The resamples don't depend on which metrics are requested: whether units are equal, so that they
    may share a weight, is decided over all statistics that need resamples, requested or not. Where
    clusters lie along a line, as ages do, and are like their neighbours, draws are normal around
    the value (`smooth_draws`).

    Args:
        statistics: Estimates to compute.
        units: How many units there are, or the stratum of each if they are drawn within strata.
        resampling: Number of resamples, seed and requested metrics.
        stream: Number of the data set; resamples of different numbers are independent.
        clusters: The clusters that the units are; None if they are items.
        unpaired: Whether these resamples are compared with no others of the same units. Equal units
            may then have one weight, which is faster.
        counts: Number of equal units that each unit stands for; one each if None.
    """
    strata = np.zeros(units, np.int64) if isinstance(units, int) else units
    # The sample itself, as one row of weights: 1 for each unit, or how many units it stands for.
    sample_weights = (np.ones(len(strata)) if counts is None else counts.astype(float))[None]
    prepared = _prepare_estimates(list(statistics), sample_weights, clusters, resampling)
    estimates, values = prepared.estimates, prepared.values
    seed = resampling.seed if stream is None else [resampling.seed, stream]
    resamples = resampling.resamples
    # For ranks (`observe`) resampled values are compared with those of other models, in which other
    # units are equal: then equal units keep weights of their own.
    equal_units_share_weight = unpaired and not resampling.observe
    plan = metrics.resampled_as(
        prepared.deciding, strata, seed, patterns=equal_units_share_weight, counts=counts
    )
    ordered_clusters = clusters if clusters and clusters.are_ordered else None
    if ordered_clusters:
        trend = ordered_clusters.trend
        resampled_values = metrics.smooth_draws(
            prepared.to_resample, len(strata), resamples=resamples, seed=seed, trend=trend
        )
    else:
        resampled_values = metrics.bootstrap(
            prepared.to_resample, strata, resamples=resamples, seed=seed, sampling=plan
        )
    draws = np.full((resamples, len(estimates)), np.nan)
    for positions, column_draws in resampled_values.items():  # by the positions of estimates
        draws[:, positions] = column_draws.reshape(len(draws), -1)
    if ordered_clusters:  # normal draws may leave the range of a metric
        _move_into_ranges(draws, estimates, values)
    # A statistic may also have computed estimates that are not requested.
    is_requested = np.array([resampling.requests(estimate.metric) for estimate in estimates], bool)
    return ResampledEstimates(
        list(compress(estimates, is_requested)),
        values[is_requested],
        draws if is_requested.all() else draws[:, is_requested],
        unit_count=int(sample_weights.sum()),
        observe=resampling.observe,
        clusters=clusters,
        grouped=plan.grouped,
    )


def bootstrap_draws(
    statistic: metrics.Statistic, unit_count: int, resamples: int, seed: int
) -> FloatArray:
    """Return the values of a statistic over resamples of all units, drawn as one stratum."""
    strata = np.zeros(unit_count, np.int64)
    draws = metrics.bootstrap({"values": statistic}, strata, resamples=resamples, seed=seed)
    return draws["values"]


def _move_into_ranges(draws: FloatArray, estimates: Sequence[Estimate], values: FloatArray) -> None:
    """Move the draws of each estimate (a column), in place, into the range of its metric.

    The draws are normal around the estimate's value (`smooth_draws`), and may leave the range.
    `within_range` moves them by the logit scale, which leaves those near the value where they are.
    """
    for column, estimate in enumerate(estimates):
        low, high = metrics.METRICS[estimate.metric].low, metrics.METRICS[estimate.metric].high
        draws[:, column] = metrics.within_range(draws[:, column], float(values[column]), low, high)


@dataclass(frozen=True)
class _PreparedEstimates:
    """Estimates with their values on all judgments, and the statistics to resample.

    Attributes:
        estimates: All estimates, requested or not.
        values: Their values; NaN where neither requested nor computed along with a requested one.
        to_resample: Statistics, by the positions of the estimates whose draws they give.
        deciding: All statistics that need resamples, requested or not. Units that are equal in all
            of them may be drawn together.
    """

    estimates: Sequence[Estimate]
    values: FloatArray
    to_resample: Mapping[tuple[int, ...], metrics.Statistic]
    deciding: Sequence[metrics.Statistic]


def _prepare_estimates(
    all_statistics: Sequence[Statistics],
    weights: FloatArray,
    clusters: metrics.Clusters | None,
    resampling: Resampling,
) -> _PreparedEstimates:
    """Compute the requested values on all judgments, and collect the statistics to resample.

    Units may have one weight in resamples if they are equal in all statistics of `deciding`: those
    that need resamples, requested or not, so that requests change no resample, and those without
    estimates, which are passed only to tell units apart. `weights` are those of the sample, of
    shape (1, units); their sum is the number of units. `clusters` are the clusters that the units
    are, None if they are items.
    """
    estimates = list(chain.from_iterable(part.estimates for part in all_statistics))
    values = np.full(len(estimates), np.nan)
    start = 0  # position in `estimates` of the first estimate of `part`
    to_resample: dict[tuple[int, ...], metrics.Statistic] = {}
    deciding: list[metrics.Statistic] = []
    for part in all_statistics:
        requested, needs_resamples = [], []  # positions in `part` of the estimates
        for position, estimate in enumerate(part.estimates):
            if resampling.requests(estimate.metric):
                requested.append(position)
            if _is_resampled(estimate, int(weights.sum()), clusters, resampling):
                needs_resamples.append(position)
        if requested:
            positions, statistic = part.restrict(requested)
            values[start + positions] = statistic(weights).reshape(-1)
        if needs_resamples or not part.estimates:
            deciding.append(part.statistic)
        if resampled_positions := sorted({*needs_resamples}.intersection(requested)):
            positions, statistic = part.restrict(resampled_positions)
            to_resample[tuple((start + positions).tolist())] = statistic
        start += len(part.estimates)
    return _PreparedEstimates(estimates, values, to_resample, deciding)


def estimates_without_resamples(pairs: Iterable[tuple[Estimate, float]]) -> ResampledEstimates:
    """Return estimates with their values and NaN draws; their intervals must need no resamples.

    Where an estimate does not say how many units it rests on, each of its judgments is a unit: the
    number of all units is the largest number of judgments.
    """
    estimates, values = [], []
    for estimate, value in pairs:
        estimates.append(estimate)
        values.append(value)
    draws = np.full((1, len(estimates)), np.nan)
    unit_count = max((estimate.n for estimate in estimates), default=0)
    return ResampledEstimates(estimates, np.array(values, float), draws, unit_count)


def _is_resampled(
    estimate: Estimate, all_units: int, clusters: metrics.Clusters | None, resampling: Resampling
) -> bool:
    """Return whether an estimate is computed over resamples.

    If the function `resampling.is_observed` is set, because models are ranked by some numbers, it
    decides. Otherwise an estimate is resampled unless its metric has no interval or an interval
    method of its own, or there are too few units for an interval. Shares with Wilson's interval are
    resampled for their mean over models. `all_units` is the number of resampled units.
    """
    if resampling.is_observed:
        return resampling.is_observed(estimate.metric, Condition(estimate.condition))
    rule = metrics.METRICS[estimate.metric].interval.over(clusters)
    if rule.method in ("own", "none"):
        return False
    return not metrics.too_few(rule, _unit_count_of(estimate, all_units))


def results_of(resampled: ResampledEstimates, key: Key) -> list[Result]:
    """Return a row of results for each estimate; `key` is its model, task and data set.

    The note says why a value is undefined or an interval is missing. The callback
    `resampled.observe`, if set, gets each row with its values over resamples, for ranks.
    """
    results = []
    columns = zip(resampled.estimates, resampled.values, resampled.draws.T, strict=True)
    for estimate, value, draws in columns:  # draws: the value in each resample
        interval, note = NO_INTERVAL, estimate.note
        if np.isnan(value):
            note = join_notes(f"undefined: {_undefined_reason(estimate)}", note)
        else:
            interval, remark = _interval_with_remark(estimate, float(value), draws, resampled)
            cluster_note = "" if np.isnan(interval[0]) else _cluster_note(estimate, resampled)
            note = join_notes(note, remark, cluster_note)
        row = key.result(
            estimate.condition,
            estimate.metric,
            value,
            interval,
            n=estimate.n,
            asked=estimate.n_asked,
            note=note,
        )
        results.append(row)
        if resampled.observe:
            unit_count = _unit_count_of(estimate, resampled.unit_count)
            resampled.observe(
                row, ResampledValue(draws, unit_count, resampled.clusters, estimate.balanced_units)
            )
    return results


def _cluster_note(estimate: Estimate, resampled: ResampledEstimates) -> str:
    """Return the note on resampled clusters; empty if the estimate's interval is not over them.

    An estimate has an `interval` of its own if it is computed without resamples. Where clusters lie
    along a line, as ages do, such an interval is over items, as clusters only decide how resamples
    are drawn; where they have no order, it is over clusters, too.
    """
    clusters = resampled.clusters
    if clusters is None or metrics.METRICS[estimate.metric].interval.method == "none":
        return ""
    is_over_items = clusters.are_ordered and estimate.interval is not None
    return "" if is_over_items else clusters.note


def _interval_with_remark(
    estimate: Estimate, value: float, draws: FloatArray, resampled: ResampledEstimates
) -> tuple[tuple[float, float], str]:
    """Return an estimate's interval, and why there is none or how resamples were made.

    An interval that is already computed, as by Wilson's method, comes first, as does the reason why
    such a method gives none. A number that estimates nothing has neither interval nor reason.
    Otherwise the interval follows from `draws`, the values over resamples, by the rule that the
    registry has for the metric, changed for clusters.
    """
    registered = metrics.METRICS[estimate.metric]
    unit_count = _unit_count_of(estimate, resampled.unit_count)
    rule = registered.interval.over(resampled.clusters)
    is_computed = estimate.interval is not None and not np.isnan(estimate.interval[0])
    if is_computed or estimate.no_interval_reason:
        return _computed_interval(estimate, rule, unit_count)
    (low, high), reason = metrics.interval_of(
        rule, value, draws, unit_count, estimate.balanced_units
    )
    if reason or np.isnan(low):
        return NO_INTERVAL, f"no interval: {reason}" if reason else ""
    if rule.method == "debiased":  # its limits are shifted by the bias, and may leave the range
        low, high = max(low, registered.low), min(high, registered.high)
    remark = join_notes(resampling_note(draws, resampled.grouped), estimate.resampling_note)
    return (low, high), remark


def _computed_interval(
    estimate: Estimate, rule: Interval, unit_count: int
) -> tuple[tuple[float, float], str]:
    """Return the interval that was computed without resamples, or the reason why there is none.

    There is none if the metric has none by its rule, with too few units, or if both limits are
    equal. If the metric's method gave none, `estimate.no_interval_reason` says why.
    """
    low, high = NO_INTERVAL if estimate.interval is None else estimate.interval
    reason = rule.reason if rule.method == "none" else ""
    if estimate.interval is not None and not reason:
        reason = metrics.too_few(rule, unit_count)
    if not reason and metrics.are_equal(np.array([low, high])):
        reason = metrics.SAME
    if not reason and np.isnan(low):
        reason = estimate.no_interval_reason
    return (NO_INTERVAL, f"no interval: {reason}") if reason else ((low, high), "")


def resampling_note(draws: FloatArray, grouped: bool) -> str:
    """Return a note on resamples with an undefined value and on resampling in groups.

    It is empty if all draws are defined and `grouped` is false.
    """
    undefined = int(np.isnan(draws).sum())
    return join_notes(
        f"undefined in {undefined} of {len(draws)} resamples, left out there" if undefined else "",
        f"resampled in {metrics.GROUPS:,} groups" if grouped else "",
    )


@dataclass(frozen=True)
class _EstimateColumn:
    """An estimate of `ResampledEstimates` with its value, draws and number of resampled units."""

    estimate: Estimate
    value: float
    draws: FloatArray
    unit_count: int


MEAN_NOTE = "unweighted mean of"
"""Beginning of the note of a mean over data sets or models, whose names follow."""


def average_estimates(
    parts: Mapping[str, ResampledEstimates],
    excluded_metrics: Collection[str],
    *,
    independent: bool,
    reported_if_missing: Collection[str] = (),
) -> ResampledEstimates:
    """Return the unweighted mean over data sets or models of every estimate that all of them have.

    A part is a data set or model. A draw of the mean (its value in a resample) is the mean of the
    parts' draws. Intervals that do not come from draws are combined for data sets, which are
    independent. Models share the items of each resample, so that the interval of their mean comes
    from its draws. Estimates that a part lacks are left out, or come last, undefined
    (`reported_if_missing`).

    Args:
        parts: Estimates by the name of the data set or model; at least one.
        excluded_metrics: Metrics without a mean, such as counts. p-values have none either.
        independent: Whether the parts were resampled independently.
        reported_if_missing: Metrics that are reported as undefined, with the reason, if some parts
            lack them; other metrics are left out in this case.
    """
    over = f"{MEAN_NOTE} {_list_names(parts)}"
    clusters = next(filter(None, (part.clusters for part in parts.values())), None)
    estimates, values, draws = [], [], []  # of the means
    missing = []  # undefined estimates, which come last
    for (condition, metric), columns in _columns_by_estimate(parts).items():
        is_p_value = metrics.METRICS[metric].unit == "probability"  # the unit of p-values alone
        if metric in excluded_metrics or is_p_value:
            continue
        lacking = [name for name in parts if name not in columns]
        if not lacking:
            described = _mean_estimate(columns, over, independent)
            # A mean over data sets has no interval if one of them has too few units for its own.
            too_few = _too_few_reason(columns, clusters) if independent else ""
            if too_few:
                described = replace(described, interval=None, no_interval_reason=too_few)
            estimates.append(described)
            values.append([column.value for column in columns.values()])
            with np.errstate(invalid="ignore"):  # the mean of inf and -inf is NaN
                draws.append(np.mean([column.draws for column in columns.values()], axis=0))
        elif metric in reported_if_missing:
            reason = f"there is none of {_list_names(lacking)}"
            missing.append(Estimate(condition, metric, 0, over, undefined_reason=reason))
    first, *_ = parts.values()
    # Parts are added in the order in which those of a draw are: in another order a value that all
    # draws equal would differ from them in the last bit.
    means = np.ascontiguousarray(np.array(values).reshape(-1, len(parts)).T).mean(axis=0)
    # The array without columns gives the stack its rows, even if there is no draw to stack.
    mean_draws = np.column_stack([np.empty((len(first.draws), 0)), *draws])
    undefined_draws = np.full((len(first.draws), len(missing)), np.nan)
    unit_count = sum(part.unit_count for part in parts.values())
    return ResampledEstimates(
        [*estimates, *missing],
        np.pad(means, (0, len(missing)), constant_values=np.nan),
        np.hstack([mean_draws, undefined_draws]),
        unit_count=unit_count if independent else first.unit_count,
        observe=first.observe,  # all parts have the same settings
        clusters=clusters,
        grouped=any(part.grouped for part in parts.values()),
    )


def _list_names(names: Iterable[str]) -> str:
    """Return names of data sets or models in a sentence; an empty one is said to be missing."""
    return ", ".join(name or UNNAMED_DATASET for name in names)


def _too_few_reason(
    columns: Mapping[str, _EstimateColumn], clusters: metrics.Clusters | None
) -> str:
    """Return which data sets have too few units for an interval of one estimate; empty if none.

    `columns` has the estimate by data set. The estimate's mean has no interval either.
    """
    rule = metrics.METRICS[next(iter(columns.values())).estimate.metric].interval.over(clusters)
    if rule.method == "none":
        return ""
    names, reason = [], ""
    for name, column in columns.items():
        if too_few := metrics.too_few(rule, _unit_count_of(column.estimate, column.unit_count)):
            names.append(name)
            reason = too_few  # the same for all
    return f"{reason} in {_list_names(names)}" if names else ""


def _columns_by_estimate(
    parts: Mapping[str, ResampledEstimates],
) -> dict[tuple[Condition, str], dict[str, _EstimateColumn]]:
    """Return the estimates, each with its value and draws, by condition and metric, then by part.

    A part is a data set or model; an estimate that it lacks is absent.
    """
    columns: dict[tuple[Condition, str], dict[str, _EstimateColumn]] = {}
    for name, part in parts.items():
        for estimate, value, draws in zip(part.estimates, part.values, part.draws.T, strict=True):
            column = _EstimateColumn(estimate, float(value), draws, part.unit_count)
            key = Condition(estimate.condition), estimate.metric
            columns.setdefault(key, {})[name] = column
    return columns


def _mean_estimate(
    columns: Mapping[str, _EstimateColumn], over: str, independent: bool
) -> Estimate:
    """Describe the mean of one estimate over data sets or models; its value is computed elsewhere.

    Judgments are summed. The number of units, which may be too small for an interval, is the
    smallest of any data set or model, and the reason for a missing interval the first of any.
    `columns` has the estimate with its value by data set or model; `over` is the note that names
    them; `independent` says whether they were resampled independently.
    """
    estimates = [column.estimate for column in columns.values()]
    values = np.array([column.value for column in columns.values()])
    reasons = {  # by data set or model with an undefined value
        name: _undefined_reason(column.estimate)
        for name, column in columns.items()
        if np.isnan(column.value)
    }
    # Semicolons separate the parts of a note.
    distinct_reasons = ", ".join(dict.fromkeys(merge_reasons(reasons.values()).values()))
    distinct_reasons = distinct_reasons.replace("; ", ", ")
    no_interval_reasons = [estimate.no_interval_reason for estimate in estimates]
    return replace(
        estimates[0],
        n=sum(estimate.n for estimate in estimates),
        note=over,
        interval=_interval_of_mean(values, estimates, independent),
        unit_count=min(
            _unit_count_of(column.estimate, column.unit_count) for column in columns.values()
        ),
        balanced_units=min(estimate.balanced_units for estimate in estimates),
        n_asked=sum(
            estimate.n if estimate.n_asked is None else estimate.n_asked for estimate in estimates
        ),
        # Shown only if the mean is undefined, as it is if any value is.
        undefined_reason=f"undefined in {_list_names(reasons)} ({distinct_reasons})",
        no_interval_reason=next(filter(None, no_interval_reasons), ""),
    )


def _undefined_reason(estimate: Estimate) -> str:
    """Return why the value of an estimate is undefined, by default the registry's reason."""
    return estimate.undefined_reason or metrics.METRICS[estimate.metric].undefined


def _unit_count_of(estimate: Estimate, all_units: int) -> int:
    """Return the number of resampled units that an estimate rests on, of `all_units`."""
    return min(estimate.n, all_units) if estimate.unit_count is None else estimate.unit_count


def _interval_of_mean(
    values: FloatArray, estimates: Sequence[Estimate], independent: bool
) -> tuple[float, float] | None:
    """Return the interval of a mean of `values` from the intervals of their estimates.

    It is None if an estimate has no interval, or if the values are neither independent nor biased:
    the interval of the mean then comes from resamples. The mean of independent values has Zou and
    Donner's interval (MOVER). Limits of biased values, such as ECE, are averaged, because bias does
    not shrink with the number of data sets as errors do. A single value keeps its interval.
    """
    if any(estimate.interval is None for estimate in estimates):
        return None
    bounds = np.array([estimate.interval for estimate in estimates], float)
    if len(estimates) == 1 or metrics.METRICS[estimates[0].metric].interval.biased:
        low, high = bounds.mean(axis=0)
        return float(low), float(high)
    if not independent:
        return None
    below, above = np.sqrt(np.square(bounds - values[:, None]).sum(axis=0)) / len(estimates)
    return float(values.mean() - below), float(values.mean() + above)
