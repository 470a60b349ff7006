"""Type-2 sensitivity at a threshold: how well high confidence goes with right answers."""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri, softmax

from inspect_confidence.metrics.arrays import FloatArray

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator
from typing import Literal, NamedTuple, get_args

from numpy.typing import ArrayLike

from inspect_confidence.metrics.confidence_tables import (
    ConfidenceTables,
    accuracy_of,
    divided,
    one_table,
)

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


_EDGE = 1e-9


class Type2Rates(NamedTuple):
    """Shares of high confidence, with 0.5 added to each cell of the 2 x 2 table.

    Attributes:
        hit: H2, among right answers.
        false_alarm: F2, among wrong answers.
    """

    hit: FloatArray
    false_alarm: FloatArray


def type2_dprime(confidence: ArrayLike, correct: ArrayLike, *, threshold: float = 0.5) -> float:
    """Type-2 d' at a threshold: z(H2) - z(F2).

    H2 and F2 are the shares of confidence >= threshold among right and among wrong answers, after
    the log-linear correction (0.5 added to each of the four counts). Depends on where the threshold
    lies among the confidences.

    Args:
        confidence: In [0, 1], one a judgment.
        correct: 1 right or 0 wrong.
        threshold: In [0, 1].

    Returns:
        In units of d'. Judgments with a NaN are left out. NaN where before the correction all
        judgments lie on one side of the threshold or all answers are right, or wrong, since the
        correction alone would make sensitivity there; NaN for outcomes between 0 and 1.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Source: Macmillan and Creelman (2005); correction: Hautus (1995).

    Example:
        >>> round(type2_dprime([0.9, 0.9, 0.9, 0.1] * 9, [1, 1, 0, 0] * 9), 3)
        1.938
    """
    return float(type2_dprime_of(one_table(confidence, correct), threshold=threshold)[0])


def meta_d_ideal(confidence: ArrayLike, correct: ArrayLike, *, threshold: float = 0.5) -> float:
    """The d' of the unbiased two-choice ideal observer with the observed H2 and F2.

    That observer has evidence x ~ N(d'/2, 1), chooses its sign and is confident where |x| > c, so
    H2 = Phi(d'/2 - c) / Phi(d'/2) and F2 = Phi(-d'/2 - c) / Phi(-d'/2). Equals Maniscalco and
    Lau's meta-d' with two ratings and symmetric sides. Rates carry the log-linear correction.

    Args:
        confidence: In [0, 1], one a judgment.
        correct: 1 right or 0 wrong.
        threshold: Confidence from which on it counts as high, in [0, 1].

    Returns:
        In units of d'; below 0 where wrong answers are more often confident. NaN where
        `type2_dprime` is.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Example:
        >>> high = [0.9] * 800 + [0.1] * 200 + [0.9] * 350 + [0.1] * 650
        >>> round(meta_d_ideal(high, correct=[1] * 1000 + [0] * 1000), 2)
        2.11
    """
    return float(meta_d_ideal_of(one_table(confidence, correct), threshold=threshold)[0])


def type2_criterion(confidence: ArrayLike, correct: ArrayLike, *, threshold: float = 0.5) -> float:
    """The criterion c of the ideal observer of `meta_d_ideal`: evidence that it takes to be sure.

    Args:
        confidence: In [0, 1], one a judgment.
        correct: 1 right or 0 wrong.
        threshold: Confidence from which on it counts as high, in [0, 1].

    Returns:
        In units of d'; the lower, the more readily high confidence is stated. NaN where
        `type2_dprime` is.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.
    """
    return float(type2_criterion_of(one_table(confidence, correct), threshold=threshold)[0])


def type2_dprime_of(tables: ConfidenceTables, *, threshold: float = 0.5) -> FloatArray:
    """`type2_dprime` of each table."""
    rates = type2_rates(tables, threshold)
    return np.asarray(ndtri(rates.hit) - ndtri(rates.false_alarm))


def meta_d_ideal_of(tables: ConfidenceTables, *, threshold: float = 0.5) -> FloatArray:
    """`meta_d_ideal` of each table."""
    key = ("ideal d'", threshold)
    if key not in tables.shared:
        tables.shared[key] = ideal_d_prime(*type2_rates(tables, threshold))
    return np.asarray(tables.shared[key])


def type2_criterion_of(tables: ConfidenceTables, *, threshold: float = 0.5) -> FloatArray:
    """`type2_criterion` of each table."""
    rates = type2_rates(tables, threshold)
    return criterion_at(meta_d_ideal_of(tables, threshold=threshold), rates.hit)


def type2_rates(tables: ConfidenceTables, threshold: float) -> Type2Rates:
    """Corrected H2 and F2 of each table; NaN where the uncorrected table tells nothing."""
    key = ("type-2 rates", threshold)
    if key not in tables.shared:
        tables.shared[key] = _rates(tables, threshold)
    return Type2Rates(*tables.shared[key])


