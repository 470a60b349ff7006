"""Markers of uncertainty: whether a marker means the same in every data set.

A marker is a word or phrase such as "probably". Its internal confidence (MIC) is the mean internal
confidence of the sentences that have it. This module has distances, variation and correlations of
MICs in groups, which are the splits of data sets. The functions take tables of many resamples and
return a value for each, NaN where it is undefined.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

from inspect_confidence.metrics.arrays import (
    EDGE,
    FloatArray,
    IntArray,
    aligned,
    check_choice,
    check_count,
    divide_or_nan,
    mean_or_nan,
    shares,
)
from inspect_confidence.metrics.registry import (
    BOOTSTRAP,
    DEBIASED,
    WILSON,
    About,
    Interval,
    metric,
    no_interval,
    numbers,
)

__all__ = [
    "MarkerCells",
    "MarkerTables",
    "cmfg",
    "cmfg_of",
    "cmfg_sums",
    "confidence_range",
    "faithfulness",
    "fisher_mean",
    "marker_mae",
    "marker_mae_sd",
    "marker_rank_correlation",
    "marker_trend",
    "marker_variation",
    "spread_interval",
]

_STUDY = "the study of marker internal confidence"
_NO_MARKER = "no sentence with the marker"
_FEW = "no such marker, or too few data sets"

Level = Literal["marker", "sentence", "response", "mean"]
Correlation = Literal["pearson", "spearman"]
Varying = Literal["groups", "markers"]

_SPREAD = no_interval("few rare sentences decide a standard deviation, and no method covers it")
_CORRELATION = no_interval(
    "the MICs' own error weakens correlations, and no method covers them where they are near 1"
)
_VARIATION = Interval(
    "own",
    "those variations that a bootstrap of the MICs takes to the observed one (grid bootstrap)",
)

numbers(
    About(undefined=_NO_MARKER, source=_STUDY, interval=BOOTSTRAP),
    mic="Marker internal confidence: mean over a marker's sentences of their internal confidence, "
    "1 - mean inconsistency with K more answers.",
)
numbers(
    About(undefined=_NO_MARKER, source=_STUDY, interval=_SPREAD),
    mic_sd="Standard deviation (dividing by n) of the internal confidence of a marker's sentences.",
)
numbers(
    About(undefined=_NO_MARKER, direction="lower", source=_STUDY, interval=BOOTSTRAP),
    decisiveness_gap="Mean over a marker's sentences of |decisiveness - internal confidence|.",
)
numbers(
    About(undefined=_FEW, direction="lower", source=_STUDY, interval=DEBIASED),
    id_mae="Mean over data sets of the distance between a marker's MIC (mean internal confidence "
    "of its sentences) in the train split and the internal confidence of its test sentences. Each "
    "marker (hedging phrase) has equal weight; with `level=sentence` each sentence, with "
    "`level=response` each reply. With `level=mean` it is the distance between the marker's MICs "
    "in both splits.",
    cd_mae="As `id_mae`, but from one data set's train split to another's test split, mean over "
    "ordered pairs of data sets.",
)
numbers(
    About(undefined=_FEW, source=_STUDY, interval=_SPREAD),
    pooled_sd="Standard deviation of the distances in the metric that the condition names as `of`, "
    "at its level, pooled over pairs.",
)
numbers(
    About(undefined=_FEW, unit="ratio", direction="lower", source=_STUDY, interval=_VARIATION),
    m_avg_cv="Coefficient of variation (standard deviation / mean) over data sets of a marker's "
    "MIC (mean internal confidence of its sentences). Mean over the markers (hedging phrases) in "
    "all data sets; in the condition `shared=some` over those in two or more.",
)
numbers(
    About(undefined=_FEW, unit="ratio", source=_STUDY, interval=_VARIATION),
    d_avg_cv="Mean over data sets of the coefficient of variation of MIC over markers.",
)
numbers(
    About(
        undefined=_FEW, unit="correlation", direction="higher", source=_STUDY, interval=_CORRELATION
    ),
    mrc="Fisher mean over pairs of data sets of the correlation of their shared markers' MICs; "
    "Pearson's or Spearman's, as `correlation` in the condition says.",
)
numbers(
    About(undefined=_FEW, unit="correlation", low=-2, high=2, source=_STUDY, interval=_CORRELATION),
    mrc_change="MRC without the sentences that have no marker (`<no_hedge>`), minus MRC with them.",
)
numbers(
    About(undefined=_FEW, unit="correlation", source=_STUDY, interval=_CORRELATION),
    mac="Correlation, over three data sets or more, of a marker's MIC (mean internal confidence "
    "of its sentences) with the data set's accuracy; Pearson's or Spearman's, as `correlation` in "
    "the condition says. Mean by Fisher's z over the markers (hedging phrases) in all data sets; "
    "in the condition `shared=some` over those in three or more.",
    mcc="As `mac`, with `cmfg` (how well hedges fit the internal confidence) in place of accuracy.",
)
numbers(
    About(
        undefined="no marker is in all data sets",
        unit="sentences",
        source=_STUDY,
        interval=no_interval("which markers reach T depends on how often they are used"),
    ),
    sentences_per_marker="Number of sentences of a marker, mean over data sets and the markers "
    "that all of them share.",
)
numbers(
    About(
        undefined="no marker is in all data sets", unit="sentences", source=_STUDY, interval=_SPREAD
    ),
    sentences_per_marker_sd="Standard deviation of the numbers of sentences whose mean is "
    "`sentences_per_marker`.",
)
numbers(
    About(
        undefined="no sentence judged",
        source=_STUDY,
        interval=no_interval("percentiles of few distinct confidences jump from one to the next"),
    ),
    confidence_range="Mean over data sets of the distance of the 95th percentile of sentences' "
    "internal confidence from the 5th.",
)
numbers(
    About(
        undefined="fewer than three models, or all alike",
        unit="correlation",
        source=_STUDY,
        interval=Interval("own", "Fisher's z over four or more models"),
    ),
    accuracy_correlation="Correlation over models of accuracy with the metric that the condition "
    "names as `of`.",
    cmfg_correlation="Correlation over models of cMFG, its mean over data sets, with the metric "
    "that the condition names as `of`.",
    range_correlation="Correlation over models of `confidence_range` with `d_avg_cv`, which it "
    "limits.",
)
numbers(
    About(
        undefined="fewer than three models, or all alike",
        unit="correlation",
        source=_STUDY,
        interval=no_interval("ranks of few models have too few values"),
    ),
    accuracy_rank_correlation="Spearman rank correlation over models of accuracy with the metric "
    "that the condition names as `of`.",
)


@dataclass(frozen=True)
class MarkerTables:
    """Counts of sentences, one table a resample.

    Attributes:
        values: The V distinct internal confidences, ascending, in [0, 1].
        counts: Sentences by group (a data set's split) and marker, of shape (resamples, groups,
            markers, V).
        threshold: T: markers with fewer sentences in a group have no internal confidence there.
        replies: Function of a group's number; None if the replies of sentences are unknown. It
            returns the sentences of each kind of reply in each cell, of shape (markers * V, kinds),
            and the number of replies of each kind, of shape (resamples, kinds). Replies with the
            same sentences are of one kind.
    """

    values: FloatArray
    counts: FloatArray
    threshold: float
    replies: Callable[[int], tuple[csr_array, FloatArray]] | None = None

    @cached_property
    def size(self) -> FloatArray:
        """Sentences of each marker in each group, of shape (resamples, groups, markers)."""
        return np.asarray(self.counts.sum(axis=-1))

    @cached_property
    def mic(self) -> FloatArray:
        """Marker internal confidence: mean internal confidence of a marker's sentences in a group.

        The shape is (resamples, groups, markers). NaN with fewer sentences than `threshold`, or
        with none.
        """
        size = self.size
        enough = (size >= self.threshold - 1e-9) & (size > 0)
        return divide_or_nan(self.counts @ self.values, np.where(enough, size, 0))

    def drop_marker(self, marker: int) -> "MarkerTables":
        """Return the tables without the marker of this number.

        They have no `replies`, whose cells are numbered with all markers.
        """
        return MarkerTables(self.values, np.delete(self.counts, marker, axis=2), self.threshold)


@dataclass(frozen=True)
class MarkerCells:
    """Sentences as what each unit (an item) adds to the cells of a table.

    Attributes:
        values: The V distinct internal confidences, ascending.
        masses: What each unit adds to each cell: sparse, of shape (groups * markers * V, units).
        shape: Groups and markers.
        replies: By group, the sentences of each kind of reply in each cell, of shape (markers * V,
            kinds), and the replies of each kind that a unit has, of shape (kinds, units); empty if
            the replies of sentences are unknown.
    """

    values: FloatArray
    masses: csr_array
    shape: tuple[int, int]
    replies: Mapping[int, tuple[csr_array, csr_array]] = field(default_factory=dict)

    @classmethod
    def from_sentences(
        cls,
        confidence: ArrayLike,
        group: Sequence[int] | IntArray,
        marker: Sequence[int] | IntArray,
        shape: tuple[int, int],
        unit: Sequence[int] | IntArray | None = None,
        units: int | None = None,
        reply: Sequence[int] | IntArray | None = None,
    ) -> "MarkerCells":
        """Group sentences by item; those with a missing confidence are left out.

        Args:
            confidence: Internal confidence in [0, 1], one per sentence.
            group: Index of each sentence's group (data set and split).
            marker: Index of each sentence's marker.
            shape: Number of groups, number of markers.
            unit: Index of each sentence's item; each is an item of its own if None.
            units: Number of items; as many as sentences if None.
            reply: Index of each sentence's reply, which belongs to one item and group; None if
                unknown.

        Raises:
            ValueError: A confidence lies outside [0, 1].
        """
        (confidences,) = shares(confidence=confidence)
        item_numbers = np.arange(len(confidences)) if unit is None else np.asarray(unit, np.int64)
        size = len(confidences) if units is None else units
        present = ~np.isnan(confidences)
        # Nearly equal values are one: 1 - 14/20 and 6/20 differ in the last bit.
        values, column = np.unique(np.round(confidences[present], 12), return_inverse=True)
        group_numbers, item_numbers = np.asarray(group, np.int64)[present], item_numbers[present]
        # A cell is a pair of marker and confidence; rows of `masses` are the cells, group by group.
        cell = np.asarray(marker, np.int64)[present] * max(len(values), 1) + column
        # Without sentences there is still one cell for each marker.
        groups, cells = shape[0], shape[1] * max(len(values), 1)
        masses = _count_pairs(group_numbers * cells + cell, item_numbers, (groups * cells, size))
        if reply is None:
            return cls(values, masses, shape)
        reply_numbers = np.asarray(reply, np.int64)[present]
        replies_by_group = {}
        for k in range(groups):
            in_group = group_numbers == k
            replies_by_group[k] = _reply_kinds(
                cell[in_group], reply_numbers[in_group], item_numbers[in_group], (cells, size)
            )
        return cls(values, masses, shape, replies_by_group)

    def tables(self, weights: FloatArray, threshold: float = 10) -> MarkerTables:
        """Return a table of sentences by group, marker and internal confidence per row of weights.

        `weights` of the units (items) have the shape (resamples, units). In groups where a marker
        has fewer sentences than `threshold` the table gives it no mean internal confidence.
        """
        # Cells of the table are group by marker by confidence. `self.masses`, (cells, units), has
        # the sentences that each unit adds.
        flat = np.asarray((self.masses @ weights.T).T)
        counts = flat.reshape(len(weights), *self.shape, max(len(self.values), 1))
        counts = counts[..., : len(self.values)]  # without values there is one column of zeros
        # Called with a group, it gives the group's kinds of replies and their number per resample.
        replies = partial(self._weigh_replies, weights) if self.replies else None
        return MarkerTables(self.values, counts, threshold, replies)

    def _weigh_replies(self, weights: FloatArray, group: int) -> tuple[csr_array, FloatArray]:
        """Return the sentences of one reply of each kind, and the number of replies of each kind.

        Replies of a group are of one kind if their sentences have the same cells, pairs of a marker
        and a value of internal confidence. The first array counts the sentences of one reply of
        each kind in each cell, shape (cells, kinds). The second has the number of replies of each
        kind in each resample, shape (resamples, kinds): `weights`, of shape (resamples, units), is
        how often a resample has each unit.
        """
        sentences, masses = self.replies[group]
        return sentences, np.asarray((masses @ weights.T).T)


def _count_pairs(rows: IntArray, columns: IntArray, shape: tuple[int, int]) -> csr_array:
    """Count how often each pair of row and column occurs."""
    return coo_array((np.ones(len(rows)), (rows, columns)), shape).tocsr()


def _reply_kinds(
    cell: IntArray, reply: IntArray, unit: IntArray, shape: tuple[int, int]
) -> tuple[csr_array, csr_array]:
    """Return the sentences of each kind of reply by cell, and each unit's replies by kind.

    A cell is a pair of a marker and a value of internal confidence. Replies whose sentences have
    the same cells are of one kind, so that means over a reply's sentences are computed once a kind.

    Args:
        cell: Number of each sentence's cell.
        reply: Index of each sentence's reply.
        unit: Index of each sentence's item.
        shape: Number of cells, number of units.

    Returns:
        Counts of shape (cells, kinds) and (kinds, units).
    """
    # Sentences in the order of replies, and within a reply of cells: a reply is a run of sentences.
    order = np.lexsort((cell, reply))
    starts = np.flatnonzero(np.diff(reply[order], prepend=-1))
    # The first part of the split, before the first start, is empty.
    replies = [tuple(cells) for cells in np.split(cell[order], starts)[1:]]
    kinds = {cells: k for k, cells in enumerate(dict.fromkeys(replies))}
    kind_cells = np.array(list(chain.from_iterable(kinds)), np.int64)
    kind_of_cell = np.repeat(np.arange(len(kinds)), [len(cells) for cells in kinds])
    kind_of_reply = np.array([kinds[cells] for cells in replies], np.int64)
    return (
        _count_pairs(kind_cells, kind_of_cell, (shape[0], len(kinds))),
        _count_pairs(kind_of_reply, unit[order][starts], (len(kinds), shape[1])),
    )


CLAMP = 0.9999
"""Largest absolute correlation before Fisher's transformation, which is infinite at 1."""

