"""Better intervals than the stated ones: from repeated answers, and by conformal adjustment.

What a model believes can be estimated from several answers to one question, as quantiles of point
answers or of bounds. Split-conformal adjustment widens intervals by what other items lacked.
"""

from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr

from inspect_confidence.metrics.arrays import (
    FloatArray,
    IntArray,
    aligned,
    check_open_share,
    checked_level,
    mean_or_nan,
    subtract,
)
from inspect_confidence.metrics.registry import INFINITY, Interval, metric

__all__ = [
    "conformal_interval",
    "conformal_offset",
    "conformal_offset_interval",
    "conformal_rank",
    "conformity_scores",
    "coverage_plateau",
    "sampling_interval",
    "tunnel_interval",
]

CONVENTION: Literal["weibull"] = "weibull"
"""Quantiles are Hyndman and Fan's type 6: the k-th of n ordered draws is the k/(n + 1) quantile.

They are linear between draws and constant outside. An interval of draws from a belief then has the
belief's mass without bias if n + 1 >= 2/alpha; with fewer draws it runs from least to greatest."""


def quantile(draws: ArrayLike, share: float) -> float:
    """Return the quantile of draws, of which the k-th smallest of n is the k/(n + 1) quantile.

    It is linear between draws and constant outside (Hyndman and Fan's type 6). NaN draws are left
    out; NaN if none is left.
    """
    (values,) = aligned(draws=draws)
    values = values[~np.isnan(values)]
    return float(np.quantile(values, share, method=CONVENTION)) if len(values) else float("nan")


def sampling_interval(points: ArrayLike, level: float) -> tuple[float, float]:
    """Interval between the alpha/2 and the 1 - alpha/2 quantile of repeated point answers.

    Quantiles are Hyndman and Fan's type 6: the k-th of n ordered draws is the k/(n + 1) quantile.
    NaN draws are left out; the bounds are NaN where none is left. The level is in percent, and
    alpha = 1 - level/100.

    Example:
        >>> sampling_interval([1, 2, 3, 4, 5, 6, 7, 8, 9], level=80)  # the .1 and the .9 quantile
        (1.0, 9.0)
    """
    tail = (100 - checked_level(level)) / 200
    return quantile(points, tail), quantile(points, 1 - tail)


def tunnel_interval(lower: ArrayLike, upper: ArrayLike, level: float) -> tuple[float, float]:
    """Estimate a belief's interval from repeated stated intervals (perception tunnel).

    If each query shows the model only its belief between the quantiles u and u + p, with u uniform
    on [0, 1 - p], then the alpha/2 quantile of its stated lower bounds is that of the belief
    itself, whatever p is. The same holds for the 1 - alpha/2 quantile of its upper bounds.
    docs/fermi_eval.md derives it.

    Args:
        lower: Stated lower bounds of repeated answers; NaN is left out, NaN if none is left.
        upper: Stated upper bounds, in the order of `lower`; NaN is left out.
        level: Nominal level in percent, 100 (1 - alpha).

    Source: FermiEval, Theorem 1.

    Example:
        >>> tunnel_interval([1, 2, 3, 4], [5, 6, 7, 8], level=60)  # the .2 and the .8 quantile
        (1.0, 8.0)
    """
    tail = (100 - checked_level(level)) / 200
    low, high = aligned(lower=lower, upper=upper)
    return quantile(low, tail), quantile(high, 1 - tail)


@metric(
    unit="ratio",
    direction="target=1",
    undefined="no readable interval at any level",
    interval=Interval(
        min_units=30, conservative="at few misses: half an item that misses at every level is added"
    ),
)
def coverage_plateau(coverages: ArrayLike, levels: ArrayLike) -> float:
    """Mean over levels of coverage divided by the nominal level.

    If a model sees only a share p of its belief's mass, at a uniformly random place, the intervals
    that it states cover p times the level at every level. So the mean of coverage/level estimates
    p; 1 is calibrated.

    Args:
        coverages: Coverage at each level, in [0, 1]; levels with a NaN are left out.
        levels: The nominal levels in percent, in the same order; the result is NaN if none is left.

    Raises:
        ValueError: A level is not a percentage between 0 and 100.

    Source: FermiEval.

    Example:
        >>> coverage_plateau([0.4, 0.45], levels=[80, 90])
        0.5
    """
    share, level = aligned(coverages=coverages, levels=levels)
    for percent in level:
        checked_level(percent)
    return mean_or_nan(share / (level / 100))


