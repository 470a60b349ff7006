"""Type-2 sensitivity at a threshold, and the observers that it is compared with.

A count table gives two rates, hits and false alarms of high confidence. The rates give
sensitivities: their own d', and the d' and the criterion of the ideal observer that has these
rates, with two choices or more.
"""

from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from inspect_confidence.metrics.arrays import EDGE, FloatArray, check_choice
from inspect_confidence.metrics.registry import FEW_WRONG, metric
from inspect_confidence.metrics.tables import ConfidenceTables, accuracy_of_tables, confidence_table

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator

__all__ = ["meta_d_ideal", "type2_criterion", "type2_dprime", "type2_remark"]

ONE_SIDED = (
    "every confidence, or none, at or above the threshold (`--thresholds`); all answers right, or "
    "all wrong; outcomes that are not 0 or 1"
)


def type2_dprime_of_tables(tables: ConfidenceTables, *, threshold: float = 0.5) -> FloatArray:
    """Compute `type2_dprime` of each table: z(H2) - z(F2).

    H2 and F2 are the shares of confidence >= threshold among right and among wrong answers
    (`type2_rates`, which says where they are NaN), z is the normal quantile.
    """
    rates = type2_rates(tables, threshold)
    return np.asarray(ndtri(rates.hit) - ndtri(rates.false_alarm))


@metric(
    definition="Type-2 d', z(H2) - z(F2), with the shares of right (H2) and of wrong answers (F2) "
    "with confidence at or above a threshold (`--thresholds`: 0.5 and 0.75), 0.5 added to each of "
    "the four counts (right or wrong, confidence high or low).",
    unit="d'",
    direction="higher",
    undefined=ONE_SIDED,
    interval=FEW_WRONG,
    source="Macmillan and Creelman (2005); Hautus (1995)",
    of_tables=type2_dprime_of_tables,
)
def type2_dprime(confidence: ArrayLike, correct: ArrayLike, *, threshold: float = 0.5) -> float:
    """Type-2 d' at a threshold: z(H2) - z(F2).

    H2 and F2 are the shares of confidence >= threshold among right and among wrong answers, after
    the log-linear correction (0.5 added to each of the four counts). NaN if before the correction
    all judgments lie on one side of the threshold, as the correction alone would make sensitivity
    there, or if all answers are right, or all wrong. Depends on where the threshold lies among the
    confidences.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong; the result is NaN if another outcome is among them.
        threshold: In [0, 1].

    Example:
        >>> round(type2_dprime([0.9, 0.9, 0.9, 0.1] * 9, [1, 1, 0, 0] * 9), 3)
        1.938
    """
    tables = confidence_table(confidence, correct)
    return float(type2_dprime_of_tables(tables, threshold=threshold)[0])


def meta_d_ideal_of_tables(tables: ConfidenceTables, *, threshold: float = 0.5) -> FloatArray:
    """Compute `meta_d_ideal` of each table: the d' of the ideal observer with its H2 and F2.

    H2 and F2 are the shares of confidence >= threshold among right and among wrong answers. NaN
    where they are (`type2_rates`).
    """
    key = ("ideal d'", threshold)
    if key not in tables.shared:  # a cache, because other metrics of the tables need it, too
        tables.shared[key] = ideal_d_prime(*type2_rates(tables, threshold))
    return np.asarray(tables.shared[key])


@metric(
    definition="The d' of the unbiased two-choice ideal observer that has the model's shares of "
    "right and of wrong answers with confidence at or above a threshold (`--thresholds`: 0.5 and "
    "0.75), 0.5 added to each of the four counts (right or wrong, confidence high or low).",
    unit="d'",
    direction="higher",
    undefined=ONE_SIDED,
    interval=FEW_WRONG,
    source="Dai (2026), the scale-design study",
    of_tables=meta_d_ideal_of_tables,
)
def meta_d_ideal(confidence: ArrayLike, correct: ArrayLike, *, threshold: float = 0.5) -> float:
    """The d' of the unbiased two-choice ideal observer with the observed H2 and F2.

    H2 and F2 are the shares of confidence >= threshold among right and among wrong answers, after
    the log-linear correction (0.5 added to each of the four counts). The observer has evidence
    x ~ N(d'/2, 1), is right where x > 0 and confident where |x| > c, so that
    H2 = Phi(d'/2 - c) / Phi(d'/2) and F2 = Phi(-d'/2 - c) / Phi(-d'/2). It is Maniscalco and Lau's
    meta-d' with two ratings and symmetric sides: below 0 where wrong answers are more often
    confident, NaN in the cases of `type2_dprime`.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong; the result is NaN if another outcome is among them.
        threshold: Confidence from which on it counts as high, in [0, 1].

    Example:
        >>> high = [0.9] * 800 + [0.1] * 200 + [0.9] * 350 + [0.1] * 650
        >>> round(meta_d_ideal(high, correct=[1] * 1000 + [0] * 1000), 2)
        2.11
    """
    tables = confidence_table(confidence, correct)
    return float(meta_d_ideal_of_tables(tables, threshold=threshold)[0])


