"""Metacognitive efficiency: type-2 sensitivity over type-1 sensitivity, in one model of both."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from inspect_confidence.metrics.arrays import FloatArray, check_choice, divided
from inspect_confidence.metrics.confidence_tables import (
    ConfidenceTables,
    accuracy_of_tables,
    confidence_table,
)
from inspect_confidence.metrics.registry import INFINITY, metric
from inspect_confidence.metrics.type2 import (
    ONE_SIDED,
    TEN,
    ideal_d_prime,
    meta_d_ideal_of_tables,
    type2_rates,
)

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator

__all__ = ["m_ratio"]

Type1Model = Literal["two_z", "two_afc", "m_afc"]

LEAST_D_PRIME = 0.1
"""A d' up to this is too near 0 to divide by."""


def m_ratio_of_tables(
    tables: ConfidenceTables,
    *,
    type1: Type1Model,
    alternatives: int | None = None,
    threshold: float = 0.5,
) -> FloatArray:
    """Compute `m_ratio` of each table."""
    d_prime = d_prime_of(tables, type1=type1, alternatives=alternatives)
    if type1 == "m_afc" and alternatives is not None:
        sensitivity = afc_type2_d_prime(*type2_rates(tables, threshold), alternatives)
    else:
        unit = 1 if type1 == "two_z" else np.sqrt(2)
        sensitivity = meta_d_ideal_of_tables(tables, threshold=threshold) / unit
    return divided(sensitivity, np.where(d_prime > LEAST_D_PRIME, d_prime, 0))


@metric(
    definition="Ratio of meta-d' to d', both in the type-1 model that the condition names.",
    unit="ratio",
    direction="target=1",
    low=-INFINITY,
    undefined=f"{ONE_SIDED}; d' at most 0.1; items without choices, or with different numbers of "
    "them",
    source="Maniscalco and Lau (2012)",
    interval=TEN,
    of_tables=m_ratio_of_tables,
)
def m_ratio(
    confidence: ArrayLike,
    correct: ArrayLike,
    *,
    type1: Type1Model,
    alternatives: int | None = None,
    threshold: float = 0.5,
) -> float:
    """M-ratio: meta-d' over d', both in one type-1 model; 1 for that model's ideal observer.

    Type-1 models:
        two_z: d' = 2 z(accuracy), with `meta_d_ideal`; two choices.
        two_afc: d' = sqrt(2) z(accuracy), with `meta_d_ideal` / sqrt(2); two choices. The ratio is
            that of two_z; only the units of its parts differ.
        m_afc: d' from accuracy = integral of phi(x - d') Phi(x)^(m-1) dx, with the d' whose ideal
            observer with m alternatives (confidence is the posterior of the choice) has the
            observed type-2 rates. Source of that d': Hacker and Ratcliff (1979).

    A fourth, `sdt`, is the `m_ratio` that `meta_d` returns.

    Args:
        confidence: In [0, 1], one a judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.
        type1: The model.
        alternatives: Choices an item, m >= 2, the same for all.
        threshold: Confidence from which on it counts as high, in [0, 1].

    Raises:
        ValueError: The model is not known, or it doesn't go with that number of choices.
    """
    return float(
        m_ratio_of_tables(
            confidence_table(confidence, correct),
            type1=type1,
            alternatives=alternatives,
            threshold=threshold,
        )[0]
    )


def d_prime_of(
    tables: ConfidenceTables, *, type1: Type1Model, alternatives: int | None = None
) -> FloatArray:
    """Return the type-1 d' of each table from its accuracy; NaN if all answers are right, or wrong.

    Raises:
        ValueError: The model is not known, or doesn't go with that number of choices.
    """
    check_choice("type1", type1, Type1Model)
    if type1 == "m_afc":
        if alternatives is None or alternatives < 2:
            raise ValueError(f"alternatives={alternatives}: m_afc needs 2 choices or more.")
        return afc_d_prime(accuracy_of_tables(tables), alternatives)
    if alternatives not in (None, 2):
        raise ValueError(f"alternatives={alternatives}: {type1} is for two choices; use m_afc.")
    share = accuracy_of_tables(tables)
    z = np.asarray(ndtri(np.where((share > 0) & (share < 1), share, np.nan)), np.float64)
    return z * (2 if type1 == "two_z" else np.sqrt(2))


_D_GRID = np.arange(0, 6.0001, 0.05)
_Z_GRID = np.arange(-3.8, 3.8001, 0.05)


