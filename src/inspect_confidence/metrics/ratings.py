"""Type-2 ROC curves of greatest likelihood through all confidences, without a threshold.

A curve says what z(H2) is at each z(F2), by one or two parameters; where each confidence lies on it
is free. Confidences of more than 20 values are pooled into 20 classes of equal mass first.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from inspect_confidence.metrics.arrays import FloatArray, IntArray, divided
from inspect_confidence.metrics.confidence_tables import ConfidenceTables, of_judgments
from inspect_confidence.metrics.discrimination import auroc
from inspect_confidence.metrics.efficiency import LEAST_D_PRIME, d_prime_of, type2_curves
from inspect_confidence.metrics.information import MOST_CLASSES, pooled
from inspect_confidence.metrics.meta_d_prime import maximum, tridiagonal
from inspect_confidence.metrics.registry import INFINITY, UNREAD, Interval, metric

__all__ = ["m_ratio_afc", "meta_d_afc", "z_roc_slope"]

BoolArray = NDArray[np.bool_]

_ABOUT_VALUE = Interval("skewness_corrected", least=30, rarest=10)
_ONE_CLASS = f"{UNREAD}; all answers right, or all wrong; outcomes that are not 0 or 1"
_ONE_RATING = f"{_ONE_CLASS}; one confidence only; confidence that nearly always tells them apart"


@metric(
    definition="The d' of greatest likelihood of the ideal observer with the items' number of "
    "choices, over all confidences, criteria free.",
    unit="d'",
    direction="higher",
    undefined=f"{_ONE_RATING}; items without choices, or with different numbers of them",
    source="Maniscalco and Lau (2012); Hacker and Ratcliff (1979)",
    interval=_ABOUT_VALUE,
    toolbox=True,
)
@of_judgments
def meta_d_afc(tables: ConfidenceTables, *, alternatives: int) -> FloatArray:
    """meta-d' of m choices without a threshold: the ideal observer's d' of greatest likelihood.

    That observer, which `m_ratio` has for type1="m_afc", reports the posterior of its choice. With
    criteria free, its d' maximises sum n_cy log P(c | y) over confidences c and outcomes y. Of two
    choices this is Maniscalco and Lau's fit with both responses alike, over sqrt(2), the unit of
    `m_ratio`'s two_afc; of more, the observer's curve is a polynomial through 65,536 simulated
    answers (z to within .02 up to d' = 4). Below 0 where wrong answers are surer. At most 5 of
    more than two choices.

    Args:
        tables: Of judgments with outcomes of 0 or 1.
        alternatives: Choices an item, m >= 2, the same for all.

    Raises:
        ValueError: There are fewer than 2 alternatives.

    Example:
        >>> high = [0.9] * 800 + [0.1] * 200 + [0.9] * 350 + [0.1] * 650
        >>> right = [1] * 1000 + [0] * 1000
        >>> round(meta_d_afc(high, right, alternatives=2) * 2**0.5, 3)
        2.117
    """
    if alternatives < 2:
        raise ValueError(f"alternatives={alternatives}: meta-d' needs 2 choices or more.")
    key = ("meta_d_afc", alternatives)
    if key not in tables.shared:
        tables.shared[key] = _meta_d(tables, alternatives)
    return np.asarray(tables.shared[key])


@metric(
    definition="Ratio of meta_d_afc to the d' that has the accuracy, for the same observer.",
    unit="ratio",
    direction="target=1",
    low=-INFINITY,
    undefined=f"{_ONE_RATING}; d' at most 0.1; items without choices, or with different "
    "numbers of them",
    source="Maniscalco and Lau (2012); Hacker and Ratcliff (1979)",
    interval=_ABOUT_VALUE,
    toolbox=True,
)
@of_judgments
def m_ratio_afc(tables: ConfidenceTables, *, alternatives: int) -> FloatArray:
    """M-ratio of m choices without a threshold: `meta_d_afc` over the d' of the accuracy.

    1 for the ideal observer with m alternatives, whatever its criteria.

    Args:
        tables: Of judgments with outcomes of 0 or 1.
        alternatives: Choices an item, m >= 2, the same for all.

    Raises:
        ValueError: There are fewer than 2 alternatives.
    """
    sensitivity = meta_d_afc.of(tables, alternatives=alternatives)
    d_prime = d_prime_of(tables, type1="m_afc", alternatives=alternatives)
    return divided(sensitivity, np.where(d_prime > LEAST_D_PRIME, d_prime, 0))


@metric(
    definition="Slope b of the binormal type-2 ROC curve z(H2) = a + b z(F2) of greatest "
    "likelihood.",
    unit="ratio",
    undefined=f"{_ONE_RATING}; two confidences only",
    source="Dorfman and Alf (1969); Macmillan and Creelman (2005)",
    interval=Interval("skewness_corrected", least=100, rarest=20),
    toolbox=True,
)
@of_judgments
def z_roc_slope(tables: ConfidenceTables) -> FloatArray:
    """Slope of the z-transformed type-2 ROC curve: b of z(H2) = a + b z(F2).

    With normal evidence behind confidence, its standard deviation among wrong answers over that
    among right ones. Below 1 the evidence of right answers is the more variable. Criteria are free;
    the likelihood is that of all confidences. NaN where it has no maximum from 1/20 to 20.
    """
    few = pooled(tables, np.full(len(tables.right), MOST_CLASSES))
    found = np.full(len(few.right), np.nan)
    rows = _fitting(few, levels=3)
    start = np.stack([np.zeros(len(rows)), np.ones(len(rows))])
    found[rows] = maximum_of(few.right[rows], few.wrong[rows], _binormal, start)[1]
    found[~((found > 1 / _FARTHEST) & (found < _FARTHEST))] = np.nan
    return found


def _fitting(tables: ConfidenceTables, levels: int = 2) -> IntArray:
    """The rows that have both outcomes and as many confidences."""
    both = (tables.right.sum(axis=1) > 0) & (tables.wrong.sum(axis=1) > 0) & tables.binary
    return np.flatnonzero(both & ((tables.mass > 0).sum(axis=1) >= levels))


def _meta_d(tables: ConfidenceTables, alternatives: int) -> FloatArray:
    """`meta_d_afc` of tables."""
    few = pooled(tables, np.full(len(tables.right), MOST_CLASSES))
    found = np.full(len(few.right), np.nan)
    rows = _fitting(few)
    right, wrong = few.right[rows], few.wrong[rows]
    if alternatives == 2:
        # Both responses alike: surest S1 ... surest S2, given S2 and, mirrored, given S1.
        counts = np.hstack([wrong[:, ::-1], right]) / 2
        ones = np.ones(len(rows))
        reached = maximum(counts[:, ::-1], counts, ones, 0 * ones)[0] / np.sqrt(2)
        found[rows] = np.where(np.isfinite(reached), reached, np.nan)
        return found
    # Rates in the wrong order give minus the d' of the outcomes exchanged.
    swapped = (auroc.of(few) < 0.5)[rows][:, None]
    sides = np.where(swapped, wrong, right), np.where(swapped, right, wrong)
    curve = partial(_ideal, _polynomial(alternatives))
    reached = maximum_of(*sides, curve, np.ones((1, len(rows))))[0]
    found[rows] = np.where(swapped[:, 0], -1, 1) * np.where(reached < _LARGEST, reached, np.nan)
    return found


Curve = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray, FloatArray]]
"""z(F2), of shape (K - 1, rows), and parameters, of shape (p, rows) -> z(H2), its slope by z(F2),
and its slopes by the parameters, of shape (K - 1, p, rows)."""


def _binormal(u: FloatArray, shape: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The curve z(H2) = a + b z(F2)."""
    slope = np.broadcast_to(np.maximum(shape[1], 1e-3), u.shape)
    return shape[0] + shape[1] * u, slope, np.stack([np.ones_like(u), u], axis=1)


_LARGEST, _EDGE = 5.0, 3.2
_DEGREES = (6, 6)


@lru_cache(maxsize=16)
def _polynomial(alternatives: int) -> tuple[FloatArray, ...]:
    """Coefficients of (z(H2) - z(F2)) / d' of the ideal observer, and of its derivatives.

    These are by z(F2), by d', and by both. Of Chebyshev polynomials in z(F2) / 3.2 (rows) and
    2 d'/5 - 1 (columns), by least squares.
    """
    u, d, z = type2_curves(alternatives)
    inside, there = np.abs(u) <= _EDGE, (d >= 0.2) & (d <= _LARGEST)
    x, y = np.meshgrid(u[inside] / _EDGE, 2 * d[there] / _LARGEST - 1, indexing="ij")
    weight = np.broadcast_to(d[there], x.shape).ravel()
    basis = chebyshev.chebvander2d(x.ravel(), y.ravel(), _DEGREES)
    rise = (z - u[:, None])[np.ix_(inside, there)].ravel()
    solution = np.linalg.lstsq(basis * weight[:, None], rise, rcond=None)[0]
    made = np.asarray(solution, np.float64).reshape(_DEGREES[0] + 1, _DEGREES[1] + 1)
    by_u = chebyshev.chebder(made, scl=1 / _EDGE, axis=0)
    by_d, by_both = (chebyshev.chebder(one, scl=2 / _LARGEST, axis=1) for one in (made, by_u))
    return tuple(np.asarray(one, np.float64) for one in (made, by_u, by_d, by_both))


def _ideal(
    coefficients: tuple[FloatArray, ...], u: FloatArray, shape: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The curve of the ideal observer, straight on beyond |z(F2)| = 3.2."""
    d, inside = shape[0], np.clip(u, -_EDGE, _EDGE)
    y = np.clip(2 * d / _LARGEST - 1, -1.2, 1)
    rows = (chebyshev.chebvander(y, part.shape[1] - 1) @ part.T for part in coefficients)
    value, by_u, by_d, by_both = (
        chebyshev.chebval(inside / _EDGE, row.T[:, None, :], tensor=False) for row in rows
    )
    beyond = u - inside
    by_shape = value + d * by_d + beyond * (by_u + d * by_both)
    return u + d * (value + beyond * by_u), np.maximum(1 + d * by_u, 1e-3), by_shape[:, None]


_STEPS = 50
_SHORTEST = 1e-6
_FLOOR = 1e-150
_FARTHEST = 20.0
"""Where the likelihood still rises beyond this parameter, it has no maximum."""
_NOWHERE = 1e4
"""z(F2) of a criterion below all confidences."""


class Step(NamedTuple):
    """A point's log-likelihood and the scoring step from it, each with rows last."""

    value: FloatArray  # (R,) log-likelihood per judgment
    criteria: FloatArray  # (K - 1, R) step of the criteria
    shape: FloatArray  # (p, R) step of the parameters
    gain: FloatArray  # (R,) slope along the step, 0 at the maximum
    length: FloatArray  # (R,) share of the step, below 1 where criteria would cross


def maximum_of(right: FloatArray, wrong: FloatArray, curve: Curve, start: FloatArray) -> FloatArray:
    """The parameters of greatest likelihood, of shape (p, rows), for rows of counts (rows, K).

    By Fisher's scoring: the information of the criteria is tridiagonal, so that a step of all rows
    is one vectorised solution. Rows that don't converge are NaN.
    """
    counts = np.stack([wrong.T, right.T])[:, ::-1]
    empty = counts.sum(axis=0) == 0
    order = np.argsort(empty, axis=0, kind="stable")
    levels = max(2, int((~empty).sum(axis=0).max(initial=0)))
    counts = np.take_along_axis(counts, order[None], axis=1)[:, :levels]
    missing = np.take_along_axis(empty, order, axis=0)[1:levels]
    between = (np.cumsum(counts, axis=1)[:, :-1] / counts.sum(axis=1)[:, None]).mean(axis=0)
    u = np.where(missing, _NOWHERE, ndtri(np.minimum(between, 1 - 1e-12)) - start[0] / 2)
    found, left, shape = np.full(start.shape, np.nan), np.arange(start.shape[1]), start
    with np.errstate(all="ignore"):
        at = _scored(counts, missing, u, shape, curve)
        length = at.length
        for _ in range(_STEPS):
            there = u + length * at.criteria, shape + length * at.shape
            new = _scored(counts, missing, *there, curve)
            taken = new.value >= at.value + 1e-4 * length * at.gain - 1e-12
            length = np.where(taken, new.length, length / 4)
            u, shape = np.where(taken, there[0], u), np.where(taken, there[1], shape)
            at = Step(*(np.where(taken, one, other) for one, other in zip(new, at, strict=True)))
            ends = (at.gain < 1e-13) | (np.abs(shape) > _FARTHEST).any(axis=0)
            # Beyond the reach of a curve no step raises the likelihood.
            stuck = ~ends & ((length < _SHORTEST) | ~np.isfinite(at.gain))
            if (ends | stuck).any():
                found[:, left[ends]] = shape[:, ends]
                stays = ~(ends | stuck)
                left, length, missing = left[stays], length[stays], missing[:, stays]
                counts, u, shape = counts[..., stays], u[:, stays], shape[:, stays]
                at = Step(*(one[..., stays] for one in at))
            if not len(left):
                break
    return found


def _scored(
    counts: FloatArray, missing: BoolArray, u: FloatArray, shape: FloatArray, curve: Curve
) -> Step:
    """What counts of shape (2, K, rows), wrong answers before right ones, say of a point."""
    z, slope, by_shape = curve(u, shape)
    share = counts / counts.sum(axis=(0, 1))
    density = np.exp(-0.5 * np.stack([u, z]) ** 2) / np.sqrt(2 * np.pi)
    chance = np.stack([_between(u), _between(z)])
    pull = share / chance
    over = share.sum(axis=1, keepdims=True) / chance
    # A criterion takes from the confidence below it what it adds to the one above.
    score = density * (pull[:, :-1] - pull[:, 1:])
    moved = np.stack([density[0], density[1] * slope])
    slopes = score[0] + score[1] * slope
    diagonal = (moved**2 * (over[:, :-1] + over[:, 1:])).sum(axis=0) + missing
    beside = -(moved[:, :-1] * moved[:, 1:] * over[:, 1:-1]).sum(axis=0)
    # The parameters move right answers alone.
    added = density[1][:, None] * by_shape
    ends = np.zeros_like(added[:1])
    gained = np.diff(np.concatenate([ends, added, ends]), axis=0)
    rates = gained * over[1][:, None]
    border = moved[1][:, None] * (rates[:-1] - rates[1:])
    own = tridiagonal(diagonal, beside, np.concatenate([slopes[:, None], border], axis=1))
    gradient = (score[1][:, None] * by_shape).sum(axis=0)
    rise = gradient - (border * own[:, :1]).sum(axis=0)
    schur = (gained[:, :, None] * rates[:, None]).sum(axis=0)
    schur = schur - (border[:, :, None] * own[:, None, 1:]).sum(axis=0)
    schur = np.moveaxis(schur, -1, 0)
    least = 1e-9 * np.trace(schur, axis1=1, axis2=2) + 1e-12  # where nothing tells them apart
    schur = schur + least[:, None, None] * np.eye(len(shape))
    by = np.linalg.solve(schur, rise.T[..., None])[..., 0].T
    step = np.where(missing, 0, own[:, 0] - (own[:, 1:] * by).sum(axis=1))
    gain = (slopes * step).sum(axis=0) + (gradient * by).sum(axis=0)
    return Step((share * np.log(chance)).sum(axis=(0, 1)), step, by, gain, _reach(u, step, missing))


def _reach(u: FloatArray, step: FloatArray, missing: BoolArray) -> FloatArray:
    """The share of the step at which no criteria cross and none moves by more than 2."""
    far = np.abs(step).max(axis=0) / 2
    if len(u) > 1:
        closing = np.where(missing[1:], 0, -np.diff(step, axis=0) / np.diff(u, axis=0))
        far = np.maximum(far, closing.max(axis=0) / 0.9)
    return np.asarray(np.minimum(1, 1 / np.maximum(far, _FLOOR)))


def _between(z: FloatArray) -> FloatArray:
    """Normal probabilities between criteria in ascending order, and outside them."""
    end = np.full_like(z[:1], np.inf)
    low, high = np.concatenate([-end, z]), np.concatenate([z, end])
    # In the upper half by the upper tails, where differences of probabilities stay accurate.
    side = np.where(low > 0, -1, 1)
    return np.asarray(np.maximum(side * (ndtr(side * high) - ndtr(side * low)), _FLOOR))
