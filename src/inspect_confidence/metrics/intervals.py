"""Quality of stated intervals: coverage, interval score, widths and misses.

All take one entry a judgment in any unit (FermiEval: exponents of ten), and a level in percent
between 0 and 100; judgments with a NaN are left out, and the metric is NaN if none is left.
"""

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics.arrays import (
    FloatArray,
    aligned,
    checked_level,
    mean_or_nan,
    subtract,
)
from inspect_confidence.metrics.registry import (
    BOOTSTRAP,
    INFINITY,
    WILSON,
    About,
    Interval,
    metric,
    numbers,
)

__all__ = [
    "coverage",
    "coverage_gap",
    "covered",
    "interval_score",
    "interval_scores",
    "mean_width",
    "median_width",
    "miss_above",
    "miss_below",
]

_UNREAD = "no readable interval"
_OF_SCORES = Interval(
    min_units=20, conservative="at few misses: half a miss by half the mean width is added"
)
"""Interval of scores: a miss costs 2/alpha times its distance, which few misses estimate badly."""


@metric(direction="target=level", undefined=_UNREAD, interval=WILSON)
def coverage(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike) -> float:
    """Share of intervals that hold the truth, bounds included.

    Args:
        lower: Lower bounds, one per judgment, in any unit; judgments with a NaN are left out,
            NaN if none is left.
        upper: Upper bounds, in the unit and order of `lower`.
        truth: True values, in the unit and order of `lower`.

    Source: Gneiting and Raftery (2007).

    Example:
        >>> coverage([1, 2, 3], [2, 4, 9], truth=[2, 5, 4])
        0.6666666666666666
    """
    return mean_or_nan(covered(lower, upper, truth))


def covered(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike) -> FloatArray:
    """Return whether each interval [lower, upper] contains its truth: 1 or 0, NaN if one is NaN."""
    low, high, target = aligned(lower=lower, upper=upper, truth=truth)
    inside = ((low <= target) & (target <= high)).astype(float)
    inside[np.isnan(low) | np.isnan(high) | np.isnan(target)] = np.nan
    return inside


@metric(direction="target=0", low=-1, undefined=_UNREAD, interval=WILSON, source="FermiEval")
def coverage_gap(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike, level: float) -> float:
    """Coverage less the nominal level; below 0 is overconfident.

    The level is in percent; the other arguments are those of `coverage`. Judgments with a NaN are
    left out; NaN if none is left.

    Example:
        >>> round(coverage_gap([1, 2], [2, 4], truth=[2, 5], level=90), 12)
        -0.4
    """
    return coverage(lower, upper, truth) - checked_level(level) / 100


@metric(
    unit="unit of the bounds",
    direction="lower",
    undefined=f"{_UNREAD}; infinite if an interval has an infinite bound",
    source="Winkler (1972); Gneiting and Raftery (2007)",
    interval=_OF_SCORES,
)
def interval_score(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike, level: float) -> float:
    r"""Mean interval (Winkler) score: width plus 2/(1 - level) times the distance of each miss.

    $$S_\alpha(l, u; y) = (u - l) + \frac{2}{\alpha}(l - y)_+ + \frac{2}{\alpha}(y - u)_+,
    \quad \alpha = 1 - \text{level}/100$$

    It is 2/alpha times the sum of the pinball losses of the two bounds as quantiles at alpha/2 and
    1 - alpha/2. The level is in percent; judgments with a NaN are left out, NaN if none is left.

    Example:
        >>> interval_score([1], [3], truth=[4], level=90)  # 2 + 2/0.1 * 1
        22.0
    """
    return mean_or_nan(interval_scores(lower, upper, truth, level))


numbers(
    About(
        undefined="no readable interval in the test split",
        unit="unit of the bounds",
        direction="lower",
        low=-INFINITY,
        source="FermiEval",
        interval=_OF_SCORES,
    ),
    interval_score_change="Interval score of other intervals minus that of the stated ones, on the "
    "same test items. The others are the stated ones after conformal adjustment, or those of "
    "another `method` of `fermi_eval`.",
)


def interval_scores(
    lower: ArrayLike, upper: ArrayLike, truth: ArrayLike, level: float
) -> FloatArray:
    """Return the score of `interval_score` for each judgment; NaN if a bound or the truth is.

    A score is infinite if a bound or the truth is infinite and none of them is NaN. The width of an
    interval whose lower bound is above the upper one is below 0.
    """
    low, high, target = aligned(lower=lower, upper=upper, truth=truth)
    alpha = (100 - checked_level(level)) / 100
    is_missing = np.isnan(low) | np.isnan(high) | np.isnan(target)
    scores = np.where(is_missing, np.nan, np.inf)
    is_finite = np.isfinite(low) & np.isfinite(high) & np.isfinite(target)
    low, high, target = low[is_finite], high[is_finite], target[is_finite]
    below = (low - target).clip(min=0)
    above = (target - high).clip(min=0)
    scores[is_finite] = (high - low) + 2 / alpha * (below + above)
    return scores


@metric(unit="unit of the bounds", undefined=_UNREAD, interval=BOOTSTRAP)
def mean_width(lower: ArrayLike, upper: ArrayLike) -> float:
    """Mean width of the intervals.

    Judgments with a NaN are left out; NaN if none is left.
    """
    low, high = aligned(lower=lower, upper=upper)
    return mean_or_nan(subtract(high, low))


@metric(unit="unit of the bounds", undefined=_UNREAD)
def median_width(lower: ArrayLike, upper: ArrayLike) -> float:
    """Median width of the intervals.

    For an even number of judgments it is the mean of the two middle widths. Judgments with a NaN
    are left out; NaN if none is left.

    Example:
        >>> median_width([1, 2, 0], [3, 8, 100])
        6.0
    """
    low, high = aligned(lower=lower, upper=upper)
    widths = subtract(high, low)
    widths = widths[~np.isnan(widths)]
    return float(np.median(widths)) if len(widths) else float("nan")


@metric(direction="target=alpha/2", undefined=_UNREAD, interval=WILSON)
def miss_below(lower: ArrayLike, truth: ArrayLike) -> float:
    """Share of judgments whose truth lies below the lower bound.

    A calibrated central interval misses alpha/2 on either side, 0.05 at a level of 90%. Judgments
    with a NaN are left out; NaN if none is left.

    Example:
        >>> miss_below([3, 3], truth=[2, 4])
        0.5
    """
    low, target = aligned(lower=lower, truth=truth)
    return mean_or_nan(np.where(np.isnan(low) | np.isnan(target), np.nan, target < low))


@metric(direction="target=alpha/2", undefined=_UNREAD, interval=WILSON)
def miss_above(upper: ArrayLike, truth: ArrayLike) -> float:
    """Share of judgments whose truth lies above the upper bound.

    Judgments with a NaN are left out; NaN if none is left.
    """
    high, target = aligned(upper=upper, truth=truth)
    return mean_or_nan(np.where(np.isnan(high) | np.isnan(target), np.nan, target > high))