def type2_criterion_of_tables(tables: ConfidenceTables, *, threshold: float = 0.5) -> FloatArray:
    """Compute `type2_criterion` of each table: the criterion of the observer of `meta_d_ideal`.

    NaN where `type2_rates` is.
    """
    hit, _ = type2_rates(tables, threshold)
    return criterion_at(meta_d_ideal_of_tables(tables, threshold=threshold), hit)


@metric(
    definition="Criterion of the ideal observer of `meta_d_ideal`: the evidence that it takes to "
    "reach the threshold.",
    unit="d'",
    undefined=ONE_SIDED,
    interval=FEW_WRONG,
    source="Dai (2026), the scale-design study",
    of_tables=type2_criterion_of_tables,
)
def type2_criterion(confidence: ArrayLike, correct: ArrayLike, *, threshold: float = 0.5) -> float:
    """The criterion c of the ideal observer of `meta_d_ideal`: evidence that it takes to be sure.

    c = d'/2 - z(H2 Phi(d'/2)), where H2 is the share of right answers with high confidence and
    z the normal quantile. The observer is sure if its evidence |x| exceeds c: the lower c is, the
    more readily high confidence is stated.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong; the result is NaN if another outcome is among them.
        threshold: Confidence from which on it counts as high, in [0, 1].
    """
    tables = confidence_table(confidence, correct)
    return float(type2_criterion_of_tables(tables, threshold=threshold)[0])


class Type2Rates(NamedTuple):
    """Shares of high confidence, with 0.5 added to each cell of the 2 x 2 table."""

    hit: FloatArray  # H2, among right answers
    false_alarm: FloatArray  # F2, among wrong answers


def type2_rates(tables: ConfidenceTables, threshold: float) -> Type2Rates:
    """Return H2 and F2 of each table: shares of confidence >= threshold of right and wrong answers.

    NaN if outcomes are not 0 or 1, all answers are right or all wrong, or confidence is always or
    never at the threshold or above. The log-linear correction keeps both rates from 0 and 1.
    """
    key = ("type-2 rates", threshold)
    if key not in tables.shared:  # a cache for other metrics of the tables
        (high_right, right), (high_wrong, wrong) = _high_and_total_masses(tables, threshold)
        high, total = high_right + high_wrong, right + wrong
        is_defined = (right > 0) & (wrong > 0) & (high > 0) & (high < total * (1 - 1e-12))
        is_defined &= tables.binary
        # The log-linear correction (Hautus 1995) adds half a judgment to each of the four cells,
        # right or wrong with low or high confidence. A resample already contains about a quarter of
        # one in each cell, its pseudo-judgments `tables.pseudo`, against intervals that are too
        # narrow; there as much again is added.
        added_low_right, added_low_wrong, added_high_right, added_high_wrong = np.where(
            tables.are_resamples, tables.pseudo.T, 0.5
        )
        added_right = added_low_right + added_high_right
        added_wrong = added_low_wrong + added_high_wrong
        tables.shared[key] = Type2Rates(
            _rate(high_right + added_high_right, right + added_right, is_defined),
            _rate(high_wrong + added_high_wrong, wrong + added_wrong, is_defined),
        )
    return Type2Rates(*tables.shared[key])


def _rate(part: FloatArray, whole: FloatArray, defined: NDArray[np.bool_]) -> FloatArray:
    """Return part / whole, kept 1e-12 from 0 and 1 for a finite quantile; NaN if not `defined`."""
    share = part / np.where(whole > 0, whole, 1)
    return np.where(defined, np.clip(share, 1e-12, 1 - 1e-12), np.nan)


