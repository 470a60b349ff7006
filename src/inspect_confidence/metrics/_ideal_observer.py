"""Ideal observers: their d' from accuracy, and from how often they are sure when right and wrong.

The two-choice observer is closed but for one root. With m alternatives the evidence is one value
an alternative, N(d', 1) for the right one and N(0, 1) for the others; the largest is chosen and
confidence is its posterior probability. What such an observer's type-2 rates are is tabulated by
quasi-Monte-Carlo integration, to about 0.005 in d' where both rates lie between 0.02 and 0.98,
and less exactly beyond.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri, softmax

from inspect_confidence.metrics._arrays import FloatArray

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator

_MOST = 8.0
"""Largest d' of an m-alternative observer's accuracy; the two-choice root is sought to twice it."""

_D_GRID = np.arange(0, 6.0001, 0.05)
_Z_GRID = np.arange(-3.8, 3.8001, 0.05)
_LOG2_POINTS = 16
_FIRST = 41
"""How many d' of the table, up to 2, are looked at first."""


def ideal_d_prime(hit: FloatArray, false_alarm: FloatArray) -> FloatArray:
    """The d' of the unbiased two-choice ideal observer with these type-2 rates; NaN stays NaN.

    The root of d' = z(H2 Phi(d'/2)) - z(F2 Phi(-d'/2)), of which there is one.
    """
    upper, lower = np.maximum(hit, false_alarm), np.minimum(hit, false_alarm)
    d, low, high = (np.full(np.shape(hit), end) for end in (1.0, 0.0, 2 * _MOST))
    # Newton's steps, halving the bracket instead where one would leave it: ten times as fast as
    # a library's root finder, which a bootstrap calls thousands of times.
    for _ in range(60):
        z_right, z_wrong = ndtri(upper * ndtr(d / 2)), ndtri(lower * ndtr(-d / 2))
        excess = z_right - z_wrong - d
        low, high = np.where(excess > 0, d, low), np.where(excess > 0, high, d)
        with np.errstate(invalid="ignore", over="ignore"):
            slopes = upper * np.exp((z_right**2 - d**2 / 4) / 2) + lower * np.exp(
                (z_wrong**2 - d**2 / 4) / 2
            )
            step = d - excess / (slopes / 2 - 1)
        # Within rounding of the bracket's ends Newton has arrived.
        inside = (step > low - 1e-9) & (step < high + 1e-9)
        moved = np.where(inside, np.clip(step, low, high), (low + high) / 2)
        # The error that a step of Newton's leaves is of the order of its square.
        done = np.abs(moved - d) < np.where(inside, 1e-8, 1e-12)
        d = moved
        if (done | np.isnan(excess)).all():
            break
    sign = np.where(hit >= false_alarm, 1.0, -1.0)
    return np.asarray(np.where(np.isnan(hit + false_alarm), np.nan, sign * d))


def ideal_criterion(hit: FloatArray, false_alarm: FloatArray) -> FloatArray:
    """The criterion on |x| at which that observer is sure: c = d'/2 - z(H2 Phi(d'/2))."""
    return criterion_at(ideal_d_prime(hit, false_alarm), hit)


def criterion_at(d: FloatArray, hit: FloatArray) -> FloatArray:
    """`ideal_criterion` where that observer's d' is known."""
    return np.asarray(d / 2 - ndtri(hit * ndtr(d / 2)))


