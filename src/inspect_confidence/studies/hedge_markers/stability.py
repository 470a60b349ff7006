"""What is estimated over data sets: whether markers mean the same everywhere."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.markers import Correlation
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import estimate
from inspect_confidence.studies.estimate import Estimand, Number
from inspect_confidence.studies.hedge_markers.forms import HedgeOptions
from inspect_confidence.studies.hedge_markers.judgments import NO_HEDGE, Sentences
from inspect_confidence.studies.study import Resampling

ALL = "all"
"""What stands in `dataset` for a number over data sets."""


def over_datasets(
    said: Sentences, resampling: Resampling, threshold: float, condition: Condition
) -> Iterator[Estimand]:
    """The seven metrics of stability, with and without sentences that don't hedge."""
    own, authors = resampling.options(HedgeOptions), resampling.convention == "authors"
    rules = _Rules(authors, threshold, own.ddof, own.correlation_clamp)
    markers = said.markers(said.counted(resampling.convention), threshold)
    yield _stability(said, markers, rules, condition)
    if NO_HEDGE in markers:
        hedging = [marker for marker in markers if marker != NO_HEDGE]
        yield _stability(said, hedging, rules, condition.but(no_hedge="without"))
        yield _change(said, markers, rules, condition)


@dataclass(frozen=True)
class _Rules:
    """Choices among definitions: whether they are the authors' code's, T, and `HedgeOptions`."""

    authors: bool
    threshold: float
    ddof: int
    clamp: float

    def counted(self, said: Sentences) -> pd.DataFrame:
        """The rows that MICs rest on."""
        return said.counted("authors" if self.authors else None)

    def tables(self, cells: metrics.MarkerCells, weights: FloatArray) -> metrics.MarkerTables:
        """Tables in which markers that reach T in the sample have a MIC, in every resample.

        By the authors, whose MAEs want T in the train split alone, T is asked of each resample.
        """
        if self.authors:
            return cells.tables(weights, self.threshold)
        sample = cells.tables(np.ones((1, weights.shape[1])), self.threshold)
        known = ~np.isnan(sample.mic[0])
        tables = cells.tables(weights, 0)
        return replace(tables, counts=tables.counts * known[..., None])

    def shared(self, mic: FloatArray) -> FloatArray:
        """By the authors, markers that all groups have; by the text, each pair's own."""
        if not self.authors:
            return mic
        everywhere = np.asarray(~np.isnan(mic)).all(axis=1, keepdims=True)
        return np.where(everywhere, mic, np.nan)


@dataclass(frozen=True)
class _Context:
    """What the forms need of one chunk of resamples."""

    tables: metrics.MarkerTables
    accuracy: FloatArray
    cmfg: FloatArray


Form = Callable[[_Context], FloatArray]
Named = tuple[dict[str, str], str, str, str, Form]
"""What the condition adds, metric, note, why it may be undefined, and how it is computed."""


def _stability(
    said: Sentences, markers: Sequence[str], rules: _Rules, condition: Condition
) -> Estimand:
    """All seven over one set of markers."""
    counted = rules.counted(said)
    found = list(_distances(said, rules))
    for split, groups in _splits(said).items():
        found += _of_split(split, groups, rules)
    few = "" if markers else f"no marker has {rules.threshold:g} sentences"
    numbers = [
        Number(condition.but(**where), metric, len(counted), note, why=few or why)
        for where, metric, note, why, _ in found
    ]
    cells = said.cells(counted, markers)
    weighed = said.cells(counted, markers, by_reply=True, threshold=rules.threshold)
    accuracy, (faithful, _) = _accuracy(said), cmfg_of_groups(said, rules.authors)

    def statistic(weights: FloatArray) -> FloatArray:
        if not markers:
            return np.full((len(weights), len(found)), np.nan)
        tables = rules.tables(cells, weights)
        tables = replace(tables, by_reply=weighed.tables(weights).counts)
        context = _Context(tables, accuracy(weights), faithful(weights))
        return np.column_stack([form(context) for *_, form in found])

    return Estimand(numbers, statistic)


def _splits(said: Sentences) -> dict[str, list[int]]:
    """Which groups are of each split."""
    splits: dict[str, list[int]] = defaultdict(list)
    for k, (_, split) in enumerate(said.groups):
        splits[split].append(k)
    return dict(sorted(splits.items()))


def _distances(said: Sentences, rules: _Rules) -> Iterator[Named]:
    """MAEs between train and test splits, within data sets and across them."""
    place = {group: k for k, group in enumerate(said.groups)}
    datasets = list(dict.fromkeys(dataset for dataset, _ in said.groups))
    both = [d for d in datasets if (d, "train") in place and (d, "test") in place]
    single = len(datasets) - len(both)
    note = f"{single} data sets with one split left out" if single else ""
    for metric, within, needs in (
        ("id_mae", True, "no data set has a train and a test split"),
        ("cd_mae", False, "fewer than two data sets have a train and a test split"),
    ):
        pairs = [
            (place[a, "train"], place[b, "test"])
            for a, b in product(both, both)
            if (a == b) == within
        ]
        # The authors' code wants T sentences in the train split alone.
        how: dict[str, Any] = {"pairs": pairs, "train_only": rules.authors}
        why = "no marker is shared, or too few for a spread" if pairs else needs
        for level in ("marker", "sentence", "response", "mean"):
            mae = partial(metrics.marker_mae, **how, level=level)
            where = {"level": "" if level == "marker" else level}
            yield where, metric, note, why, _of_tables(mae)
        spread = partial(metrics.marker_mae_sd, **how)
        yield {"of": metric}, "pooled_sd", note, why, _of_tables(spread)


