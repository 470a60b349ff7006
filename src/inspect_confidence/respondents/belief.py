"""Latent beliefs about orders of magnitude, as functions of arrays.

A respondent's belief about an item is a normal distribution over exponents of ten. Its mean is
placed so that the truth lies at a uniformly random quantile of it. The belief is therefore
calibrated: an interval between two quantiles contains the truth as often as its mass says.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from inspect_confidence.metrics.arrays import FloatArray

MEDIAN_SPREAD = 1.2
"""Median standard deviation of beliefs, in orders of magnitude."""

SPREAD_OF_SPREADS = 0.5
"""Standard deviation of the logarithm of beliefs' standard deviations."""


@dataclass(frozen=True)
class Beliefs:
    """Normal distributions over exponents of ten, one for each item; each `sd` is above 0."""

    mean: FloatArray
    sd: FloatArray

    def quantile(self, share: ArrayLike) -> FloatArray:
        """Return the exponent below which `share` of each belief's mass lies."""
        return self.mean + self.sd * ndtri(np.asarray(share, float))


def draw_beliefs(truth: ArrayLike, rng: np.random.Generator) -> Beliefs:
    """Draw a normal distribution, the belief, about each true exponent.

    The truth lies at a uniformly random quantile of the belief, which is thereby calibrated. The
    beliefs' standard deviations are lognormal.
    """
    target = np.atleast_1d(np.asarray(truth, float))
    sd = MEDIAN_SPREAD * np.exp(SPREAD_OF_SPREADS * rng.standard_normal(target.shape))
    return Beliefs(target - sd * ndtri(rng.uniform(size=target.shape)), sd)


def stated_bounds(
    beliefs: Beliefs,
    level: float,
    *,
    tunnel: float = 1.0,
    position: ArrayLike = 0.0,
    shrink: float = 1.0,
) -> tuple[FloatArray, FloatArray]:
    """Return the central interval of exponents of ten that a respondent states at a level.

    Args:
        beliefs: Normal distributions of exponents, one for each item.
        level: Nominal level in percent.
        tunnel: Share p of the belief's mass that is used: the mass in [u, u + p]. The central
            interval of that part contains the truth with probability p * level/100.
        position: Position of that part, between 0 (lowest) and 1 (highest): u = position * (1 - p).
        shrink: Factor on the distance of both bounds from the belief's median; below 1 is
            overconfident.

    Returns:
        Lower and upper bounds, one for each item.
    """
    tail = (1 - level / 100) / 2
    start = np.asarray(position, float) * (1 - tunnel)
    lower = beliefs.quantile(start + tunnel * tail)
    upper = beliefs.quantile(start + tunnel * (1 - tail))
    mean = beliefs.mean
    return mean + shrink * (lower - mean), mean + shrink * (upper - mean)


def integer_probabilities(
    beliefs: Beliefs, *, tunnel: float = 1.0, position: float = 0.0
) -> dict[int, float]:
    """Return the probabilities of whole exponents of ten under one belief, or a part of it.

    The part is the mass in [u, u + p] of the first belief, where p is `tunnel`, and u is `position`
    (0 lowest, 1 highest) times 1 - p. An integer has the mass within 0.5 of it; integers with at
    most 1e-9 are omitted.
    """
    mean, sd = float(beliefs.mean[0]), float(beliefs.sd[0])
    start = position * (1 - tunnel)
    # Beyond 7 standard deviations lies a mass of 3e-12.
    integers = np.arange(np.floor(mean - 7 * sd), np.ceil(mean + 7 * sd) + 1)
    below = ndtr((np.append(integers - 0.5, integers[-1] + 0.5) - mean) / sd)
    masses = np.diff(np.clip((below - start) / tunnel, 0, 1))
    return {int(k): float(mass) for k, mass in zip(integers, masses, strict=True) if mass > 1e-9}