LEAST_POINTS = 3
"""Smallest number of points of a correlation, as two points always correlate perfectly."""

_ROUNDING = 1e-12
"""Numbers that differ by less, relative to their size, are the same but for rounding."""


def marker_mae(
    tables: MarkerTables,
    pairs: Sequence[tuple[int, int]],
    *,
    level: Level = "marker",
    shared: NDArray[np.bool_] | None = None,
    train_only: bool = False,
) -> FloatArray:
    """Mean over pairs of the distance between one group's MICs and another's sentences.

    A MIC is the mean internal confidence of the sentences with a marker such as "probably"; a group
    is a split of a data set. NaN if no pair shares a marker. A model whose markers mean the same
    everywhere gets 0 at the level `mean` only: the internal confidence of a sentence is the share
    of K more answers that agree with it, which scatters about its true value c by
    E|Bin(K, c)/K - c|.

    Args:
        tables: Tables of all groups.
        pairs: First group (train) and second (test): of the same data set for ID-MAE, of different
            ones for CD-MAE.
        level: What is averaged; ValueError if unknown. For markers with a MIC in both groups,
            `marker` takes the mean over the second group's sentences of |MIC_first - confidence|,
            then over markers. `sentence` is the mean over all these sentences, `response` that over
            replies of the mean over their sentences (needs the tables' `replies`), `mean` that over
            markers of |MIC_first - MIC_second|.
        shared: Which markers count, of shape (resamples, markers); None for those that the pair
            shares.
        train_only: Whether a marker needs as many sentences as the tables' threshold in the first
            group only, and a single one in the second, as in the authors' code.
    """
    means = []
    for gap, weight in _distances(tables, pairs, level, shared, train_only):
        weighted_sum = (weight * gap).sum(axis=-1)
        means.append(divide_or_nan(weighted_sum, weight.sum(axis=-1)))  # NaN: no shared marker
    return _mean(np.stack(means, axis=-1)) if means else np.full(len(tables.counts), np.nan)


