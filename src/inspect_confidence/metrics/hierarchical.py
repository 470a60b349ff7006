"""M-ratio of a group of models or data sets, by the model of HMeta-d without sampling."""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erf, exp1, ndtr

from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.meta_d import (
    LARGEST,
    counts_of,
    profile_likelihood,
    type1_statistics,
)
from inspect_confidence.metrics.type2 import LEAST_D_PRIME

__all__ = ["GroupMRatio", "hierarchical_m_ratio"]

LEAST_UNITS = 3
"""Units from which on there is a group."""

_KNOTS = np.linspace(np.log(0.01), np.log(10), 70)  # of the likelihood by log M-ratio
_GRID = np.linspace(_KNOTS[0], _KNOTS[-1], 231)
_FINE = np.linspace(_KNOTS[0], _KNOTS[-1], 2301)  # of likelihoods narrower than the grid
_SIGMAS = np.geomspace(0.01, 5, 30)


@dataclass(frozen=True, eq=False)
class GroupMRatio:
    """Metacognitive efficiency of a group.

    Attributes:
        m_ratio: exp of the posterior mean of mu, the group's mean log M-ratio.
        ci_low: Lower limit of its central 95% posterior interval.
        ci_high: Upper limit.
        sigma: Posterior mean of the standard deviation of log M-ratio between units.
        units: M-ratio of each unit: exp of the posterior mean of its log. The fewer judgments a
            unit has, the closer it is to the group's. NaN where the unit is left out.
        used: Number of units that are not left out.
        left_out: Why each unit is left out; empty where it isn't.
        reason: Why the group has no numbers; empty where it has.
    """

    m_ratio: float = float("nan")
    ci_low: float = float("nan")
    ci_high: float = float("nan")
    sigma: float = float("nan")
    units: FloatArray = field(default_factory=lambda: np.empty(0))
    used: int = 0
    left_out: tuple[str, ...] = ()
    reason: str = ""


def hierarchical_m_ratio(nr_s1: ArrayLike, nr_s2: ArrayLike) -> GroupMRatio:
    """M-ratio of a group of units (models, data sets) by a hierarchical meta-d' model.

    The model is HMeta-d's (Fleming 2017, doi:10.1093/nc/nix007): log M_i ~ Normal(mu, sigma^2);
    unit i's ratings are those of evidence Normal(-+M_i d'_i/2, 1) beyond the criterion c_i. d'_i
    and c_i are taken as known (estimates after 1/(2K) is added to each cell), so that the error of
    d' is part of sigma. mu ~ Normal(0, 1), and sigma is a Uniform(0, 1) times a half Normal(0, 1)
    variable. Instead of sampling, the rating criteria are at their greatest likelihood for each
    M_i, and the posterior is summed over a grid of log M_i, mu (M-ratios from 0.01 to 10) and sigma
    (to 5). Here c is the same for every M_i, while `meta_d` keeps c/d'; without a response bias
    both agree.

    Args:
        nr_s1: Counts given stimulus S1, a row per unit: highest-confidence "S1" ... lowest "S1",
            lowest "S2" ... highest "S2". Shape (units, 2K), K >= 2 ratings.
        nr_s2: Counts given stimulus S2, in the form of `nr_s1`.

    Returns:
        M-ratios in (0, infinity). A unit is left out, with a reason, if it has no judgment of one
        stimulus, only one response, only one rating within each response, or a d' of at most 0.1.
        The group is NaN, with a reason, if fewer than 3 units are left.

    Raises:
        ValueError: Counts are negative, not finite, not in rows, or of different shapes.

    Example:
        >>> nr_s1 = [
        ...     [52, 32, 35, 37, 26, 12, 4, 2],
        ...     [27, 39, 46, 52, 14, 10, 9, 3],
        ...     [112, 30, 15, 17, 17, 9, 0, 0],
        ... ]
        >>> nr_s2 = [
        ...     [2, 5, 15, 22, 33, 38, 40, 45],
        ...     [2, 4, 9, 21, 57, 48, 34, 25],
        ...     [0, 1, 7, 18, 12, 17, 27, 118],
        ... ]
        >>> group = hierarchical_m_ratio(nr_s1, nr_s2)
        >>> round(group.m_ratio, 2), [round(float(unit), 2) for unit in group.units]
        (0.88, [1.04, 0.38, 1.57])
    """
    s1, s2 = counts_of(nr_s1, nr_s2)
    if s1.ndim != 2:
        raise ValueError(f"The counts have shape {s1.shape}; give a row of 2K counts a unit.")
    d_prime, criterion, exclusions = type1_statistics(s1, s2, 1 / s1.shape[1])
    # The reason for which each unit is left out; empty for those that are used.
    exclusions[np.isfinite(d_prime) & (d_prime <= LEAST_D_PRIME)] = f"d' is at most {LEAST_D_PRIME}"
    units, rows = np.full(len(s1), np.nan), np.flatnonzero(exclusions == "")
    left_out, used = tuple(map(str, exclusions)), len(rows)
    if used < LEAST_UNITS:
        reason = f"{used} of {len(s1)} units can be used: a group needs {LEAST_UNITS}"
        return GroupMRatio(units=units, used=used, left_out=left_out, reason=reason)
    likelihood = np.stack([_likelihood(s1[i], s2[i], d_prime[i], criterion[i]) for i in rows])
    # Posterior masses at the points of `_GRID` (sigma: `_SIGMAS`), whose products are means.
    mu, sigma, unit_posteriors = _posterior(likelihood)
    units[rows] = np.exp(unit_posteriors @ _GRID)
    m_ratio, mean_sigma = float(np.exp(mu @ _GRID)), float(sigma @ _SIGMAS)
    # Half of the mass at a point lies below the point.
    low, high = np.exp(np.interp([0.025, 0.975], np.cumsum(mu) - mu / 2, _GRID))
    return GroupMRatio(m_ratio, float(low), float(high), mean_sigma, units, used, left_out)


