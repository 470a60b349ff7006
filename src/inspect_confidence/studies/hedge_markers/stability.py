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
from inspect_confidence.metrics.arrays import FloatArray, divided
from inspect_confidence.metrics.markers import Correlation
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import estimate
from inspect_confidence.studies.estimate import Estimand, Number
from inspect_confidence.studies.hedge_markers.forms import HedgeOptions
from inspect_confidence.studies.hedge_markers.judgments import NO_HEDGE, Sentences
from inspect_confidence.studies.study import Resampling

ALL = "all"
"""What stands in `dataset` for a number over data sets."""

SEVEN = ("id_mae", "cd_mae", "m_avg_cv", "d_avg_cv", "mrc", "mac", "mcc", "mrc_change")
"""The metrics of stability, and the change of one without `<no_hedge>`."""


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


@dataclass(frozen=True)
class _Context:
    """What the forms need of one chunk of resamples."""

    tables: metrics.MarkerTables
    accuracy: FloatArray
    cmfg: FloatArray


KINDS: Sequence[Correlation] = ("spearman", "pearson")
Form = Callable[[_Context], FloatArray]
Named = tuple[dict[str, str], str, str, str, Form]
"""What the condition adds, metric, note, why it may be undefined, and how it is computed."""


def _stability(
    said: Sentences, markers: Sequence[str], rules: _Rules, condition: Condition
) -> Estimand:
    """All seven over one set of markers."""
    counted = rules.counted(said)
    cells = said.cells(counted, markers)
    everywhere = 0
    if markers:
        sample = rules.tables(cells, np.ones((1, len(said.units))))
        everywhere = int((~np.isnan(sample.mic[0, said.one_split])).all(axis=0).sum())
    found = [*_distances(said, rules), *_over_sets(said.one_split, everywhere, rules)]
    few = "" if markers else f"no marker has {rules.threshold:g} sentences"
    numbers = [
        Number(condition.but(**where), metric, len(counted), note, why=few or why)
        for where, metric, note, why, _ in found
    ]
    accuracy, (faithful, _) = _accuracy(said), cmfg_of_groups(said, rules.authors)

    def statistic(weights: FloatArray) -> FloatArray:
        if not markers:
            return np.full((len(weights), len(found)), np.nan)
        tables = rules.tables(cells, weights)
        context = _Context(tables, accuracy(weights), faithful(weights))
        return np.column_stack([form(context) for *_, form in found])

    return Estimand(numbers, statistic)


def _of_all(mic: FloatArray) -> FloatArray:
    """MICs of the markers that every one of the groups has; 0 is a MIC, NaN is none."""
    everywhere = ~np.isnan(mic).any(axis=1, keepdims=True)
    return np.where(everywhere, mic, np.nan)


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
            if level != "mean":
                spread = partial(metrics.marker_mae_sd, **how, level=level)
                yield {**where, "of": metric}, "pooled_sd", note, why, _of_tables(spread)


def _of_tables(value: Callable[[metrics.MarkerTables], FloatArray]) -> Form:
    return lambda context: value(context.tables)


def _over_sets(groups: Sequence[int], everywhere: int, rules: _Rules) -> Iterator[Named]:
    """Variation, correlations and trends of MICs over data sets, `everywhere` markers in all."""
    n, variation = len(groups), partial(metrics.marker_variation, ddof=rules.ddof)

    def some(context: _Context) -> FloatArray:
        return context.tables.mic[:, groups]

    def of_all(context: _Context) -> FloatArray:
        return _of_all(some(context))

    def sentences(context: _Context) -> tuple[FloatArray, FloatArray]:
        size = np.where(np.isnan(of_all(context)), np.nan, context.tables.size[:, groups])
        return _mean_and_sd(size.reshape(len(size), -1), rules.ddof)

    why = "no data set has two markers"
    yield {}, "d_avg_cv", "", why, lambda c: variation(some(c), over="markers")
    breadth = metrics.confidence_range
    yield {}, "confidence_range", "", "", lambda c: _mean_and_sd(breadth(c.tables)[:, groups])[0]
    note = f"{everywhere} markers in all {n} data sets"
    yield {}, "sentences_per_marker", note, "", lambda c: sentences(c)[0]
    yield {}, "sentences_per_marker_sd", note, "", lambda c: sentences(c)[1]
    for where, mic, said in (({}, of_all, note), ({"shared": "some"}, some, "")):
        yield from _of_shared(where, mic, said, groups, rules)
    for kind in KINDS:
        # By the authors' code pairs share what all data sets share.
        yield _rank_correlation(kind, of_all if rules.authors else some, n, rules)


