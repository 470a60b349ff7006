"""Tests and intervals of few values, as words have.

The intervals are closed forms that hold at 15 values: none is resampled.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, expit, logit, stdtr, stdtrit

from inspect_confidence.metrics.arrays import FloatArray, IntArray, divided, sample_of

__all__ = [
    "BrunnerMunzel",
    "brunner_munzel",
    "mean_interval",
    "median_interval",
    "sign_flips",
]


@dataclass(frozen=True)
class BrunnerMunzel:
    """Comparison of two samples: theta, its interval and p.

    Attributes:
        theta: P(first > second) + P(first = second)/2, in [0, 1]; above 0.5 the first sample tends
            to larger values.
        ci_low: Lower limit of theta's 95% interval.
        ci_high: Upper limit. A limit of exactly 0 or 1 is one that was cut there.
        p: Two-sided p of theta = 0.5.
        reason: Why p or the interval is NaN; empty where neither is.
    """

    theta: float = float("nan")
    ci_low: float = float("nan")
    ci_high: float = float("nan")
    p: float = float("nan")
    reason: str = ""


LEAST = 5
"""Values on a side from which on there is a p: 5 against 5 can reach the 1% level."""

EXACT_BELOW = 10
"""Values on a side below which p is the exact one where that is larger."""

MOST_SPLITS = 20_000
"""Splits of the values up to which all are enumerated; beyond, splits are drawn by seed."""


def brunner_munzel(
    first: ArrayLike,
    second: ArrayLike,
    *,
    interval: Literal["t", "logit"] = "t",
    seed: int = 0,
) -> BrunnerMunzel:
    """Brunner and Munzel's test of two independent samples, with ties and unequal variances.

    The placement of a value is the share of the other sample that lies below it, equal values
    counted half. theta is the mean placement of the first sample; its squared standard error is
    SE^2 = s1^2/n1 + s2^2/n2, where s^2 are the variances (ddof 1) of both samples' placements, and
    (theta - 0.5)/SE is compared with t of Welch and Satterthwaite's degrees of freedom,
    SE^4 / ((s1^2/n1)^2/(n1 - 1) + (s2^2/n2)^2/(n2 - 1)). The null is theta = 0.5, whatever the
    variances. Samples are taken as by `ValueTables.pair`; where they share contexts they are not
    independent: give `sign_flips` too.

    With fewer than 10 values in a sample t finds too much: p is then the larger of that of t and of
    the exact one, the share of all ways to split the values in two such samples that have a
    statistic as large (Neubert and Brunner 2007). Beyond 20,000 ways 9,999 random ones are taken
    and the observed one. Where all values of one sample exceed all of the other, the statistic is
    infinite and p the exact one at any size: 2/C(n1 + n2, n1), less where ties leave only one such
    split. Where all values are equal p is 1.

    Source: Brunner and Munzel (2000, Biometrical Journal 42); Neubert and Brunner (2007,
    Computational Statistics and Data Analysis 51). From 10 values on p is that of
    `scipy.stats.brunnermunzel`; theta and the interval `t` are those of statsmodels'
    `rank_compare_2indep` but for the cut.

    Args:
        first: A sample.
        second: Another one.
        interval: `t` is theta -+ t(0.975) SE, cut to [0, 1] as the estimative-words study prints
            it; it is too narrow for theta near 0 or 1. `logit` is the same of logit(theta), its
            standard error SE/(theta (1 - theta)), which ends where that of `t` does on the side of
            0.5 if it alone would hold 0.5: it agrees with p.
        seed: Seed of the random splits.

    Returns:
        p is NaN with fewer than five values in a sample, the interval with fewer than two, where
        all values are equal, and at complete separation; the reason is given. theta is NaN where a
        sample is empty.

    Raises:
        ValueError: A sample has two dimensions or an infinite value.

    Example:
        >>> result = brunner_munzel([1, 2, 3, 4, 5], [2, 3, 5, 6, 8])
        >>> print(f"{result.theta} [{result.ci_low:.3f}, {result.ci_high:.3f}] p={result.p:.3f}")
        0.26 [0.000, 0.666] p=0.238
    """
    first_sample, second_sample = sample_of(first), sample_of(second)
    if not (len(first_sample) and len(second_sample)):
        return BrunnerMunzel(reason="there is no value in one of the samples")
    placed = [_placements(first_sample, second_sample), _placements(second_sample, first_sample)]
    theta, n = float(placed[0].mean()), min(len(first_sample), len(second_sample))
    too_few = f"there are fewer than {LEAST} values in one of the samples" if n < LEAST else ""
    if n < 2:
        return BrunnerMunzel(theta, reason=too_few)
    if theta in (0, 1):
        p = np.nan if too_few else _separated_p(first_sample, second_sample)
        return BrunnerMunzel(theta, p=p, reason=too_few or "complete separation")
    # Only these two cases have no variance; found by value, since rounding may leave 1e-17 of it.
    if first_sample.min() == first_sample.max() == second_sample.min() == second_sample.max():
        return BrunnerMunzel(
            theta, p=np.nan if too_few else 1.0, reason=too_few or "all values are equal"
        )
    variance = np.array([placements.var(ddof=1) / len(placements) for placements in placed])
    freedom = np.array([len(placements) - 1 for placements in placed])
    error = np.sqrt(variance.sum())
    df = variance.sum() ** 2 / (variance**2 / freedom).sum()
    half = stdtrit(df, 0.975) * error
    p = 2 * stdtr(df, -abs(theta - 0.5) / error)
    if n < EXACT_BELOW:
        p = np.nan if too_few else max(p, _exact_p(first_sample, second_sample, seed))
    low, high = max(theta - half, 0.0), min(theta + half, 1.0)
    if interval == "logit":
        low, high = _of_logit(theta, half, low, high)
    return BrunnerMunzel(theta, float(low), float(high), float(p), too_few)


def _of_logit(theta: float, half: float, low: float, high: float) -> tuple[float, float]:
    """Return the interval of the logit from the half width and ends of that of theta."""
    reach = half / (theta * (1 - theta))
    ends = float(expit(logit(theta) - reach)), float(expit(logit(theta) + reach))
    # The logit's test finds less than t's: between the two, t's end is taken.
    return (low if low > 0.5 > ends[0] else ends[0]), (high if high < 0.5 < ends[1] else ends[1])


def _separated_p(first_sample: FloatArray, second_sample: FloatArray) -> float:
    """Return the share of splits into two such samples that separate the values completely."""
    ranked, n = np.sort(np.concatenate([first_sample, second_sample])), len(first_sample)
    # Ties over the border of a split leave it unseparated.
    ways = sum(ranked[border - 1] < ranked[border] for border in (n, len(ranked) - n))
    return float(ways / comb(len(ranked), n))


def _exact_p(first_sample: FloatArray, second_sample: FloatArray, seed: int) -> float:
    """Return the share of splits of the values whose statistic is as large as the observed one."""
    smaller, larger = sorted((first_sample, second_sample), key=len)
    values, code = np.unique(np.concatenate([smaller, larger]), return_inverse=True)
    size, counts = len(smaller), np.bincount(code)
    ways = comb(len(code), size)
    if ways <= MOST_SPLITS:
        members = np.array(list(combinations(range(len(code)), size)))
        places = code[members] + len(values) * np.arange(ways)[:, None]
        splits = np.bincount(places.ravel(), minlength=ways * len(values)).reshape(ways, -1)
    else:
        rng = np.random.default_rng(seed)
        splits = rng.multivariate_hypergeometric(counts, size, size=9_999)
        splits = np.vstack([np.bincount(code[:size], minlength=len(values)), splits])
    statistic = _statistics(splits, counts - splits)
    observed = statistic[0]
    # The first of all combinations is the observed one: its members come first.
    return float((statistic >= observed - 1e-9 * max(observed, 1)).mean())


def _statistics(first: IntArray, second: IntArray) -> FloatArray:
    """Return |theta - 0.5|/SE of pairs of samples, given as rows of counts of the same values."""
    sides, distance = [], np.empty(0)
    for own_counts, other_counts in ((first, second), (second, first)):
        n = own_counts[0].sum()
        placed = (np.cumsum(other_counts, axis=1) - other_counts / 2) / other_counts[0].sum()
        theta = (own_counts * placed).sum(axis=1) / n
        distance = np.abs(theta - 0.5)
        sides.append((own_counts * (placed - theta[:, None]) ** 2).sum(axis=1) / (n * (n - 1)))
    error = np.sqrt(sum(sides))
    flat = error < 1e-9
    return np.where(flat, np.where(distance < 1e-9, 0, np.inf), distance / np.where(flat, 1, error))


def _placements(values: FloatArray, sample: FloatArray) -> FloatArray:
    """Return the share of the sample below each value, equal values counted half."""
    ranked = np.sort(sample)
    ranks = np.searchsorted(ranked, values) + np.searchsorted(ranked, values, side="right")
    return np.asarray(ranks / (2 * len(sample)))


MOVED = 5
"""Values that must differ from the commonest for a mean to have an interval."""


def mean_interval(values: ArrayLike) -> tuple[float, float]:
    """95% interval of a mean of values in (0, 1): Student's t of its logit.

    logit(m) -+ t(0.975, n - 1) s/(sqrt(n) m (1 - m)), back on the scale of the values: it stays
    within (0, 1) and reaches further towards the middle, as the mean of values near an end needs.

    Returns:
        Both ends; NaN where fewer than five values differ from the commonest: how far and how
        often others lie from it is unknown then.
    """
    sample = sample_of(values)
    n = len(sample)
    if n - np.unique(sample, return_counts=True)[1].max(initial=0) < MOVED:
        return float("nan"), float("nan")
    mean = sample.mean()
    reach = stdtrit(n - 1, 0.975) * sample.std(ddof=1) / np.sqrt(n) / (mean * (1 - mean))
    return float(expit(logit(mean) - reach)), float(expit(logit(mean) + reach))


def median_interval(values: ArrayLike) -> tuple[float, float]:
    """95% interval of a median: the order statistics that the sign test doesn't reject.

    The k-th smallest and k-th largest of n values, with the greatest k for which
    P(Binomial(n, 1/2) < k) <= 0.025. It holds whatever the values' distribution, with at least 95%:
    more where values are tied, and from n = 6 on.

    Returns:
        Both ends; NaN with fewer than six values.

    Example:
        >>> median_interval([1, 2, 3, 4, 5, 6, 7, 8, 9])
        (2.0, 8.0)
    """
    ranked = np.sort(sample_of(values))
    n = len(ranked)
    k = int((bdtr(np.arange(n // 2), n, 0.5) <= 0.025).sum()) if n else 0
    return (float(ranked[k - 1]), float(ranked[-k])) if k else (float("nan"), float("nan"))


MOST_FLIPPED = 13
"""Differences up to which all 2^n signs are enumerated; beyond, signs are drawn by seed."""


def sign_flips(
    differences: ArrayLike, *, resamples: int = 10_000, seed: int = 0
) -> tuple[float, tuple[float, float]]:
    """Two-sided p of a mean difference of 0 by exchanged signs, and the interval that agrees.

    p is that of `sign_flip_p`. The interval holds the means that the test doesn't reject at 5%: the
    mean of differences d lies as far from m with signs s exchanged as without where the mean of the
    d that were exchanged, or of those that were not, lies on the other side of m. So its ends are
    order statistics of means of subsets (Hartigan 1969). Exact for symmetric differences.

    Args:
        differences: One a pair, rounded to 9 decimals; NaN is left out.
        resamples: Random patterns of signs from 14 differences on.
        seed: Seed of the draws.

    Returns:
        p, NaN without a pair; both ends, NaN with fewer than six pairs or where all are equal.
    """
    array = sample_of(differences)
    n, none = len(array), (float("nan"), float("nan"))
    if not n:
        return float("nan"), none
    exchanged = _patterns(n, resamples, seed)
    size, sums = exchanged.sum(axis=1), exchanged @ array
    means = np.concatenate([divided(sums, size), divided(array.sum() - sums, n - size)])
    # An empty subset is as far from any mean; the observed pattern counts among random ones.
    always = int(np.isnan(means).sum()) + (n > MOST_FLIPPED)
    total = len(exchanged) + (n > MOST_FLIPPED)
    ranked = np.sort(np.round(means[~np.isnan(means)], 9))
    mean = round(float(array.mean()), 9)
    beyond = (ranked <= 0).sum() if mean > 0 else (ranked >= 0).sum()
    p = 1.0 if mean == 0 else float(min((always + beyond) / total, 1))
    k = int(np.ceil(0.05 * total - 1e-9)) - always
    if k < 1 or ranked[0] == ranked[-1]:
        return p, none
    return p, (float(min(ranked[k - 1], mean)), float(max(ranked[-k], mean)))


@lru_cache(maxsize=4)
def _patterns(n: int, resamples: int, seed: int) -> FloatArray:
    """Return patterns of which differences have their sign exchanged: all, or random ones."""
    if n <= MOST_FLIPPED:
        return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(float)
    return np.random.default_rng(seed).integers(0, 2, size=(resamples, n)).astype(float)
