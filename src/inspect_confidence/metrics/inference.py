"""95% intervals from resamples, and the p-values that agree with them.

A metric's method is declared where the metric is registered (`Interval`); this module computes it.
A study gives values over resamples and can't choose another method.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.registry import Interval, Method

__all__ = [
    "METHODS",
    "SAME",
    "interval_of",
    "resampled_interval",
    "resampled_p",
    "too_few",
    "why_no_interval",
]

METHODS = {
    "percentile": "Percentile interval of the bootstrap over units, its tails widened as Student's "
    "t is wider than the normal (Hesterberg 2015).",
    "bias_corrected": "Bias-corrected percentile interval (Efron 1987, acceleration 0) with the "
    "same tails.",
    "basic": "Basic bootstrap interval, twice the value less the percentile interval's ends, with "
    "the same tails, widened to hold the value: for what resampling biases upwards.",
    "skewness_corrected": "Student's t interval, lengthened on the side of the longer tail by "
    "Hall's (1992) cubic transformation, which takes the skewness out of t; standard error and "
    "skewness are the draws'. For means with a heavy tail.",
    "debiased": "Percentile interval moved down by twice what resampling adds, joined with the "
    "basic interval: for what is biased upwards and skewed, near the end of its range.",
    "wilson": "Wilson's score interval at the effective sample size of the units, modified for one "
    "to three successes or failures (Brown, Cai and DasGupta 2001).",
    "own": "A method of its own, said beside it.",
    "none": "No interval.",
}
"""Methods of `Interval`, in words."""

SAME = "the same in every resample"
"""Reason of no interval if all units have the same value."""

MOST_UNDEFINED = 0.05
"""The share of resamples in which a number with an interval may be undefined."""


def interval_of(
    rule: Interval, value: float, draws: FloatArray, units: int, rarest_count: float = np.inf
) -> tuple[tuple[float, float], str]:
    """Return the 95% interval of a value by its metric's rule, or NaN and the reason.

    Args:
        rule: Rule of the metric.
        value: Value of the sample.
        draws: Values over resamples; NaN where undefined.
        units: Number of units of the value.
        rarest_count: Number of judgments of the rarer outcome or in the smallest type-2 cell.
    """
    reason = why_no_interval(rule, draws, units, rarest_count)
    if reason or rule.method == "none" or np.isnan(value):
        return (np.nan, np.nan), reason
    return resampled_interval(value, draws, units, method=rule.method), ""


def why_no_interval(
    rule: Interval, draws: FloatArray, units: int, rarest_count: float = np.inf
) -> str:
    """Return why a value has no interval from its resamples; empty if it has one."""
    if rule.method == "none":
        return rule.reason
    if reason := too_few(rule, units, rarest_count):
        return reason
    if rule.method == "own":
        return "its own method gives none here"
    undefined = np.isnan(draws)
    if undefined.mean() > MOST_UNDEFINED:
        return f"undefined in {undefined.sum()} of {len(draws)} resamples"
    defined = draws[~undefined]
    if not len(defined) or (defined == defined[0]).all():
        return SAME
    return ""


def too_few(rule: Interval, units: int, rarest_count: float = np.inf) -> str:
    """Return what there are too few of for an interval; empty if there are enough."""
    if units < rule.min_units:
        return f"fewer than {rule.min_units} {rule.units}"
    if rarest_count < rule.min_rarest - 1e-9:  # a sum of an item's shares of its judgments
        return (
            f"{rarest_count:.3g} in the rarest {rule.rarest}, of which {rule.min_rarest} are needed"
        )
    return ""


def resampled_interval(
    value: float, draws: ArrayLike, units: int, *, method: Method = "bias_corrected"
) -> tuple[float, float]:
    """95% interval from resamples: percentiles, bias-corrected percentiles, or the basic one.

    With n units and t = t(0.025, n - 1) each tail is Phi(t sqrt(n/(n - 1))) instead of 0.025,
    which makes the interval of a mean as wide as Student's. The ends are the quantiles Phi(-+ z) of
    the draws; bias-corrected Phi(2 z0 -+ z) with z0 = Phi^-1(share of draws below the value, equal
    ones counted half); for the basic interval Phi(-+ z) of the reflected draws, 2 value - draw; for
    the debiased one the farther of these and of the draws less twice (their mean - value).
    Either end is moved to the value if it lies beyond. Quantiles are order statistics, so that
    infinite draws stay infinite.

    Corrected for skewness, of draws with standard deviation s and skewness k, the ends are
    value - s g^-1(+-z), z = t sqrt(n/(n - 1)), where g(x) = x + k x^2/3 + k^2 x^3/27 + k/6 makes
    the t statistic normal to second order, or value -+ s z where that is farther off: of few units
    k is too uncertain to make an interval shorter. Draws that aren't all finite have the
    percentiles.

    Source: Efron (1987, Journal of the American Statistical Association 82); Hesterberg (2015, The
    American Statistician 69); Davison and Hinkley (1997) for the basic one; Hall (1992, Journal of
    the Royal Statistical Society B 54) for the skewness.

    Args:
        value: Value of the sample.
        draws: Values over resamples; NaN is left out.
        units: n, the number of resampled units.
        method: Method; `wilson` and `own` mean `bias_corrected` here.

    Returns:
        Both ends, value between them; NaN where no draw is defined.
    """
    if method == "debiased":
        intervals = [
            resampled_interval(value, part_draws, units, method=part_method)
            for part_method, part_draws in _debiased(value, draws)
        ]
        return min(low for low, _ in intervals), max(high for _, high in intervals)
    ranked, shift = _ranked(value, draws, method)
    if not len(ranked) or np.isnan(value):
        return float("nan"), float("nan")
    z = widened(units)
    if moments := _moments(ranked, method):
        error, skewness = moments
        quantiles = (z, _unskewed(z, skewness), -z, _unskewed(-z, skewness))
        ends = [value - error * quantile for quantile in quantiles]
        return float(min(ends)), float(max(ends))
    low, high = (_rank(ndtr(z + side * shift), len(ranked)) for side in (1, -1))
    return float(min(ranked[low - 1], value)), float(max(ranked[-high], value))


def resampled_p(
    value: float, draws: ArrayLike, units: int, *, method: Method = "bias_corrected"
) -> float:
    """Two-sided p of a number being 0: the least alpha whose `resampled_interval` leaves out 0.

    p < .05 just where the 95% interval leaves out 0. By percentiles, where no resample reaches 0,
    it is at most 2/(R + 1) for R resamples, and smaller if Student's t is, of the value over the
    deviation of the draws: an adjustment over many comparisons needs that. Where all draws are the
    value, every unit differs alike, and it is that of exchanged signs, 2^(1 - n).

    Args:
        value: Value of the sample, as a difference.
        draws: Values over resamples; NaN is left out.
        units: Number of resampled units.
        method: Method of the interval.

    Returns:
        A probability in (0, 1]; 1 where the value is 0, NaN where it or every draw is undefined.
    """
    if method == "debiased":
        parts = _debiased(value, draws)
        return max(
            resampled_p(value, part_draws, units, method=part_method)
            for part_method, part_draws in parts
        )
    ranked, shift = _ranked(value, draws, method)
    if not len(ranked) or np.isnan(value):
        return float("nan")
    return float(min(_p(value, ranked, shift, units, method), 1)) if value else 1.0


def _p(value: float, ranked: FloatArray, shift: float, units: int, method: Method) -> float:
    """Return p of a value other than 0 from its ordered draws."""
    side, freedom, floor = np.sign(value), max(units - 1, 1), 2 / (len(ranked) + 1)
    widening = np.sqrt(units / freedom)
    if (ranked == ranked[0]).all():
        return min(2.0 ** (1 - units), floor)
    if moments := _moments(ranked, method):
        error, skewness = moments
        nearer = min(side * value / error, side * _skewed(value / error, skewness))
        return 2 * float(stdtr(freedom, -nearer / widening))
    if crossed := float((side * ranked <= 0).mean()):
        tail = float(stdtr(freedom, (ndtri(crossed) - side * shift) / widening))
        return max(2 * tail, floor)
    error = float(ranked.std()) * widening if np.isfinite(ranked).all() else np.inf
    return min(2 * float(stdtr(freedom, -abs(value) / error)), floor)


def _debiased(value: float, draws: ArrayLike) -> list[tuple[Method, FloatArray]]:
    """Return the two methods that a debiased interval joins, and their draws."""
    values = np.asarray(draws, float)
    bias = np.mean(values[~np.isnan(values)]) - value if (~np.isnan(values)).any() else np.nan
    return [("basic", values), ("percentile", values - 2 * bias)]


def _ranked(value: float, draws: ArrayLike, method: Method) -> tuple[FloatArray, float]:
    """Return the ordered draws, and the shift of the quantiles by bias, 2 z0."""
    ranked = np.sort(np.asarray(draws, float))
    ranked = ranked[: int((~np.isnan(ranked)).sum())]
    if method == "basic":
        return (2 * value - ranked)[::-1], 0.0
    if method in ("percentile", "skewness_corrected") or not len(ranked):
        return ranked, 0.0
    # A draw that equals the value but for rounding is neither below nor above it.
    tolerance = 1e-12 * max(abs(value), 1) if np.isfinite(value) else 0.0
    rank_sum = np.searchsorted(ranked, [value - tolerance, value + tolerance], side="right").sum()
    margin = 1 / len(ranked)
    return ranked, 2 * float(ndtri(np.clip(rank_sum / (2 * len(ranked)), margin, 1 - margin)))


def _moments(ranked: FloatArray, method: Method) -> tuple[float, float] | None:
    """Return standard deviation and skewness of the draws if the method uses them."""
    if method != "skewness_corrected" or not np.isfinite(ranked).all():
        return None
    deviations = ranked - ranked.mean()
    error = float(np.sqrt(np.square(deviations).mean()))
    return error, float(((deviations / error) ** 3).mean()) if error else 0.0


def _skewed(t: float, skewness: float) -> float:
    """Return Hall's transformation of t."""
    return t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6


def _unskewed(x: float, skewness: float) -> float:
    """Return the inverse of `_skewed`."""
    if abs(skewness) < 1e-6:
        return x
    return float(3 / skewness * (np.cbrt(1 + skewness * (x - skewness / 6)) - 1))


def widened(units: int) -> float:
    """Return the normal quantile, below 0, whose tail a 95% interval leaves out."""
    freedom = max(units - 1, 1)
    return float(stdtrit(freedom, 0.025) * np.sqrt(units / freedom))


def _rank(share: float, size: int) -> int:
    """Return the rank, from 1, of the ordered draw that has this share at or below it."""
    # The tolerance keeps 0.025 * 10,000 at the 250th value: in floats it is a little more.
    return min(max(int(np.ceil(share * size - 1e-9)), 1), size)
