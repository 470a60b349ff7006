"""Resampling of items: weights, intervals, adjusted p-values."""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, permutations
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse, vstack
from scipy.special import gammaincinv, ndtri, stdtrit

from inspect_confidence.metrics.arrays import (
    STEPS,
    FloatArray,
    IntArray,
    aligned,
    check_count,
    check_open_share,
    divide_or_nan,
    double_array,
    matrix_product,
    present_values,
    round_to_steps,
)

__all__ = [
    "GROUPS",
    "STEPS",
    "UNBOUNDED",
    "UNBOUNDED_ABOVE",
    "CombinedStatistic",
    "Resampled",
    "Statistic",
    "SumStatistic",
    "bonferroni",
    "bootstrap",
    "bootstrap_pair",
    "clustered_wilson_interval",
    "difference_of",
    "extremes_of",
    "holm",
    "mean_of",
    "means_of",
    "median_of",
    "middle_of",
    "percentile_interval",
    "ratio",
    "resampled_as",
    "sign_flip_p",
]


def clustered_wilson_interval(
    successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95, *, counts: ArrayLike = 1
) -> tuple[float, float]:
    """Wilson's score interval with the effective sample size of clustered judgments.

    The share is p = sum(successes)/sum(trials), with the variance over items
    v = sum((successes - p trials)^2) / sum(trials)^2. Wilson's interval is taken at the sample size
    n = p (1 - p) / v at which independent judgments would vary as much, at most their number. If n
    is above the number of items, it is multiplied by (z / t(items - 1))^2, a ratio of the normal
    and Student's quantile, because v has as few degrees of freedom as there are items. If at most
    five items have the rarer outcome, too few to tell how judgments of an item depend, n is at most
    the number of items. With one judgment per item, or if items don't vary (v = 0), n is the number
    of items. Judging every item twice with the same outcome changes nothing. NaN without judgments.

    If p is below a half and p n at most 3, the lower limit is at most the Poisson one: the quantile
    1 - confidence of the gamma law with shape p n, over n. The upper limit is treated the same way
    with 1 - p. Wilson's own limits hold a share of half a percent in only 86% of samples of 30.

    Source: Wilson (1927, Journal of the American Statistical Association 22); Brown, Cai and
    DasGupta (2001, Statistical Science 16); Korn and Graubard (1998, Survey Methodology 24) for
    the effective sample size.

    Args:
        successes: Number of successes of each item.
        trials: Number of judgments of each item; items with none, or with a NaN, are left out.
        confidence: Level of the interval, between 0 and 1.
        counts: Number of items that each entry stands for.

    Raises:
        ValueError: There are more successes than trials, or fewer than none, or the confidence is
            not between 0 and 1.

    Example:
        >>> low, high = clustered_wilson_interval([1, 0, 1, 1], [1, 1, 1, 1])
        >>> print(f"{low:.4f} {high:.4f}")
        0.3006 0.9872
    """
    hits, total, sizes = aligned(successes=successes, trials=trials, counts=counts)
    present = (total > 0) & ~np.isnan(hits)
    hits, total, sizes = hits[present], total[present], sizes[present]
    if ((hits < 0) | (hits > total)).any():
        raise ValueError("successes must lie between 0 and trials for every item.")
    check_open_share("confidence", confidence)
    # Arrays of one share each, as `wilson_limits` takes them.
    judgments = (sizes * total).sum(keepdims=True)
    share = divide_or_nan((sizes * hits).sum(keepdims=True), judgments)
    variance = divide_or_nan(
        (sizes * np.square(hits - share * total)).sum(keepdims=True), np.square(judgments)
    )
    items = sizes.sum(keepdims=True)
    rarer = np.array([min(sizes[hits > 0].sum(), sizes[hits < total].sum())], float)
    low, high = wilson_limits(share, variance, judgments, items, confidence, rarer)[0]
    return float(low), float(high)


_MOST_RARE_ITEMS = 5
"""Items with the rarer outcome up to which the dependence of judgments can't be estimated."""


def wilson_limits(
    share: FloatArray,
    variance: FloatArray,
    judgments: FloatArray,
    items: FloatArray,
    confidence: float = 0.95,
    rarer: FloatArray | None = None,
) -> FloatArray:
    """Return Wilson's limits, of shape (shares, 2), at effective sample sizes.

    The effective size, p (1 - p) / v, is the number of independent judgments with which the share p
    would have the variance v, at most the number of judgments; where v is 0 it is the number of
    items. NaN without judgments. `clustered_wilson_interval` gives reasons and sources.

    Args:
        share: Shares.
        variance: Variance over items of each share.
        judgments: Number of judgments of each share.
        items: Number of items of each share.
        confidence: Level of the interval, between 0 and 1.
        rarer: Number of items with a judgment of the rarer outcome. With it sizes above the number
            of items are reduced by Student's t, but not below that number; if `rarer` is at most
            five, to that number. None for variances that are known, or widened already.
    """
    independent = share * (1 - share)
    # A tolerance, because rounding leaves 1e-17 where items don't vary at all.
    varies = variance > 1e-9 * divide_or_nan(independent, judgments)
    effective = np.minimum(independent / np.where(varies, variance, 1), judgments)
    if rarer is not None:
        dependent = np.minimum(effective, items)
        tail = (1 + confidence) / 2
        student = stdtrit(np.maximum(items - 1, 1), tail)
        widened = np.maximum(effective * (ndtri(tail) / student) ** 2, dependent)
        effective = np.where(rarer <= _MOST_RARE_ITEMS, dependent, widened)
    n = np.where(judgments == 0, np.nan, np.where(varies, effective, items))
    low = _wilson_low(share, n, confidence)
    return np.column_stack([low, 1 - _wilson_low(1 - share, n, confidence)])