def _high_and_total_masses(
    tables: ConfidenceTables, threshold: float
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Return each table's masses of right answers, (high, all), and of wrong ones, (high, all).

    The high mass is that at confidences from the threshold on.
    """
    first = int(np.searchsorted(tables.values, threshold - EDGE))
    return (
        (tables.right[:, first:].sum(axis=1), tables.right.sum(axis=1)),
        (tables.wrong[:, first:].sum(axis=1), tables.wrong.sum(axis=1)),
    )


def type2_remark(tables: ConfidenceTables, threshold: float) -> str:
    """Return why the first table's type-2 sensitivity is undefined or weak; empty if neither.

    Weak means that one of the four cells (right or wrong, of high or low confidence) has fewer than
    five judgments.
    """
    (high_right, right), (high_wrong, wrong) = (
        (float(high[0]), float(total[0]))
        for high, total in _high_and_total_masses(tables, threshold)
    )
    if not tables.binary:
        return "outcomes are not all right or wrong"
    if right + wrong == 0:
        return "no judgment"
    if right == 0 or wrong == 0:
        return f"all answers are {'wrong' if right == 0 else 'right'}"
    # Rates are NaN, too, if all but a rounding error lies on one side.
    has_no_rates = np.isnan(type2_rates(tables, threshold).hit[0])
    if high_right + high_wrong in (0.0, right + wrong) or has_no_rates:
        side = "below" if high_right + high_wrong == 0 else "at or above"
        return f"every judgment lies {side} the threshold {threshold:g}"
    smallest_cell = min(high_right, right - high_right, high_wrong, wrong - high_wrong)
    return f"smallest type-2 cell {smallest_cell:.3g}, under 5" if smallest_cell < 5 - 1e-9 else ""


def ideal_d_prime(hit: FloatArray, false_alarm: FloatArray) -> FloatArray:
    """Return the d' of the unbiased two-choice ideal observer with type-2 rates H2 (`hit`) and F2.

    H2 = Phi(d'/2 - c) / Phi(d'/2) and F2 = Phi(-d'/2 - c) / Phi(-d'/2) with one criterion c. So d'
    is the only root of d' = z(H2 Phi(d'/2)) - z(F2 Phi(-d'/2)), z being the normal quantile, up to
    16, for H2 > F2; for F2 > H2 it is minus the d' of the rates exchanged. NaN if a rate is.
    """
    upper, lower = np.maximum(hit, false_alarm), np.minimum(hit, false_alarm)
    d, low, high = (np.full(np.shape(hit), start) for start in (1.0, 0.0, 16.0))
    # Newton's steps from 1; where a step would leave the bracket (low, high) of the root, the
    # bracket is halved. Ten times as fast as a library's root finder, which a bootstrap calls
    # thousands of times.
    for _ in range(60):
        z_right, z_wrong = ndtri(upper * ndtr(d / 2)), ndtri(lower * ndtr(-d / 2))
        excess = z_right - z_wrong - d
        low, high = np.where(excess > 0, d, low), np.where(excess > 0, high, d)
        with np.errstate(invalid="ignore", over="ignore"):
            # Twice the derivative of z_right - z_wrong by d': H2 phi(d'/2)/phi(z_right) + ...
            slope_right = upper * np.exp((z_right**2 - d**2 / 4) / 2)
            slope_wrong = lower * np.exp((z_wrong**2 - d**2 / 4) / 2)
            newton_d = d - excess / ((slope_right + slope_wrong) / 2 - 1)
        # Within rounding of the bracket's ends Newton has arrived.
        inside = (newton_d > low - 1e-9) & (newton_d < high + 1e-9)
        next_d = np.where(inside, np.clip(newton_d, low, high), (low + high) / 2)
        # The error that a step of Newton's leaves is of the order of its square.
        done = np.abs(next_d - d) < np.where(inside, 1e-8, 1e-12)
        d = next_d
        if (done | np.isnan(excess)).all():
            break
    sign = np.where(hit >= false_alarm, 1.0, -1.0)
    return np.asarray(np.where(np.isnan(hit + false_alarm), np.nan, sign * d))


def criterion_at(d: FloatArray, hit: FloatArray) -> FloatArray:
    """Return the criterion c of the observer of `ideal_d_prime`: d'/2 - z(H2 Phi(d'/2)).

    `d` is d' and `hit` H2, the share of right answers that are confident, with evidence |x| > c.
    """
    return np.asarray(d / 2 - ndtri(hit * ndtr(d / 2)))


Type1Model = Literal["two_z", "two_afc", "m_afc"]

LEAST_D_PRIME = 0.1
"""Largest d' that is too near 0 as a divisor."""


