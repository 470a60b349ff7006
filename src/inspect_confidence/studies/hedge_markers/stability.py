"""What is estimated over data sets: whether markers mean the same everywhere."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, divided
from inspect_confidence.metrics.markers import LEAST_POINTS, Correlation, Varying
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.estimate import Estimate, Statistics
from inspect_confidence.studies.hedge_markers.forms import HedgeOptions
from inspect_confidence.studies.hedge_markers.judgments import NO_HEDGE, REPLY, Sentences
from inspect_confidence.studies.notes import noted
from inspect_confidence.studies.over_models import ALL_MODELS, Point, over_models, point_of
from inspect_confidence.studies.study import Resampling

ALL = "all"
"""What stands in `dataset` for a number over data sets."""

SEVEN = ("id_mae", "cd_mae", "m_avg_cv", "d_avg_cv", "mrc", "mac", "mcc", "mrc_change")
"""The metrics of stability, and the change of one without `<no_hedge>`."""


def over_datasets(
    said: Sentences, resampling: Resampling, threshold: float, condition: Condition
) -> Iterator[Statistics]:
    """The seven metrics of stability, with and without sentences that don't hedge."""
    own, authors = resampling.options(HedgeOptions), resampling.convention == "authors"
    rules = _Rules(authors, threshold, own.ddof, own.correlation_clamp, resampling)
    markers = said.markers(said.counted(resampling.convention), threshold)
    everything = _stability(said, markers, rules, condition)
    yield everything
    if NO_HEDGE in markers:
        hedging = [marker for marker in markers if marker != NO_HEDGE]
        yield _stability(said, hedging, rules, condition.but(no_hedge="without"))
        (mrc,) = (
            one
            for one in everything.estimates
            if (one.metric, one.condition.get("correlation")) == ("mrc", "spearman")
        )
        yield _change(said, markers, rules, mrc)


@dataclass(frozen=True)
class _Rules:
    """Choices among definitions: whether they are the authors' code's, T, and `HedgeOptions`."""

    authors: bool
    threshold: float
    ddof: int
    clamp: float
    resampling: Resampling

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


@dataclass(frozen=True)
class _Named:
    """A number over data sets.

    Attributes:
        where: What the condition adds.
        metric: Its name.
        of: How it is computed.
        groups: Which groups it is over.
        cells: The groups' markers that it rests on, of shape (groups, markers).
        note: For the results.
        why: Why it may be undefined.
        varies: Over what, where its interval is that of a variation.
    """

    where: dict[str, str]
    metric: str
    of: Form
    groups: Sequence[int]
    cells: NDArray[np.bool_]
    note: str = ""
    why: str = ""
    varies: Varying | None = None


def _stability(
    said: Sentences, markers: Sequence[str], rules: _Rules, condition: Condition
) -> Statistics:
    """All seven over one set of markers."""
    counted = rules.counted(said)
    cells = said.cells(counted, markers)
    size = cells.tables(np.ones((1, len(said.units))), 0).size[0]
    known = (size >= rules.threshold) & (size > 0)
    found = [*_distances(said, rules, known, size > 0), *_over_sets(said.one_split, known, rules)]
    few = "" if markers else f"no marker has {rules.threshold:g} sentences"
    lost, asked = said.left_out(counted), said.asked()
    place = {marker: k for k, marker in enumerate(markers)}
    mine = counted[counted["standard"].isin(place)]
    unit, group = (mine[name].to_numpy(np.int64) for name in ("unit", "group"))
    marker = np.array([place[one] for one in mine["standard"]], np.int64)
    sentence = mine.groupby([*REPLY, "sentence"], sort=False, dropna=False).ngroup().to_numpy()
    mics = _mics(cells, known, said, rules.resampling) if markers else None

    def number(one: _Named) -> Estimate:
        held = one.cells[group, marker]
        interval, without = None, ""
        if one.varies and mics:
            interval, without = _interval(one, *mics, rules), f"{metrics.SAME}, or 0"
        elif one.where.get("level") == "mean":
            # Where MICs are the same in both splits these are far from 0 by the MICs' error alone.
            without = "no method covers distances of means that are equal"
        return Estimate(
            condition.but(**one.where),
            one.metric,
            len(np.unique(sentence[held])),
            noted(one.note, lost),
            interval,
            few or one.why,
            int(asked[list(one.groups)].sum()),
            len(np.unique(unit[held])),
            no_interval_reason=without,
        )

    accuracy, (faithful, _) = _accuracy(said), cmfg_of_groups(said, rules.authors)

    def statistic(weights: FloatArray) -> FloatArray:
        if not markers:
            return np.full((len(weights), len(found)), np.nan)
        tables = rules.tables(cells, weights)
        context = _Context(tables, accuracy(weights), faithful(weights))
        return np.column_stack([one.of(context) for one in found])

    return Statistics([number(one) for one in found], statistic)


