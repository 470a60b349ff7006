"""What is estimated over data sets: whether markers mean the same everywhere."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Literal

import numpy as np
import pandas as pd

from inspect_confidence.metrics import (
    MarkerCells,
    MarkerTables,
    cmfg_of,
    cmfg_sums,
    marker_mae,
    marker_mae_sd,
    marker_rank_correlation,
    marker_trend,
    marker_variation,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.estimate import (
    ALL_MODELS,
    Estimand,
    Number,
    Point,
    over_models,
    point_of,
)
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
    """Choices among definitions.

    Attributes:
        authors: Whether the rules are those of the study's code.
        threshold: T.
        ddof: Of the coefficients of variation.
        clamp: Of correlations before Fisher's transformation.
    """

    authors: bool
    threshold: float
    ddof: int
    clamp: float

    def counted(self, said: Sentences) -> pd.DataFrame:
        """The rows that MICs rest on."""
        return said.counted("authors" if self.authors else None)

    def tables(self, cells: MarkerCells, weights: FloatArray) -> MarkerTables:
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

    tables: MarkerTables
    accuracy: FloatArray
    cmfg: FloatArray


Form = Callable[[_Context], FloatArray]
Correlation = Literal["spearman", "pearson"]
_KINDS: Sequence[Correlation] = ("spearman", "pearson")
Level = Literal["marker", "sentence", "response", "mean"]
_LEVELS: Sequence[Level] = ("marker", "sentence", "response", "mean")


def _stability(
    said: Sentences, markers: Sequence[str], rules: _Rules, condition: Condition
) -> Estimand:
    """All seven over one set of markers."""
    counted = rules.counted(said)
    found = [*_distances(said, rules), *_of_splits(said, rules)]
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


Named = tuple[dict[str, str], str, str, str, Form]
"""What the condition adds, metric, note, why it may be undefined, and how it is computed."""


def _distances(said: Sentences, rules: _Rules) -> Iterator[Named]:
    """MAEs between train and test splits, within data sets and across them."""
    place = {group: k for k, group in enumerate(said.groups)}
    datasets = list(dict.fromkeys(dataset for dataset, _ in said.groups))
    both = [d for d in datasets if (d, "train") in place and (d, "test") in place]
    single = len(datasets) - len(both)
    note = f"{single} data sets with one split left out" if single else ""
    for metric, pairs, needs in (
        ("id_mae", zip(both, both, strict=True), "no data set has a train and a test split"),
        (
            "cd_mae",
            ((a, b) for a, b in product(both, both) if a != b),
            "fewer than two data sets have a train and a test split",
        ),
    ):
        places = [(place[a, "train"], place[b, "test"]) for a, b in pairs]
        why = "no marker is shared, or too few for a spread" if places else needs
        for level in _LEVELS:
            where: dict[str, str] = {"level": "" if level == "marker" else level}
            yield where, metric, note, why, partial(_distance, places, level, rules)
        yield {"of": metric}, "pooled_sd", note, why, partial(_spread, places, rules)


def _distance(
    pairs: Sequence[tuple[int, int]], level: Level, rules: _Rules, context: _Context
) -> FloatArray:
    # The authors' code wants T sentences in the train split alone.
    return marker_mae(context.tables, pairs, level=level, train_only=rules.authors)


def _spread(pairs: Sequence[tuple[int, int]], rules: _Rules, context: _Context) -> FloatArray:
    return marker_mae_sd(context.tables, pairs, train_only=rules.authors)


def _of_splits(said: Sentences, rules: _Rules) -> Iterator[Named]:
    """Variation, correlations and trends of MICs over the data sets of each split."""
    for split in sorted({split for _, split in said.groups}):
        groups = [k for k, group in enumerate(said.groups) if group[1] == split]
        where, n = {"split": split}, len(groups)
        why = "one data set only" if n < 2 else "no marker is in enough data sets"
        yield where, "m_avg_cv", "", why, partial(_variation, groups, "groups", rules)
        why = "no data set has two markers"
        yield where, "d_avg_cv", "", why, partial(_variation, groups, "markers", rules)
        for kind in _KINDS:
            how = {**where, "correlation": kind}
            why = "no pair shares three markers whose MICs differ"
            why = "fewer than two data sets" if n < 2 else why
            yield how, "mrc", "", why, partial(_rank_correlation, groups, kind, rules)
            why = "no marker is in three of them, or all are alike"
            why = "fewer than three data sets" if n < 3 else why
            for metric, name in (("mac", "accuracy"), ("mcc", "cmfg")):
                yield how, metric, "", why, partial(_trend, groups, kind, name, rules)


def _variation(
    groups: Sequence[int], over: Literal["groups", "markers"], rules: _Rules, context: _Context
) -> FloatArray:
    mic = context.tables.mic[:, groups]
    mic = rules.shared(mic) if over == "groups" else mic
    return marker_variation(mic, over=over, ddof=rules.ddof)


def _rank_correlation(
    groups: Sequence[int], kind: Correlation, rules: _Rules, context: _Context
) -> FloatArray:
    mic = rules.shared(context.tables.mic[:, groups])
    return marker_rank_correlation(mic, kind=kind, clamp=rules.clamp)


def _trend(
    groups: Sequence[int], kind: Correlation, name: str, rules: _Rules, context: _Context
) -> FloatArray:
    mic, of_group = rules.shared(context.tables.mic[:, groups]), getattr(context, name)
    return marker_trend(mic, of_group[:, groups], kind=kind, clamp=rules.clamp)


def _change(
    said: Sentences, markers: Sequence[str], rules: _Rules, condition: Condition
) -> Estimand:
    """How much MRC changes without sentences that don't hedge."""
    counted, without = rules.counted(said), markers.index(NO_HEDGE)
    cells = said.cells(counted, markers)
    splits = sorted({split for _, split in said.groups})
    groups = {s: [k for k, g in enumerate(said.groups) if g[1] == s] for s in splits}
    numbers = [
        Number(condition.but(split=split, correlation="spearman"), "mrc_change", len(counted))
        for split in splits
    ]

    def statistic(weights: FloatArray) -> FloatArray:
        tables = rules.tables(cells, weights)
        less = tables.without(without)
        found = [
            [
                marker_rank_correlation(rules.shared(some.mic[:, mine]), clamp=rules.clamp)
                for some in (less, tables)
            ]
            for mine in groups.values()
        ]
        return np.column_stack([one - whole for one, whole in found])

    return Estimand(numbers, statistic)


