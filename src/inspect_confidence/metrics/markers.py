"""Whether markers mean the same everywhere: distances, variation and correlations of MICs.

Every function takes tables with many resamples and gives a value for each, NaN where it is
undefined. Groups are data sets' splits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

from inspect_confidence.metrics.arrays import FloatArray, aligned

Convention = Literal["text", "authors"]

_EDGE = 1e-9


def faithfulness(decisiveness: ArrayLike, confidence: ArrayLike) -> float:
    """1 less the mean over a reply's sentences of |decisiveness - internal confidence|.

    Args:
        decisiveness: In [0, 1], one a sentence.
        confidence: Internal confidence in [0, 1], likewise.

    Returns:
        In [0, 1]. Sentences with a NaN are left out; NaN if none is left.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Source: Yona, Aharoni and Geva (2024).

    Example:
        >>> faithfulness([1.0, 0.5], [0.75, 0.5])
        0.875
    """
    stated, held = aligned(decisiveness=decisiveness, confidence=confidence)
    _check_range(decisiveness=stated, confidence=held)
    gap = np.abs(stated - held)
    gap = gap[~np.isnan(gap)]
    return float(1 - gap.mean()) if len(gap) else float("nan")


def cmfg(
    faithfulness: ArrayLike,
    confidence: ArrayLike,
    *,
    bins: int = 10,
    convention: str = "text",
) -> float:
    """Conditional mean faithful generation: the mean over confidence bins of mean faithfulness.

    Bins of equal width on the replies' mean internal confidence, [k/m, (k+1)/m), the last one
    closed; empty bins don't count. Conditioning on confidence keeps a model that is nearly always
    sure from looking faithful by being always decisive.

    Args:
        faithfulness: In [0, 1], one a reply.
        confidence: The reply's mean internal confidence, in [0, 1].
        bins: m.
        convention: `authors`: a confidence of exactly 1 falls out of every bin, empty bins count 0
            in the mean of all m, and replies with a faithfulness or confidence of 0 are left out.

    Returns:
        In [0, 1]. Replies with a NaN are left out; NaN if none is left. So it is under `authors`
        too if no reply falls in a bin, where a mean of m empty bins would be 0: nothing was
        measured.

    Raises:
        ValueError: A value lies outside [0, 1], lengths differ, `bins` is below 1 or `convention`
            is not known.

    Source: Yona, Aharoni and Geva (2024); Liu and Cohan (2026).

    Example:
        >>> cmfg([0.9, 0.7, 0.2], [0.95, 0.95, 0.1])
        0.5
    """
    faithful, held = aligned(faithfulness=faithfulness, confidence=confidence)
    totals, counts = cmfg_sums(faithful, held, bins=bins, convention=convention)
    return float(cmfg_of(totals.sum(axis=0)[None], counts.sum(axis=0)[None], convention)[0])


def cmfg_sums(
    faithfulness: FloatArray, confidence: FloatArray, *, bins: int = 10, convention: str = "text"
) -> tuple[FloatArray, FloatArray]:
    """What each reply adds to the bins: its faithfulness, and 1, each of shape (replies, bins).

    Raises:
        ValueError: As `cmfg`.
    """
    _check_convention(convention)
    _check_range(faithfulness=faithfulness, confidence=confidence)
    if bins < 1:
        raise ValueError(f"bins={bins} is below 1.")
    there = ~np.isnan(faithfulness + confidence)
    held = np.where(there, confidence, 0)
    place = np.floor(held * bins + _EDGE).astype(np.int64)
    if convention == "authors":
        there &= (faithfulness != 0) & (confidence != 0) & (place < bins)
    place = np.minimum(place, bins - 1)
    counts = np.zeros((len(held), bins))
    counts[np.arange(len(held)), place] = there
    return counts * np.where(there, faithfulness, 0)[:, None], counts


def cmfg_of(totals: FloatArray, counts: FloatArray, convention: str = "text") -> FloatArray:
    """`cmfg` from sums over bins, of shape (resamples, bins)."""
    _check_convention(convention)
    filled = counts > 0
    means = np.where(filled, totals / np.where(filled, counts, 1), 0)
    used = filled.sum(axis=1)
    n = np.full(len(counts), counts.shape[1]) if convention == "authors" else used
    return np.where(used > 0, means.sum(axis=1) / np.maximum(n, 1), np.nan)


def _check_convention(convention: str) -> None:
    known = get_args(Convention)
    if convention not in known:
        raise ValueError(f"convention={convention!r} is not one of {', '.join(known)}.")


def _check_range(**named: FloatArray) -> None:
    for name, values in named.items():
        outside = values[(values < 0) | (values > 1)]
        if len(outside):
            raise ValueError(f"{name}={outside[0]} is not in [0, 1].")


IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class MarkerTables:
    """How many sentences there are, one table a resample.

    Attributes:
        values: The V distinct internal confidences, ascending, in [0, 1].
        counts: Sentences by group (a data set's split) and marker, of shape (resamples, groups,
            markers, V).
        threshold: T: markers with fewer sentences in a group have no internal confidence there.
        by_reply: The same with each sentence weighing one divided by its reply's sentences, where
            that is wanted.
    """

    values: FloatArray
    counts: FloatArray
    threshold: float
    by_reply: FloatArray | None = None

    @property
    def size(self) -> FloatArray:
        """Sentences of each marker in each group, of shape (resamples, groups, markers)."""
        return np.asarray(self.counts.sum(axis=-1))

    @property
    def mic(self) -> FloatArray:
        """Marker internal confidence: the mean over a marker's sentences; NaN below T."""
        size = self.size
        known = (size >= self.threshold - 1e-9) & (size > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(known, self.counts @ self.values / size, np.nan)

    def without(self, marker: int) -> "MarkerTables":
        """The tables without one of the markers."""
        return MarkerTables(self.values, np.delete(self.counts, marker, axis=2), self.threshold)


@dataclass(frozen=True)
class MarkerCells:
    """Which cells of a table each unit (an item) adds to.

    Attributes:
        values: The V distinct internal confidences, ascending.
        masses: What each unit adds to each cell: sparse, of shape (groups * markers * V, units).
        shape: Groups and markers.
    """

    values: FloatArray
    masses: csr_array
    shape: tuple[int, int]

    @classmethod
    def of(
        cls,
        confidence: ArrayLike,
        group: Sequence[int] | IntArray,
        marker: Sequence[int] | IntArray,
        shape: tuple[int, int],
        unit: Sequence[int] | IntArray | None = None,
        units: int | None = None,
        weight: ArrayLike = 1.0,
    ) -> "MarkerCells":
        """The cells of sentences; those with a missing confidence are left out.

        Args:
            confidence: Internal confidence in [0, 1], one a sentence.
            group: The number of its data set and split.
            marker: The number of its marker.
            shape: How many groups and markers there are.
            unit: The number of its item; each sentence is an item of its own if None.
            units: How many items there are.
            weight: Of each sentence.

        Raises:
            ValueError: A confidence lies outside [0, 1].
        """
        stated = np.asarray(confidence, float)
        outside = stated[(stated < 0) | (stated > 1)]
        if len(outside):
            raise ValueError(f"confidence={outside[0]} is not in [0, 1].")
        of_unit = np.arange(len(stated)) if unit is None else np.asarray(unit, np.int64)
        size = len(stated) if units is None else units
        there = ~np.isnan(stated)
        # Nearly equal values are one: 1 - 14/20 and 6/20 differ in the last bit.
        values, column = np.unique(np.round(stated[there], 12), return_inverse=True)
        place = np.asarray(group, np.int64)[there] * shape[1] + np.asarray(marker, np.int64)[there]
        cells = coo_array(
            (
                np.broadcast_to(weight, stated.shape)[there],
                (place * max(len(values), 1) + column, of_unit[there]),
            ),
            shape=(shape[0] * shape[1] * max(len(values), 1), size),
        )
        return cls(values, cells.tocsr(), shape)

    def tables(self, weights: FloatArray, threshold: float = 10) -> MarkerTables:
        """The table of each row of weights, of shape (resamples, units).

        Args:
            weights: Of the items.
            threshold: T.
        """
        flat = np.asarray((self.masses @ weights.T).T)
        counts = flat.reshape(len(weights), *self.shape, max(len(self.values), 1))
        return MarkerTables(self.values, counts[..., : len(self.values)], threshold)


Level = Literal["marker", "sentence", "response", "mean"]
Correlation = Literal["pearson", "spearman"]
Varying = Literal["groups", "markers"]

CLAMP = 0.9999
"""Correlations are kept within it before Fisher's transformation, which is infinite at 1."""

LEAST_POINTS = 3
"""Two points always correlate perfectly."""

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

    `marker`: for each marker with a MIC in both groups the mean over the second group's sentences
    of |MIC_first - confidence|, then the mean over markers. `sentence`: the mean over all those
    sentences. `response`: the mean over replies, each sentence weighing one divided by how many its
    reply has. `mean`: |MIC_first - MIC_second|, the mean over markers.

    At the first three levels even a model whose markers mean the same everywhere doesn't get 0: K
    draws of one confidence c scatter about it by E|Bin(K, c)/K - c|.

    Args:
        tables: Of all groups.
        pairs: First group (train) and second (test): of the same data set for ID-MAE, of different
            ones for CD-MAE.
        level: As above.
        shared: Which markers count, of shape (resamples, markers); by default those that the pair
            shares.
        train_only: Whether a marker needs the tables' threshold of sentences in the first group
            alone, and any in the second, as in the authors' code.

    Raises:
        ValueError: `level` is not known, or `response` without the tables' `by_reply`.
    """
    found = _distances(tables, pairs, level, shared, train_only)
    means = [_divided((weight * gap).sum(axis=-1), weight.sum(axis=-1)) for gap, weight in found]
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

    sqrt(sum (n - 1) s^2 / sum (n - 1)), where a pair has n distances of standard deviation s: of
    markers, or at the level `sentence` of sentences. Pairs with one distance or none have no s and
    add nothing; in the authors' code one such pair makes the result NaN.

    Args:
        tables: As in `marker_mae`, like the rest.
        pairs: First group and second.
        level: What the distances are of.
        shared: Which markers count.
        train_only: Whether the threshold holds in the first group alone.

    Returns:
        NaN where no pair has two distances.

    Raises:
        ValueError: `level` is not known.
    """
    squares = freedom = np.zeros(len(tables.counts))
    for gap, weight in _distances(tables, pairs, level, shared, train_only):
        n = weight.sum(axis=-1)
        centre = _divided((weight * gap).sum(axis=-1), n)[:, None]
        spread = np.where(weight > 0, weight * np.square(gap - centre), 0).sum(axis=-1)
        squares = squares + np.where(n > 1, spread, 0)
        freedom = freedom + np.maximum(n - 1, 0)
    return np.sqrt(_divided(squares, freedom))


def _distances(
    tables: MarkerTables,
    pairs: Sequence[tuple[int, int]],
    level: Level,
    shared: NDArray[np.bool_] | None,
    train_only: bool,
) -> list[tuple[FloatArray, FloatArray]]:
    """For each pair the distances and their weights, each of shape (resamples, distances)."""
    _check("level", level, get_args(Level))
    mic = tables.mic
    other = replace(tables, threshold=0).mic if train_only else mic
    found = []
    for first, second in pairs:
        both = ~np.isnan(mic[:, first]) & ~np.isnan(other[:, second])
        if shared is not None:
            both &= shared
        counts = tables.counts[:, second]
        weight: FloatArray = both.astype(float)
        if level == "mean":
            gap = np.abs(mic[:, first] - other[:, second])
        else:
            gap = np.abs(mic[:, first, :, None] - tables.values)
            if level == "marker":
                gap = _divided((counts * gap).sum(axis=-1), counts.sum(axis=-1))
            else:
                if level == "response":
                    counts = _replies(tables)[:, second]
                weight = (counts * both[..., None]).reshape(len(counts), -1)
                gap = gap.reshape(weight.shape)
        found.append((np.where(weight > 0, gap, 0), weight))
    return found


def _replies(tables: MarkerTables) -> FloatArray:
    if tables.by_reply is None:
        raise ValueError("level='response' needs tables with by_reply.")
    return tables.by_reply


def marker_variation(mic: FloatArray, *, over: Varying, ddof: int = 1) -> FloatArray:
    """Mean coefficient of variation of MICs: SD / mean.

    Over groups (M-AvgCV): how much one marker's MIC varies between data sets, the mean over
    markers; 0 if every marker means the same everywhere, but for sampling. Over markers (D-AvgCV):
    how far a data set's markers are apart, the mean over data sets.

    Args:
        mic: Of shape (resamples, groups, markers); NaN is left out.
        over: What varies; markers in one group only, or groups with one marker, are left out.
        ddof: n - ddof divides the sum of squares.

    Raises:
        ValueError: `over` is not known.
    """
    _check("over", over, get_args(Varying))
    values = mic if over == "markers" else np.swapaxes(mic, 1, 2)
    n = (~np.isnan(values)).sum(axis=-1)
    mean = _mean(values)
    squares = np.nansum(np.square(values - mean[..., None]), axis=-1)
    sd = np.sqrt(_divided(squares, n - ddof))
    with np.errstate(divide="ignore", invalid="ignore"):
        variation = np.where((n > 1) & (mean > 0), sd / mean, np.nan)
    return _mean(variation)


def marker_rank_correlation(
    mic: FloatArray, *, kind: Correlation = "spearman", clamp: float = CLAMP
) -> FloatArray:
    """MRC: Fisher mean over pairs of data sets of the correlation of their shared markers' MICs.

    Args:
        mic: Of shape (resamples, groups, markers); NaN is no MIC. Pairs that share fewer than
            three markers, or in one of which all are equal, are left out.
        kind: Of the correlation.
        clamp: Correlations are kept within +-clamp.

    Raises:
        ValueError: `kind` is not known.
    """
    _check("kind", kind, get_args(Correlation))
    pairs = [
        _correlations(mic[:, a], mic[:, b], kind) for a, b in combinations(range(mic.shape[1]), 2)
    ]
    return fisher_mean(pairs, clamp) if pairs else np.full(len(mic), np.nan)


def marker_trend(
    mic: FloatArray,
    of_group: FloatArray,
    *,
    kind: Correlation = "pearson",
    clamp: float = CLAMP,
) -> FloatArray:
    """MAC and MCC: Fisher mean over markers of the correlation of MIC with a number of data sets.

    Args:
        mic: Of shape (resamples, groups, markers); NaN is no MIC.
        of_group: Accuracy (MAC) or cMFG (MCC) of each group, of shape (resamples, groups). Markers
            in fewer than three groups are left out.
        kind: Of the correlation.
        clamp: Correlations are kept within +-clamp.

    Raises:
        ValueError: `kind` is not known.
    """
    _check("kind", kind, get_args(Correlation))
    found = [_correlations(mic[:, :, m], of_group, kind) for m in range(mic.shape[2])]
    return fisher_mean(found, clamp) if found else np.full(len(mic), np.nan)


def fisher_mean(correlations: Sequence[FloatArray], clamp: float = CLAMP) -> FloatArray:
    """Tanh of the mean of arctanh, undefined correlations left out; NaN if all are."""
    z = np.arctanh(np.clip(np.stack(correlations, axis=-1), -clamp, clamp))
    return np.asarray(np.tanh(_mean(z)))


def _correlations(x: FloatArray, y: FloatArray, kind: Correlation) -> FloatArray:
    """Of each row, over the columns that both have; NaN for fewer than three or a constant."""
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = np.where(both, x, np.nan), np.where(both, y, np.nan)
    if kind == "spearman":
        x, y = _ranks(x), _ranks(y)
    (x, spread_x), (y, spread_y) = _centred(x), _centred(y)
    enough = (both.sum(axis=1) >= LEAST_POINTS) & (spread_x > 0) & (spread_y > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(enough, np.nansum(x * y, axis=1) / (spread_x * spread_y), np.nan)


def _centred(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Deviations from each row's mean, and their length; 0 if it is no more than rounding."""
    deviations = x - _mean(x)[:, None]
    length = np.sqrt(np.nansum(np.square(deviations), axis=1))
    rounding = _ROUNDING * np.sqrt(np.nansum(np.square(x), axis=1))
    return deviations, np.where(length > rounding, length, 0)


def _ranks(x: FloatArray) -> FloatArray:
    """Mean ranks within each row, equal values sharing theirs; NaN stays."""
    less = (x[:, None, :] < x[:, :, None] - 1e-12).sum(axis=-1)
    equal = (np.abs(x[:, None, :] - x[:, :, None]) <= 1e-12).sum(axis=-1)
    return np.where(np.isnan(x), np.nan, less + (equal + 1) / 2)


def _mean(values: FloatArray) -> FloatArray:
    """Over the last axis, NaN left out; NaN where nothing is."""
    n = (~np.isnan(values)).sum(axis=-1)
    return _divided(np.nansum(values, axis=-1), n)


def _divided(top: FloatArray, bottom: FloatArray | NDArray[np.int64]) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom > 0, top / bottom, np.nan)


def _check(name: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ValueError(f"{name}={given!r} is not one of {', '.join(known)}.")