def _of_shared(
    where: dict[str, str], mic: Form, note: str, groups: Sequence[int], rules: _Rules
) -> Iterator[Named]:
    """How MICs of shared markers vary over data sets, and go along with what data sets have."""
    n, variation = len(groups), partial(metrics.marker_variation, ddof=rules.ddof)
    none = f"no marker is in {'enough' if where else f'all {n}'} data sets"
    why = "one data set only" if n < 2 else none
    yield where, "m_avg_cv", note, why, lambda c: variation(mic(c), over="groups")
    why = "fewer than three data sets" if n < 3 else f"{none}, or all are alike"
    for kind in KINDS:
        at, trend = {**where, "correlation": kind}, partial(metrics.marker_trend, kind=kind)
        of = partial(trend, clamp=rules.clamp)
        yield at, "mac", note, why, _with(of, mic, lambda c: c.accuracy[:, groups])
        yield at, "mcc", note, why, _with(of, mic, lambda c: c.cmfg[:, groups])


def _with(of: Callable[..., FloatArray], one: Form, other: Form) -> Form:
    return lambda context: of(one(context), other(context))


def _rank_correlation(kind: Correlation, mic: Form, n: int, rules: _Rules) -> Named:
    """MRC over the data sets' pairs."""
    why = "no pair shares three markers whose MICs differ"
    why = "fewer than two data sets" if n < 2 else why
    rank = partial(metrics.marker_rank_correlation, kind=kind, clamp=rules.clamp)
    return {"correlation": kind}, "mrc", "", why, lambda c: rank(mic(c))


def _mean_and_sd(values: FloatArray, ddof: int = 0) -> tuple[FloatArray, FloatArray]:
    """Of each row, NaN left out."""
    n = (~np.isnan(values)).sum(axis=1)
    mean = divided(np.nansum(values, axis=1), n)
    squares = np.nansum(np.square(values - mean[:, None]), axis=1)
    return mean, np.sqrt(divided(squares, n - ddof))


def _change(
    said: Sentences, markers: Sequence[str], rules: _Rules, condition: Condition
) -> Estimand:
    """How much MRC changes without sentences that don't hedge."""
    counted, without = rules.counted(said), markers.index(NO_HEDGE)
    cells, groups = said.cells(counted, markers), said.one_split
    rank = partial(metrics.marker_rank_correlation, clamp=rules.clamp)

    def statistic(weights: FloatArray) -> FloatArray:
        tables = rules.tables(cells, weights)
        mics = [some.mic[:, groups] for some in (tables.without(without), tables)]
        less, whole = (rank(_of_all(mic) if rules.authors else mic) for mic in mics)
        return np.asarray(less - whole)

    where = condition.but(correlation="spearman")
    return estimate.estimand(where, "mrc_change", statistic, len(counted))


def _accuracy(said: Sentences) -> metrics.Statistic:
    """Accuracy of each group."""
    replies, groups = said.replies, np.arange(len(said.groups))
    mine = replies["group"].to_numpy()[:, None] == groups
    right = np.where(mine, replies["correct"].to_numpy(float)[:, None], np.nan)
    return metrics.means_of(right, replies["unit"].to_numpy(np.int64), len(said.units))


def cmfg_of_groups(
    said: Sentences, authors: bool
) -> tuple[Callable[[FloatArray], FloatArray], FloatArray]:
    """CMFG of each group from what each reply adds to the bins, and how many replies those hold.

    By the text punts are left out.
    """
    rule, replies = "authors" if authors else "text", said.replies
    held, faithful = (
        replies[name].to_numpy(float) for name in ("confidence_with_both", "faithfulness")
    )
    if not authors:  # whose code knows no punts
        held = np.where(replies["punt"] == 1, np.nan, held)
    totals, counts = metrics.cmfg_sums(faithful, held, convention=rule)
    unit, group = (replies[name].to_numpy(np.int64) for name in ("unit", "group"))
    # What each item adds to its group.
    sums = np.zeros((len(said.units), len(said.groups), 2 * totals.shape[1]))
    np.add.at(sums, (unit, group), np.hstack([totals, counts]))

    def statistic(weights: FloatArray) -> FloatArray:
        found = [np.hsplit(weights @ sums[:, g], 2) for g in range(len(said.groups))]
        return np.column_stack([metrics.cmfg_of(total, n, rule) for total, n in found])

    return statistic, counts.sum(axis=0)


def accuracy_correlations(results: Iterable[Result]) -> list[Result]:
    """Over models the correlations of mean accuracy with each metric of stability of markers.

    Accuracy is the unweighted mean over data sets: of their train splits, or of the one split that
    a data set has.
    """
    accuracies: dict[estimate.Point, dict[str, float]] = defaultdict(dict)
    stability: dict[Condition, dict[estimate.Point, float]] = defaultdict(dict)
    for row in results:
        point, where = estimate.point_of(row)
        mine = accuracies[point]
        if row.metric == "accuracy" and (where.get("split") == "train" or row.dataset not in mine):
            mine[row.dataset] = row.value
        elif row.metric in SEVEN:
            stability[where.but(of=row.metric)][point] = row.value
    means = {point: float(np.mean(list(of.values()))) for point, of in accuracies.items() if of}
    key, found = Key("hedge_markers", estimate.ALL_MODELS, ALL), []
    for where, values in stability.items():
        for metric, ranked in (
            ("accuracy_correlation", False),
            ("accuracy_rank_correlation", True),
        ):
            found += estimate.over_models(key, where, metric, means, values, ranked=ranked)
    return found
