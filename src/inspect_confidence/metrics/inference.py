"""95% intervals from resamples, and the p-values that agree with them.

A metric's method is declared where the metric is registered (`Interval`); this module computes it.
A study gives values over resamples and can't choose another method.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from inspect_confidence.metrics.arrays import (
    FloatArray,
    double_array,
)
from inspect_confidence.metrics.registry import Interval, Method
from inspect_confidence.metrics.resample import wilson_limits

__all__ = [
    "METHODS",
    "SAME",
    "are_equal",
    "count_balanced_units",
    "interval_of",
    "resampled_interval",
    "resampled_p",
    "too_few",
    "why_no_interval",
]

METHODS = {
    "bootstrap": "Percentiles of the Bayesian bootstrap over units (Rubin 1981), with pseudo-units "
    "at the extremes, as in Jeffreys' interval of a share, and tails widened as Student's t is "
    "wider than the normal (Hesterberg 2015).",
    "debiased": "Percentiles as by `bootstrap`, moved down by twice the bias that resampling adds, "
    "and joined with the basic bootstrap interval: for metrics that are biased upwards, and skewed "
    "near the end of their range.",
    "score": "Percentiles of the Bayesian bootstrap, joined with Wilson's score interval at the "
    "number of units with which a share would vary as much as the resamples do (Korn and Graubard "
    "1998).",
    "wilson": "Wilson's score interval at the effective sample size of the units, modified for one "
    "to three successes or failures (Brown, Cai and DasGupta 2001).",
    "own": "A method of its own, said beside it.",
    "none": "No interval.",
}
"""Methods of `Interval`, in words."""

SAME = "every resample gave the same value"
"""Reason of no interval if all units have the same value."""

MOST_UNDEFINED = 0.05
"""The share of resamples in which a number with an interval may be undefined."""


def interval_of(
    rule: Interval, value: float, draws: FloatArray, units: int, balanced_units: float = np.inf
) -> tuple[tuple[float, float], str]:
    """Return the 95% interval of a value by its metric's rule, and why there is none.

    Args:
        rule: Rule of the metric.
        value: Value of the sample.
        draws: Values over resamples; NaN where undefined.
        units: Number of resampled units (items or clusters) with a judgment.
        balanced_units: Their number by `count_balanced_units`, which widens the tails if the rule
            compares outcomes and the number is smaller.

    Returns:
        Both ends and an empty text, or NaN ends and the reason. No reason is given for numbers that
        estimate nothing (`NO_ESTIMATE`), and for a NaN value whose draws give none.
    """
    reason = why_no_interval(rule, draws, units)
    if reason or rule.method == "none" or np.isnan(value):
        return (np.nan, np.nan), reason
    tail_units = min(units, balanced_units) if rule.compares_outcomes else units
    low, high = resampled_interval(value, draws, tail_units, method=rule.method)
    if rule.method == "score":  # joined with Wilson's, as draws hardly vary near 0 and the ceiling
        score_low, score_high = score_interval(value, draws, units, ceiling=rule.ceiling)
        low, high = float(np.fmin(low, score_low)), float(np.fmax(high, score_high))
    return (low, high), ""


def count_balanced_units(units: int, right_share: float) -> float:
    """Return how many units, half of them right, compare right with wrong as precisely as these.

    It is 4RW/(R + W), twice the harmonic mean of the numbers of right and wrong units, R and W,
    each with the half pseudo-unit that `bootstrap` adds.

    Source: Willer, Li and Abecasis (2010, Bioinformatics 26), where R are cases and W controls.

    Args:
        units: Number of units.
        right_share: Share of them that are right, in [0, 1].

    Example:
        >>> count_balanced_units(99, 0.5), round(count_balanced_units(99, 97 / 99), 9)
        (100.0, 9.75)
    """
    right_units, wrong_units = units * right_share + 0.5, units * (1 - right_share) + 0.5
    return 4 * right_units * wrong_units / (units + 1)


def why_no_interval(rule: Interval, draws: FloatArray, units: int) -> str:
    """Return why a value has no interval from its resamples; empty if it has one.

    Reasons are that the metric's rule has no method or another one than resampling ("own"), that
    it needs more units, that over 5% of the draws are NaN, or that all others are equal.
    """
    if rule.method == "none":
        return rule.reason
    if reason := too_few(rule, units):
        return reason
    if rule.method == "own":
        return "the method of its interval does not apply to this number"
    undefined = np.isnan(draws)
    if undefined.mean() > MOST_UNDEFINED:
        return f"undefined in {undefined.sum()} of {len(draws)} resamples"
    return SAME if are_equal(draws[~undefined]) else ""


def are_equal(values: FloatArray) -> bool:
    """Return whether values (none is NaN) differ by rounding only; True if there is no value."""
    if not len(values):
        return True
    low, high = values.min(), values.max()
    if np.isinf([low, high]).any():
        return bool(low == high)
    return bool(high - low <= 1e-12 * max(abs(low), abs(high)))


def too_few(rule: Interval, units: int) -> str:
    """Return the reason "fewer than 20 items" if a rule needs more units; empty if they suffice."""
    return f"fewer than {rule.min_units} {rule.units}" if units < rule.min_units else ""


def resampled_interval(
    value: float, draws: ArrayLike, units: float, *, method: Method = "bootstrap"
) -> tuple[float, float]:
    """95% interval from resamples: percentiles, for `debiased` joined with the reflected ones.

    The ends are the quantiles (order statistics) of the draws at a tail and at 1 less it. With n
    units and t = t(0.025, n - 1) the tail is Phi(t sqrt(n/(n - 1))) instead of 0.025, which makes
    the interval of a mean as wide as Student's. An end that does not enclose the value is moved to
    it. The method `debiased` is for values that are biased upwards, whose resamples have the bias
    twice. It takes the farther of two quantiles at each end: that of the draws less twice (their
    mean - value), and that of the reflected draws, 2 value - draw. NaN if no draw is defined.

    Source: Hesterberg (2015, The American Statistician 69); Davison and Hinkley (1997) for the
    reflected draws.

    Args:
        value: Value of the sample.
        draws: Values over resamples; NaN is left out.
        units: n, the number of resampled units, or of as many that tell the variance as well.
        method: Method; all but `debiased` are computed as `bootstrap`.
    """
    tail, lows, highs = float(ndtr(widened_quantile(units))), [value], [value]
    for ranked in _ranked_draws(value, draws, method):
        if not len(ranked) or np.isnan(value):
            return float("nan"), float("nan")
        # The tolerance keeps 0.025 * 10,000 at the 250th value: in floats it is a little more.
        rank = min(max(int(np.ceil(tail * len(ranked) - 1e-9)), 1), len(ranked))
        lows.append(ranked[rank - 1])
        highs.append(ranked[-rank])
    return float(min(lows)), float(max(highs))


def score_interval(
    value: float, draws: ArrayLike, units: int, *, ceiling: float = 1.0
) -> tuple[float, float]:
    """95% interval of a mean in [0, ceiling]: Wilson's, as of a share that varies as much.

    It is the ceiling times Wilson's interval of the share p = value/ceiling at n = p (1 - p)/v
    trials. Here v is the variance of the draws over ceiling^2, widened for few units as Student's t
    is wider than the normal. If the value is 0 or the ceiling, n is the number of units. Near these
    ends the interval reaches farther than the draws, which hardly vary there.

    Source: Wilson (1927); Korn and Graubard (1998, Survey Methodology 24) for the effective n.

    Args:
        value: Value of the sample; both ends are NaN if it is.
        draws: Values over resamples; NaN is left out, both ends are NaN if none is left.
        units: Number of resampled units.
        ceiling: Greatest possible value.

    Example:
        >>> low, high = score_interval(0.1, [0.05, 0.15], 100)
        >>> print(f"{low:.2f} {high:.2f}")
        0.04 0.24
        >>> low, high = score_interval(0, [0, 0.01], 100)  # 0 of 100
        >>> print(f"{low:.2f} {high:.2f}")
        0.00 0.04
    """
    values = double_array(draws, "draws")
    values = values[~np.isnan(values)]
    if not len(values) or np.isnan(value):
        return float("nan"), float("nan")
    widening = widened_quantile(units) / float(ndtri(0.025))
    share, variance = value / ceiling, values.var() * (widening / ceiling) ** 2
    if not 1e-12 < share < 1 - 1e-12:  # 0 or 1, up to rounding
        share, variance = round(share), 0.0  # `wilson_limits` then has the units as trials
    limits = wilson_limits(
        share=np.array([share]),
        variance=np.array([variance]),
        judgments=np.array([np.inf]),  # no bound of n
        items=np.array([float(units)]),
    )
    low, high = ceiling * limits[0]
    return float(low), float(high)


def resampled_p(
    value: float, draws: ArrayLike, units: float, *, method: Method = "bootstrap"
) -> float:
    """Two-sided p of a number being 0: the least alpha whose `resampled_interval` leaves out 0.

    p < .05 exactly if the 95% interval leaves out 0. If none of R resamples reaches 0, p is the
    smaller of 2/(R + 1) and the p of Student's t of the value over the draws' standard deviation;
    an adjustment over many comparisons needs such small p. If all draws are equal, all n units
    differ alike, and p is that of a test by exchanged signs, 2^(1 - n), at most 2/(R + 1). For
    `debiased`, whose interval joins those of two sets of draws, p is the larger of both.

    Args:
        value: Value of the sample, as a difference.
        draws: Values over resamples; NaN is left out.
        units: Number of resampled units.
        method: Method of the interval.

    Returns:
        A probability in (0, 1]; 1 where the value is 0, NaN where it or every draw is undefined.
    """
    largest = 0.0
    for ranked in _ranked_draws(value, draws, method):
        if not len(ranked) or np.isnan(value):
            return float("nan")
        largest = max(largest, _p_of_ranked(value, ranked, units) if value else 1.0)
    return min(largest, 1.0)


def _p_of_ranked(value: float, ranked: FloatArray, units: float) -> float:
    """Return the two-sided p, as `resampled_p`, of a value other than 0 from its sorted draws.

    `units` is the number n of resampled units. p inverts the interval of `resampled_interval`,
    which leaves out the share Phi(t(alpha/2, n - 1) sqrt(n/(n - 1))) of the draws on either side.
    """
    freedom = max(units - 1, 1)
    widening = np.sqrt(units / freedom)
    smallest_p = 2 / (len(ranked) + 1)  # what so many draws can resolve
    # All units differ alike: of the 2^n patterns of signs two have as large a mean.
    if are_equal(ranked):
        return float(min(2.0 ** (1 - units), smallest_p))
    # Some draws reach 0: the alpha at which the share left out is the share of such draws.
    share_beyond = float((np.sign(value) * ranked <= 0).mean())
    if share_beyond > 0:
        return max(2 * float(stdtr(freedom, ndtri(share_beyond) / widening)), smallest_p)
    # No draw reaches 0: Student's t of the value over the draws' standard deviation. Infinite draws
    # tell no standard deviation, which leaves `smallest_p`.
    error = float(ranked.std()) * widening if np.isfinite(ranked).all() else np.inf
    return min(2 * float(stdtr(freedom, -abs(value) / error)), smallest_p)


def _ranked_draws(value: float, draws: ArrayLike, method: Method) -> list[FloatArray]:
    """Return the sorted draws; for `debiased` two sets, the reflected and the shifted draws.

    Resamples of a value that is biased upwards have the bias twice: the shift takes it off, the
    reflection turns it round. NaN draws are left out; the only set is empty if all are NaN.
    """
    values = double_array(draws, "draws")
    ranked = np.sort(values[~np.isnan(values)])
    if method != "debiased" or not len(ranked):
        return [ranked]
    return [(2 * value - ranked)[::-1], ranked - 2 * (ranked.mean() - value)]


def widened_quantile(units: float) -> float:
    """Return the normal quantile, below 0, of the tail that a 95% interval of n units leaves out.

    It is t(0.025, n - 1) sqrt(n/(n - 1)) for n = `units`, at least as far from 0 as -1.96, so that
    percentiles of draws of a mean are as far apart as the ends of Student's interval.
    """
    freedom = max(units - 1, 1)
    return float(stdtrit(freedom, 0.025) * np.sqrt(units / freedom))
