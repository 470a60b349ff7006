"""Coverage: how often the truth lies inside the stated interval."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics.arrays import FloatArray, aligned, checked_level, mean_or_nan

CONVENTION: Literal["weibull"] = "weibull"
"""The k-th of n ordered draws is the k/(n + 1) quantile (Hyndman and Fan's type 6), linear between
them and constant outside: draws from a belief then hold its mass without bias, where n + 1 is at
least 2/alpha; with fewer draws the interval runs from the least to the greatest."""


def quantile(draws: ArrayLike, share: float) -> float:
    """The quantile of draws in the package's convention; NaN where there is none."""
    (values,) = aligned(draws=draws)
    values = values[~np.isnan(values)]
    return float(np.quantile(values, share, method=CONVENTION)) if len(values) else float("nan")


def sampling_interval(points: ArrayLike, level: float) -> tuple[float, float]:
    """Interval between the alpha/2 and the 1 - alpha/2 quantile of repeated point answers.

    Quantiles are Hyndman and Fan's type 6: the k-th of n ordered draws is the k/(n + 1) quantile.

    Args:
        points: Draws of one item's answer; NaN draws are left out.
        level: Nominal level in percent, between 0 and 100.

    Returns:
        Lower and upper bound; NaN where no draw is left.

    Example:
        >>> sampling_interval([1, 2, 3, 4, 5, 6, 7, 8, 9], level=80)  # the .1 and the .9 quantile
        (1.0, 9.0)
    """
    tail = (100 - checked_level(level)) / 200
    return quantile(points, tail), quantile(points, 1 - tail)


def tunnel_interval(lower: ArrayLike, upper: ArrayLike, level: float) -> tuple[float, float]:
    """The perception-tunnel estimate of a belief's interval from repeated stated intervals.

    If each query shows the model the mass [u, u + p] of its belief, u uniform on [0, 1 - p], then
    the alpha/2 quantile of its stated lower bounds is that of the belief itself, whatever p is,
    and the 1 - alpha/2 quantile of its upper bounds likewise. Source: FermiEval, Theorem 1;
    docs/fermi_eval.md derives it.

    Args:
        lower: Stated lower bounds of one item at one level, one a draw; NaN draws are left out.
        upper: Upper bounds, likewise.
        level: Nominal level in percent, between 0 and 100.

    Returns:
        Lower and upper bound; NaN where no draw is left.

    Example:
        >>> tunnel_interval([1, 2, 3, 4], [5, 6, 7, 8], level=60)  # the .2 and the .8 quantile
        (1.0, 8.0)
    """
    tail = (100 - checked_level(level)) / 200
    low, high = aligned(lower=lower, upper=upper)
    return quantile(low, tail), quantile(high, 1 - tail)


def miss_below(lower: ArrayLike, truth: ArrayLike) -> float:
    """Share of judgments whose truth lies below the lower bound.

    A calibrated central interval misses alpha/2 on either side. Judgments with a NaN are left
    out; NaN if none is left.

    Example:
        >>> miss_below([3, 3], truth=[2, 4])
        0.5
    """
    low, target = aligned(lower=lower, truth=truth)
    return mean_or_nan(np.where(np.isnan(low) | np.isnan(target), np.nan, target < low))


def miss_above(upper: ArrayLike, truth: ArrayLike) -> float:
    """Share of judgments whose truth lies above the upper bound.

    A calibrated central interval misses alpha/2 on either side. Judgments with a NaN are left
    out; NaN if none is left.

    Example:
        >>> miss_above([3, 3], truth=[2, 4])
        0.5
    """
    high, target = aligned(upper=upper, truth=truth)
    return mean_or_nan(np.where(np.isnan(high) | np.isnan(target), np.nan, target > high))


def mean_width(lower: ArrayLike, upper: ArrayLike) -> float:
    """Mean of upper - lower, in the unit of the bounds.

    Judgments with a NaN are left out; NaN if none is left.

    Example:
        >>> mean_width([1, 2], [3, 8])
        4.0
    """
    low, high = aligned(lower=lower, upper=upper)
    return mean_or_nan(high - low)


def median_width(lower: ArrayLike, upper: ArrayLike) -> float:
    """Median of upper - lower, in the unit of the bounds.

    Of an even number of judgments, the mean of the two middle widths. Judgments with a NaN are
    left out; NaN if none is left.

    Example:
        >>> median_width([1, 2, 0], [3, 8, 100])
        6.0
    """
    low, high = aligned(lower=lower, upper=upper)
    widths = (high - low)[~np.isnan(high - low)]
    return float(np.median(widths)) if len(widths) else float("nan")


def interval_scores(
    lower: ArrayLike, upper: ArrayLike, truth: ArrayLike, level: float
) -> FloatArray:
    """The interval score of each judgment; NaN where a bound or the truth is."""
    low, high, target = aligned(lower=lower, upper=upper, truth=truth)
    alpha = (100 - checked_level(level)) / 100
    below = (low - target).clip(min=0)
    above = (target - high).clip(min=0)
    scores: FloatArray = (high - low) + 2 / alpha * (below + above)
    return scores


def interval_score(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike, level: float) -> float:
    r"""Mean interval score (Winkler score); lower is better.

    $$S_\alpha(l, u; y) = (u - l) + \frac{2}{\alpha}(l - y)_+ + \frac{2}{\alpha}(y - u)_+,
    \quad \alpha = 1 - \text{level}/100$$

    Source: Winkler (1972); Gneiting and Raftery (2007), section 6.2. It is 2/alpha times the sum
    of the pinball losses of the two bounds as quantiles at alpha/2 and 1 - alpha/2.

    Args:
        lower: Lower bounds, one a judgment.
        upper: Upper bounds, likewise.
        truth: True values, likewise.
        level: Nominal level in percent, between 0 and 100.

    Returns:
        A number >= 0 in the unit of the bounds (FermiEval: orders of magnitude); infinite where
        an interval has an infinite width. Judgments with a NaN are left out; NaN if none is left.

    Example:
        >>> interval_score([1], [3], truth=[4], level=90)  # 2 + 2/0.1 * 1
        22.0
    """
    return mean_or_nan(interval_scores(lower, upper, truth, level))


def covered(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike) -> FloatArray:
    """Whether each closed interval [lower, upper] holds its truth: 1, 0, or NaN if unreadable."""
    low, high, target = aligned(lower=lower, upper=upper, truth=truth)
    inside = ((low <= target) & (target <= high)).astype(float)
    inside[np.isnan(low) | np.isnan(high) | np.isnan(target)] = np.nan
    return inside


def coverage(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike) -> float:
    """Share of intervals that hold the truth: mean of 1[lower <= truth <= upper].

    Args:
        lower: Lower bounds, one a judgment, in any unit (FermiEval: exponents of ten).
        upper: Upper bounds, likewise.
        truth: True values, likewise.

    Returns:
        A share in [0, 1]. Judgments with a NaN are left out; NaN if none is left.

    Example:
        >>> coverage([1, 2, 3], [2, 4, 9], truth=[2, 5, 4])
        0.6666666666666666
    """
    return mean_or_nan(covered(lower, upper, truth))


def coverage_gap(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike, level: float) -> float:
    """Coverage less the nominal level: below 0 is overconfident, above 0 underconfident.

    Args:
        lower: Lower bounds, one a judgment.
        upper: Upper bounds, likewise.
        truth: True values, likewise.
        level: Nominal level in percent, between 0 and 100.

    Returns:
        coverage - level/100, in [-1, 1]. NaN where `coverage` is.

    Example:
        >>> round(coverage_gap([1, 2], [2, 4], truth=[2, 5], level=90), 12)
        -0.4
    """
    return coverage(lower, upper, truth) - checked_level(level) / 100


def coverage_plateau(coverages: ArrayLike, levels: ArrayLike) -> float:
    """Mean over levels of coverage divided by nominal level: the size of the perception tunnel.

    If a model sees only a share p of its belief's mass, at a uniformly random place, its direct
    intervals cover p times the level at every level, so the mean of coverage/level estimates p;
    1 is calibrated. Source: the FermiEval study's perception-tunnel theory.

    Args:
        coverages: Coverage at each level, in [0, 1].
        levels: The nominal levels in percent, in the same order.

    Returns:
        A ratio >= 0. Levels whose coverage is NaN are left out; NaN if none is left.

    Raises:
        ValueError: A level is not a percentage between 0 and 100.

    Example:
        >>> coverage_plateau([0.4, 0.45], levels=[80, 90])
        0.5
    """
    share, level = aligned(coverages=coverages, levels=levels)
    for percent in level:
        checked_level(percent)
    return mean_or_nan(share / (level / 100))
