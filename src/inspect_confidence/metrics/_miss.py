"""On which side the truth is missed."""

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics._arrays import aligned, mean_or_nan


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