MOST_RESAMPLES = 1_000
"""Of MICs for an interval of their variation."""


def _mics(
    cells: metrics.MarkerCells,
    known: NDArray[np.bool_],
    said: Sentences,
    resampling: Resampling,
) -> tuple[FloatArray, FloatArray]:
    """MICs of the sample and of resamples, where the sample has T sentences."""

    def mic(weights: FloatArray) -> FloatArray:
        return np.where(known, cells.tables(weights, 0).mic, np.nan)

    drawn = metrics.bootstrap(
        {"mic": mic},
        said.strata,
        resamples=min(resampling.resamples, MOST_RESAMPLES),
        seed=resampling.seed,
    )
    return mic(np.ones((1, len(said.units))))[0], drawn["mic"]


def _interval(
    one: _Named, mic: FloatArray, draws: FloatArray, rules: _Rules
) -> tuple[float, float]:
    """Of a variation over its cells."""
    groups, some = list(one.groups), np.where(one.cells, mic, np.nan)
    return metrics.spread_interval(
        some[groups], draws[:, groups], over=one.varies or "groups", ddof=rules.ddof
    )


def _of_all(mic: FloatArray) -> FloatArray:
    """MICs of the markers that every one of the groups has; 0 is a MIC, NaN is none."""
    everywhere = ~np.isnan(mic).any(axis=1, keepdims=True)
    return np.where(everywhere, mic, np.nan)


def _distances(
    said: Sentences, rules: _Rules, known: NDArray[np.bool_], there: NDArray[np.bool_]
) -> Iterator[_Named]:
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
        used = np.zeros_like(known)
        for train, test in pairs:
            shared = known[train] & (there if rules.authors else known)[test]
            used[[train, test]] |= shared
        over = partial(_Named, groups=sorted({k for pair in pairs for k in pair}), cells=used)
        for level in ("marker", "sentence", "response", "mean"):
            mae = _of_tables(partial(metrics.marker_mae, **how, level=level))
            where = {"level": "" if level == "marker" else level}
            yield over(where, metric, mae, note=note, why=why)
            if level != "mean":
                spread = _of_tables(partial(metrics.marker_mae_sd, **how, level=level))
                yield over({**where, "of": metric}, "pooled_sd", spread, note=note, why=why)


def _of_tables(value: Callable[[metrics.MarkerTables], FloatArray]) -> Form:
    return lambda context: value(context.tables)


def _over_sets(groups: Sequence[int], known: NDArray[np.bool_], rules: _Rules) -> Iterator[_Named]:
    """Variation, correlations and trends of MICs over data sets."""
    n, variation = len(groups), partial(metrics.marker_variation, ddof=rules.ddof)
    chosen = np.isin(np.arange(len(known)), groups)[:, None]
    mine = known & chosen
    shared = mine & known[groups].all(axis=0)

    def some(context: _Context) -> FloatArray:
        return context.tables.mic[:, groups]

    def of_all(context: _Context) -> FloatArray:
        return _of_all(some(context))

    def sentences(context: _Context) -> tuple[FloatArray, FloatArray]:
        size = np.where(np.isnan(of_all(context)), np.nan, context.tables.size[:, groups])
        return _mean_and_sd(size.reshape(len(size), -1), rules.ddof)

    one = partial(_Named, groups=groups)
    yield one(
        {},
        "d_avg_cv",
        lambda c: variation(some(c), over="markers"),
        cells=mine & (mine.sum(axis=1, keepdims=True) > 1),
        why="no data set has two markers",
        varies="markers",
    )
    breadth = metrics.confidence_range
    yield one(
        {}, "confidence_range", lambda c: _mean_and_sd(breadth(c.tables)[:, groups])[0], cells=mine
    )
    note = f"{known[groups].all(axis=0).sum()} markers in all {n} data sets"
    used = partial(one, cells=shared, note=note)
    yield used({}, "sentences_per_marker", lambda c: sentences(c)[0])
    yield used({}, "sentences_per_marker_sd", lambda c: sentences(c)[1])
    for where, mic, cells, said in (
        ({}, of_all, shared, note),
        ({"shared": "some"}, some, mine, ""),
    ):
        yield from _of_shared(where, mic, cells, said, groups, rules)
    mic, cells = (of_all, shared) if rules.authors else (some, _in_pairs(mine))
    for kind in KINDS:
        # By the authors' code pairs share what all data sets share.
        yield _rank_correlation(kind, mic, groups, cells, rules)