_MAX_RARE_HITS = 3 + 1e-9
"""Successes up to which Wilson's lower limit lies too high, with a tolerance."""


def _wilson_low(share: FloatArray, n: FloatArray, confidence: float) -> FloatArray:
    """Return Wilson's lower limits of shares at n trials, or Poisson's where these are lower.

    Poisson's replace Wilson's only for shares below a half with up to three successes, where
    Wilson's lie above the true share too often (Brown, Cai and DasGupta 2001). NaN where n is.
    """
    z2 = float(ndtri((1 + confidence) / 2)) ** 2
    # Wilson (1927): (p + z^2/2n - z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n).
    half = np.sqrt(z2 * (share * (1 - share) + z2 / (4 * n)) / n)
    low = (share + z2 / (2 * n) - half) / (1 + z2 / n)
    hits = share * n
    is_rare = (hits > 0) & (hits <= _MAX_RARE_HITS) & (share < 0.5)
    # The mean of a Poisson law with a chance of 1 - confidence of that many hits or more.
    poisson = gammaincinv(np.where(is_rare, hits, 1), 1 - confidence) / n
    low = np.where(is_rare, np.minimum(low, poisson), low)
    # Rounding leaves 1e-18 where the limit is exactly 0; 0 * n keeps the NaN of n.
    return np.where(share == 0, 0 * n, low)


def bonferroni(p: ArrayLike) -> FloatArray:
    """Return each p times the number of comparisons, at most 1.

    NaN is no comparison and stays NaN.

    Example:
        >>> bonferroni([0.25, 0.5]).tolist()
        [0.5, 1.0]
    """
    (values,) = aligned(p=p)
    return np.asarray(np.minimum(values * (~np.isnan(values)).sum(), 1))


def holm(p: ArrayLike) -> FloatArray:
    """Return p after Holm's adjustment: the k-th smallest of m p times m - k + 1, at most 1.

    None is below the adjusted p of a smaller p. NaN is no comparison and stays NaN.

    Source: Holm (1979).

    Example:
        >>> holm([0.25, 0.125, 1.0]).tolist()
        [0.5, 0.375, 1.0]
    """
    # Not statsmodels' multipletests: it runs the garbage collector at every call, which is slow.
    (values,) = aligned(p=p)
    order = np.argsort(values)[: int((~np.isnan(values)).sum())]
    scaled = values[order] * (len(order) - np.arange(len(order)))
    adjusted = np.full(len(values), np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1)
    return adjusted


MOST_ENUMERATED = 13
"""Differences up to which all 2^n signs are enumerated; beyond, signs are drawn by seed."""

CHUNK = 500_000
"""Numbers held in memory at once, 4 MB."""


