"""Metrics over data sets of whether markers mean the same everywhere."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, permutations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, divide_or_nan
from inspect_confidence.metrics.markers import LEAST_POINTS, Correlation, Level, Varying
from inspect_confidence.printing import counted
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.estimate import Estimate, Statistics, constant_statistic
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
    """Yield the metrics of the stability of markers, with and without sentences that do not hedge.

    A marker is a hedging phrase. It is included if any group, which is a data set's split, has
    `threshold` (T) sentences of it that count for marker internal confidence (MIC). Sentences that
    do not hedge are those of the marker `<no_hedge>`. If that is included, the metrics without it
    follow, and the change of Spearman's mean rank correlation (MRC).
    """
    authors = resampling.convention == "authors"
    rules = _StabilityRules(authors, threshold, resampling.options(HedgeOptions), resampling)
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
class _StabilityRules:
    """Definitions of the metrics of stability.

    Attributes:
        authors: Whether definitions are those of the authors' code, not those of the text.
        threshold: T, the sentences that a marker needs in a group.
        options: Options of the study.
        resampling: Number of resamples and seed.
    """

    authors: bool
    threshold: float
    options: HedgeOptions
    resampling: Resampling

    def mic_rows(self, sentences: Sentences) -> pd.DataFrame:
        """Return the rows that MICs are computed from, by the convention."""
        return sentences.mic_rows("authors" if self.authors else None)

    def tables(self, cells: metrics.MarkerCells, weights: FloatArray) -> metrics.MarkerTables:
        """Return count tables of resamples in which rare markers have no mean confidence (MIC).

        `weights` are those of units, of shape (resamples, units). A marker has a MIC in a group (a
        data set's split) if T of the sample's sentences there have it; counts of other markers
        become 0. By the authors' code it needs T sentences in the resample, and all counts stay:
        that code compares MICs of train splits also with test sentences of rarer markers.
        """
        if self.authors:
            return cells.tables(weights, self.threshold)
        sample = cells.tables(np.ones((1, weights.shape[1])), self.threshold)
        has_mic = ~np.isnan(sample.mic[0])
        tables = cells.tables(weights, 0)
        # Shapes (resamples, groups, markers, values) and (groups, markers, 1).
        return replace(tables, counts=tables.counts * has_mic[..., None])


KINDS: Sequence[Correlation] = ("spearman", "pearson")


@dataclass(frozen=True)
class _StabilityMetric:
    """A metric of the stability of markers over groups, which are data sets' splits.

    Attributes:
        metric: Name in the registry.
        groups: Positions of the groups that the metric is over.
        cells: Whether each marker of each group is used, of shape (groups, markers).
        condition: Parts that the metric adds to the condition.
        note: Note for the results.
        undefined_reason: Reason that is given if the value is undefined.
        needs_all_groups: Whether only markers in all of the groups count.
        varies_over: For a coefficient of variation, the axis (`groups` or `markers`) over which
            MICs vary; its interval then comes from `metrics.spread_interval`.
        correlation: For a correlation, its kind.
        pairs: For a distance, the positions of the train and the test split in each pair.
        level: For a distance, what has weight one in it: a marker, sentence or reply.
    """

    metric: str
    groups: Sequence[int]
    cells: NDArray[np.bool_]
    condition: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    undefined_reason: str = ""
    needs_all_groups: bool = False
    varies_over: Varying | None = None
    correlation: Correlation = "spearman"
    pairs: Sequence[tuple[int, int]] = ()
    level: Level = "marker"


@dataclass(frozen=True)
class _StabilityStatistic:
    """Statistic of all metrics of stability: weights of units -> (resamples, metrics).

    Attributes:
        stability_metrics: The metrics.
        cells: Confidences of sentences by group and marker, from which MICs are computed.
        accuracy: Weights -> accuracy of each group, of shape (resamples, groups).
        cmfg: Weights -> cMFG of each group.
        rules: Definitions of the metrics.
    """

    stability_metrics: Sequence[_StabilityMetric]
    cells: metrics.MarkerCells
    accuracy: metrics.Statistic
    cmfg: metrics.Statistic
    rules: _StabilityRules

    def __call__(self, weights: FloatArray) -> FloatArray:
        """Return the values of all metrics in each resample, of shape (resamples, metrics)."""
        tables = self.rules.tables(self.cells, weights)
        # What these two metrics correlate markers' confidence with, by group: its accuracy, and its
        # cMFG (conditional mean faithful generation, how well hedges fit the internal confidence).
        properties = {"mac": self.accuracy(weights), "mcc": self.cmfg(weights)}
        columns = []
        for metric in self.stability_metrics:
            group_property = properties.get(metric.metric)
            columns.append(_metric_values(metric, tables, group_property, self.rules))
        return np.column_stack(columns)


def _metric_values(
    metric: _StabilityMetric,
    tables: metrics.MarkerTables,
    group_property: FloatArray | None,
    rules: _StabilityRules,
) -> FloatArray:
    """Return a metric of stability in each resample.

    A marker is a hedging phrase such as "probably". Its MIC is the mean confidence of its sentences
    in a group, which is a data set's split; NaN if it has too few sentences there.

    Args:
        metric: Name, groups and kind of correlation; for a distance also its pairs of train and
            test groups, and what has weight one: a marker, sentence or reply (`level`).
        tables: Count tables of the resamples, with MICs of shape (resamples, groups, markers).
        group_property: What MAC and MCC correlate MICs with, such as the accuracy of groups, of
            shape (resamples, groups); None for other metrics.
        rules: Convention, divisor of variances and bound of correlations.
    """
    if metric.metric in ("id_mae", "cd_mae", "pooled_sd"):
        is_spread = metric.metric == "pooled_sd"
        distance = metrics.marker_mae_sd if is_spread else metrics.marker_mae
        # In the authors' code a marker may have too few sentences in the test group.
        return distance(tables, metric.pairs, train_only=rules.authors, level=metric.level)
    groups = metric.groups
    if metric.metric == "confidence_range":  # its mean over groups
        return _mean_and_sd(metrics.confidence_range(tables)[:, groups])[0]
    mics = tables.mic[:, groups]
    if metric.needs_all_groups:
        is_in_all_groups = ~np.isnan(mics).any(axis=1, keepdims=True)
        mics = np.where(is_in_all_groups, mics, np.nan)
    if metric.varies_over:
        return metrics.marker_variation(mics, over=metric.varies_over, ddof=rules.options.ddof)
    if metric.metric in ("sentences_per_marker", "sentences_per_marker_sd"):
        sizes = np.where(np.isnan(mics), np.nan, tables.size[:, groups])
        mean, sd = _mean_and_sd(sizes.reshape(len(sizes), -1), rules.options.ddof)
        return mean if metric.metric == "sentences_per_marker" else sd
    kind, clamp = metric.correlation, rules.options.correlation_clamp
    if group_property is None:  # MRC, the mean rank correlation over pairs of groups
        return metrics.marker_rank_correlation(mics, kind=kind, clamp=clamp)
    return metrics.marker_trend(mics, group_property[:, groups], kind=kind, clamp=clamp)


def _stability_of_markers(
    sentences: Sentences, markers: Sequence[str], rules: _StabilityRules, condition: Condition
) -> Statistics:
    """Return all metrics of the stability of these markers' MICs; NaN without markers.

    A marker is a hedging phrase, a MIC its mean confidence in a group, which is a data set's split.
    `rules` has the convention and T, the number of sentences that a marker needs in a group.
    Coefficients of variation get an interval of their own: the scatter of MICs biases them upwards,
    in resamples even more.
    """
    cells = sentences.marker_cells(rules.mic_rows(sentences), markers)
    sample_weights = np.ones((1, len(sentences.units)))  # each unit once: no resample
    size = cells.tables(sample_weights, threshold=0).size[0]  # sentences by (groups, markers)
    is_frequent = size >= rules.threshold  # T is at least 1: a marker must occur
    stability_metrics = [
        *_split_distances(sentences, rules, is_frequent, size > 0),
        *_metrics_over_groups(sentences.dataset_groups, is_frequent, rules),
    ]
    estimates = _stability_estimates(stability_metrics, sentences, markers, rules, condition)
    if not markers:
        undefined = np.full(len(stability_metrics), np.nan)
        return Statistics(estimates, constant_statistic(undefined))
    # The intervals of coefficients of variation, which alone have an axis `varies_over`.
    sample_mics, mic_draws = _resampled_mics(cells, is_frequent, sentences, rules.resampling)
    for position, metric in enumerate(stability_metrics):
        if metric.varies_over:
            groups, used_mics = list(metric.groups), np.where(metric.cells, sample_mics, np.nan)
            interval = metrics.spread_interval(
                used_mics[groups],
                mic_draws[:, groups],
                over=metric.varies_over,
                ddof=rules.options.ddof,
            )
            estimates[position] = replace(
                estimates[position], interval=interval, no_interval_reason=f"{metrics.SAME}, or 0"
            )
    statistic = _StabilityStatistic(
        stability_metrics,
        cells,
        accuracy=_group_accuracy(sentences),
        cmfg=CmfgStatistic.from_sentences(sentences, rules.authors),
        rules=rules,
    )
    return Statistics(estimates, statistic)


def _stability_estimates(
    stability_metrics: Sequence[_StabilityMetric],
    sentences: Sentences,
    markers: Sequence[str],
    rules: _StabilityRules,
    condition: Condition,
) -> list[Estimate]:
    """Return the description of each metric's estimate: counts, notes, reasons if undefined.

    A metric's `cells`, of shape (groups, markers), say which markers it uses in which group, which
    is a data set's split; sentences with such a marker count. `n_asked` counts all sentences of the
    metric's groups.
    """
    mic_rows = rules.mic_rows(sentences)  # that markers' mean confidences are computed from
    n_asked, left_out = sentences.asked_counts(), sentences.left_out_note(mic_rows)
    positions = {marker: position for position, marker in enumerate(markers)}
    rows = mic_rows[mic_rows["standard"].isin(positions)]
    # For each row: its unit, group, marker and sentence. Several rows are of one sentence if it has
    # several markers.
    unit_index, group = rows["unit"].to_numpy(np.int64), rows["group"].to_numpy(np.int64)
    marker = rows["standard"].map(positions).to_numpy(np.int64)
    sentence = rows.groupby([*REPLY, "sentence"], sort=False, dropna=False).ngroup().to_numpy()
    no_marker = "" if markers else f"no marker has {rules.threshold:g} sentences"
    estimates = []
    for metric in stability_metrics:
        is_used = metric.cells[group, marker]
        no_interval_reason = ""
        if metric.condition.get("level") == "mean":
            # Sampling error moves this distance above 0 even if the true means are equal.
            no_interval_reason = "no method covers distances of means that are equal"
        estimate = Estimate(
            condition.but(**metric.condition),
            metric.metric,
            n=len(np.unique(sentence[is_used])),
            note=join_notes(metric.note, left_out),
            undefined_reason=no_marker or metric.undefined_reason,
            n_asked=int(n_asked[list(metric.groups)].sum()),
            unit_count=len(np.unique(unit_index[is_used])),
            no_interval_reason=no_interval_reason,
        )
        estimates.append(estimate)
    return estimates


MOST_RESAMPLES = 1_000
"""Most resamples of MICs for an interval of their variation."""


def _resampled_mics(
    cells: metrics.MarkerCells,
    is_frequent: NDArray[np.bool_],
    sentences: Sentences,
    resampling: Resampling,
) -> tuple[FloatArray, FloatArray]:
    """Return MICs of the sample (groups, markers), and of resamples (resamples, groups, markers).

    A MIC is a marker's mean confidence in a group, from `cells`. It is NaN where `is_frequent` says
    that the marker has fewer than T sentences in the group, however many a resample has. Groups are
    splits of data sets. There are at most `MOST_RESAMPLES` resamples.
    """

    def mics(weights: FloatArray) -> FloatArray:
        """Return MICs under weights of units, of shape (resamples, groups, markers)."""
        return np.where(is_frequent, cells.tables(weights, threshold=0).mic, np.nan)

    draws = metrics.bootstrap(
        {"mic": mics},
        sentences.strata,
        resamples=min(resampling.resamples, MOST_RESAMPLES),
        seed=resampling.seed,
    )
    return mics(np.ones((1, len(sentences.units))))[0], draws["mic"]


def _split_distances(
    sentences: Sentences,
    rules: _StabilityRules,
    is_frequent: NDArray[np.bool_],
    occurs: NDArray[np.bool_],
) -> Iterator[_StabilityMetric]:
    """Yield MAEs of MICs between train and test splits, within data sets and across them.

    MAE is the mean absolute error, MIC a marker's mean confidence in a group (data set's split).
    An error is the distance of a test sentence's confidence from the train split's MIC of its
    marker. The mean over errors gives each marker, each sentence or each reply the same weight, by
    `level`. At the level `mean` a marker's error is instead the distance of its two MICs. Each MAE
    of another level is followed by the pooled standard deviation of its distances.

    Args:
        sentences: Groups of the sentences.
        rules: The convention.
        is_frequent: Which markers have T sentences in which group, of shape (groups, markers).
        occurs: Which markers have any sentence in which group.
    """
    within_datasets = _train_and_test_positions(sentences.groups)
    # The train split of the first data set, and the test split of the second.
    across_datasets = [(first[0], second[1]) for first, second in permutations(within_datasets, 2)]
    single = len({dataset for dataset, _ in sentences.groups}) - len(within_datasets)
    note = f"{single} data sets with one split left out" if single else ""
    # Of each metric: the pairs of train and test split, and the reason if there is no pair.
    for metric, pairs, no_pair in (
        ("id_mae", within_datasets, "no data set has a train and a test split"),
        ("cd_mae", across_datasets, "fewer than two data sets have a train and a test split"),
    ):
        # The markers of each group that some pair compares: frequent in its train and test split.
        cells = np.zeros_like(is_frequent)
        for train, test in pairs:
            # The authors' code needs T sentences in the train split alone.
            in_test = occurs[test] if rules.authors else is_frequent[test]
            cells[[train, test]] |= is_frequent[train] & in_test
        distance = _StabilityMetric(
            metric,
            groups=sorted(set(chain.from_iterable(pairs))),
            cells=cells,
            note=note,
            undefined_reason="no marker is shared, or too few for a spread" if pairs else no_pair,
            pairs=pairs,
        )
        for level in LEVELS:
            level_name: str = "" if level == "marker" else level
            yield replace(distance, condition={"level": level_name}, level=level)
            if level != "mean":
                condition = {"level": level_name, "of": metric}
                yield replace(distance, metric="pooled_sd", condition=condition, level=level)


LEVELS: Sequence[Level] = ("marker", "sentence", "response", "mean")
"""Levels of distances between splits, the default first."""


def _train_and_test_positions(groups: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Return the positions of the train and the test split of each data set that has both.

    `groups` are pairs of data set and split, such as `("truthful_qa", "train")`.
    """
    positions = {group: position for position, group in enumerate(groups)}
    pairs = []
    for dataset in dict.fromkeys(dataset for dataset, _ in groups):
        if (dataset, "train") in positions and (dataset, "test") in positions:
            pairs.append((positions[dataset, "train"], positions[dataset, "test"]))
    return pairs


