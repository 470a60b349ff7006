"""Metrics over data sets of whether markers mean the same everywhere."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations, product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, divide_or_nan
from inspect_confidence.metrics.markers import LEAST_POINTS, Correlation, Varying
from inspect_confidence.printing import counted
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.estimate import Estimate, Statistics
from inspect_confidence.studies.hedge_markers.forms import HedgeOptions
from inspect_confidence.studies.hedge_markers.judgments import NO_HEDGE, REPLY, Sentences
from inspect_confidence.studies.notes import join_notes
from inspect_confidence.studies.over_models import (
    ALL_MODELS,
    Point,
    correlate_over_models,
    point_and_condition,
)
from inspect_confidence.studies.study import Resampling

ALL = "all"
"""Value of the column `dataset` in results over all data sets."""

STABILITY_METRICS = ("id_mae", "cd_mae", "m_avg_cv", "d_avg_cv", "mrc", "mac", "mcc", "mrc_change")
"""The metrics of stability, and the change of MRC without `<no_hedge>`."""


def stability_statistics(
    sentences: Sentences, resampling: Resampling, threshold: float, condition: Condition
) -> Iterator[Statistics]:
    """Yield the metrics of stability, with and without sentences that do not hedge.

    Markers with `threshold` sentences (T) in any group, which is a data set's split, count. If
    there are such sentences, the change of the mean rank correlation (MRC) follows.
    """
    options, authors = resampling.options(HedgeOptions), resampling.convention == "authors"
    rules = _Rules(
        authors=authors,
        threshold=threshold,
        ddof=options.ddof,
        clamp=options.correlation_clamp,
        resampling=resampling,
    )
    markers = sentences.frequent_markers(sentences.mic_rows(resampling.convention), threshold)
    with_all_markers = _stability_of_markers(sentences, markers, rules, condition)
    yield with_all_markers
    if NO_HEDGE in markers:
        hedges = [marker for marker in markers if marker != NO_HEDGE]
        yield _stability_of_markers(sentences, hedges, rules, condition.but(no_hedge="without"))
        for estimate in with_all_markers.estimates:
            kind = estimate.condition.get("correlation")
            if estimate.metric == "mrc" and kind == "spearman":
                yield _mrc_change(sentences, markers, rules, estimate)


@dataclass(frozen=True)
class _Rules:
    """Definitions of the metrics of stability.

    Attributes:
        authors: Whether definitions are those of the authors' code, not those of the text.
        threshold: T, the sentences that a marker needs in a group.
        ddof: As in `HedgeOptions`.
        clamp: `correlation_clamp` of `HedgeOptions`.
        resampling: Number of resamples and seed.
    """

    authors: bool
    threshold: float
    ddof: int
    clamp: float
    resampling: Resampling

    def mic_rows(self, sentences: Sentences) -> pd.DataFrame:
        """Return the rows that MICs are computed from, by the convention."""
        return sentences.mic_rows("authors" if self.authors else None)

    def tables(self, cells: metrics.MarkerCells, weights: FloatArray) -> metrics.MarkerTables:
        """Return count tables of resamples in which rare markers have no mean confidence (MIC).

        Markers count if they reach T in the sample. By the authors' code, which needs T only in
        train splits, they count if they reach T in the resample.
        """
        if self.authors:
            return cells.tables(weights, self.threshold)
        sample = cells.tables(np.ones((1, weights.shape[1])), self.threshold)
        has_mic = ~np.isnan(sample.mic[0])
        tables = cells.tables(weights, 0)
        return replace(tables, counts=tables.counts * has_mic[..., None])


@dataclass(frozen=True)
class _Context:
    """Count tables, accuracy and cMFG of the groups (data sets' splits) in a chunk of resamples."""

    tables: metrics.MarkerTables
    accuracy: FloatArray
    cmfg: FloatArray


KINDS: Sequence[Correlation] = ("spearman", "pearson")
MetricFunction = Callable[[_Context], FloatArray]


@dataclass(frozen=True)
class _StabilityMetric:
    """A metric of the stability of markers over data sets.

    Attributes:
        condition: Parts that the metric adds to the condition.
        metric: Name in the registry.
        value: Function that computes the metric in each resample.
        groups: Positions of the groups that the metric is over.
        cells: Whether each marker of each group is used, of shape (groups, markers).
        note: Note for the results.
        undefined_reason: Reason that is given if the value is undefined.
        varies_over: For a coefficient of variation, the axis (`groups` or `markers`) over which
            MICs vary; its interval then comes from `metrics.spread_interval`.
    """

    condition: dict[str, str]
    metric: str
    value: MetricFunction
    groups: Sequence[int]
    cells: NDArray[np.bool_]
    note: str = ""
    undefined_reason: str = ""
    varies_over: Varying | None = None


def _stability_of_markers(
    sentences: Sentences, markers: Sequence[str], rules: _Rules, condition: Condition
) -> Statistics:
    """Return all metrics of the stability of these markers' MICs; NaN without markers.

    A MIC is a marker's mean confidence in a group, which is a data set's split.
    """
    cells = sentences.marker_cells(rules.mic_rows(sentences), markers)
    size = cells.tables(np.ones((1, len(sentences.units))), 0).size[0]
    is_frequent = (size >= rules.threshold) & (size > 0)
    stability_metrics = [
        *_split_distances(sentences, rules, is_frequent, size > 0),
        *_metrics_over_groups(sentences.dataset_groups, is_frequent, rules),
    ]
    estimates = _stability_estimates(stability_metrics, sentences, markers, rules, condition)
    if markers:
        mics = _resampled_mics(cells, is_frequent, sentences, rules.resampling)
        for position, metric in enumerate(stability_metrics):
            if metric.varies_over:
                estimates[position] = replace(
                    estimates[position],
                    interval=_variation_interval(metric, mics, rules),
                    no_interval_reason=f"{metrics.SAME}, or 0",
                )
    accuracy, (cmfg, _) = _group_accuracy(sentences), cmfg_of_groups(sentences, rules.authors)

    def statistic(weights: FloatArray) -> FloatArray:
        if not markers:
            return np.full((len(weights), len(stability_metrics)), np.nan)
        context = _Context(rules.tables(cells, weights), accuracy(weights), cmfg(weights))
        return np.column_stack([metric.value(context) for metric in stability_metrics])

    return Statistics(estimates, statistic)


def _stability_estimates(
    stability_metrics: Sequence[_StabilityMetric],
    sentences: Sentences,
    markers: Sequence[str],
    rules: _Rules,
    condition: Condition,
) -> list[Estimate]:
    """Return the estimate of each metric with its numbers of sentences and units, and notes."""
    mic_rows = rules.mic_rows(sentences)
    n_asked, left_out = sentences.asked_counts(), sentences.left_out_note(mic_rows)
    positions = {marker: position for position, marker in enumerate(markers)}
    rows = mic_rows[mic_rows["standard"].isin(positions)]
    unit_index, group = rows["unit"].to_numpy(np.int64), rows["group"].to_numpy(np.int64)
    marker = rows["standard"].map(positions).to_numpy(np.int64)
    sentence = rows.groupby([*REPLY, "sentence"], sort=False, dropna=False).ngroup().to_numpy()
    no_marker = "" if markers else f"no marker has {rules.threshold:g} sentences"
    estimates = []
    for metric in stability_metrics:
        is_used = metric.cells[group, marker]
        reason = ""
        if metric.condition.get("level") == "mean":
            # If true MICs are equal in both splits, their sampling error alone moves this from 0.
            reason = "no method covers distances of means that are equal"
        estimate = Estimate(
            condition.but(**metric.condition),
            metric.metric,
            n=len(np.unique(sentence[is_used])),
            note=join_notes(metric.note, left_out),
            undefined_reason=no_marker or metric.undefined_reason,
            n_asked=int(n_asked[list(metric.groups)].sum()),
            unit_count=len(np.unique(unit_index[is_used])),
            no_interval_reason=reason,
        )
        estimates.append(estimate)
    return estimates


@dataclass(frozen=True)
class _ResampledMics:
    """MICs in the sample, of shape (groups, markers), and in each resample (first axis)."""

    sample: FloatArray
    draws: FloatArray


MOST_RESAMPLES = 1_000
"""Most resamples of MICs for an interval of their variation."""


def _resampled_mics(
    cells: metrics.MarkerCells,
    is_frequent: NDArray[np.bool_],
    sentences: Sentences,
    resampling: Resampling,
) -> _ResampledMics:
    """Resample marker internal confidences; NaN where a marker is not frequent in the group.

    `is_frequent` says which markers have T sentences in which group.
    """

    def mic(weights: FloatArray) -> FloatArray:
        return np.where(is_frequent, cells.tables(weights, 0).mic, np.nan)

    draws = metrics.bootstrap(
        {"mic": mic},
        sentences.strata,
        resamples=min(resampling.resamples, MOST_RESAMPLES),
        seed=resampling.seed,
    )
    return _ResampledMics(mic(np.ones((1, len(sentences.units))))[0], draws["mic"])


def _variation_interval(
    metric: _StabilityMetric, mics: _ResampledMics, rules: _Rules
) -> tuple[float, float]:
    """Return the interval of a coefficient of variation of markers' mean confidences (MICs)."""
    groups, used_mics = list(metric.groups), np.where(metric.cells, mics.sample, np.nan)
    return metrics.spread_interval(
        used_mics[groups],
        mics.draws[:, groups],
        over=metric.varies_over or "groups",
        ddof=rules.ddof,
    )


def _in_all_groups(mic: FloatArray) -> FloatArray:
    """Return MICs (resamples, groups, markers), NaN for markers that some group lacks."""
    everywhere = ~np.isnan(mic).any(axis=1, keepdims=True)
    return np.where(everywhere, mic, np.nan)


def _split_distances(
    sentences: Sentences,
    rules: _Rules,
    is_frequent: NDArray[np.bool_],
    occurs: NDArray[np.bool_],
) -> Iterator[_StabilityMetric]:
    """Yield MAEs of MICs between train and test splits, within data sets and across them.

    MAE is the mean absolute error, MIC a marker's mean confidence in a group (data set's split). By
    `level`, each marker, sentence or reply has weight one; at `mean` both sides are MICs.
    `is_frequent` says which markers have T sentences in which group, `occurs` which have any.
    """
    positions = {group: position for position, group in enumerate(sentences.groups)}
    datasets = list(dict.fromkeys(dataset for dataset, _ in sentences.groups))
    paired = [
        dataset
        for dataset in datasets
        if (dataset, "train") in positions and (dataset, "test") in positions
    ]
    single = len(datasets) - len(paired)
    note = f"{single} data sets with one split left out" if single else ""
    within_datasets: list[tuple[int, int]] = []
    across_datasets: list[tuple[int, int]] = []
    for first, second in product(paired, paired):
        pair = positions[first, "train"], positions[second, "test"]
        (within_datasets if first == second else across_datasets).append(pair)
    for metric, pairs, no_pair in (
        ("id_mae", within_datasets, "no data set has a train and a test split"),
        ("cd_mae", across_datasets, "fewer than two data sets have a train and a test split"),
    ):
        cells = np.zeros_like(is_frequent)
        for train, test in pairs:
            # The authors' code wants T sentences in the train split alone.
            in_test = occurs[test] if rules.authors else is_frequent[test]
            cells[[train, test]] |= is_frequent[train] & in_test
        distance = partial(
            _StabilityMetric,
            groups=sorted(set(chain.from_iterable(pairs))),
            cells=cells,
            note=note,
            undefined_reason="no marker is shared, or too few for a spread" if pairs else no_pair,
        )
        for level in ("marker", "sentence", "response", "mean"):
            options: dict[str, Any] = {"pairs": pairs, "train_only": rules.authors, "level": level}
            condition = {"level": "" if level == "marker" else level}
            mae = partial(metrics.marker_mae, **options)
            yield distance(condition, metric, _function_of_tables(mae))
            if level != "mean":
                spread = partial(metrics.marker_mae_sd, **options)
                yield distance(
                    {**condition, "of": metric}, "pooled_sd", _function_of_tables(spread)
                )


def _function_of_tables(value: Callable[[metrics.MarkerTables], FloatArray]) -> MetricFunction:
    """Return a function of the context that passes its count tables to `value`."""
    return lambda context: value(context.tables)


def _metrics_over_groups(
    groups: Sequence[int], is_frequent: NDArray[np.bool_], rules: _Rules
) -> Iterator[_StabilityMetric]:
    """Yield variation, correlations and trends of MICs over groups, one of each data set.

    A MIC is a marker's mean confidence in a group. Metrics of shared markers come twice: of markers
    in all groups, and (`shared`: `some`) of those in enough groups for the metric. `is_frequent`
    says which markers have T sentences in which group.
    """
    in_groups = np.isin(np.arange(len(is_frequent)), groups)[:, None]
    cells = is_frequent & in_groups
    in_all = is_frequent[groups].all(axis=0)
    shared = cells & in_all

    def mics(context: _Context) -> FloatArray:
        return context.tables.mic[:, groups]

    def shared_mics(context: _Context) -> FloatArray:
        return _in_all_groups(mics(context))

    def marker_variation(context: _Context) -> FloatArray:
        return metrics.marker_variation(mics(context), over="markers", ddof=rules.ddof)

    def mean_range(context: _Context) -> FloatArray:
        return _mean_and_sd(metrics.confidence_range(context.tables)[:, groups])[0]

    def sentence_count_mean_and_sd(context: _Context) -> tuple[FloatArray, FloatArray]:
        sizes = context.tables.size[:, groups]
        sizes = np.where(np.isnan(shared_mics(context)), np.nan, sizes)
        return _mean_and_sd(sizes.reshape(len(sizes), -1), rules.ddof)

    yield _StabilityMetric(
        {},
        "d_avg_cv",
        value=marker_variation,
        groups=groups,
        cells=cells & (cells.sum(axis=1, keepdims=True) > 1),
        undefined_reason="no data set has two markers",
        varies_over="markers",
    )
    yield _StabilityMetric({}, "confidence_range", value=mean_range, groups=groups, cells=cells)
    note = f"{counted(in_all.sum(), 'marker')} in all {len(groups)} data sets"
    for metric, count in (
        ("sentences_per_marker", lambda context: sentence_count_mean_and_sd(context)[0]),
        ("sentences_per_marker_sd", lambda context: sentence_count_mean_and_sd(context)[1]),
    ):
        yield _StabilityMetric({}, metric, value=count, groups=groups, cells=shared, note=note)
    yield from _metrics_of_shared_markers({}, shared_mics, shared, note, groups, rules)
    yield from _metrics_of_shared_markers({"shared": "some"}, mics, cells, "", groups, rules)
    for kind in KINDS:
        # By the authors' code pairs share what all data sets share.
        if rules.authors:
            yield _rank_correlation(kind, shared_mics, groups, cells=shared, rules=rules)
        else:
            yield _rank_correlation(kind, mics, groups, cells=_cells_of_pairs(cells), rules=rules)


def _cells_of_pairs(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells (groups, markers) two groups share, in pairs that share three or more."""
    in_pairs = np.zeros_like(cells)
    for a, b in combinations(range(len(cells)), 2):
        shared = cells[a] & cells[b]
        if shared.sum() >= LEAST_POINTS:
            in_pairs[[a, b]] |= shared
    return in_pairs


def _metrics_of_shared_markers(
    condition: dict[str, str],
    mic: MetricFunction,
    cells: NDArray[np.bool_],
    note: str,
    groups: Sequence[int],
    rules: _Rules,
) -> Iterator[_StabilityMetric]:
    """Yield the metrics of markers that data sets share.

    They are the variation of a marker's mean confidence (MIC) over data sets (M-AvgCV), and the
    correlations of the MIC with the data sets' accuracy (MAC) and faithful generation (cMFG; MCC).

    Args:
        condition: Parts to add to the condition; empty if only markers in all groups count.
        mic: Function that returns the MICs of these groups.
        cells: Whether each marker of each group counts.
        note: Note for the results.
        groups: Positions of the groups, one of each data set.
        rules: Definitions of the metrics.
    """
    n = len(groups)
    no_marker = f"no marker is in {'enough' if condition else f'all {n}'} data sets"
    datasets = cells.sum(axis=0)

    def variation(context: _Context) -> FloatArray:
        return metrics.marker_variation(mic(context), over="groups", ddof=rules.ddof)

    yield _StabilityMetric(
        condition,
        "m_avg_cv",
        value=variation,
        groups=groups,
        cells=cells & (datasets > 1),
        note=note,
        undefined_reason="one data set only" if n < 2 else no_marker,
        varies_over="groups",
    )
    reason = "fewer than three data sets" if n < 3 else f"{no_marker}, or all are alike"
    properties: dict[str, MetricFunction] = {
        "mac": lambda context: context.accuracy[:, groups],
        "mcc": lambda context: context.cmfg[:, groups],
    }
    for kind in KINDS:
        trend = partial(metrics.marker_trend, kind=kind, clamp=rules.clamp)
        for metric, dataset_property in properties.items():
            yield _StabilityMetric(
                {**condition, "correlation": kind},
                metric,
                value=_combine(trend, mic, dataset_property),
                groups=groups,
                cells=cells & (datasets >= LEAST_POINTS),
                note=note,
                undefined_reason=reason,
            )


def _combine(
    function: Callable[..., FloatArray], first: MetricFunction, second: MetricFunction
) -> MetricFunction:
    """Return a function of the context that applies `function` to both metrics' values."""
    return lambda context: function(first(context), second(context))


def _rank_correlation(
    kind: Correlation,
    mic: MetricFunction,
    groups: Sequence[int],
    cells: NDArray[np.bool_],
    rules: _Rules,
) -> _StabilityMetric:
    """Return the mean correlation (MRC) of markers' mean confidences over pairs of groups."""
    reason = "no pair shares three markers whose MICs differ"
    if len(groups) < 2:
        reason = "fewer than two data sets"

    def value(context: _Context) -> FloatArray:
        return metrics.marker_rank_correlation(mic(context), kind=kind, clamp=rules.clamp)

    condition = {"correlation": str(kind)}
    return _StabilityMetric(condition, "mrc", value, groups, cells, undefined_reason=reason)


def _mean_and_sd(values: FloatArray, ddof: int = 0) -> tuple[FloatArray, FloatArray]:
    """Return the mean and standard deviation (divisor n - ddof) of each row, leaving out NaN."""
    n = (~np.isnan(values)).sum(axis=1)
    mean = divide_or_nan(np.nansum(values, axis=1), n)
    squares = np.nansum(np.square(values - mean[:, None]), axis=1)
    return mean, np.sqrt(divide_or_nan(squares, n - ddof))


def _mrc_change(
    sentences: Sentences, markers: Sequence[str], rules: _Rules, mrc: Estimate
) -> Statistics:
    """Return MRC (mean rank correlation) without sentences that do not hedge, less MRC with them.

    `mrc` is the estimate of MRC with all markers, whose markers, groups and counts the change has.
    """
    cells = sentences.marker_cells(rules.mic_rows(sentences), markers)
    groups = sentences.dataset_groups
    no_hedge = markers.index(NO_HEDGE)

    def rank_correlation(tables: metrics.MarkerTables) -> FloatArray:
        mic = tables.mic[:, groups]
        mic = _in_all_groups(mic) if rules.authors else mic
        return metrics.marker_rank_correlation(mic, clamp=rules.clamp)

    def statistic(weights: FloatArray) -> FloatArray:
        tables = rules.tables(cells, weights)
        return rank_correlation(tables.drop_marker(no_hedge)) - rank_correlation(tables)

    return Statistics([replace(mrc, metric="mrc_change", undefined_reason="")], statistic)


def _group_accuracy(sentences: Sentences) -> metrics.Statistic:
    """Return the accuracy of each group as a statistic of shape (resamples, groups)."""
    replies, groups = sentences.replies, np.arange(len(sentences.groups))
    in_group = replies["group"].to_numpy()[:, None] == groups
    correct = np.where(in_group, replies["correct"].to_numpy(float)[:, None], np.nan)
    return metrics.means_of(correct, replies["unit"].to_numpy(np.int64), len(sentences.units))


def cmfg_of_groups(
    sentences: Sentences, authors: bool
) -> tuple[Callable[[FloatArray], FloatArray], FloatArray]:
    """Return cMFG of each group as a statistic, and the number of replies behind it.

    cMFG is conditional mean faithful generation, a group a data set's split. The numbers have shape
    (units, groups, bins). Replies without an answer (punts) are left out, but not if `authors` is
    true: the authors' code knows no punts.
    """
    rule, replies = "authors" if authors else "text", sentences.replies
    confidence = replies["confidence_with_both"].to_numpy(float)
    if not authors:
        confidence = np.where(replies["punt"] == 1, np.nan, confidence)
    faithfulness = replies["faithfulness"].to_numpy(float)
    totals, counts = metrics.cmfg_sums(faithfulness, confidence, convention=rule)
    unit_index, group = replies[["unit", "group"]].to_numpy(np.int64).T
    # Each unit's sums and counts by bin, which the group adds up.
    sums = np.zeros((len(sentences.units), len(sentences.groups), 2 * totals.shape[1]))
    np.add.at(sums, (unit_index, group), np.hstack([totals, counts]))

    def statistic(weights: FloatArray) -> FloatArray:
        """Return cMFG of shape (resamples, groups), given the weights of units."""
        columns = []
        for position in range(len(sentences.groups)):
            total, n = np.hsplit(weights @ sums[:, position], 2)
            columns.append(metrics.cmfg_of(total, n, rule))
        return np.column_stack(columns)

    return statistic, sums[:, :, totals.shape[1] :]


def model_correlations(results: Iterable[Result]) -> list[Result]:
    """Correlate accuracy and faithful generation (cMFG) over models with markers' stability.

    Accuracy and cMFG are unweighted means over data sets: of their train splits, or of the one
    split that a data set has. The variation of MICs within data sets (`d_avg_cv`) is also
    correlated with the range of confidence.
    """
    by_metric: dict[str, dict[Point, dict[str, float]]] = {
        "accuracy": defaultdict(dict),
        "cmfg": defaultdict(dict),
    }
    stability: dict[Condition, dict[Point, float]] = defaultdict(dict)
    ranges: dict[Condition, dict[Point, float]] = defaultdict(dict)
    for row in results:
        point, condition = point_and_condition(row)
        if row.metric in by_metric:
            by_dataset = by_metric[row.metric][point]
            if condition.get("split") == "train" or row.dataset not in by_dataset:
                by_dataset[row.dataset] = row.value
        elif row.metric in STABILITY_METRICS:
            stability[condition.but(of=row.metric)][point] = row.value
        elif row.metric == "confidence_range":
            ranges[condition.but(of="d_avg_cv")][point] = row.value
    means: dict[str, dict[Point, float]] = {}
    for metric, by_point in by_metric.items():
        means[metric] = {
            point: float(np.mean(list(values.values()))) for point, values in by_point.items()
        }
    key, correlations = Key("hedge_markers", ALL_MODELS, ALL), []
    for condition, values in stability.items():
        for metric, first, ranked in (
            ("accuracy_correlation", means["accuracy"], False),
            ("accuracy_rank_correlation", means["accuracy"], True),
            ("cmfg_correlation", means["cmfg"], False),
            ("range_correlation", ranges.get(condition, {}), False),
        ):
            correlations += correlate_over_models(
                key, condition, metric, first, second=values, ranked=ranked
            )
    return correlations