def _likelihood(s1: FloatArray, s2: FloatArray, d_prime: float, criterion: float) -> FloatArray:
    """Return a unit's likelihood, up to a factor, at each log M-ratio of `_GRID`: (231,).

    `s1` and `s2` are the unit's counts of ratings given either stimulus, of shape (2K,); `d_prime`
    and the type-1 `criterion` c are taken as known. The likelihood is computed at 70 log M-ratios
    from log .01 to log 10, with the rating criteria that maximise it, and interpolated by a spline.
    """
    # Imported here because it takes a quarter of a second, which every command would pay.
    from scipy.interpolate import CubicSpline  # noqa: PLC0415

    meta = np.minimum(d_prime * np.exp(_KNOTS), LARGEST)  # the largest meta-d' that is fitted
    s1_rows, s2_rows = np.tile(s1, (len(meta), 1)), np.tile(s2, (len(meta), 1))
    per_judgment = profile_likelihood(s1_rows, s2_rows, meta, criterion / meta)
    log_likelihood = per_judgment * (s1.sum() + s2.sum())
    # Ten times as fine as the grid, which may miss the peak if judgments are many; each fine point
    # is then shared between its neighbours on the grid.
    smooth = CubicSpline(_KNOTS, log_likelihood)(_FINE)
    return np.asarray(np.exp(smooth - smooth.max()) @ _interpolation_weights())


@lru_cache
def _interpolation_weights() -> FloatArray:
    """Return weights, (fine points, grid points), that bring a likelihood from `_FINE` to `_GRID`.

    Each fine point is shared between its two neighbours on the grid, in proportion to nearness.
    """
    away = np.abs(_FINE[:, None] - _GRID) / (_GRID[1] - _GRID[0])
    return np.asarray(np.maximum(1 - away, 0))


@lru_cache
def _cell_probabilities() -> FloatArray:
    """Return P(log M-ratio in a cell | sigma, mu), of shape (sigmas, cells, mus).

    Log M-ratio is Normal(mu, sigma^2). A cell lies around each point of `_GRID`, and the points are
    also the values of mu; those of sigma are `_SIGMAS`.
    """
    half = (_GRID[1] - _GRID[0]) / 2
    # The outer cells reach to infinity: the likelihood hardly changes there.
    edges = np.concatenate([[-np.inf], _GRID[:-1] + half, [np.inf]])
    return np.diff(ndtr((edges[:, None] - _GRID) / _SIGMAS[:, None, None]), axis=1)


def _log_prior() -> FloatArray:
    """Return the log prior of sigma (rows, `_SIGMAS`) and mu (columns, `_GRID`), up to a constant.

    mu and sigma are mean and standard deviation of units' log M-ratios. As in HMeta-d, mu is
    Normal(0, 1), and sigma is U H with U Uniform(0, 1) and H half Normal(0, 1). A sigma of the grid
    has the prior mass of the sigmas nearer to it (in ratio) than to others.
    """
    between = np.sqrt(_SIGMAS[:-1] * _SIGMAS[1:])
    # P(sigma <= b) = P(H <= b) + b E(1/H; H > b).
    below = erf(between / np.sqrt(2)) + between * exp1(between**2 / 2) / np.sqrt(2 * np.pi)
    return np.asarray(np.log(np.diff(below, prepend=0, append=1))[:, None] - _GRID**2 / 2)


def _posterior(likelihood: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return posteriors of mu (grid,), sigma (sigmas,) and units' log M-ratios (units, grid).

    Each sums to 1. They are on the points of `_GRID`, sigma's on `_SIGMAS`. `likelihood` is that of
    each unit's log M-ratio on `_GRID`, of shape (units, grid).
    """
    # P(data of a unit | sigma, mu): (sigmas, units, mus), and not 0, because of the logarithm.
    unit_likelihoods = np.maximum(likelihood @ _cell_probabilities(), 1e-300)
    log_joint = np.log(unit_likelihoods).sum(1) + _log_prior()
    joint = np.exp(log_joint - log_joint.max())
    joint /= joint.sum()  # P(sigma, mu | all data)
    # With sigma s, unit u, mean mu m and log M-ratio t: without its own data a unit has the prior
    # sum over s, m of P(s, m | data) / P(data of u | s, m) P(t | s, m).
    unit_priors = np.einsum(
        "sum,stm->ut", joint[:, None] / unit_likelihoods, _cell_probabilities(), optimize=True
    )
    return joint.sum(0), joint.sum(1), np.asarray(unit_priors * likelihood)