def _metrics_over_groups(
    groups: Sequence[int], is_frequent: NDArray[np.bool_], rules: _StabilityRules
) -> Iterator[_StabilityMetric]:
    """Yield variation, correlations and trends of MICs over groups, one of each data set.

    A MIC is a marker's mean confidence in a group (data set's split). Metrics of shared markers
    come twice: of markers in all groups, and (`shared`: `some`) of those in enough groups for the
    metric. `is_frequent`, of shape (groups, markers), says which markers have T sentences in which
    group, and `groups` are positions in its first axis. A metric's `cells`, of the same shape, are
    the markers of each group that it uses.
    """
    is_chosen = np.isin(np.arange(len(is_frequent)), groups)
    cells = is_frequent & is_chosen[:, None]
    in_all = is_frequent[groups].all(axis=0)
    yield _StabilityMetric(
        "d_avg_cv",
        groups,
        cells & (cells.sum(axis=1, keepdims=True) > 1),  # a variation needs two markers in a group
        undefined_reason="no data set has two markers",
        varies_over="markers",
    )
    yield _StabilityMetric("confidence_range", groups, cells)
    note = f"{counted(in_all.sum(), 'marker')} in all {len(groups)} data sets"
    shared = _StabilityMetric("", groups, cells & in_all, note=note, needs_all_groups=True)
    yield replace(shared, metric="sentences_per_marker")
    yield replace(shared, metric="sentences_per_marker_sd")
    yield from _metrics_of_shared_markers(shared)
    yield from _metrics_of_shared_markers(
        _StabilityMetric("", groups, cells, condition={"shared": "some"})
    )
    reason = "no pair shares three markers whose MICs differ"
    if len(groups) < 2:
        reason = "fewer than two data sets"
    # Mean over pairs of groups of the correlation of their shared markers' MICs.
    rank_correlation = _StabilityMetric(
        "mrc",
        groups,
        # By the authors' code pairs share what all data sets share.
        cells & in_all if rules.authors else _cells_of_pairs(cells),
        undefined_reason=reason,
        needs_all_groups=rules.authors,
    )
    for kind in KINDS:
        yield replace(rank_correlation, condition={"correlation": kind}, correlation=kind)


