"""Sampling error of statistics of units that lie along a line and are like their neighbours."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, stdtrit

from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.inference import widened
from inspect_confidence.metrics.resample import Statistic, StatisticNameT

__all__ = ["WAVES", "smooth_draws", "within_range"]

WAVES = 4
"""Cosines along the line: one tells the trend, three the standard error."""

_STEP = 0.1
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

    With psi_i the influence of unit i of n on the statistic, the low-frequency variation along the
    line is L_j = sqrt(2) sum_i psi_i cos(pi j (i - 1/2) / n) / n for j from 1 to 4. What the design
    explains of it, b M_j with the M_j of a known trend and b by least squares, is no sampling
    error. The squared standard error is sum_j (L_j - b M_j)^2 / 3, which the statistic over its
    standard error makes Student's t of 3 degrees of freedom if residuals are rough; intervals take
    the quantile of 2 degrees, since it is up to a quarter too small where they are smooth over an
    eighth of the line. L_j is half the difference of the values at weights 1 + h w_j and 1 - h w_j,
    over h, for h = 0.1 and the waves w_j. Draws are normal, scaled so that 95% intervals, which
    take n units, have that quantile.

    Source: Mueller (2004, Econometric Theory 20) and Lazarus, Lewis, Stock and Watson (2018,
    Journal of Business and Economic Statistics 36) for cosines and t; Driscoll and Kraay (1998,
    Review of Economics and Statistics 80) for summing over all judgments at a place.

    Args:
        statistics: The statistics, by any name, of weights of units in their order.
        units: n, the number of units.
        resamples: Number of draws, of values, or rows of values, for each name.
        seed: Seed of the draws; equal seeds give joint draws of several calls.
        trend: A value of each unit that the design fixes and values may follow; None if there is
            none.
    """
    place = (np.arange(units) + 0.5) / units
    waves = np.sqrt(2) * np.cos(np.pi * np.arange(1, WAVES + 1)[:, None] * place)
    weights = np.concatenate([1 + _STEP * waves, 1 - _STEP * waves, np.ones((1, units))])
    residuals = np.eye(WAVES)
    if trend is not None:
        levels = waves @ np.asarray(trend, float)
        residuals -= np.outer(levels, levels) / max(float(levels @ levels), 1e-12)
    freedom = WAVES - 1
    scale = float(stdtrit(freedom - 1, 0.975)) / -widened(units)
    rng = np.random.default_rng(seed)
    normal = scale * rng.standard_normal((resamples, WAVES)) / np.sqrt(freedom)
    draws = {}
    for name, statistic in statistics.items():
        values = statistic(weights)
        slopes = residuals @ ((values[:WAVES] - values[WAVES:-1]) / (2 * _STEP))
        # What doesn't depend on the weights differs by rounding alone.
        slopes = np.where(np.abs(slopes) < 1e-12, 0, slopes)
        draws[name] = values[-1] + normal @ slopes
    return draws


def within_range(draws: FloatArray, value: float, low: float, high: float) -> FloatArray:
    """Return draws around a value on the logit scale of its range, where the range is finite.

    The draws' distances from the value are divided by the slope of the logit there and mapped
    back, as Fisher's transformation does for a correlation: they stay within the range.
    """
    if not np.isfinite([low, high]).all():
        return draws
    share = (value - low) / (high - low)
    if not _EDGE < share < 1 - _EDGE:  # at an end of the range but for rounding
        return draws
    distance = (draws - value) / ((high - low) * share * (1 - share))
    return np.asarray(low + (high - low) * expit(logit(share) + distance))