def _rates(tables: ConfidenceTables, threshold: float) -> Type2Rates:
    (high_right, right), (high_wrong, wrong) = _counts(tables, threshold)
    high, all_of_them = high_right + high_wrong, right + wrong
    tells = (right > 0) & (wrong > 0) & (high > 0) & (high < all_of_them * (1 - 1e-12))
    tells &= tables.binary
    return Type2Rates(
        np.where(tells, (high_right + 0.5) / (right + 1), np.nan),
        np.where(tells, (high_wrong + 0.5) / (wrong + 1), np.nan),
    )


def type2_remark(tables: ConfidenceTables, threshold: float) -> str:
    """Why the first table's type-2 sensitivity is undefined or weak; empty where it is neither."""
    (high_right, right), (high_wrong, wrong) = (
        (float(high[0]), float(total[0])) for high, total in _counts(tables, threshold)
    )
    if not tables.binary:
        return "outcomes are not all right or wrong"
    if right + wrong == 0:
        return "no judgment"
    if right == 0 or wrong == 0:
        return f"all answers are {'wrong' if right == 0 else 'right'}"
    if high_right + high_wrong in (0.0, right + wrong) or np.isnan(
        type2_rates(tables, threshold).hit[0]
    ):
        side = "below" if high_right + high_wrong == 0 else "at or above"
        return f"every judgment lies {side} the threshold {threshold:g}"
    least = min(high_right, right - high_right, high_wrong, wrong - high_wrong)
    return f"smallest type-2 cell {least:.3g}, under 5" if least < 5 - 1e-9 else ""


def _counts(
    tables: ConfidenceTables, threshold: float
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """High confidence and all, among right and among wrong answers."""
    first = int(np.searchsorted(tables.values, threshold - _EDGE))
    return (
        (tables.right[:, first:].sum(axis=1), tables.right.sum(axis=1)),
        (tables.wrong[:, first:].sum(axis=1), tables.wrong.sum(axis=1)),
    )


Type1Model = Literal["two_z", "two_afc", "m_afc"]

LEAST_D_PRIME = 0.1
"""A d' up to this is too near 0 to divide by."""


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
            observed type-2 rates.

    A fourth, `sdt`, is the `m_ratio` that `meta_d` returns.

    Args:
        confidence: In [0, 1], one a judgment.
        correct: 1 right or 0 wrong.
        type1: The model.
        alternatives: Choices an item, m >= 2, the same for all.
        threshold: Confidence from which on it counts as high, in [0, 1].

    Returns:
        A ratio. Judgments with a NaN are left out. NaN where `type2_dprime` is, and where d' is at
        most 0.1.

    Raises:
        ValueError: A value lies outside [0, 1], lengths differ, the model is not known, or it
            doesn't go with that number of choices.

    Source: Maniscalco and Lau (2012) for the ratio; m-alternative d': Hacker and Ratcliff (1979).
    """
    tables = one_table(confidence, correct)
    return float(m_ratio_of(tables, type1=type1, alternatives=alternatives, threshold=threshold)[0])


def m_ratio_of(
    tables: ConfidenceTables,
    *,
    type1: Type1Model,
    alternatives: int | None = None,
    threshold: float = 0.5,
) -> FloatArray:
    """`m_ratio` of each table."""
    d_prime = d_prime_of(tables, type1=type1, alternatives=alternatives)
    rates = type2_rates(tables, threshold)
    if type1 == "m_afc" and alternatives is not None:
        sensitivity = afc_type2_d_prime(*rates, alternatives)
    else:
        sensitivity = ideal_d_prime(*rates) / (1 if type1 == "two_z" else np.sqrt(2))
    return divided(sensitivity, np.where(d_prime > LEAST_D_PRIME, d_prime, 0))


def d_prime_of(
    tables: ConfidenceTables, *, type1: Type1Model, alternatives: int | None = None
) -> FloatArray:
    """Type-1 d' of each table from its accuracy; NaN where all answers are right, or wrong.

    Raises:
        ValueError: The model is not known, or doesn't go with that number of choices.
    """
    if type1 not in get_args(Type1Model):
        raise ValueError(f"type1={type1!r} is not one of {', '.join(get_args(Type1Model))}.")
    if type1 == "m_afc":
        if alternatives is None or alternatives < 2:
            raise ValueError(f"alternatives={alternatives}: m_afc needs 2 choices or more.")
        return afc_d_prime(accuracy_of(tables), alternatives)
    if alternatives not in (None, 2):
        raise ValueError(f"alternatives={alternatives}: {type1} is for two choices; use m_afc.")
    share = accuracy_of(tables)
    z = np.asarray(ndtri(np.where((share > 0) & (share < 1), share, np.nan)))
    return z * (2 if type1 == "two_z" else np.sqrt(2))
