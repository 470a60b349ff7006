"""Type-2 sensitivity at a threshold: how well high confidence goes with right answers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from inspect_confidence.metrics._arrays import FloatArray
from inspect_confidence.metrics._ideal_observer import criterion_at, ideal_d_prime
from inspect_confidence.metrics._tables import ConfidenceTables, one_table

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