def afc_accuracy(d_prime: FloatArray, alternatives: int) -> FloatArray:
    """Share right of the observer with m alternatives: integral of phi(x - d') Phi(x)^(m-1) dx."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    weights = weights / weights.sum()
    shifted = np.asarray(d_prime, float)[..., None] + nodes
    return np.asarray(ndtr(shifted) ** (alternatives - 1) @ weights)


@lru_cache(maxsize=16)
def _inverse_accuracy(alternatives: int) -> "PchipInterpolator":
    # Imported here because scipy.stats takes half a second, which every command would pay.
    from scipy.interpolate import PchipInterpolator  # noqa: PLC0415

    d = np.linspace(-2, _MOST, 1001)
    return PchipInterpolator(ndtri(afc_accuracy(d, alternatives)), d)


def afc_d_prime(accuracy: FloatArray, alternatives: int) -> FloatArray:
    """The d' of the observer with m alternatives from its accuracy; NaN at 0 and 1.

    Below 0 where accuracy is below chance; -2 is the least that is looked for.
    """
    inside = (accuracy > 0) & (accuracy < 1)
    table = _inverse_accuracy(alternatives)
    z = np.clip(ndtri(np.where(inside, accuracy, 0.5)), table.x[0], table.x[-1])
    return np.where(inside, table(z), np.nan)


@lru_cache(maxsize=16)
def _curves(alternatives: int) -> FloatArray:
    """z(H2) of the observer with m alternatives by z(F2) (rows) and its d' (columns)."""
    # Imported here because scipy.stats takes half a second, which every command would pay.
    from scipy.stats.qmc import Sobol  # noqa: PLC0415

    points = Sobol(alternatives, seed=0).random_base2(_LOG2_POINTS)
    noise = ndtri(np.clip(points, 1e-12, 1 - 1e-12))
    columns = [_Z_GRID]  # at d' = 0 confidence tells nothing
    for d in _D_GRID[1:]:
        evidence = noise.copy()
        evidence[:, 0] += d
        # The posterior p of the choice says how likely it is right, whichever is: so p and 1 - p
        # are the masses of right and wrong, and rates need no draw of which.
        sure = np.sort(softmax(d * evidence, axis=1).max(axis=1))[::-1]
        right, wrong = np.cumsum(sure), np.cumsum(1 - sure)
        z_wrong, z_right = (ndtri((one - one[0] / 2) / one[-1]) for one in (wrong, right))
        finite = np.isfinite(z_wrong) & np.isfinite(z_right)
        columns.append(np.interp(_Z_GRID, z_wrong[finite], z_right[finite]))
    return np.column_stack(columns)


def afc_type2_d_prime(hit: FloatArray, false_alarm: FloatArray, alternatives: int) -> FloatArray:
    """The d' of the ideal observer with m alternatives that has these type-2 rates; NaN stays NaN.

    Rates in the wrong order (F2 > H2), which no ideal observer has, give minus the d' of the
    rates exchanged. The greatest value is 6.
    """
    if alternatives == 2:
        # Two alternatives are one difference of evidence with variance 2.
        return np.asarray(ideal_d_prime(hit, false_alarm) / np.sqrt(2))
    known = ~np.isnan(hit)
    sign = np.where(hit >= false_alarm, 1.0, -1.0)[known]
    upper = ndtri(np.maximum(hit, false_alarm)[known])
    lower = ndtri(np.minimum(hit, false_alarm)[known])
    table = _curves(alternatives)
    # Most are among the first d', and only the others need the whole table.
    d = _first_d_prime(upper, lower, table[:, :_FIRST])
    beyond = np.isnan(d)
    d[beyond] = _first_d_prime(upper[beyond], lower[beyond], table)
    result = np.full(np.shape(hit), np.nan)
    result[known] = sign * d
    return result


def _first_d_prime(upper: FloatArray, lower: FloatArray, table: FloatArray) -> FloatArray:
    """The first d' whose curve reaches z(H2) = upper where z(F2) = lower.

    Where none does it is the table's last d', or NaN where the table was cut before that.
    """
    step = _Z_GRID[1] - _Z_GRID[0]
    place = np.clip((lower - _Z_GRID[0]) / step, 0, len(_Z_GRID) - 1.001)
    column, part = place.astype(np.int64), place % 1
    # A row a pair of rates: what each d' gives.
    curve = table[column] * (1 - part[:, None]) + table[column + 1] * part[:, None]
    curve += (lower - (_Z_GRID[column] + step * part))[:, None]  # beyond the ends: parallel
    reached = curve >= upper[:, None]
    reached[:, len(_D_GRID) - 1 :] = True
    above = np.maximum(reached.argmax(axis=1), 1)
    # The curves' small dips are noise of the table: the greatest up to a point counts there.
    below = np.arange(table.shape[1]) < above[:, None]
    low = np.where(below, curve, -np.inf).max(axis=1)
    high = np.maximum(low, curve[np.arange(len(upper)), above])
    share = np.clip((upper - low) / np.where(high > low, high - low, 1), 0, 1)
    d = _D_GRID[above - 1] + share * (_D_GRID[above] - _D_GRID[above - 1])
    return np.where(reached.any(axis=1), d, np.nan)