def marker_mae_sd(
    tables: MarkerTables,
    pairs: Sequence[tuple[int, int]],
    *,
    level: Level = "marker",
    shared: NDArray[np.bool_] | None = None,
    train_only: bool = False,
) -> FloatArray:
    """Standard deviation of the distances that `marker_mae` is a mean of, pooled over pairs.

    sqrt(sum (n - 1) s^2 / sum (n - 1)), where a pair of groups (splits of data sets) has n
    distances with standard deviation s: one per marker, at the level `sentence` per sentence, at
    `response` per reply. Pairs with fewer than two distances are left out; NaN if none is left. In
    the authors' code one such pair makes the result NaN. Arguments are those of `marker_mae`.
    """
    squares = freedom = np.zeros(len(tables.counts))
    for gap, weight in _distances(tables, pairs, level, shared, train_only):
        n = weight.sum(axis=-1)
        centre = divide_or_nan((weight * gap).sum(axis=-1), n)[:, None]
        spread = np.where(weight > 0, weight * np.square(gap - centre), 0).sum(axis=-1)
        squares = squares + np.where(n > 1, spread, 0)
        freedom = freedom + np.maximum(n - 1, 0)
    return np.sqrt(divide_or_nan(squares, freedom))


def _distances(
    tables: MarkerTables,
    pairs: Sequence[tuple[int, int]],
    level: Level,
    shared: NDArray[np.bool_] | None,
    train_only: bool,
) -> list[tuple[FloatArray, FloatArray]]:
    """Return the distances of each pair of groups and their weights: (resamples, distances) each.

    Arguments are those of `marker_mae`; `shared` restricts the markers further. A distance is that
    of a marker's mean internal confidence (MIC) in the pair's first (train) group from its
    sentences in the second (test) group. There is one per marker, at the level `marker` the mean
    over its sentences and at `mean` that from the second MIC; at `sentence` one per marker and
    confidence, weighted by sentences; at `response` one per kind of reply, weighted by replies. A
    distance with weight 0 is 0.
    """
    check_choice("level", level, Level)
    mic = tables.mic
    # Without a threshold a single sentence gives a marker its MIC.
    second_mic = replace(tables, threshold=0).mic if train_only else mic
    distances = []
    for first, second in pairs:
        in_both = ~np.isnan(mic[:, first]) & ~np.isnan(second_mic[:, second])
        if shared is not None:
            in_both &= shared
        counts = tables.counts[:, second]
        # Distance of sentences at each marker and confidence, of shape (resamples, markers, V).
        sentence_gap = np.abs(mic[:, first, :, None] - tables.values)
        weight: FloatArray = in_both.astype(float)
        if level == "mean":
            gap = np.abs(mic[:, first] - second_mic[:, second])
        elif level == "marker":
            gap = divide_or_nan((counts * sentence_gap).sum(axis=-1), counts.sum(axis=-1))
        elif level == "sentence":
            weight = (counts * in_both[..., None]).reshape(len(counts), -1)
            gap = sentence_gap.reshape(weight.shape)
        else:
            gap, weight = _distances_by_reply(tables, second, sentence_gap, in_both)
        distances.append((np.where(weight > 0, gap, 0), weight))
    return distances