def _in_pairs(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells of pairs of groups that share three markers or more."""
    used = np.zeros_like(cells)
    for a, b in combinations(range(len(cells)), 2):
        both = cells[a] & cells[b]
        if both.sum() >= LEAST_POINTS:
            used[[a, b]] |= both
    return used


def _of_shared(
    where: dict[str, str],
    mic: Form,
    cells: NDArray[np.bool_],
    note: str,
    groups: Sequence[int],
    rules: _Rules,
) -> Iterator[_Named]:
    """How MICs of shared markers vary over data sets, and go along with what data sets have."""
    n, variation = len(groups), partial(metrics.marker_variation, ddof=rules.ddof)
    none = f"no marker is in {'enough' if where else f'all {n}'} data sets"
    one = partial(_Named, groups=groups, note=note)
    in_sets = cells.sum(axis=0)
    yield one(
        where,
        "m_avg_cv",
        lambda c: variation(mic(c), over="groups"),
        cells=cells & (in_sets > 1),
        why="one data set only" if n < 2 else none,
        varies="groups",
    )
    why = "fewer than three data sets" if n < 3 else f"{none}, or all are alike"
    for kind in KINDS:
        trend = partial(metrics.marker_trend, kind=kind, clamp=rules.clamp)
        for metric, of in (
            ("mac", _with(trend, mic, lambda c: c.accuracy[:, groups])),
            ("mcc", _with(trend, mic, lambda c: c.cmfg[:, groups])),
        ):
            at = {**where, "correlation": kind}
            yield one(at, metric, of, cells=cells & (in_sets >= LEAST_POINTS), why=why)


def _with(of: Callable[..., FloatArray], one: Form, other: Form) -> Form:
    return lambda context: of(one(context), other(context))


def _rank_correlation(
    kind: Correlation, mic: Form, groups: Sequence[int], cells: NDArray[np.bool_], rules: _Rules
) -> _Named:
    """MRC over the data sets' pairs."""
    why = "no pair shares three markers whose MICs differ"
    why = "fewer than two data sets" if len(groups) < 2 else why
    rank = partial(metrics.marker_rank_correlation, kind=kind, clamp=rules.clamp)
    return _Named({"correlation": kind}, "mrc", lambda c: rank(mic(c)), groups, cells, why=why)


def _mean_and_sd(values: FloatArray, ddof: int = 0) -> tuple[FloatArray, FloatArray]:
    """Of each row, NaN left out."""
    n = (~np.isnan(values)).sum(axis=1)
    mean = divided(np.nansum(values, axis=1), n)
    squares = np.nansum(np.square(values - mean[:, None]), axis=1)
    return mean, np.sqrt(divided(squares, n - ddof))


def _change(said: Sentences, markers: Sequence[str], rules: _Rules, mrc: Estimate) -> Statistics:
    """How much MRC changes without sentences that don't hedge; it rests on what MRC does."""
    cells, groups = said.cells(rules.counted(said), markers), said.one_split
    without = markers.index(NO_HEDGE)
    rank = partial(metrics.marker_rank_correlation, clamp=rules.clamp)

    def statistic(weights: FloatArray) -> FloatArray:
        tables = rules.tables(cells, weights)
        mics = [some.mic[:, groups] for some in (tables.drop_marker(without), tables)]
        less, whole = (rank(_of_all(mic) if rules.authors else mic) for mic in mics)
        return np.asarray(less - whole)

    return Statistics([replace(mrc, metric="mrc_change", undefined_reason="")], statistic)


def _accuracy(said: Sentences) -> metrics.Statistic:
    """Accuracy of each group."""
    replies, groups = said.replies, np.arange(len(said.groups))
    mine = replies["group"].to_numpy()[:, None] == groups
    right = np.where(mine, replies["correct"].to_numpy(float)[:, None], np.nan)
    return metrics.means_of(right, replies["unit"].to_numpy(np.int64), len(said.units))


def cmfg_of_groups(
    said: Sentences, authors: bool
) -> tuple[Callable[[FloatArray], FloatArray], FloatArray]:
    """CMFG of each group from what each reply adds to the bins, and each item's replies in those.

    The latter is of shape (items, groups, bins).

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

    return statistic, sums[:, :, totals.shape[1] :]


def accuracy_correlations(results: Iterable[Result]) -> list[Result]:
    """Over models the correlations of mean accuracy with each metric of stability of markers.

    Accuracy is the unweighted mean over data sets: of their train splits, or of the one split that
    a data set has.
    """
    accuracies: dict[Point, dict[str, float]] = defaultdict(dict)
    stability: dict[Condition, dict[Point, float]] = defaultdict(dict)
    for row in results:
        point, where = point_of(row)
        mine = accuracies[point]
        if row.metric == "accuracy" and (where.get("split") == "train" or row.dataset not in mine):
            mine[row.dataset] = row.value
        elif row.metric in SEVEN:
            stability[where.but(of=row.metric)][point] = row.value
    means = {point: float(np.mean(list(of.values()))) for point, of in accuracies.items() if of}
    key, found = Key("hedge_markers", ALL_MODELS, ALL), []
    for where, values in stability.items():
        for metric, ranked in (
            ("accuracy_correlation", False),
            ("accuracy_rank_correlation", True),
        ):
            found += over_models(key, where, metric, means, values, ranked=ranked)
    return found