def _of_tables(value: Callable[[metrics.MarkerTables], FloatArray]) -> Form:
    return lambda context: value(context.tables)


def _of_split(split: str, groups: Sequence[int], rules: _Rules) -> Iterator[Named]:
    """Variation, correlations and trends of MICs over the data sets of a split."""

    def mic(context: _Context) -> FloatArray:
        return context.tables.mic[:, groups]

    def shared(context: _Context) -> FloatArray:
        return rules.shared(mic(context))

    where, n = {"split": split}, len(groups)
    variation = partial(metrics.marker_variation, ddof=rules.ddof)
    why = "one data set only" if n < 2 else "no marker is in enough data sets"
    yield where, "m_avg_cv", "", why, lambda c: variation(shared(c), over="groups")
    why = "no data set has two markers"
    yield where, "d_avg_cv", "", why, lambda c: variation(mic(c), over="markers")
    kinds: Sequence[Correlation] = ("spearman", "pearson")
    for kind in kinds:
        yield from _correlations(kind, {**where, "correlation": kind}, shared, groups, rules)


def _correlations(
    kind: Correlation, where: dict[str, str], mic: Form, groups: Sequence[int], rules: _Rules
) -> Iterator[Named]:
    """Correlations of MICs over data sets, with each other and with what data sets have."""
    n = len(groups)
    rank = partial(metrics.marker_rank_correlation, kind=kind, clamp=rules.clamp)
    trend = partial(metrics.marker_trend, kind=kind, clamp=rules.clamp)
    why = "no pair shares three markers whose MICs differ"
    why = "fewer than two data sets" if n < 2 else why
    yield where, "mrc", "", why, lambda c: rank(mic(c))
    why = "no marker is in three of them, or all are alike"
    why = "fewer than three data sets" if n < 3 else why
    yield where, "mac", "", why, lambda c: trend(mic(c), c.accuracy[:, groups])
    yield where, "mcc", "", why, lambda c: trend(mic(c), c.cmfg[:, groups])


def _change(
    said: Sentences, markers: Sequence[str], rules: _Rules, condition: Condition
) -> Estimand:
    """How much MRC changes without sentences that don't hedge."""
    counted, without = rules.counted(said), markers.index(NO_HEDGE)
    cells = said.cells(counted, markers)
    splits = _splits(said)
    numbers = [
        Number(condition.but(split=split, correlation="spearman"), "mrc_change", len(counted))
        for split in splits
    ]

    def statistic(weights: FloatArray) -> FloatArray:
        tables = rules.tables(cells, weights)
        less = tables.without(without)
        found = [
            [
                metrics.marker_rank_correlation(rules.shared(some.mic[:, mine]), clamp=rules.clamp)
                for some in (less, tables)
            ]
            for mine in splits.values()
        ]
        return np.column_stack([one - whole for one, whole in found])

    return Estimand(numbers, statistic)


def _accuracy(said: Sentences) -> metrics.Statistic:
    """Accuracy of each group."""
    replies, groups = said.replies, np.arange(len(said.groups))
    mine = replies["group"].to_numpy()[:, None] == groups
    right = np.where(mine, replies["correct"].to_numpy(float)[:, None], np.nan)
    return metrics.means_of(right, replies["unit"].to_numpy(np.int64), len(said.units))


def cmfg_of_groups(
    said: Sentences, authors: bool
) -> tuple[Callable[[FloatArray], FloatArray], FloatArray]:
    """CMFG of each group from what each reply adds to the bins, and how many replies those hold."""
    rule = "authors" if authors else "text"
    held = said.replies["confidence_with_both"].to_numpy(float)
    faithful = said.replies["faithfulness"].to_numpy(float)
    totals, counts = metrics.cmfg_sums(faithful, held, convention=rule)
    unit, group = (said.replies[name].to_numpy(np.int64) for name in ("unit", "group"))
    # What each item adds to its group.
    sums = np.zeros((len(said.units), len(said.groups), 2 * totals.shape[1]))
    np.add.at(sums, (unit, group), np.hstack([totals, counts]))

    def statistic(weights: FloatArray) -> FloatArray:
        found = [np.hsplit(weights @ sums[:, g], 2) for g in range(len(said.groups))]
        return np.column_stack([metrics.cmfg_of(total, n, rule) for total, n in found])

    return statistic, counts.sum(axis=0)


def accuracy_correlations(results: Iterable[Result]) -> list[Result]:
    """Over models the correlation of mean accuracy with each metric of stability of markers.

    Accuracy is the unweighted mean over data sets and splits.
    """
    accuracies: dict[estimate.Point, list[float]] = defaultdict(list)
    stability: dict[Condition, dict[estimate.Point, float]] = defaultdict(dict)
    for row in results:
        point, where = estimate.point_of(row)
        if row.metric == "accuracy":
            accuracies[point].append(row.value)
        elif row.dataset == ALL and row.metric != "pooled_sd":
            stability[where.but(of=row.metric)][point] = row.value
    means = {point: float(np.mean(values)) for point, values in accuracies.items()}
    key, found = Key("hedge_markers", estimate.ALL_MODELS, ALL), []
    for where, values in stability.items():
        found += estimate.over_models(key, where, "accuracy_correlation", means, values)
    return found
