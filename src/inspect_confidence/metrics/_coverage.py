"""Coverage: how often the truth lies inside the stated interval."""

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics._arrays import FloatArray, aligned, checked_level, mean_or_nan


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