def _cells_of_pairs(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which markers of each group belong to a pair of groups that share at least three.

    A correlation over the markers of a pair needs three. `cells`, of shape (groups, markers), says
    which markers a group has; the result has the same shape.
    """
    in_pairs = np.zeros_like(cells)
    for a, b in combinations(range(len(cells)), 2):
        shared = cells[a] & cells[b]
        if shared.sum() >= LEAST_POINTS:
            in_pairs[[a, b]] |= shared
    return in_pairs


def _metrics_of_shared_markers(shared: _StabilityMetric) -> Iterator[_StabilityMetric]:
    """Yield the metrics of markers that data sets share, each a copy of `shared` with its name.

    `m_avg_cv` is the variation of a marker's mean confidence (MIC) over data sets; `mac` and `mcc`
    are the correlations of MICs with the data sets' accuracy and faithful generation (cMFG).

    `shared` has the groups (one for each data set), condition and note; its `cells`, of shape
    (groups, markers), say which markers count where. If its `needs_all_groups` is set, these are
    markers that all data sets have. A variation needs two data sets, a correlation three.
    """
    n = len(shared.groups)
    no_marker = f"no marker is in {f'all {n}' if shared.needs_all_groups else 'enough'} data sets"
    datasets = shared.cells.sum(axis=0)  # number of data sets with each marker
    yield replace(
        shared,
        metric="m_avg_cv",
        cells=shared.cells & (datasets > 1),
        undefined_reason="one data set only" if n < 2 else no_marker,
        varies_over="groups",
    )
    reason = "fewer than three data sets" if n < 3 else f"{no_marker}, or all are alike"
    for kind in KINDS:
        trend = replace(
            shared,
            condition={**shared.condition, "correlation": kind},
            cells=shared.cells & (datasets >= LEAST_POINTS),
            undefined_reason=reason,
            correlation=kind,
        )
        yield replace(trend, metric="mac")
        yield replace(trend, metric="mcc")


def _mean_and_sd(values: FloatArray, ddof: int = 0) -> tuple[FloatArray, FloatArray]:
    """Return the mean and standard deviation (divisor n - ddof) of each row, leaving out NaN.

    They are NaN where their divisor is not above 0.
    """
    n = (~np.isnan(values)).sum(axis=1)
    mean = divide_or_nan(np.nansum(values, axis=1), n)
    squares = np.nansum(np.square(values - mean[:, None]), axis=1)
    return mean, np.sqrt(divide_or_nan(squares, n - ddof))


def _mrc_change(
    sentences: Sentences, markers: Sequence[str], rules: _StabilityRules, mrc: Estimate
) -> Statistics:
    """Return MRC (mean rank correlation) without sentences that do not hedge, less MRC with them.

    `mrc` is the estimate of MRC with all `markers`, whose groups and counts the change has; `rules`
    has the convention and the number of sentences that a marker needs.
    """
    cells = sentences.marker_cells(rules.mic_rows(sentences), markers)
    no_cells = np.zeros((0, 0), bool)  # cells only count sentences: the counts here are of `mrc`
    metric = _StabilityMetric(
        "mrc", sentences.dataset_groups, no_cells, needs_all_groups=rules.authors
    )

    def changes(weights: FloatArray) -> FloatArray:
        """Return MRC without the marker `<no_hedge>` less MRC with it, in each resample.

        MRC is the mean over pairs of data sets of the rank correlation of their markers' MICs.
        `weights` of units have the shape (resamples, units).
        """
        tables = rules.tables(cells, weights)
        hedges = tables.drop_marker(markers.index(NO_HEDGE))
        with_all = _metric_values(metric, tables, None, rules)
        return _metric_values(metric, hedges, None, rules) - with_all

    # The change is undefined also if only MRC without them is: the reason of `mrc` need not apply.
    return Statistics([replace(mrc, metric="mrc_change", undefined_reason="")], changes)


def _group_accuracy(sentences: Sentences) -> metrics.Statistic:
    """Return the accuracy of each group as a statistic of shape (resamples, groups)."""
    replies, groups = sentences.replies, np.arange(len(sentences.groups))
    # Of shape (replies, groups): a reply's correctness in the column of its group, else NaN.
    in_group = replies["group"].to_numpy()[:, None] == groups
    correct = np.where(in_group, replies["correct"].to_numpy(float)[:, None], np.nan)
    return metrics.means_of(correct, replies["unit"].to_numpy(np.int64), len(sentences.units))


@dataclass(frozen=True)
class CmfgStatistic:
    """Statistic of cMFG: weights of units -> cMFG of each group, of shape (resamples, groups).

    cMFG is conditional mean faithful generation, a group a data set's split.

    Attributes:
        sums: For each unit and group, the sums of faithfulness in each bin of confidence, then the
            numbers of replies in each bin: of shape (units, groups, 2 * bins).
        convention: `authors`, or `text` as in the paper.
    """

    sums: FloatArray
    convention: str

    @classmethod
    def from_sentences(cls, sentences: Sentences, authors: bool) -> "CmfgStatistic":
        """Sum up replies by unit, group (data set's split) and bin of confidence.

        A reply without confidence or faithfulness is in no bin. Replies without an answer (punts)
        are left out, but not if `authors` is true: the authors' code knows no punts.
        """
        convention = "authors" if authors else "text"
        replies = sentences.replies
        # Faithfulness and this confidence are over sentences with both decisiveness and confidence.
        confidence = replies["confidence_with_both"].to_numpy(float)
        if not authors:
            confidence = np.where(replies["punt"] == 1, np.nan, confidence)
        faithfulness = replies["faithfulness"].to_numpy(float)
        totals, counts = metrics.cmfg_sums(faithfulness, confidence, convention=convention)
        unit_index, group = replies[["unit", "group"]].to_numpy(np.int64).T
        # By unit and group: the totals of all bins, then the counts of all bins.
        sums = np.zeros((len(sentences.units), len(sentences.groups), 2 * totals.shape[1]))
        np.add.at(sums, (unit_index, group), np.hstack([totals, counts]))
        return cls(sums, convention)

    @property
    def counts(self) -> FloatArray:
        """Numbers of replies, of shape (units, groups, bins)."""
        return self.sums[:, :, self.sums.shape[2] // 2 :]

    def __call__(self, weights: FloatArray) -> FloatArray:
        """Return conditional mean faithful generation (cMFG) of each group in each resample."""
        columns = []
        for group in range(self.sums.shape[1]):  # a data set's split
            # The first half of the sums is faithfulness by bin, the second the number of replies.
            total, n = np.hsplit(weights @ self.sums[:, group], 2)
            columns.append(metrics.cmfg_of(total, n, self.convention))
        return np.column_stack(columns)


def model_correlations(results: Sequence[Result]) -> list[Result]:
    """Return correlations over models of accuracy and faithful generation (cMFG) with stability.

    A metric of the stability of markers is named by `of` in the condition; its value for a point, a
    model and variant, is correlated with the point's mean accuracy or cMFG over data sets. The
    variation of mean confidences within data sets (`d_avg_cv`) is also correlated with their range.
    """
    accuracy = _mean_over_datasets(results, "accuracy")
    cmfg = _mean_over_datasets(results, "cmfg")
    # Values of each metric of stability by model and variant; the condition names the metric.
    stability: dict[Condition, dict[Point, float]] = defaultdict(dict)
    ranges: dict[Condition, dict[Point, float]] = defaultdict(dict)
    for row in results:
        point, condition = point_and_condition(row)
        if row.metric in STABILITY_METRICS:
            stability[condition.but(of=row.metric)][point] = row.value
        elif row.metric == "confidence_range":
            ranges[condition.but(of="d_avg_cv")][point] = row.value
    key, correlations = Key("hedge_markers", ALL_MODELS, ALL), []
    for condition, values in stability.items():
        for metric, first, ranked in (
            ("accuracy_correlation", accuracy, False),
            ("accuracy_rank_correlation", accuracy, True),
            ("cmfg_correlation", cmfg, False),
            ("range_correlation", ranges.get(condition, {}), False),
        ):
            correlations += correlate_over_models(
                key, condition, metric, first, second=values, ranked=ranked
            )
    return correlations


def _mean_over_datasets(results: Sequence[Result], metric: str) -> dict[Point, float]:
    """Return a metric's unweighted mean over data sets by point, which is a model and variant.

    Of a data set with several splits the train split is taken, if there is one, else the first. The
    mean is NaN if a data set has NaN.
    """
    values_by_point: dict[Point, dict[str, float]] = defaultdict(dict)
    for row in results:
        if row.metric == metric:
            point, condition = point_and_condition(row)
            by_dataset = values_by_point[point]
            if condition.get("split") == "train" or row.dataset not in by_dataset:
                by_dataset[row.dataset] = row.value
    return {
        point: float(np.mean(list(by_dataset.values())))
        for point, by_dataset in values_by_point.items()
    }