def sign_flip_p(differences: ArrayLike, *, resamples: int = 10_000, seed: int = 0) -> float:
    """Two-sided p of a mean difference of 0, if every difference could as well be the opposite.

    p is the share of sign patterns s with |sum s_i d_i| >= |sum d_i|. For up to 13 differences
    other than 0 all 2^n patterns are enumerated, and p is exact. For more, p = (k + 1)/(N + 1) if k
    of N random patterns are as far from 0; the + 1 counts the observed one.

    Source: Fisher (1935, The Design of Experiments, section 21); Phipson and Smyth (2010), + 1.

    Args:
        differences: One per pair (a context that both settings share), in any unit, rounded to 9
            decimals, so that 0.29 * 100 - 29 is 0; NaN is left out.
        resamples: Random sign patterns, N >= 1; not used where all are enumerated.
        seed: Seed of the draws.

    Returns:
        A probability in (0, 1]; 1 where all differences are 0, NaN if there is no pair.

    Raises:
        ValueError: A difference is infinite, there are two dimensions, or resamples is below 1.

    Example:
        >>> sign_flip_p([1, 2, 3])  # +++ and ---, of eight patterns
        0.25
    """
    check_count("resamples", resamples)
    array = present_values(differences)
    if not len(array):
        return float("nan")
    array = array[array != 0]
    if not len(array):
        return 1.0
    array = array / np.abs(array).max()
    if len(array) <= MOST_ENUMERATED:
        # The binary digits of 0 to 2^n - 1 are all patterns, one a row.
        digits = np.arange(2 ** len(array))[:, None] >> np.arange(len(array)) & 1
        return float(_is_extreme(np.where(digits, -1.0, 1.0), array).mean())
    rng = np.random.default_rng(seed)
    chunk_size = max(1, CHUNK // len(array))
    extreme = 0
    for start in range(0, resamples, chunk_size):
        shape = (min(chunk_size, resamples - start), len(array))
        extreme += int(_is_extreme(rng.choice(np.array([-1.0, 1.0]), size=shape), array).sum())
    return (extreme + 1) / (resamples + 1)


def _is_extreme(signs: FloatArray, differences: FloatArray) -> FloatArray:
    """Return 1 for each row of signs whose sum is as far from 0 as the observed one, else 0."""
    # The tolerance keeps equal sums equal, in whatever order they are rounded.
    threshold = abs(differences.sum()) - 1e-9
    return np.asarray(np.abs(signs @ differences) >= threshold, float)


StatisticNameT = TypeVar("StatisticNameT", bound=Hashable)

Statistic = Callable[[FloatArray], FloatArray]
"""Weights (resamples, units) -> values (resamples,), NaN where undefined.

An array (resamples, m) holds m numbers that are computed together.
"""

Value = TypeVar("Value")
Mapped = TypeVar("Mapped")


@dataclass(frozen=True)
class SumStatistic(Generic[Value]):
    """Statistic that is a function of weighted sums over the units.

    Units that add the same are exchangeable, and units can be added up before they are drawn.

    Attributes:
        sums: What each unit adds to m sums, of shape (units, m); sparse or not.
        compute: Function of the sums of each resample, (resamples, m), that gives its statistic.
        coarser: Approximation for resamples, which is shifted so that its value of the sample is
            exact; None if there is none.
        extremes: What the four pseudo-units of `bootstrap` add, of shape (4, m): two with the least
            value, two with the greatest; 0 if None.
    """

    sums: Any
    compute: Callable[[FloatArray], Value]
    coarser: "SumStatistic[Value] | None" = None
    extremes: FloatArray | None = None

    def __call__(self, weights: FloatArray) -> Value:
        """Return the statistic of each row of weights."""
        if isinstance(self.sums, np.ndarray):
            return self.compute(matrix_product(weights, self.sums))
        return self.compute(np.asarray(weights @ self.sums))

    def map(self, function: Callable[[Value], Mapped]) -> "SumStatistic[Mapped]":
        """Return the statistic with `function` applied to the values of this one.

        Sums and pseudo-units (`extremes`) stay; the approximation `coarser` is mapped as well.
        """
        coarser: SumStatistic[Mapped] | None = None
        if self.coarser is not None:
            coarser = self.coarser.map(function)
        return SumStatistic(
            self.sums, lambda sums: function(self.compute(sums)), coarser, self.extremes
        )


@dataclass(frozen=True)
class CombinedStatistic:
    """Statistic that is a function of the values of other statistics.

    Attributes:
        parts: The other statistics.
        compute: Function of their values, one argument each, that gives the value of this one.
    """

    parts: Sequence[Statistic]
    compute: Callable[..., FloatArray]

    def __call__(self, weights: FloatArray) -> FloatArray:
        """Return the value of each row of weights."""
        values = [part(weights) for part in self.parts]
        return self.compute(*values)


def ratio(
    numerator: ArrayLike, denominator: ArrayLike, extremes: FloatArray | None = None
) -> SumStatistic[FloatArray]:
    """Return sum(w numerator) / sum(w denominator) as a function of weights w, (resamples, units).

    NaN where the denominator is 0; infinite where a unit with an infinite numerator was drawn.

    Args:
        numerator: One number per unit.
        denominator: One number per unit.
        extremes: What the four pseudo-units of `bootstrap` (units with extreme values, added to
            each resample) add to numerator and denominator, of shape (4, 2); nothing if None.
    """
    numerators, denominators = aligned(numerator=numerator, denominator=denominator)
    # An infinite value of a unit that was not drawn must not make 0 * inf = NaN. So the last two
    # columns count infinite numerators of either sign.
    finite = np.where(np.isinf(numerators), 0, numerators)
    is_inf, is_minus_inf = numerators == np.inf, numerators == -np.inf
    sums = np.column_stack([finite, denominators, is_inf, is_minus_inf])
    if extremes is not None:
        extremes = np.pad(extremes, ((0, 0), (0, 2)))  # pseudo-units add 0 to these columns
    return SumStatistic(sums, _ratio_of_sums, extremes=extremes)


def _ratio_of_sums(sums: FloatArray) -> FloatArray:
    """Return numerator / denominator of each resample, from its sums, of shape (resamples, 4).

    Columns are the sum of finite numerators, that of denominators, and the weights of numerators
    that are inf and -inf. Weight of one of these makes the ratio infinite, of both NaN.
    """
    numerator, denominator, weight_of_inf, weight_of_minus_inf = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        finite = numerator / denominator
    has_inf, has_minus_inf = weight_of_inf > 0, weight_of_minus_inf > 0
    infinite = np.where(has_inf, np.inf, -np.inf)
    infinite = np.where(has_inf & has_minus_inf, np.nan, infinite)
    values = np.where(has_inf | has_minus_inf, infinite, finite)
    return np.where(denominator > 0, values, np.nan)


Ends = tuple[float, float]
"""Least and greatest value of pseudo-units.

NaN stands for the extreme value in the sample. An infinite end stands for a value as far beyond
that extreme value as the extreme value is from the median.
"""

SEEN: Ends = (math.nan, math.nan)
"""Ends that are the extreme values in the sample."""
UNBOUNDED_ABOVE: Ends = (math.nan, math.inf)
"""Ends of values such as widths and scores, whose greatest value is seldom in the sample."""
UNBOUNDED: Ends = (-math.inf, math.inf)
"""Ends of values that have neither a least nor a greatest one."""


def extremes_of(values: FloatArray, ends: Ends = SEEN) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest value of the pseudo-units that `bootstrap` adds, by column.

    Pseudo-units let resamples vary where units hardly do. Their values are `ends`, (least,
    greatest). NaN stands for the extreme value in the sample (`SEEN`), and an infinite end, of
    values without a limit, for one twice as far from the median as that.
    """
    middle = np.median(values, axis=0)
    extremes = []
    for seen, end in zip((values.min(axis=0), values.max(axis=0)), ends, strict=True):
        beyond = 2 * seen - middle if np.isinf(end) else np.full_like(middle, end)
        extremes.append(seen if np.isnan(end) else beyond)
    return extremes[0], extremes[1]


def mean_of(
    values: ArrayLike, unit: IntArray, units: int, ends: Ends = SEEN
) -> SumStatistic[FloatArray]:
    """Return the mean of judgments' values as a function of weights, (resamples, units).

    Args:
        values: One number per judgment; NaN is left out.
        unit: Index of each judgment's unit.
        units: Number of units.
        ends: Least and greatest value of the pseudo-units that `bootstrap` adds to resamples, as
            unseen units may lie there; by default those of the units' means of finite values.
    """
    array = double_array(values)
    present = ~np.isnan(array)
    present_unit, exact = unit[present], array[present]
    counts = np.bincount(present_unit, minlength=units)
    extremes = _pseudo_unit_sums(array, unit, ends)  # what units with extreme values would add
    mean = ratio(np.bincount(present_unit, exact, minlength=units), counts, extremes)
    # Units with equal values can be drawn together, which saves time. So many distinct values are
    # rounded for resamples, which `coarser` is for; the mean itself is of the exact ones.
    coarse = round_to_steps(exact)
    if np.array_equal(exact, coarse):
        return mean
    coarse_sums = np.bincount(present_unit, coarse, minlength=units)
    return replace(mean, coarser=ratio(coarse_sums, counts, extremes))


def _pseudo_unit_sums(values: FloatArray, unit: IntArray, ends: Ends) -> FloatArray:
    """Return sum and number of the judgments of the four pseudo-units of `bootstrap`: (4, 2).

    It adds these units because resamples hardly vary where units are nearly equal. Two of them have
    the least mean, two the greatest (`ends`, as in `extremes_of`), and each has as many judgments
    as a unit on average. All numbers are 0 if no value is finite.
    """
    finite = np.isfinite(values)
    if not finite.any():
        return np.zeros((4, 2))
    counts = np.bincount(unit[finite])
    sums = np.bincount(unit[finite], values[finite])
    has_judgments = counts > 0
    low, high = extremes_of(sums[has_judgments] / counts[has_judgments], ends)
    judgments = counts[has_judgments].mean()
    return np.column_stack([judgments * np.array([low, low, high, high]), np.full(4, judgments)])


def means_of(
    values: ArrayLike, unit: IntArray, units: int, ends: Sequence[Ends] | None = None
) -> SumStatistic[FloatArray]:
    """Return the means of m columns of judgments' values as a function of weights of units.

    Shares of many distinct values are resampled in steps of 1/120 (`round_to_steps`), so that units
    with equal ones are drawn together; the values of the sample itself stay exact.

    Args:
        values: Finite numbers or NaN, which is left out, of shape (judgments, m).
        unit: Index of each judgment's unit.
        units: Number of units.
        ends: Least and greatest value of each column, as in `extremes_of`; those of the sample if
            None. `bootstrap` adds four pseudo-units, two with each, as unseen units may lie there.
    """
    array = double_array(values)
    present = ~np.isnan(array)
    column_ends = ends or [SEEN] * array.shape[1]
    extremes = [
        _pseudo_unit_sums(column, unit, pair)
        for column, pair in zip(array.T, column_ends, strict=True)
    ]
    # Sum and number of each column and pseudo-unit: (m, 4, 2), also for m = 0, for which `stack`
    # needs an array: the zeros, which are left out again.
    pairs = np.stack([np.zeros((4, 2)), *extremes])[1:]
    extremes_of_sums = np.hstack([pairs[:, :, 0].T, pairs[:, :, 1].T])
    means = SumStatistic(
        _column_sums(array, unit, units), _means_of_sums, extremes=extremes_of_sums
    )
    # The statistic that is resampled, if there are too many distinct values.
    coarse = array.copy()
    for column, is_present in zip(coarse.T, present.T, strict=True):
        column[is_present] = round_to_steps(column[is_present])
    if np.array_equal(coarse, array, equal_nan=True):
        return means
    coarser = replace(means, sums=_column_sums(coarse, unit, units))
    return replace(means, coarser=coarser)


def _column_sums(columns: FloatArray, unit: IntArray, units: int) -> FloatArray:
    """Return each unit's sums of m columns and its counts of values, of shape (units, 2 m).

    `columns` has one row per judgment, and `unit` the index of its unit; NaN is left out.
    """
    present = ~np.isnan(columns)
    sums = np.zeros((units, 2 * columns.shape[1]))
    np.add.at(sums, unit, np.hstack([np.where(present, columns, 0), present]))
    return sums


def _means_of_sums(sums: FloatArray) -> FloatArray:
    """Return m means of each resample from m sums and m counts of values; NaN where a count is 0.

    `sums` has the shape (resamples, 2 m): first the sums, then the counts.
    """
    totals, counts = np.hsplit(sums, 2)
    return divide_or_nan(totals, counts)


_WINDOW = 4_000
"""Distinct values above which medians of resamples are sought near the sample's only."""

_REACH = 6
"""Half width of the window in standard errors: one resample in a billion lies beyond."""


def middle_of(
    values: ArrayLike, unit: IntArray, units: int
) -> SumStatistic[tuple[FloatArray, FloatArray]]:
    """Return lower and upper weighted median as a function of weights, (resamples, units).

    `values` are numbers of judgments (NaN is left out), `unit` is the index of each one's unit, and
    `units` the number of units. Both medians follow from how many judgments have each value. Of
    more than 4,000 distinct values only those within 6 standard errors of the sample's median, by
    rank, are distinguished. Without values the medians are NaN.
    """
    array = double_array(values)
    present = ~np.isnan(array)
    ranked, code = np.unique(array[present], return_inverse=True)
    present_unit = unit[present]
    first, last = _median_window(code, present_unit, units) if len(ranked) else (0, 0)
    # What lies beyond the window counts as its ends.
    column = np.clip(code, first, last) - first
    shape = units, last - first + 1
    # A unit's judgments with equal values add up.
    masses = csr_array((np.ones(len(column)), (present_unit, column)), shape=shape)
    return SumStatistic(masses, partial(_weighted_medians, ranked[first : last + 1]))


def _weighted_medians(values: FloatArray, masses: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper median of ascending values, by row of masses, (resamples, values).

    They are the first values at which the cumulated mass reaches, and exceeds, one half; NaN
    without mass.
    """
    if not len(values):
        return np.full(len(masses), np.nan), np.full(len(masses), np.nan)
    cumulated = np.cumsum(masses, axis=1)
    half = cumulated[:, -1:] / 2
    has_mass = half[:, 0] > 0
    low = np.where(has_mass, values[(cumulated >= half).argmax(axis=1)], np.nan)
    high = np.where(has_mass, values[(cumulated > half).argmax(axis=1)], np.nan)
    return low, high


def _median_window(code: IntArray, unit: IntArray, units: int) -> tuple[int, int]:
    """Return the indices of the least and greatest distinct value that a median may have.

    Of up to 4,000 distinct values all may be the median of a resample, of more those within 6
    standard errors of the sample's median by rank. `code` is the index of each judgment's value,
    `unit` that of its unit.
    """
    up_to = np.cumsum(np.bincount(code))  # judgments with each value or a lower one
    if len(up_to) <= _WINDOW:
        return 0, len(up_to) - 1
    half = up_to[-1] / 2
    median_code = int(np.searchsorted(up_to, half))
    # By unit: judgments up to the median less half of all. The root of the sum of squares is the
    # standard error of the median's rank.
    excess = np.bincount(unit, (code <= median_code) - 0.5, minlength=units)
    reach = _REACH * math.sqrt(float(np.square(excess).sum()))
    first, last = np.searchsorted(up_to, [half - reach, half + reach])
    return int(first), min(int(last), len(up_to) - 1)


def difference_of(first: Statistic, second: Statistic) -> CombinedStatistic:
    """Return the difference of two statistics, functions of weights of units, as one.

    `bootstrap` adds four pseudo-units to the units. By a statistic's `extremes`, two have its least
    value and two its greatest. Here those with the least value of the first statistic have the
    greatest of the second, and the reverse: so the difference, too, gets its least and its greatest
    value. A second statistic without `extremes` stays as it is.
    """
    # Rows of `extremes` go from least to greatest.
    if isinstance(second, SumStatistic) and second.extremes is not None:
        second = replace(second, extremes=second.extremes[::-1])
    return CombinedStatistic([first, second], lambda minuend, subtrahend: minuend - subtrahend)


def median_of(values: ArrayLike, unit: IntArray, units: int) -> SumStatistic[FloatArray]:
    """Return the median of judgments' values as a function of weights, (resamples, units).

    It is the mean of both medians of `middle_of`, so that whole-number weights give the same as
    repeating the values.

    Args:
        values: One number per judgment; NaN is left out.
        unit: Index of each judgment's unit.
        units: Number of units.
    """
    return middle_of(values, unit, units).map(lambda medians: (medians[0] + medians[1]) / 2)


MOST_UNITS = 4_000
"""Units of a stratum up to which each has a weight of its own."""

GROUPS = 2_000
"""Groups of a larger stratum: their variance differs by about 3% from that of single units."""

MOST_PATTERNS = 500
"""Distinct kinds of units up to which equal units have a weight together."""

_EVERY_EXTREME = tuple(range(4))
"""Rows of `SumStatistic.extremes`: two of the least value, two of the greatest."""

_PAIRS = tuple(permutations(_EVERY_EXTREME, 2))
"""The extremes of both contenders that each of the 12 pseudo-units of `bootstrap_pair` has."""


@dataclass(frozen=True)
class Resampled:
    """Sampling plan of a bootstrap: which rows get weights, and which units they stand for.

    Attributes:
        strata: The stratum of each row.
        rows: The units that each row adds up, of shape (rows, units); None if rows are units.
        sizes: Number of units that equal each row; None if a row is weighted as one unit.
    """

    strata: IntArray
    rows: csr_array | None = None
    sizes: IntArray | None = None

    @property
    def grouped(self) -> bool:
        """Whether units of large strata are weighted in random groups (`rows` without `sizes`).

        Resamples then vary nearly, but not exactly, as if each unit had a weight of its own.
        """
        return self.rows is not None and self.sizes is None

    def weights(
        self, resamples: int, seed: int | Sequence[int], pseudo_units: int = 4, shape: float = 0.25
    ) -> Iterator[FloatArray]:
        """Yield in chunks the random weights of the plan's rows and, after them, of pseudo-units.

        Within a stratum the weights of rows add up to its number of rows or, with `sizes`, of
        units. A chunk has the shape (resamples, rows + pseudo-units).

        Args:
            resamples: Number of resamples over all chunks.
            seed: Seed of the draws.
            pseudo_units: Number of pseudo-units, units with extreme values that are added.
            shape: Shape of the gamma distribution of their weights: the mean weight of each.
        """
        rng = np.random.default_rng(seed)
        # A generator of their own, so that the rows' weights don't depend on the pseudo-units.
        prior_rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(pseudo_units,)))
        n_rows = len(self.strata)
        sizes = np.ones(n_rows) if self.sizes is None else self.sizes
        members = [np.flatnonzero(self.strata == stratum) for stratum in np.unique(self.strata)]
        chunk_size = max(1, min(500, CHUNK // max(n_rows, 1)))
        for start in range(0, resamples, chunk_size):
            columns = min(chunk_size, resamples - start)
            # One column per resample, transposed at the end: products with sparse sums are faster.
            weights = np.empty((n_rows + pseudo_units, columns))
            if self.sizes is None:
                rng.standard_exponential(out=weights[:n_rows])
            else:  # the law of the sum of as many exponential weights as a row stands for units
                weights[:n_rows] = rng.standard_gamma(sizes[:, None], (n_rows, columns))
            # Gamma weights over their sum are Dirichlet-distributed. Pseudo-units are scaled alike
            # but not part of the sum, so that they add to the weight of the rows.
            weights[n_rows:] = prior_rng.standard_gamma(shape, (pseudo_units, columns))
            weights[n_rows:] *= sizes.sum() / np.maximum(weights[:n_rows].sum(axis=0), 1e-300)
            for member in members:  # the rows of each stratum
                rows = slice(n_rows) if len(members) == 1 else member  # a slice is not copied
                weights[rows] *= sizes[member].sum() / weights[rows].sum(axis=0)
            yield weights.T

    def adapt(self, statistic: Statistic, extremes: Sequence[int] = _EVERY_EXTREME) -> Statistic:
        """Return a statistic of units as a function of weights of the plan's rows and pseudo-units.

        A row stands for one or several units. A pseudo-unit is an unseen unit with an extreme value
        (`bootstrap`): the i-th adds row `extremes[i]` of `SumStatistic.extremes`. Statistics that
        are not of sums ignore pseudo-units.
        """
        if isinstance(statistic, CombinedStatistic):
            return replace(
                statistic, parts=[self.adapt(part, extremes) for part in statistic.parts]
            )
        if isinstance(statistic, SumStatistic):
            if statistic.coarser is not None:  # an approximation, faster to resample
                statistic = _shifted_approximation(statistic, statistic.coarser)
            return self._sum_rows(statistic, extremes)
        return partial(_apply_to_units, statistic, len(self.strata), self.rows)

    def _sum_rows(
        self, statistic: SumStatistic[Value], extremes: Sequence[int]
    ) -> SumStatistic[Value]:
        """Return a statistic of sums for `adapt`: a row of the plan adds what its units add.

        A row of equal units, with one weight together, adds what one of them adds. Pseudo-units
        come after the rows: the i-th adds row `extremes[i]` of `statistic.extremes`, or 0 if that
        is None.
        """
        sums: Any = statistic.sums if self.rows is None else self.rows @ statistic.sums
        if not isinstance(sums, np.ndarray) and sums.nnz > _MOST_FILLED * math.prod(sums.shape):
            sums = sums.toarray()  # with a tenth of the entries filled, dense sums are faster
        added = np.zeros((len(extremes), sums.shape[1]))
        if statistic.extremes is not None:
            added = statistic.extremes[list(extremes)]
        if isinstance(sums, np.ndarray):
            sums = np.vstack([sums, added])
        else:
            sums = vstack([sums, csr_array(added)]).tocsr()
        return replace(statistic, sums=sums, coarser=None)


def _shifted_approximation(
    statistic: SumStatistic[FloatArray], approximation: SumStatistic[FloatArray]
) -> SumStatistic[FloatArray]:
    """Return the approximation of a statistic, shifted so that its value of the sample is exact.

    Otherwise the resamples would lie around another value than the one that is reported.
    """
    sample = np.ones((1, statistic.sums.shape[0]))
    # Where the value of the sample is undefined, nothing is shifted.
    shift = np.nan_to_num(statistic(sample) - approximation(sample), nan=0.0)
    return approximation.map(lambda values: values + shift.reshape(values.shape[1:]))


def _apply_to_units(
    statistic: Statistic, n_rows: int, rows: csr_array | None, weights: FloatArray
) -> FloatArray:
    """Return the values of a statistic of units at each resample (row) of a plan's `weights`.

    The first `n_rows` columns are weights of the plan's rows; the others, of the pseudo-units that
    `bootstrap` adds, are not used. Each unit gets the weight of its row: `rows` is 1 where a row
    has a unit, of shape (rows, units), or None if rows are units. Chunks limit the memory.
    """
    if rows is None:
        return statistic(weights[:, :n_rows])
    values = []
    chunk_size = max(1, CHUNK // rows.shape[1])
    for start in range(0, len(weights), chunk_size):
        unit_weights = weights[start : start + chunk_size, :n_rows] @ rows
        values.append(statistic(np.asarray(unit_weights)))
    return np.concatenate(values)


_MOST_FILLED = 0.1
"""Share of nonzero sums below which a sparse array is faster."""


def resampled_as(
    statistics: Sequence[Statistic],
    strata: IntArray,
    seed: int | Sequence[int] = 0,
    *,
    patterns: bool = False,
    max_units: int = MOST_UNITS,
    counts: IntArray | None = None,
) -> Resampled:
    """Return the sampling plan of `bootstrap`, by which many units cost no more than few.

    With `patterns`, if all statistics are of sums and there are at most 500 kinds of units, of two
    units or more on average, the units of a kind (which add the same to all statistics) have one
    weight together. It is gamma-distributed with their number as its shape, as the sum of their
    weights would be, so that statistics keep their distribution.

    Otherwise up to 4,000 units of a stratum have a weight each. Units of a larger stratum are put
    in 2,000 random groups of one weight: the variance of a sum over units is then the same on
    average, with a standard deviation of 3% over groupings.

    Args:
        statistics: Statistics of the units.
        strata: The stratum of each unit.
        seed: Seed of the groups, which are the same for the same strata and seed.
        patterns: Whether equal units may have a weight together. False if values are compared with
            those of another call with the same strata and seed, as of another model on these items:
            its kinds of units would differ, and so its draws.
        max_units: Units of a stratum up to which each has a weight of its own.
        counts: Number of equal units that each unit stands for; one each if None.

    Raises:
        ValueError: There are `counts` and statistics, but the units don't get a weight per kind.
    """
    singles = list(chain.from_iterable(map(_single_statistics, statistics)))
    if patterns and singles and all(isinstance(single, SumStatistic) for single in singles):
        plan = _weight_equal_units(singles, strata, counts)
        if plan is not None:
            return plan
    if counts is not None and singles:
        raise ValueError("Counts need statistics of few sums that are all compared with no others.")
    return _weight_groups(strata, seed, max_units)


def _weight_equal_units(
    statistics: Sequence[SumStatistic[Any]], strata: IntArray, counts: IntArray | None
) -> Resampled | None:
    """Return the sampling plan with one weight per kind of units; None if that saves nothing.

    Units of a kind have one stratum and add the same to the sums of all statistics. `strata` has
    the stratum of each unit, and `counts` how many equal units it stands for; one each if None.
    """
    _, stratum = np.unique(strata, return_inverse=True)
    keys = _keys_of_kinds(statistics, stratum)
    _, first_unit, kind = np.unique(keys, return_index=True, return_inverse=True)
    sizes = np.bincount(kind, counts).astype(np.int64)
    # More than 500 kinds, or kinds of fewer than two units on average, would save nothing.
    if len(first_unit) > min(MOST_PATTERNS, sizes.sum() // 2):
        return None
    # Kinds in the order of their first units, so that equal data have equal draws.
    order = np.argsort(first_unit)
    first_unit, sizes = first_unit[order], sizes[order]
    # Each row of the plan, (rows, units), adds what the first unit of its kind adds.
    n_kinds, shape = len(first_unit), (len(first_unit), len(strata))
    rows = csr_array((np.ones(n_kinds), (np.arange(n_kinds), first_unit)), shape=shape)
    return Resampled(strata[first_unit], rows, sizes)


def _weight_groups(strata: IntArray, seed: int | Sequence[int], max_units: int) -> Resampled:
    """Return the sampling plan with a weight per unit; in large strata, per group of units.

    Units of a stratum with more than `max_units` units are put in 2,000 (`GROUPS`) random groups,
    to save time. The sizes of a stratum's groups differ by one at most.
    """
    _, stratum, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    if sizes.max(initial=0) <= max_units:
        return Resampled(strata)
    # The key gives other random numbers than those of the weights, which have the same seed.
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(GROUPS,)))
    group, n_groups = np.zeros(len(strata), np.int64), 0  # group of each unit, over all strata
    for k, size in enumerate(sizes):
        if size > max_units:
            group[stratum == k] = n_groups + rng.permutation(size) % GROUPS
            n_groups += min(size, GROUPS)
        else:
            group[stratum == k] = n_groups + np.arange(size)
            n_groups += size
    # A row of this matrix is a group, with a 1 in the column of each of its units.
    rows = csr_array((np.ones(len(group)), (group, np.arange(len(group)))))
    group_strata = np.zeros(n_groups, strata.dtype)
    group_strata[group] = strata
    return Resampled(group_strata, rows)


def _single_statistics(statistic: Statistic) -> Iterator[Any]:
    """Yield the single statistics that a statistic is combined of, or itself if it is single.

    One with an approximation (`coarser`) gives that instead: resamples are computed from it.
    """
    if isinstance(statistic, CombinedStatistic):
        for part in statistic.parts:
            yield from _single_statistics(part)
    elif isinstance(statistic, SumStatistic) and statistic.coarser is not None:
        yield statistic.coarser
    else:
        yield statistic


def _keys_of_kinds(statistics: Sequence[SumStatistic[Any]], strata: IntArray) -> FloatArray:
    """Return a number per unit that is equal only for units of a stratum that add the same.

    It is the sum, with random coefficients, of all that a unit adds to the statistics' sums: units
    that differ have equal keys with probability 0. `strata` has the index of each unit's stratum.
    """
    rng = np.random.default_rng(0)
    keys = rng.random(len(strata))[strata]
    for statistic in statistics:
        coefficients = rng.random(statistic.sums.shape[1])
        is_sparse = issparse(statistic.sums)
        if is_sparse:
            keys += csr_array(statistic.sums) @ coefficients
        else:  # not a product of dense matrices, whose rounding depends on the place of a row
            keys += (statistic.sums * coefficients).sum(axis=1)
    return keys


def bootstrap(
    statistics: Mapping[StatisticNameT, Statistic],
    strata: IntArray,
    *,
    resamples: int = 10_000,
    seed: int | Sequence[int] = 0,
    sampling: Resampled | None = None,
) -> dict[StatisticNameT, FloatArray]:
    """Compute every statistic over the same draws of a Bayesian bootstrap of the units.

    Weights of units are Dirichlet-distributed (Rubin 1981, The Annals of Statistics 9). Units that
    were not seen may yet exist. So four pseudo-units, each of a quarter of a unit's weight on
    average, are added to the data: two with the least value of a statistic (`extremes` of
    `SumStatistic`) and two with the greatest. A share is thereby drawn from the posterior of
    Jeffreys' prior, half a success and half a failure, so that resamples of 0 of n vary, too.

    Args:
        statistics: Functions of the weights, (resamples, units), by any name.
        strata: The stratum of each unit; the weight of a stratum is fixed.
        resamples: Number of resamples, at least 1.
        seed: Seed of the draws.
        sampling: The sampling plan; that of `resampled_as` if None.

    Returns:
        The values of each statistic, (resamples,) or (resamples, m), by its name.

    Raises:
        ValueError: `resamples` is no whole number, or below 1.
    """
    check_count("resamples", resamples)
    sampling = sampling or resampled_as(list(statistics.values()), strata, seed)
    adapted = {name: sampling.adapt(statistic) for name, statistic in statistics.items()}
    return _evaluate_in_chunks(adapted, sampling.weights(resamples, seed))


def bootstrap_pair(
    first: Statistic,
    second: Statistic,
    strata: IntArray,
    *,
    resamples: int = 10_000,
    seed: int | Sequence[int] = 0,
    sampling: Resampled | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Compute a statistic of two contenders, such as models, over the same draws of `bootstrap`.

    As in `bootstrap`, pseudo-units with extreme values are added, but 12 of an eighth of a unit:
    one for each ordered pair of two of the four extremes, the first extreme for the first contender
    and the second for the second. In a share half a unit thus differs in either direction (four
    pairs of least and greatest, four of greatest and least), as the half that Agresti and Min
    (2005, Statistics in Medicine 24) add to each cell of matched pairs. `strata`, `resamples`,
    `seed`, `sampling` and errors are as in `bootstrap`.

    Returns:
        The values over resamples of the first and of the second contender.
    """
    check_count("resamples", resamples)
    sampling = sampling or resampled_as([first, second], strata, seed, patterns=True)
    adapted = {
        "first": sampling.adapt(first, [extreme for extreme, _ in _PAIRS]),
        "second": sampling.adapt(second, [extreme for _, extreme in _PAIRS]),
    }
    weights = sampling.weights(resamples, seed, len(_PAIRS), 1 / 8)
    draws = _evaluate_in_chunks(adapted, weights)
    return draws["first"], draws["second"]


def _evaluate_in_chunks(
    statistics: Mapping[StatisticNameT, Statistic], weights: Iterable[FloatArray]
) -> dict[StatisticNameT, FloatArray]:
    """Return the values of each statistic at the weights of all chunks, by its name."""
    if not statistics:  # no weights are drawn
        return {}
    values: dict[StatisticNameT, list[FloatArray]] = {name: [] for name in statistics}
    for chunk in weights:
        for name, statistic in statistics.items():
            values[name].append(statistic(chunk))
    return {name: np.concatenate(chunks) for name, chunks in values.items()}


def percentile_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Return the percentile interval of bootstrap values; NaN is left out, NaN ends if all are.

    Quantiles are order statistics (no interpolation), so that infinite values stay infinite.
    ValueError if the confidence is not between 0 and 1.
    """
    check_open_share("confidence", confidence)
    array = double_array(values)
    array = array[~np.isnan(array)]
    if not len(array):
        return float("nan"), float("nan")
    array.sort()
    tail = (1 - confidence) / 2
    # The tolerance keeps 0.025 * 10,000 at the 250th value: in floats it is a little more.
    ranks = (math.ceil(share * len(array) - 1e-9) for share in (tail, 1 - tail))
    low, high = (array[max(rank, 1) - 1] for rank in ranks)
    return float(low), float(high)
