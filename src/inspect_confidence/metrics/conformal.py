"""Split-conformal adjustment of stated intervals (conformalised quantile regression)."""

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inspect_confidence.metrics.arrays import FloatArray, aligned, checked_level


def conformity_scores(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike) -> FloatArray:
    """How far each truth lies outside its interval: max(lower - truth, truth - upper)."""
    low, high, target = aligned(lower=lower, upper=upper, truth=truth)
    return np.maximum(low - target, target - high)


def conformal_rank(n: NDArray[np.int64], level: float) -> NDArray[np.int64]:
    """ceil((n + 1) * level/100), in integers: the product in floats can round past an integer."""
    share = Fraction(checked_level(level)).limit_denominator(10**9) / 100
    return -(-(n + 1) * share.numerator // share.denominator)


def conformal_offset(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike, level: float) -> float:
    """Offset by which intervals are widened on both sides to reach their level on new items.

    The ceil((n + 1) level/100)-th smallest conformity score max(lower - truth, truth - upper) of
    n calibration items. Source: Romano, Patterson and Candes (2019), with one symmetric offset.
    Give one judgment an item: several judgments of one item aren't exchangeable.

    Args:
        lower: Lower bounds on the calibration items, one an item.
        upper: Upper bounds, likewise.
        truth: True values, likewise.
        level: Nominal level in percent, between 0 and 100.

    Returns:
        The offset in the unit of the bounds; below 0 where intervals were too wide; infinite
        where n is too small for the level (n < level/(100 - level)), as for no items at all.
        Items with a NaN are left out.

    Example:
        >>> conformal_offset([0, 0, 0], [2, 2, 2], truth=[1, 3, 6], level=50)  # 2nd of -1, 1, 4
        1.0
    """
    scores = conformity_scores(lower, upper, truth)
    scores = np.sort(scores[~np.isnan(scores)])
    rank = int(conformal_rank(np.asarray(len(scores)), level))
    return float(scores[rank - 1]) if rank <= len(scores) else float("inf")


def conformal_interval(
    lower: ArrayLike, upper: ArrayLike, offset: float
) -> tuple[FloatArray, FloatArray]:
    """Bounds moved outwards by the offset: [lower - offset, upper + offset].

    A negative offset can make bounds cross: the conformal set is then empty.

    Example:
        >>> conformal_interval([1], [3], offset=0.5)
        (array([0.5]), array([3.5]))
    """
    low, high = aligned(lower=lower, upper=upper)
    return low - offset, high + offset