def afc_accuracy(d_prime: FloatArray, alternatives: int) -> FloatArray:
    """Return the observer's accuracy: the integral of phi(x - d') Phi(x)^(m-1) dx."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    weights = weights / weights.sum()
    shifted = np.asarray(d_prime, float)[..., None] + nodes
    return np.asarray(ndtr(shifted) ** (alternatives - 1) @ weights)


@lru_cache(maxsize=16)
def _inverse_accuracy(alternatives: int) -> "PchipInterpolator":
    # Imported here because scipy.stats takes half a second, which every command would pay.
    from scipy.interpolate import PchipInterpolator  # noqa: PLC0415

    d = np.linspace(-2, 8, 1001)
    return PchipInterpolator(ndtri(afc_accuracy(d, alternatives)), d)


def afc_d_prime(accuracy: FloatArray, alternatives: int) -> FloatArray:
    """Return the d' of the observer with m alternatives from its accuracy; NaN at 0 and 1.

    Below 0 where accuracy is below chance; it is looked for from -2 to 8.
    """
    inside = (accuracy > 0) & (accuracy < 1)
    table = _inverse_accuracy(alternatives)
    z = np.clip(ndtri(np.where(inside, accuracy, 0.5)), table.x[0], table.x[-1])
    return np.where(inside, table(z), np.nan)


_POINTS = 2**16
_ENDS, _STRIDE = 512, 16
_CURVE_POINTS = np.r_[0:_ENDS, _ENDS : _POINTS - _ENDS : _STRIDE, _POINTS - _ENDS : _POINTS]
"""Points through which a curve is interpolated: all at its ends, where they are far apart."""


def _ideal_posteriors(alternatives: int) -> Iterator[FloatArray]:
    """Yield for each d' the posteriors of the observer's choices, highest first."""
    # Imported here because scipy.stats takes half a second, which every command would pay.
    from scipy.stats.qmc import Sobol  # noqa: PLC0415

    points = Sobol(alternatives, seed=0).random_base2(16)
    noise = ndtri(np.clip(points, 1e-12, 1 - 1e-12)).T
    highest_alternative = noise[1:].max(axis=0)
    for d in _D_GRID[1:]:
        choice = noise[0] + d
        highest = np.maximum(choice, highest_alternative)
        odds = np.exp(d * (choice - highest))
        for alternative in noise[1:]:
            odds += np.exp(d * (alternative - highest))
        yield np.sort(1 / odds)[::-1]


def _z_rates(cumulated: FloatArray) -> FloatArray:
    """Return z of the shares of the highest posteriors, at the points of a curve."""
    return np.asarray(ndtri((cumulated[_CURVE_POINTS] - cumulated[0] / 2) / cumulated[-1]))


@lru_cache(maxsize=16)
def _curves(alternatives: int) -> FloatArray:
    """Return z(H2) of the observer with m alternatives by z(F2) (rows) and its d' (columns)."""
    columns = [_Z_GRID]  # at d' = 0 confidence tells nothing
    for posteriors in _ideal_posteriors(alternatives):
        # The posterior p of the choice says how likely it is right, whichever is: so p and 1 - p
        # are the masses of right and wrong, and rates need no draw of which.
        right, wrong = np.cumsum(posteriors), np.cumsum(1 - posteriors)
        z_wrong, z_right = (_z_rates(cumulated) for cumulated in (wrong, right))
        finite = np.isfinite(z_wrong) & np.isfinite(z_right)
        columns.append(np.interp(_Z_GRID, z_wrong[finite], z_right[finite]))
    return np.column_stack(columns)


def afc_type2_d_prime(hit: FloatArray, false_alarm: FloatArray, alternatives: int) -> FloatArray:
    """Return the d' of the ideal observer with m alternatives that has these type-2 rates.

    Rates in the wrong order (F2 > H2), which no ideal observer has, give minus the d' of the
    rates exchanged. The greatest value is 6.
    """
    if alternatives == 2:
        # Two alternatives are one difference of evidence with variance 2.
        return np.asarray(ideal_d_prime(hit, false_alarm) / np.sqrt(2))
    defined = ~np.isnan(hit)
    sign = np.where(hit >= false_alarm, 1.0, -1.0)[defined]
    upper = np.asarray(ndtri(np.maximum(hit, false_alarm)[defined]), np.float64)
    lower = np.asarray(ndtri(np.minimum(hit, false_alarm)[defined]), np.float64)
    result = np.full(np.shape(hit), np.nan)
    result[defined] = sign * _first_d_prime(upper, lower, _curves(alternatives))
    return result


def _first_d_prime(upper: FloatArray, lower: FloatArray, table: FloatArray) -> FloatArray:
    """Return the first d' whose curve reaches z(H2) = upper at z(F2) = lower, else the last."""
    step = _Z_GRID[1] - _Z_GRID[0]
    place = np.clip((lower - _Z_GRID[0]) / step, 0, len(_Z_GRID) - 1.001)
    column, part = place.astype(np.int64), place % 1
    # A row a pair of rates: what each d' gives.
    curve = table[column] * (1 - part[:, None]) + table[column + 1] * part[:, None]
    curve += (lower - (_Z_GRID[column] + step * part))[:, None]  # beyond the ends: parallel
    reached = curve >= upper[:, None]
    reached[:, -1] = True
    above = np.maximum(reached.argmax(axis=1), 1)
    # The curves' small dips are noise of the table: the greatest up to a point counts there.
    below = np.arange(table.shape[1]) < above[:, None]
    low = np.where(below, curve, -np.inf).max(axis=1)
    high = np.maximum(low, curve[np.arange(len(upper)), above])
    share = np.clip((upper - low) / np.where(high > low, high - low, 1), 0, 1)
    return np.asarray(_D_GRID[above - 1] + share * (_D_GRID[above] - _D_GRID[above - 1]))