def _distances_by_reply(
    tables: MarkerTables, group: int, gap: FloatArray, in_both: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Return each kind of reply's mean distance over its sentences, and its number of replies.

    Both have the shape (resamples, kinds). Replies of a kind have sentences with the same markers
    and confidences, so the same distance. A kind without a sentence that counts has the number 0.

    Args:
        tables: Tables with `replies`; ValueError if they have none.
        group: The number of the group (split of a data set) whose sentences are compared.
        gap: Distance of a sentence with each marker and each of the V confidences, of shape
            (resamples, markers, V).
        in_both: Markers whose sentences count, of shape (resamples, markers).
    """
    if tables.replies is None:
        raise ValueError(
            "level='response' needs replies; give `reply` to MarkerCells.from_sentences."
        )
    sentences, counts = tables.replies(group)  # (cells, kinds) and (resamples, kinds)
    counted = np.broadcast_to(in_both[..., None], gap.shape)
    # Cells (marker and confidence) in one axis, as `sentences` has them: (resamples, cells).
    flat_gap = np.where(counted, gap, 0).reshape(len(gap), -1)
    flat_counted = counted.reshape(flat_gap.shape).astype(float)
    total = np.asarray((sentences.T @ flat_gap.T).T)
    n_sentences = np.asarray((sentences.T @ flat_counted.T).T)
    return divide_or_nan(total, n_sentences), counts * (n_sentences > 0)


def marker_variation(mic: FloatArray, *, over: Varying, ddof: int = 1) -> FloatArray:
    """Mean coefficient of variation of MICs (mean internal confidences of markers): SD / mean.

    Over groups (M-AvgCV) it says how much a marker's MIC varies between data sets, on average over
    markers. Apart from sampling error it is 0 if every marker means the same everywhere. Over
    markers (D-AvgCV) it says how far a data set's markers are apart, on average over data sets.

    Args:
        mic: MICs of shape (resamples, groups, markers), groups being data sets; NaN is left out.
        over: What varies, `groups` or `markers` (else ValueError). With `groups`, markers in one
            group only are left out; with `markers`, groups with one marker only. NaN if none is
            left.
        ddof: The variance is the sum of squares over n - ddof.
    """
    check_choice("over", over, Varying)
    values = mic if over == "markers" else np.swapaxes(mic, 1, 2)
    n = (~np.isnan(values)).sum(axis=-1)
    mean = _mean(values)
    squares = np.nansum(np.square(values - mean[..., None]), axis=-1)
    sd = np.sqrt(divide_or_nan(squares, n - ddof))
    # A single value has no variation: NaN, which the mean leaves out.
    return _mean(divide_or_nan(sd, np.where(n > 1, mean, 0)))


_SCALES = np.concatenate([np.linspace(0, 2, 21), np.geomspace(2.2, 20, 12)])
"""Spreads of the true MICs that `spread_interval` tries, as multiples of the sample's."""


def spread_interval(
    mic: FloatArray, draws: FloatArray, *, over: Varying, ddof: int = 1
) -> tuple[float, float]:
    """95% interval of `marker_variation` by the grid bootstrap, valid also if true MICs don't vary.

    MICs scatter about their true values, so that variation is biased upwards, most of all if true
    MICs don't vary. So true MICs are assumed s times as far from their mean as the sample's, for s
    from 0 to 20, and the errors of resamples (draws - mic) are added. The true variation at s is in
    the interval if the sample's variation lies within the central 95% of those that result. The
    interval is extended to the sample's variation if that lies outside. Both ends are NaN if the
    value is NaN or 0, or MICs are the same in every resample.

    Source: Hansen (1999, Review of Economics and Statistics 81), for a scale.

    Args:
        mic: MICs (mean internal confidences of markers) of the sample, of shape (groups, markers);
            NaN where there is none.
        draws: MICs of resamples, of shape (resamples, groups, markers).
        over: What varies, `groups` or `markers`.
        ddof: The variance is the sum of squares over n - ddof.
    """
    value = marker_variation(mic[None], over=over, ddof=ddof)[0]
    error = draws - mic
    if not value > _ROUNDING or not (np.abs(error) > _ROUNDING).any():
        return float("nan"), float("nan")
    centre = _mean(np.swapaxes(mic, 0, 1))[None] if over == "groups" else _mean(mic)[:, None]
    true, low, high = [], [], []
    for scale in _SCALES:
        scaled = np.clip(centre + scale * (mic - centre), 0, 1)
        variations = marker_variation(scaled + error, over=over, ddof=ddof)
        below, above = np.nanquantile(variations, (0.025, 0.975))
        true.append(marker_variation(scaled[None], over=over, ddof=ddof)[0])
        low.append(below)
        high.append(above)
    # True variations at the first and at the last scale whose draws reach the value: `interp`
    # inverts the quantiles, made non-decreasing, as functions of the true variation.
    first = np.interp(value, np.maximum.accumulate(high), true)
    last = np.interp(value, np.maximum.accumulate(low), true)
    return float(min(first, value)), float(max(last, value))


def confidence_range(tables: MarkerTables, share: float = 0.9) -> FloatArray:
    """Return the range of sentences' internal confidences, of shape (resamples, groups).

    It is the distance between the quantiles (1 - share)/2 and (1 + share)/2 of the sentences in the
    tables, and limits how far a data set's markers can lie apart (D-AvgCV). A quantile is the least
    value with that share of sentences at or below it. NaN if a group has no sentence.
    """
    counts = tables.counts.sum(axis=2)  # over markers: (resamples, groups, confidences)
    total = counts.sum(axis=-1)
    if not len(tables.values):
        return np.full(total.shape, np.nan)
    below = np.cumsum(counts, axis=-1) / np.where(total > 0, total, 1)[..., None]
    low, high = (
        tables.values[np.argmax(below >= quantile - _ROUNDING, axis=-1)]
        for quantile in ((1 - share) / 2, (1 + share) / 2)
    )
    return np.where(total > 0, high - low, np.nan)


def marker_rank_correlation(
    mic: FloatArray, *, kind: Correlation = "spearman", clamp: float = CLAMP
) -> FloatArray:
    """MRC: Fisher mean over pairs of data sets of the correlation of their shared markers' MICs.

    The Fisher mean is tanh of the mean of arctanh. Pairs that share fewer than three markers, or in
    one of which all MICs are equal, are left out; NaN if none is left.

    Args:
        mic: MICs (mean internal confidences of markers such as "probably") of shape (resamples,
            groups, markers), a group being a data set; NaN where a group lacks the marker.
        kind: Kind of correlation, `pearson` or `spearman` (else ValueError).
        clamp: Correlations are kept within +-clamp, as Fisher's arctanh of +-1 is infinite.
    """
    check_choice("kind", kind, Correlation)
    correlations = []  # of each pair of data sets, (resamples,)
    for first, second in combinations(range(mic.shape[1]), 2):
        correlations.append(_correlations(mic[:, first], mic[:, second], kind))
    return fisher_mean(correlations, clamp) if correlations else np.full(len(mic), np.nan)


def marker_trend(
    mic: FloatArray,
    group_values: FloatArray,
    *,
    kind: Correlation = "pearson",
    clamp: float = CLAMP,
) -> FloatArray:
    """Fisher mean over markers of the correlation, over data sets, of MIC with a number of the set.

    The number is accuracy for the metric `mac` and `cmfg` for `mcc`. Markers with a MIC in fewer
    than three groups are left out; NaN if none is left.

    Args:
        mic: MICs (mean internal confidences of markers such as "probably") of shape (resamples,
            groups, markers), a group being a data set; NaN where a group lacks the marker.
        group_values: The number of each group, of shape (resamples, groups).
        kind: Kind of correlation, `pearson` or `spearman` (else ValueError).
        clamp: Correlations are kept within +-clamp, as Fisher's arctanh of +-1 is infinite.
    """
    check_choice("kind", kind, Correlation)
    correlations = [_correlations(mic[:, :, m], group_values, kind) for m in range(mic.shape[2])]
    return fisher_mean(correlations, clamp) if correlations else np.full(len(mic), np.nan)


def fisher_mean(correlations: Sequence[FloatArray], clamp: float = CLAMP) -> FloatArray:
    """Return the Fisher mean of correlations: tanh of the mean of arctanh.

    There is at least one array of correlations, and the mean is over the arrays, entry by entry.
    Correlations are first clamped to +-clamp, as arctanh of +-1 is infinite. Undefined (NaN)
    correlations are left out; NaN if all are.
    """
    z = np.arctanh(np.clip(np.stack(correlations, axis=-1), -clamp, clamp))
    return np.asarray(np.tanh(_mean(z)))


def _correlations(x: FloatArray, y: FloatArray, kind: Correlation) -> FloatArray:
    """Return the correlation of each row of x with that of y, over columns where neither is NaN.

    NaN for fewer than three such columns, or if x or y is constant in them.
    """
    paired = ~(np.isnan(x) | np.isnan(y))
    x, y = np.where(paired, x, np.nan), np.where(paired, y, np.nan)
    if kind == "spearman":
        x, y = _ranks(x), _ranks(y)
    (x, spread_x), (y, spread_y) = _centred(x), _centred(y)
    enough = paired.sum(axis=1) >= LEAST_POINTS
    return divide_or_nan(np.nansum(x * y, axis=1), np.where(enough, spread_x * spread_y, 0))


def _centred(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return deviations from each row's mean, and their Euclidean norm (0 if only rounding).

    NaN is left out of mean and norm, and stays NaN in the deviations.
    """
    deviations = x - _mean(x)[:, None]
    length = np.sqrt(np.nansum(np.square(deviations), axis=1))
    rounding = _ROUNDING * np.sqrt(np.nansum(np.square(x), axis=1))
    return deviations, np.where(length > rounding, length, 0)


def _ranks(x: FloatArray) -> FloatArray:
    """Return ranks within each row, the mean rank for equal values; NaN stays NaN."""
    less = (x[:, None, :] < x[:, :, None] - 1e-12).sum(axis=-1)
    equal = (np.abs(x[:, None, :] - x[:, :, None]) <= 1e-12).sum(axis=-1)
    return np.where(np.isnan(x), np.nan, less + (equal + 1) / 2)


def _mean(values: FloatArray) -> FloatArray:
    """Return the mean over the last axis of what is not NaN; NaN if nothing is."""
    n = (~np.isnan(values)).sum(axis=-1)
    return divide_or_nan(np.nansum(values, axis=-1), n)


_UNJUDGED = "no reply judged"

Convention = Literal["text", "authors"]


@metric(
    definition="Mean over replies of 1 - mean over sentences of |decisiveness - internal "
    "confidence|.",
    direction="higher",
    undefined="no reply with both",
    source="Yona, Aharoni and Geva (2024)",
    interval=BOOTSTRAP,
)
def faithfulness(decisiveness: ArrayLike, confidence: ArrayLike) -> float:
    """1 less the mean over a reply's sentences of |decisiveness - internal confidence|.

    Args:
        decisiveness: How sure each sentence sounds, in [0, 1]; sentences with a NaN are left out.
        confidence: Internal confidence in [0, 1] of each; the result is NaN if none is left.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Example:
        >>> faithfulness([1.0, 0.5], [0.75, 0.5])
        0.875
    """
    decisive, confident = shares(decisiveness=decisiveness, confidence=confidence)
    return 1 - mean_or_nan(np.abs(decisive - confident))


@metric(
    definition="Conditional mean faithful generation: mean over 10 bins of internal confidence of "
    "mean faithfulness.",
    direction="higher",
    undefined="no reply with both",
    source="Yona, Aharoni and Geva (2024)",
    interval=no_interval("bins with few replies decide the mean, and no method covers it"),
)
def cmfg(
    faithfulness: ArrayLike, confidence: ArrayLike, *, bins: int = 10, convention: str = "text"
) -> float:
    """Conditional mean faithful generation: the mean over confidence bins of mean faithfulness.

    Bins of equal width on the replies' mean internal confidence, [k/m, (k+1)/m), the last one
    closed; empty bins don't count. Conditioning on confidence keeps a model that is nearly always
    sure from looking faithful by being always decisive.

    Args:
        faithfulness: 1 - mean |decisiveness - internal confidence| of each reply's sentences, in
            [0, 1]; replies with a NaN are left out.
        confidence: The reply's mean internal confidence, in [0, 1].
        bins: m, at least 1.
        convention: `text` is as above. `authors` is the code of Liu and Cohan (2026): a confidence
            of exactly 1 lies in no bin, empty bins count as 0 in the mean over all m, and replies
            with a faithfulness or confidence of 0 are left out. Both are NaN if no reply is in a
            bin.

    Raises:
        ValueError: A value lies outside [0, 1], lengths differ, `bins` is below 1 or `convention`
            is not known.

    Example:
        >>> cmfg([0.9, 0.7, 0.2], [0.95, 0.95, 0.1])
        0.5
    """
    faithfulnesses, confidences = aligned(faithfulness=faithfulness, confidence=confidence)
    totals, counts = cmfg_sums(faithfulnesses, confidences, bins=bins, convention=convention)
    return float(cmfg_of(totals.sum(axis=0)[None], counts.sum(axis=0)[None], convention)[0])


def cmfg_sums(
    faithfulness: FloatArray, confidence: FloatArray, *, bins: int = 10, convention: str = "text"
) -> tuple[FloatArray, FloatArray]:
    """Return what each reply adds to the bins of `cmfg`: its faithfulness, and 1.

    `cmfg` is the mean over bins of mean faithfulness, the ratio of both sums. Bins are of equal
    width on `confidence`, and both arrays have the shape (replies, bins). A reply with a NaN adds
    0, and by the convention `authors` also one with a faithfulness or confidence of 0 or a
    confidence of 1. Errors are those of `cmfg`.
    """
    check_choice("convention", convention, Convention)
    shares(faithfulness=faithfulness, confidence=confidence)  # raises the errors
    check_count("bins", bins)
    present = ~np.isnan(faithfulness + confidence)
    confidences = np.where(present, confidence, 0)
    bin_of_reply = np.floor(confidences * bins + EDGE).astype(np.int64)  # `bins` at exactly 1
    if convention == "authors":
        present &= (faithfulness != 0) & (confidence != 0) & (bin_of_reply < bins)
    bin_of_reply = np.minimum(bin_of_reply, bins - 1)
    counts = np.zeros((len(confidences), bins))
    counts[np.arange(len(confidences)), bin_of_reply] = present
    return counts * np.where(present, faithfulness, 0)[:, None], counts


def cmfg_of(totals: FloatArray, counts: FloatArray, convention: str = "text") -> FloatArray:
    """Return `cmfg` of each resample, the mean over confidence bins of mean faithfulness.

    `totals` is the sum of faithfulness over replies in each bin, and `counts` their number, both of
    shape (resamples, bins). Empty bins count as 0 by the convention `authors`, and by `text` not at
    all. NaN if all bins are empty.
    """
    check_choice("convention", convention, Convention)
    filled = counts > 0
    means = np.where(filled, totals / np.where(filled, counts, 1), 0)
    used = filled.sum(axis=1)
    n = np.full(len(counts), counts.shape[1]) if convention == "authors" else used
    return np.where(used > 0, means.sum(axis=1) / np.maximum(n, 1), np.nan)


_COUNT_SPREAD = no_interval("few rare values decide a standard deviation, and no method covers it")

numbers(
    About(undefined=_UNJUDGED, source=_STUDY, interval=BOOTSTRAP),
    mean_internal_confidence="Mean over replies of their sentences' internal confidence.",
)
numbers(
    About(undefined=_UNJUDGED, source="Yona, Aharoni and Geva (2024)", interval=BOOTSTRAP),
    mean_decisiveness="Mean over replies of their sentences' decisiveness.",
)
numbers(
    About(undefined=_UNJUDGED, interval=WILSON), punt_rate="Share of replies that give no answer."
)
numbers(
    About(undefined="no sentence judged", unit="markers", source=_STUDY, interval=BOOTSTRAP),
    hedges_per_sentence="Mean number of markers in a sentence.",
)
numbers(
    About(undefined="no sentence judged", unit="markers", source=_STUDY, interval=_COUNT_SPREAD),
    hedges_per_sentence_sd="Standard deviation of the number of markers in a sentence.",
)
numbers(
    About(undefined="no reply", unit="sentences", source=_STUDY, interval=BOOTSTRAP),
    sentences_per_reply="Mean number of sentences in a reply.",
)
numbers(
    About(undefined="no reply", unit="sentences", source=_STUDY, interval=_COUNT_SPREAD),
    sentences_per_reply_sd="Standard deviation of the number of sentences in a reply.",
)
numbers(
    About(undefined="nothing was judged", direction="lower", interval=WILSON),
    grader_failure_rate="Share of the judge's judgments (of markers, decisiveness, agreement and "
    "correctness) that failed.",
)
numbers(
    About(undefined="no marker found", direction="higher", interval=WILSON),
    extraction_precision="Share of the markers found by a judge that are labelled; overlap counts.",
)
numbers(
    About(undefined="no marker labelled", direction="higher", interval=WILSON),
    extraction_recall="Share of the labelled markers that a judge finds.",
)
numbers(
    About(undefined="no pair judged", direction="higher", interval=WILSON),
    agreement_accuracy="Share of pairs of answers whose agreement is judged as labelled.",
)
numbers(
    About(undefined="no answer judged", direction="higher", interval=WILSON),
    verdict_accuracy="Share of answers whose correctness is judged as labelled.",
)
numbers(
    About(undefined="no sentence judged", direction="lower", interval=BOOTSTRAP),
    decisiveness_error="Mean distance of decisiveness from the reference: medians of a survey, or "
    "our labels.",
)
numbers(
    About(
        undefined="fewer than three sentences judged, or all alike",
        unit="correlation",
        direction="higher",
        interval=no_interval(
            "usually nearly all sentences have one rank; no method then contains the true value"
        ),
    ),
    decisiveness_rank_correlation="Spearman correlation of decisiveness with the reference.",
)
