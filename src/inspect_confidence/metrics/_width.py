"""Widths of intervals."""

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics._arrays import aligned, mean_or_nan


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