def d_prime_of(
    tables: ConfidenceTables, *, type1: Type1Model, alternatives: int | None = None
) -> FloatArray:
    """Return the type-1 d' of each table from its accuracy; NaN if all answers are right, or wrong.

    `type1` is the model and `alternatives` the number m of choices. With z the normal quantile,
    d' is 2 z(accuracy) for `two_z` (evidence of variance 1, whose sign is the choice),
    sqrt(2) z(accuracy) for `two_afc` (the difference of two alternatives' evidence, of variance 2),
    and for `m_afc` that of an observer who chooses the greatest of m.

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
    """Return the accuracy of an observer with m alternatives: int phi(x - d') Phi(x)^(m-1) dx.

    Evidence for each alternative is normal with variance 1 and mean d' for the right one, 0 for the
    others; the observer chooses the alternative with the most evidence.
    """
    # Gauss-Hermite: with these weights, the sum of f(nodes) is the integral of phi(x) f(x).
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    weights = weights / weights.sum()
    shifted = np.asarray(d_prime, float)[..., None] + nodes
    return np.asarray(ndtr(shifted) ** (alternatives - 1) @ weights)


@lru_cache(maxsize=16)
def _inverse_accuracy(alternatives: int) -> "PchipInterpolator":
    """Return the interpolated map from z(accuracy) to d', within the z of d' from -2 to 8."""
    # Imported here because it takes a quarter of a second, which every command would pay.
    from scipy.interpolate import PchipInterpolator  # noqa: PLC0415

    d = np.linspace(-2, 8, 1001)
    return PchipInterpolator(ndtri(afc_accuracy(d, alternatives)), d)


def afc_d_prime(accuracy: FloatArray, alternatives: int) -> FloatArray:
    """Return the d' of an observer with m alternatives (`afc_accuracy`) from its accuracy.

    It is below 0 if accuracy is below chance, and kept within -2 and 8; NaN at an accuracy of 0
    or 1.
    """
    inside = (accuracy > 0) & (accuracy < 1)
    table = _inverse_accuracy(alternatives)  # z(accuracy) -> d'
    z = np.clip(ndtri(np.where(inside, accuracy, 0.5)), table.x[0], table.x[-1])
    return np.where(inside, table(z), np.nan)


_POINTS = 2**16
"""Points of the quasi-random sample of evidence."""
_ENDS, _STRIDE = 512, 16
_CURVE_POINTS = np.r_[0:_ENDS, _ENDS : _POINTS - _ENDS : _STRIDE, _POINTS - _ENDS : _POINTS]
"""Points through which a curve is interpolated: all at its ends, where they are far apart."""


def _ideal_posteriors(alternatives: int) -> Iterator[FloatArray]:
    """Yield for each d' of 0.05, 0.1, ... 6 the posteriors of 65,536 simulated choices, descending.

    A posterior is the chance that the choice is right, given the evidence for all `alternatives`.
    """
    # Imported here because scipy.stats takes half a second, which every command would pay.
    from scipy.stats.qmc import Sobol  # noqa: PLC0415

    # The first row, evidence for the right alternative, gets mean d', the others have 0. The choice
    # is the alternative with the highest evidence.
    points = Sobol(alternatives, seed=0).random_base2(16)
    noise = ndtri(np.clip(points, 1e-12, 1 - 1e-12)).T
    highest_other = noise[1:].max(axis=0)
    for d in _D_GRID[1:]:
        right_alternative = noise[0] + d
        highest = np.maximum(right_alternative, highest_other)
        odds = np.exp(d * (right_alternative - highest))
        # Evidence x_j speaks for alternative j by the likelihood ratio exp(d' x_j), so that the
        # posterior of the choice is 1 / sum_j exp(d' (x_j - highest)).
        for alternative in noise[1:]:
            odds += np.exp(d * (alternative - highest))
        yield np.sort(1 / odds)[::-1]


SHIPPED_ALTERNATIVES = (3, 4, 5)
"""Numbers of alternatives whose curves `afc_curves.npy` has: they take a second to compute."""


@lru_cache(maxsize=16)
def _curves(alternatives: int) -> FloatArray:
    """Return the type-2 z-ROC by d' (`compute_curves`); for 3 to 5 alternatives from a file."""
    if alternatives not in SHIPPED_ALTERNATIVES:
        return compute_curves(alternatives)
    with (resources.files(__package__) / "afc_curves.npy").open("rb") as file:
        shipped = np.load(file)
    return np.asarray(shipped[SHIPPED_ALTERNATIVES.index(alternatives)], float)


def compute_curves(alternatives: int) -> FloatArray:
    """Return z(H2) of the observer with m alternatives by z(F2) (rows) and its d' (columns).

    H2 and F2 are the shares of right and of wrong answers whose confidence, the posterior of the
    choice, reaches a threshold; each threshold gives a point of the curve for a d'. z(F2) goes from
    -3.8 to 3.8 and d' from 0 to 6, in steps of .05. Values have single precision, as those of
    afc_curves.npy, so that they don't depend on the platform.
    """
    columns = [_Z_GRID]  # at d' = 0 confidence tells nothing: H2 = F2
    # Of each further d' the posteriors of many simulated choices, from the greatest down.
    for posteriors in _ideal_posteriors(alternatives):
        # A choice is right with probability p, its posterior: it adds p to the mass of right
        # answers and 1 - p to that of wrong ones, which is more exact than a drawn outcome.
        right, wrong = np.cumsum(posteriors), np.cumsum(1 - posteriors)
        # z of F2 and H2 with posteriors as thresholds: all at both ends, where z is far apart, and
        # each 16th between. Half of the first mass is taken off, so that no rate reaches 1.
        z_f2, z_h2 = (
            ndtri((cumulated[_CURVE_POINTS] - cumulated[0] / 2) / cumulated[-1])
            for cumulated in (wrong, right)
        )
        finite = np.isfinite(z_f2) & np.isfinite(z_h2)
        columns.append(np.interp(_Z_GRID, z_f2[finite], z_h2[finite]))
    return np.column_stack(columns).astype(np.float32).astype(float)


def afc_type2_d_prime(hit: FloatArray, false_alarm: FloatArray, alternatives: int) -> FloatArray:
    """Return the d' of the ideal observer with m alternatives that has these type-2 rates.

    `hit` and `false_alarm` are the shares of high confidence among right and among wrong answers.
    With more false alarms than hits it is minus the d' of the rates exchanged. For three or more
    alternatives it is at most 6, where the table of simulated observers ends. NaN where `hit` is.
    """
    if alternatives == 2:
        # Two alternatives are one difference of evidence with variance 2.
        return np.asarray(ideal_d_prime(hit, false_alarm) / np.sqrt(2))
    defined = ~np.isnan(hit)
    sign = np.where(hit >= false_alarm, 1.0, -1.0)[defined]
    upper = np.asarray(ndtri(np.maximum(hit, false_alarm)[defined]), np.float64)
    lower = np.asarray(ndtri(np.minimum(hit, false_alarm)[defined]), np.float64)
    result = np.full(np.shape(hit), np.nan)
    result[defined] = sign * _first_reaching_d_prime(upper, lower, _curves(alternatives))
    return result


def _first_reaching_d_prime(upper: FloatArray, lower: FloatArray, table: FloatArray) -> FloatArray:
    """Return the least d' that gives z(H2) = upper at z(F2) = lower; 6 if none is enough.

    H2 and F2 are the shares of right and of wrong answers with high confidence. `table[i, j]` is
    z(H2) at z(F2) = .05 i - 3.8 for d' = .05 j (`compute_curves`). It is interpolated linearly;
    beyond z(F2) = +-3.8 z(H2) changes as z(F2).
    """
    step = _Z_GRID[1] - _Z_GRID[0]
    place = np.clip((lower - _Z_GRID[0]) / step, 0, len(_Z_GRID) - 1.001)
    row, part = place.astype(np.int64), place % 1
    # z(H2) at `lower` by d', interpolated between two rows of the table: (rates, d').
    curve = table[row] * (1 - part[:, None]) + table[row + 1] * part[:, None]
    curve += (lower - (_Z_GRID[row] + step * part))[:, None]  # 0 unless beyond +-3.8
    reached = curve >= upper[:, None]
    reached[:, -1] = True  # the greatest d' of the table, 6, if none is enough
    above = np.maximum(reached.argmax(axis=1), 1)  # the first d' (column) that reaches `upper`
    # z(H2) just below and at that d'. It rises with d'; small dips are noise of the table, so the
    # greatest value up to a d' counts there.
    below = np.arange(table.shape[1]) < above[:, None]
    low = np.where(below, curve, -np.inf).max(axis=1)
    high = np.maximum(low, curve[np.arange(len(upper)), above])
    # The share of the way from one d' to the next at which `upper` is reached.
    share = np.clip((upper - low) / np.where(high > low, high - low, 1), 0, 1)
    return np.asarray(_D_GRID[above - 1] + share * (_D_GRID[above] - _D_GRID[above - 1]))