@metric(
    unit="unit of the bounds",
    direction="target=0",
    low=-INFINITY,
    undefined="never; infinite where the train split is too small for the level",
    interval=Interval(
        "own",
        "Between two order statistics of the conformity scores, which hold the quantile that the "
        "offset estimates with a binomial probability of at least 95%, whatever their law.",
    ),
    source="Romano, Patterson and Candes (2019)",
)
def conformal_offset(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike, level: float) -> float:
    """What split-conformal calibration on the train split adds to each side of an interval.

    It is the ceil((n + 1) level/100)-th smallest conformity score max(lower - truth, truth - upper)
    of n calibration items, those of the train split: intervals that are wider by it on each side
    contain the truth of a new item with at least the level's probability. Give one judgment an
    item: several judgments of one item aren't exchangeable.

    Args:
        lower: Lower bounds on the calibration items, one per item; items with a NaN are left out.
        upper: Upper bounds, in the order of `lower`.
        truth: True values, in the order of `lower`.
        level: Nominal level in percent, between 0 and 100.

    Returns:
        The offset in the unit of the bounds; below 0 where intervals were too wide; infinite
        where n is too small for the level (n < level/(100 - level)), as for no items at all.

    Example:
        >>> conformal_offset([0, 0, 0], [2, 2, 2], truth=[1, 3, 6], level=50)  # 2nd of -1, 1, 4
        1.0
    """
    scores = conformity_scores(lower, upper, truth)
    scores = np.sort(scores[~np.isnan(scores)])
    rank = int(conformal_rank(np.asarray(len(scores)), level))
    return float(scores[rank - 1]) if rank <= len(scores) else float("inf")


def conformal_offset_interval(
    lower: ArrayLike, upper: ArrayLike, truth: ArrayLike, level: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Confidence interval of the quantile of conformity scores that `conformal_offset` estimates.

    K of n scores lie below that quantile, with K ~ Binomial(n, level/100). So it lies between the
    a-th and the b-th smallest score with probability P(a <= K < b). The rank a is the greatest with
    P(K < a), and b the least with P(K >= b), of at most (1 - confidence)/2.

    Args:
        lower: Lower bounds on the calibration items, one per item; items with a NaN are left out.
        upper: Upper bounds, in the order of `lower`.
        truth: True values, in the order of `lower`.
        level: Nominal level of the stated intervals in percent, between 0 and 100.
        confidence: Level of the returned interval, between 0 and 1.

    Returns:
        Both ends. An end is infinite where n is too small for it; if both would be, both are NaN.

    Source: David and Nagaraja (2003), Order Statistics, section 7.1.
    """
    check_open_share("confidence", confidence)
    scores = conformity_scores(lower, upper, truth)
    ranked = np.sort(scores[~np.isnan(scores)])
    # P(K <= k) for k from 0 to n.
    up_to = bdtr(np.arange(len(ranked) + 1.0), len(ranked), checked_level(level) / 100)
    tail = (1 - confidence) / 2
    # The first k with P(K <= k) >= tail is the rank a; that with P(K <= k) >= 1 - tail is b - 1.
    rank_a, rank_before_b = np.searchsorted(up_to, [tail, 1 - tail])
    score_of_rank = np.concatenate([[-np.inf], ranked, [np.inf]])  # of rank 0 to n + 1
    low, high = score_of_rank[rank_a], score_of_rank[rank_before_b + 1]
    if np.isinf([low, high]).all():
        return float("nan"), float("nan")
    return float(low), float(high)


def conformal_interval(
    lower: ArrayLike, upper: ArrayLike, offset: float
) -> tuple[FloatArray, FloatArray]:
    """Bounds moved outwards by the offset: [lower - offset, upper + offset].

    A negative offset can make bounds cross: the conformal set is then empty. NaN stays NaN.

    Example:
        >>> conformal_interval([1], [3], offset=0.5)
        (array([0.5]), array([3.5]))
    """
    low, high = aligned(lower=lower, upper=upper)
    return low - offset, high + offset


def conformity_scores(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike) -> FloatArray:
    """Return the distance of each truth outside its interval: max(lower - truth, truth - upper)."""
    low, high, target = aligned(lower=lower, upper=upper, truth=truth)
    return np.maximum(subtract(low, target), subtract(target, high))


def conformal_rank(n: IntArray, level: float) -> IntArray:
    """Return the rank of the conformity score that is the offset: ceil((n + 1) * level/100).

    It is above n where n items are too few for the level. Computed in integers, because floats can
    round past a whole number.

    Args:
        n: Numbers of calibration items.
        level: Nominal level in percent, between 0 and 100.
    """
    share = Fraction(checked_level(level)).limit_denominator(10**9) / 100
    return -(-(n + 1) * share.numerator // share.denominator)  # -(-a // b) is ceil(a / b)
