"""Intervals from repeated draws: of points, and of intervals seen through a tunnel."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics._arrays import aligned, checked_level

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