def _accuracy(said: Sentences) -> Callable[[FloatArray], FloatArray]:
    """Accuracy of each group."""
    right = said.replies["correct"].to_numpy(float)
    sums = _by_group(said, np.column_stack([np.nan_to_num(right), ~np.isnan(right)]))

    def statistic(weights: FloatArray) -> FloatArray:
        top, bottom = (weights @ part for part in np.moveaxis(sums, 2, 0))
        return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), np.nan)

    return statistic


def cmfg_of_groups(
    said: Sentences, authors: bool
) -> tuple[Callable[[FloatArray], FloatArray], FloatArray]:
    """CMFG of each group from what each reply adds to the bins, and how many replies those hold."""
    rule = "authors" if authors else "text"
    held = said.replies["confidence_with_both"].to_numpy(float)
    faithful = said.replies["faithfulness"].to_numpy(float)
    totals, counts = cmfg_sums(faithful, held, convention=rule)
    sums = _by_group(said, np.hstack([totals, counts]))

    def statistic(weights: FloatArray) -> FloatArray:
        found = [np.hsplit(weights @ sums[:, g], 2) for g in range(len(said.groups))]
        return np.column_stack([cmfg_of(total, n, rule) for total, n in found])

    return statistic, counts.sum(axis=0)


def _by_group(said: Sentences, values: FloatArray) -> FloatArray:
    """What each item adds to its group: of shape (items, groups, values)."""
    sums = np.zeros((len(said.units), len(said.groups), values.shape[1]))
    unit = said.replies["unit"].to_numpy(np.int64)
    np.add.at(sums, (unit, said.replies["group"].to_numpy(np.int64)), values)
    return sums


def accuracy_correlations(results: Iterable[Result]) -> list[Result]:
    """Over models the correlation of mean accuracy with each metric of stability of markers.

    Accuracy is the unweighted mean over data sets and splits.
    """
    accuracies: dict[Point, list[float]] = defaultdict(list)
    stability: dict[Condition, dict[Point, float]] = defaultdict(dict)
    for row in results:
        point, where = point_of(row)
        if row.metric == "accuracy":
            accuracies[point].append(row.value)
        elif row.dataset == ALL and row.metric != "pooled_sd":
            stability[where.but(of=row.metric)][point] = row.value
    means = {point: float(np.mean(values)) for point, values in accuracies.items()}
    key, found = Key("hedge_markers", ALL_MODELS, ALL), []
    for where, values in stability.items():
        found += over_models(key, where, "accuracy_correlation", means, values)
    return found
