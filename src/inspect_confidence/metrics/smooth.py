"""Sampling error of statistics of units that lie along a line and are like their neighbours."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.inference import widened_quantile
from inspect_confidence.metrics.resample import Statistic, StatisticNameT

__all__ = ["QUANTILE", "WAVES", "smooth_draws", "within_range"]

WAVES = 4
"""Cosines along the line: one is spent on the trend, three give the standard error."""

QUANTILE = 5.0
"""Standard errors on each side in a 95% interval.

It is the simulated quantile of a mean of Gaussian residuals with the correlation
exp(-(d / 0.15)^2 / 2) at the distance d, as a share of the line. Student's t of rough residuals has
3.18. The residuals of recorded answers on ages of death are smooth over 0.12 of the line (quantile
4.35); the rest is for statistics that are no means.
"""

_STEP = 0.1
"""Relative change of the weights, h, by which derivatives are computed."""
_EDGE = 1e-12
"""Distance from an end of the range, as a share of it, below which a value is at the end."""


def smooth_draws(
    statistics: Mapping[StatisticNameT, Statistic],
    units: int,
    *,
    resamples: int,
    seed: int | Sequence[int] = 0,
    trend: ArrayLike | None = None,
) -> dict[StatisticNameT, FloatArray]:
    """Draw the values of statistics whose units depend on each other along a line.

    Neighbours are alike, so that resampling units would give too small an error. Instead the
    variation along the line is measured by four waves w_j(i) = sqrt(2) cos(pi j (i - 1/2) / n): L_j
    = sum_i psi_i w_j(i) / n, with psi_i the influence of unit i of n on the statistic. The part b
    M_j that a known trend with the variation M_j explains, b by least squares, is no sampling
    error. The squared standard error is sum_j (L_j - b M_j)^2 / 3, four waves less one for b, and 3
    also without a trend.

    If units depend on near ones alone, the statistic over this error has Student's t distribution
    with 3 degrees of freedom. If they vary smoothly over the line, this error is too small, so that
    95% intervals take 5 errors (`QUANTILE`, found by simulation) to each side. Draws are normal,
    scaled so that `resampled_interval`, which widens tails for n units, has that width. L_j is
    computed as the derivative of the statistic by h at weights 1 + h w_j, from its values at h =
    0.1 and -0.1.

    Source: Mueller (2004, Econometric Theory 20) and Lazarus, Lewis, Stock and Watson (2018,
    Journal of Business and Economic Statistics 36) for cosines and t; Driscoll and Kraay (1998,
    Review of Economics and Statistics 80) for summing over all judgments at a place.

    Args:
        statistics: The statistics, by any name, of weights of units in their order.
        units: n, the number of units.
        resamples: Number of draws, of values, or rows of values, for each name.
        seed: Seed of the draws; equal seeds give joint draws of several calls.
        trend: A value of each unit that the design fixes and that the statistic may follow; None
            if there is none.

    Returns:
        The draws of each statistic, around its value at equal weights, by its name.
    """
    place = (np.arange(units) + 0.5) / units
    waves = np.sqrt(2) * np.cos(np.pi * np.arange(1, WAVES + 1)[:, None] * place)
    # Rows: each wave added to equal weights, each wave taken off, and equal weights alone.
    weights = np.concatenate([1 + _STEP * waves, 1 - _STEP * waves, np.ones((1, units))])
    remove_trend = np.eye(WAVES)  # the matrix that takes L to L - b M
    if trend is not None:
        variation = waves @ np.asarray(trend, float)  # M, up to a factor
        # A trend without variation removes nothing.
        remove_trend -= np.outer(variation, variation) / max(float(variation @ variation), 1e-12)
    freedom = WAVES - 1
    scale = QUANTILE / -widened_quantile(units)
    rng = np.random.default_rng(seed)
    # The product with the slopes L - b M has the standard error times `scale` as its deviation.
    normal = scale * rng.standard_normal((resamples, WAVES)) / np.sqrt(freedom)
    draws = {}
    for name, statistic in statistics.items():
        values = statistic(weights)
        # L, the derivatives along the waves, less what the trend explains.
        slopes = remove_trend @ ((values[:WAVES] - values[WAVES:-1]) / (2 * _STEP))
        # What doesn't depend on the weights differs by rounding alone.
        slopes = np.where(np.abs(slopes) < 1e-12, 0, slopes)
        draws[name] = values[-1] + normal @ slopes
    return draws


def within_range(draws: FloatArray, value: float, low: float, high: float) -> FloatArray:
    """Return draws moved into the range of a number by its logit scale.

    A draw's distance from the value is multiplied by the slope of the logit at the value, added on
    the logit scale and mapped back, as Fisher's transformation does for a correlation. Draws are
    returned unchanged if the range is infinite or the value lies at one of its ends.

    Args:
        draws: Values over resamples.
        value: Value of the sample.
        low: Least possible value.
        high: Greatest possible value.
    """
    if not np.isfinite([low, high]).all():
        return draws
    share = (value - low) / (high - low)
    if not _EDGE < share < 1 - _EDGE:  # at an end of the range but for rounding
        return draws
    distance = (draws - value) / ((high - low) * share * (1 - share))
    return np.asarray(low + (high - low) * expit(logit(share) + distance))
