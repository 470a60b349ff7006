"""Meanings of words: distances of two samples of values, and tests and intervals of few values.

Distances are computed between the rows of two `ValueTables`, one row per resample; either may have
a single row, which is compared with all rows of the other. They are NaN if a sample is empty. Tests
and intervals are closed forms, valid from 15 values on; none is resampled.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, expit, logit, rel_entr, stdtr, stdtrit

from inspect_confidence.metrics.arrays import (
    EDGE,
    FloatArray,
    IntArray,
    check_choice,
    check_count,
    divide_or_nan,
    present_values,
)
from inspect_confidence.metrics.registry import (
    INFINITY,
    NO_ESTIMATE,
    UNREAD,
    About,
    Interval,
    metric,
    no_interval,
    numbers,
)
from inspect_confidence.metrics.reports import ValueTables
from inspect_confidence.metrics.resample import MOST_ENUMERATED

__all__ = [
    "BrunnerMunzel",
    "brunner_munzel",
    "brunner_munzel_theta",
    "jensen_shannon",
    "kl_divergence",
    "ks_statistic",
    "mean_interval",
    "median_difference",
    "median_interval",
    "sign_flips",
    "wasserstein",
]

_NO_VALUE = "no value on a side"
_STUDY = "Tang, Shen and Kejriwal (2024)"

_UPWARD = no_interval(
    "biased upwards, the more the fewer the values: two samples of the same lie some way apart"
)

numbers(
    About(
        undefined=UNREAD,
        interval=Interval(
            "own",
            "Student's t of the logit, where five contexts differ from the commonest value",
            min_units=15,
            units="contexts",
        ),
    ),
    mean_probability="Mean over contexts of the probability stated for a word.",
)
numbers(
    About(
        undefined=UNREAD,
        interval=Interval("own", "order statistics (sign test)", min_units=6, units="contexts"),
    ),
    median_probability="Median over contexts of the probability stated for a word.",
)
numbers(
    About(
        undefined="fewer than two contexts",
        high=INFINITY,
        interval=no_interval("a few outlying contexts decide it"),
    ),
    probability_spread="Standard deviation over contexts of the probability stated for a word.",
)


def brunner_munzel_theta_of_tables(first: ValueTables, second: ValueTables) -> FloatArray:
    """Compute P(first > second) + P(equal)/2 of each pair of rows of two tables of the same values.

    NaN if a sample is empty.
    """
    _check_same_values(first, second)
    up_to = second.cumulated()  # share of the second sample up to each value, after a column of 0
    below = (up_to[:, :-1] + up_to[:, 1:]) / 2  # the share below each value, equal ones half
    return divide_or_nan((first.mass * below).sum(axis=1), first.mass.sum(axis=1))


@metric(
    definition="Probability that a value of the reference (`versus`) is above one of the model's "
    "own values, ties counting half.",
    direction="target=0.5",
    undefined=_NO_VALUE,
    source="Brunner and Munzel (2000)",
    interval=Interval(
        "own",
        "Student's t of the logit, in agreement with p",
        min_units=15,
        units="values on a side",
    ),
    of_tables=brunner_munzel_theta_of_tables,
)
def brunner_munzel_theta(first: ArrayLike, second: ArrayLike) -> float:
    """P(first > second) + P(first = second)/2: the theta of `brunner_munzel`.

    Args:
        first: First sample, of finite numbers; NaN is left out. The result is NaN if none is left.
        second: Second sample, in the same unit.

    Example:
        >>> brunner_munzel_theta([1, 2], [2, 3])  # one of four pairs is equal
        0.125
    """
    tables = ValueTables.pair(first, second)
    return float(brunner_munzel_theta_of_tables(*tables)[0])


def kl_divergence_of_tables(
    first: ValueTables,
    second: ValueTables,
    *,
    low: float = 0,
    high: float = 100,
    bins: int = 20,
    constant: float = 1e-10,
) -> FloatArray:
    """Compute `kl_divergence`, sum p ln(p/q) over bins, of each pair of rows of two tables.

    p and q are the shares of both samples in equal bins from low to high, `constant` in empty ones.
    NaN if a sample is empty; ValueError if a value is outside, or `constant` is not above 0.
    """
    if not constant > 0:
        raise ValueError(f"constant={constant} is not above 0.")
    p, q = _bin_shares(first, low, high, bins), _bin_shares(second, low, high, bins)
    return _divergence(np.where(p == 0, constant, p), np.where(q == 0, constant, q))


@metric(
    definition="Kullback-Leibler divergence D(reference || model) of the numbers given for a word "
    "by the reference (such as people) and by the model, over 20 bins from 0 to 100. An empty bin "
    "has the share 1e-10, so that the divergence is finite, at most ln(1e10) = 23.03, and may be "
    "less than 0, by at most 2e-9.",
    unit="nats",
    direction="lower",
    low=-2e-9,
    high=23.03,
    undefined=_NO_VALUE,
    source=_STUDY,
    interval=no_interval("the constant in empty bins decides it"),
    of_tables=kl_divergence_of_tables,
)
def kl_divergence(
    first: ArrayLike,
    second: ArrayLike,
    *,
    low: float = 0,
    high: float = 100,
    bins: int = 20,
    constant: float = 1e-10,
) -> float:
    """Kullback-Leibler divergence of binned samples: D(p || q) = sum p ln(p/q), in nats.

    p (first) and q (second) are shares in equal bins [edge, next edge) from low to high, in the
    unit of the values, the last one closed. The share of an empty bin is replaced by `constant`
    without normalising the shares again, which reproduces the figures of the estimative-words
    study. If a bin is empty in the second sample alone, the constant decides the result: report it,
    and `jensen_shannon` too. Kullback and Leibler (1951, Annals of Mathematical Statistics).

    Args:
        first: First sample, of finite numbers; NaN is left out. The result is NaN if none is left.
        second: Second sample, in the same unit.
        low: Lower edge of the first bin.
        high: Upper edge of the last bin.
        bins: Number of bins.
        constant: Share of an empty bin, above 0.

    Returns:
        Nats, 0 for equal shares, not symmetric; below 0 by at most bins * constant.

    Raises:
        ValueError: A value is outside [low, high], there are no bins, or the constant is not
            above 0.

    Example:
        >>> round(kl_divergence([10, 60], [10, 10, 60, 60, 60, 60]), 4)  # ln(3/2)/2 + ln(3/4)/2
        0.0589
    """
    tables = ValueTables.pair(first, second)
    return float(
        kl_divergence_of_tables(*tables, low=low, high=high, bins=bins, constant=constant)[0]
    )


def jensen_shannon_of_tables(
    first: ValueTables, second: ValueTables, *, low: float = 0, high: float = 100, bins: int = 20
) -> FloatArray:
    """Compute `jensen_shannon`, (D(p || m) + D(q || m))/2, of each pair of rows of two tables.

    p and q are the shares of both samples in equal bins from low to high, m is (p + q)/2, and D the
    Kullback-Leibler divergence. NaN if a sample is empty; ValueError if a value is outside.
    """
    p, q = _bin_shares(first, low, high, bins), _bin_shares(second, low, high, bins)
    middle = (p + q) / 2
    # Rounding leaves 1e-16 above ln 2 where no bin is shared.
    return np.clip((_divergence(p, middle) + _divergence(q, middle)) / 2, 0, np.log(2))


@metric(
    definition="Jensen-Shannon divergence of the model's own values and the reference's, over 20 "
    "bins from 0 to 100.",
    unit="nats",
    direction="lower",
    high=float(np.log(2)),
    undefined=_NO_VALUE,
    source="Lin (1991)",
    interval=_UPWARD,
    of_tables=jensen_shannon_of_tables,
)
def jensen_shannon(
    first: ArrayLike, second: ArrayLike, *, low: float = 0, high: float = 100, bins: int = 20
) -> float:
    """Jensen-Shannon divergence of binned samples: (D(p || m) + D(q || m))/2, m = (p + q)/2.

    p and q are the shares of both samples in equal bins [edge, next edge) from low to high, the
    last one closed. D(p || m) = sum p ln(p/m), with 0 for empty bins. It is symmetric, 0 for equal
    shares and ln 2, the greatest value, for samples that share no bin.

    Args:
        first: First sample, of finite numbers; NaN is left out. The result is NaN if none is left.
        second: Second sample, in the same unit.
        low: Lower edge of the first bin.
        high: Upper edge of the last bin.
        bins: Number of bins.

    Raises:
        ValueError: A value is outside [low, high], or there are no bins.

    Example:
        >>> round(jensen_shannon([10], [60]), 4)
        0.6931
    """
    tables = ValueTables.pair(first, second)
    return float(jensen_shannon_of_tables(*tables, low=low, high=high, bins=bins)[0])


def ks_statistic_of_tables(first: ValueTables, second: ValueTables) -> FloatArray:
    """Compute `ks_statistic`, the greatest |F - G|, of each pair of rows of two tables.

    F and G are the distribution functions of both samples. NaN if a sample is empty.
    """
    return np.asarray(_distribution_gaps(first, second).max(axis=1))


@metric(direction="lower", undefined=_NO_VALUE, interval=_UPWARD, of_tables=ks_statistic_of_tables)
def ks_statistic(first: ArrayLike, second: ArrayLike) -> float:
    """Largest distance of the two distribution functions.

    The Kolmogorov-Smirnov statistic: the greatest |F(x) - G(x)| of the samples' cumulated shares;
    1 at complete separation.

    Args:
        first: First sample, of finite numbers; NaN is left out. The result is NaN if none is left.
        second: Second sample, in the same unit.

    Example:
        >>> ks_statistic([1, 2], [2, 3])
        0.5
    """
    tables = ValueTables.pair(first, second)
    return float(ks_statistic_of_tables(*tables)[0])


def wasserstein_of_tables(first: ValueTables, second: ValueTables) -> FloatArray:
    """Compute `wasserstein`, the integral of |F - G|, of each pair of rows of two tables.

    F and G are the distribution functions of both samples. NaN if a sample is empty.
    """
    gaps = _distribution_gaps(first, second)  # |F - G| before the first and from each value on
    # The first gap is 0, or NaN where a sample is empty.
    return np.asarray(gaps[:, 0] + (gaps[:, 1:-1] * np.diff(first.values)).sum(axis=1))


@metric(
    unit="percentage points",
    direction="lower",
    high=100,
    undefined=_NO_VALUE,
    interval=_UPWARD,
    of_tables=wasserstein_of_tables,
)
def wasserstein(first: ArrayLike, second: ArrayLike) -> float:
    """Wasserstein-1 distance.

    The integral of |F(x) - G(x)| over x: the mean distance that values of one sample must be moved
    by to become the other.

    Args:
        first: First sample, of finite numbers; NaN is left out. The result is NaN if none is left.
        second: Second sample, in the same unit.

    Example:
        >>> wasserstein([1, 2], [2, 5])
        2.0
    """
    tables = ValueTables.pair(first, second)
    return float(wasserstein_of_tables(*tables)[0])


def median_difference_of_tables(first: ValueTables, second: ValueTables) -> FloatArray:
    """Compute the median of the first less that of the second table, by row; NaN if one is empty.

    Both tables must have the same values.
    """
    _check_same_values(first, second)
    return first.quantile(0.5) - second.quantile(0.5)


@metric(
    definition="Median of the reference's values minus that of the model's own values.",
    unit="percentage points",
    direction="target=0",
    low=-100,
    high=100,
    undefined=_NO_VALUE,
    source=_STUDY,
    interval=Interval(
        "own",
        "both medians' order statistics, put together (MOVER); none where contexts are shared",
        min_units=6,
        units="values on a side",
    ),
    of_tables=median_difference_of_tables,
)
def median_difference(first: ArrayLike, second: ArrayLike) -> float:
    """Median of the first sample less median of the second.

    Each is the mean of its lower and upper median, the two middle values of an even number.

    Args:
        first: First sample, of finite numbers; NaN is left out. The result is NaN if none is left.
        second: Second sample, in the same unit.

    Example:
        >>> median_difference([50, 60, 90], [40, 50])
        15.0
    """
    tables = ValueTables.pair(first, second)
    return float(median_difference_of_tables(*tables)[0])


numbers(
    About(
        undefined="no shared context",
        unit="percentage points",
        direction="target=0",
        low=-100,
        high=100,
        interval=Interval(
            "own",
            "the means that exchanged signs don't reject",
            min_units=6,
            units="shared contexts",
        ),
    ),
    paired_difference="Mean over shared contexts of the reference's value minus the model's own "
    "value.",
)
numbers(
    About(undefined="never", unit="count", interval=NO_ESTIMATE),
    own_values="Number of the model's own values of the word that are compared: contexts read.",
    reference_values="Number of the reference's values for the word: contexts, or people.",
)
numbers(
    About(
        undefined="no word could be tested: too few contexts, or no reference",
        unit="count",
        source=_STUDY,
        interval=NO_ESTIMATE,
    ),
    words_that_differ="Number of tested words whose probabilities differ from the reference's: p "
    "is below 5% in the condition `level=95`, 10% and 1% in `level=90` and `level=99`. p is "
    "adjusted by Holm's method (`p_holm`) with `adjusted=holm`, else not (`p_value`).",
)


def _check_same_values(first: ValueTables, second: ValueTables) -> None:
    """Raise ValueError unless both tables have the same values, so that columns correspond."""
    if not np.array_equal(first.values, second.values):
        raise ValueError("The tables have different values; ValueTables.pair gives them the same.")


def _bin_shares(tables: ValueTables, low: float, high: float, bins: int) -> FloatArray:
    """Return the share of each row's mass in each bin, of shape (R, bins); NaN without mass.

    ValueError if a value is outside [low, high], or the arguments make no bins.
    """
    check_count("bins", bins)
    if not -np.inf < low < high < np.inf:
        raise ValueError(f"low={low} and high={high} make no bins; give two ascending numbers.")
    values = tables.values
    outside = values[(values < low - EDGE) | (values > high + EDGE)]
    if len(outside):
        raise ValueError(f"The value {outside[0]} is not in [{low}, {high}].")
    bin_of_value = np.floor((values - low + EDGE) * bins / (high - low)).clip(0, bins - 1)
    in_bin = np.eye(bins)[bin_of_value.astype(int)]  # 1 for a value in a bin, else 0: (V, bins)
    mass = tables.mass @ in_bin
    return divide_or_nan(mass, mass.sum(axis=1, keepdims=True))


def _divergence(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the Kullback-Leibler divergence of each row of p from that of q, in nats."""
    return np.asarray(rel_entr(p, q).sum(axis=1))  # with 0 ln 0 = 0


def _distribution_gaps(first: ValueTables, second: ValueTables) -> FloatArray:
    """Return absolute differences of two samples' distribution functions, of shape (R, V + 1).

    They are those before the first and from each of the V values on, in each row of the tables; NaN
    if a sample is empty. ValueError if the tables have different values.
    """
    _check_same_values(first, second)
    return np.abs(first.cumulated() - second.cumulated())


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


MIN_VALUES = 5
"""Least size of either sample for a p: with 5 against 5 p can fall below .01."""

EXACT_BELOW = 10
"""Size of the smaller sample below which p is the exact one if that is larger than t's."""

MOST_SPLITS = 20_000
"""Splits of the values up to which all are enumerated; beyond, splits are drawn by seed."""


def brunner_munzel(
    first: ArrayLike, second: ArrayLike, *, interval: Literal["t", "logit"] = "t", seed: int = 0
) -> BrunnerMunzel:
    """Brunner and Munzel's test of two independent samples, with ties and unequal variances.

    The placement of a value is the share of the other sample below it, equal values counted half.
    theta is the mean placement of the first sample, and SE^2 = s1^2/n1 + s2^2/n2 with the variances
    s^2 (ddof 1) of both samples' placements. For the null theta = 0.5, (theta - 0.5)/SE is compared
    with t of Welch and Satterthwaite's degrees of freedom,
    SE^4 / ((s1^2/n1)^2/(n1 - 1) + (s2^2/n2)^2/(n2 - 1)). Samples that share contexts are not
    independent: give `sign_flips` too.

    With fewer than 10 values in a sample, where the p of t is too small, p is the larger of it and
    the exact one: the share, of all ways to split the values into two such samples, whose statistic
    is as large (of over 20,000 ways 9,999 random ones and the observed one). If all values of one
    sample exceed all of the other, p is the exact one at any size: 2/C(n1 + n2, n1), or half of it
    if ties leave only one such split. If all values are equal, p is 1.

    Source: Brunner and Munzel (2000, Biometrical Journal 42); Neubert and Brunner (2007,
    Computational Statistics and Data Analysis 51) for the exact p.

    Args:
        first: First sample.
        second: Second sample.
        interval: `t` is theta -+ t(0.975) SE, cut to [0, 1] as the estimative-words study prints
            it; it is too narrow for theta near 0 or 1. `logit` is the same for logit(theta), whose
            standard error is SE/(theta (1 - theta)). If the logit interval holds 0.5 and that of
            `t` does not, the end near 0.5 is that of `t`, so that the interval agrees with p.
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
    check_choice("interval", interval, Literal["t", "logit"])
    first_sample, second_sample = present_values(first), present_values(second)
    if not (len(first_sample) and len(second_sample)):
        return BrunnerMunzel(reason="there is no value in one of the samples")
    placed = [_placements(first_sample, second_sample), _placements(second_sample, first_sample)]
    theta, n = float(placed[0].mean()), min(len(first_sample), len(second_sample))
    too_few = ""
    if n < MIN_VALUES:
        too_few = f"there are fewer than {MIN_VALUES} values in one of the samples"
    if n < 2:
        return BrunnerMunzel(theta, reason=too_few)
    if theta in (0, 1):
        p = np.nan if too_few else _separated_p(first_sample, second_sample)
        return BrunnerMunzel(theta, p=p, reason=too_few or "complete separation")
    # Equal values have no variance; they are recognised by value, since rounding may leave 1e-17.
    if first_sample.min() == first_sample.max() == second_sample.min() == second_sample.max():
        return BrunnerMunzel(
            theta, p=np.nan if too_few else 1.0, reason=too_few or "all values are equal"
        )
    p, half_width = _welch_test(theta, placed)
    if n < EXACT_BELOW:
        p = np.nan if too_few else max(p, _exact_p(first_sample, second_sample, seed))
    low, high = max(theta - half_width, 0.0), min(theta + half_width, 1.0)
    if interval == "logit":
        low, high = _logit_interval(theta, half_width, low, high)
    return BrunnerMunzel(theta, float(low), float(high), float(p), too_few)


def _welch_test(theta: float, placed: list[FloatArray]) -> tuple[float, float]:
    """Return p of the null theta = 0.5, and half the width of theta's 95% interval, by Welch's t.

    `placed` are the placements (`brunner_munzel`) of both samples, of two values or more each; the
    placements are not all equal.
    """
    variance = np.array([placements.var(ddof=1) / len(placements) for placements in placed])
    freedom = np.array([len(placements) - 1 for placements in placed])
    error = np.sqrt(variance.sum())
    df = variance.sum() ** 2 / (variance**2 / freedom).sum()
    return float(2 * stdtr(df, -abs(theta - 0.5) / error)), float(stdtrit(df, 0.975) * error)


def _logit_interval(theta: float, half: float, low: float, high: float) -> tuple[float, float]:
    """Return theta's interval by its logit, so that it lies within (0, 1).

    `half`, `low` and `high` are half width and ends of the t interval on theta's own scale. If the
    new interval holds 0.5 and that of t, with which p agrees, does not, the end near 0.5 is that of
    t.
    """
    reach = half / (theta * (1 - theta))
    logit_low, logit_high = float(expit(logit(theta) - reach)), float(expit(logit(theta) + reach))
    if low > 0.5 > logit_low:
        logit_low = low
    if high < 0.5 < logit_high:
        logit_high = high
    return logit_low, logit_high


def _separated_p(first_sample: FloatArray, second_sample: FloatArray) -> float:
    """Return the share of splits into two samples of these sizes that separate the values."""
    ranked, n = np.sort(np.concatenate([first_sample, second_sample])), len(first_sample)
    # Separated are two splits: the n smallest values, or the n largest, in the first sample. With a
    # tie over the border the split does not separate.
    separated = sum(ranked[border - 1] < ranked[border] for border in (n, len(ranked) - n))
    return float(separated / comb(len(ranked), n))


def _exact_p(first_sample: FloatArray, second_sample: FloatArray, seed: int) -> float:
    """Return the share of splits of the values whose statistic is as large as the observed one.

    Splits are into samples of the same sizes: all of them, or 9,999 random ones and the observed
    one if there are more than 20,000.
    """
    smaller, larger = sorted((first_sample, second_sample), key=len)
    values, code = np.unique(np.concatenate([smaller, larger]), return_inverse=True)
    size, counts = len(smaller), np.bincount(code)
    # `code` is each value's index in the distinct ones. A split is a row of counts of each distinct
    # value in the smaller sample; the first row is the observed split.
    ways = comb(len(code), size)
    if ways <= MOST_SPLITS:
        members = np.array(list(combinations(range(len(code)), size)))
        # Each split counts in its own range of numbers, so that one `bincount` counts all.
        cells = code[members] + len(values) * np.arange(ways)[:, None]
        splits = np.bincount(cells.ravel(), minlength=ways * len(values)).reshape(ways, -1)
    else:
        rng = np.random.default_rng(seed)
        splits = rng.multivariate_hypergeometric(counts, size, size=9_999)
        splits = np.vstack([np.bincount(code[:size], minlength=len(values)), splits])
    statistic = _test_statistics(splits, counts - splits)
    observed = statistic[0]
    return float((statistic >= observed - 1e-9 * max(observed, 1)).mean())


def _test_statistics(first: IntArray, second: IntArray) -> FloatArray:
    """Return |theta - 0.5|/SE (see `brunner_munzel`) of pairs of samples, one pair a row.

    `first` and `second` are counts of ascending distinct values, of shape (pairs, values), at least
    two in each sample. Without variance the result is 0 if theta is 0.5 and infinite otherwise.
    """
    squared_errors, distances = [], []
    for own_counts, other_counts in ((first, second), (second, first)):
        n = own_counts[0].sum()
        # Of each value the share of the other sample below it, equal values counted half.
        placements = (np.cumsum(other_counts, axis=1) - other_counts / 2) / other_counts[0].sum()
        theta = (own_counts * placements).sum(axis=1) / n
        distances.append(np.abs(theta - 0.5))
        squares = (own_counts * (placements - theta[:, None]) ** 2).sum(axis=1)
        squared_errors.append(squares / (n * (n - 1)))
    distance = distances[-1]  # the same for both samples, as their thetas add up to 1
    error = np.sqrt(sum(squared_errors))
    flat = error < 1e-9  # no variance: all values equal, or complete separation
    return np.where(flat, np.where(distance < 1e-9, 0, np.inf), distance / np.where(flat, 1, error))


def _placements(values: FloatArray, sample: FloatArray) -> FloatArray:
    """Return the share of the (not empty) sample below each value, equal values counted half."""
    ranked = np.sort(sample)
    ranks = np.searchsorted(ranked, values) + np.searchsorted(ranked, values, side="right")
    return np.asarray(ranks / (2 * len(sample)))


MIN_UNCOMMON = 5
"""Values that must differ from the commonest for a mean to have an interval."""


def mean_interval(values: ArrayLike) -> tuple[float, float]:
    """95% interval of a mean of values in (0, 1): Student's t of its logit.

    logit(m) -+ t(0.975, n - 1) s/(sqrt(n) m (1 - m)), back on the scale of the values: it stays
    within (0, 1) and reaches further towards the middle, as the mean of values near an end needs.
    NaN if fewer than five values differ from the commonest: they hardly tell the spread.
    """
    sample = present_values(values)
    n = len(sample)
    _, counts = np.unique(sample, return_counts=True)
    if n - counts.max(initial=0) < MIN_UNCOMMON:
        return float("nan"), float("nan")
    mean = sample.mean()
    reach = stdtrit(n - 1, 0.975) * sample.std(ddof=1) / np.sqrt(n) / (mean * (1 - mean))
    return float(expit(logit(mean) - reach)), float(expit(logit(mean) + reach))


def median_interval(values: ArrayLike) -> tuple[float, float]:
    """95% interval of a median: the order statistics that the sign test doesn't reject.

    The k-th smallest and k-th largest of n values, with the greatest k for which
    P(Binomial(n, 1/2) < k) <= 0.025. The coverage is at least 95% for any distribution, more with
    ties. Both ends are NaN for n < 6.

    Example:
        >>> median_interval([1, 2, 3, 4, 5, 6, 7, 8, 9])
        (2.0, 8.0)
    """
    ranked = np.sort(present_values(values))
    n = len(ranked)
    k = int((bdtr(np.arange(n // 2), n, 0.5) <= 0.025).sum()) if n else 0
    return (float(ranked[k - 1]), float(ranked[-k])) if k else (float("nan"), float("nan"))


def sign_flips(
    differences: ArrayLike, *, resamples: int = 10_000, seed: int = 0
) -> tuple[float, tuple[float, float]]:
    """Two-sided p of a mean difference of 0 by exchanged signs, and the interval that agrees.

    p is that of `sign_flip_p`, the share of patterns of signs that leave the mean as far from 0.
    The interval holds the means m that the test of d - m doesn't reject at 5%. If the mean of all
    differences d is above m, exchanging the signs of some d - m leaves their mean at least as far
    from 0 exactly if the mean of these d, or that of the other d, is at most m; if it is below m,
    at least m. So the ends are order statistics of means of subsets (Hartigan 1969). The interval
    is exact for symmetric differences.

    Args:
        differences: One per pair, rounded to 9 decimals; NaN is left out.
        resamples: Random patterns of signs from 14 differences on.
        seed: Seed of the draws.

    Returns:
        p, NaN without a pair; both ends, NaN with fewer than six pairs or where all are equal.
    """
    check_count("resamples", resamples)
    array = present_values(differences)
    n, none = len(array), (float("nan"), float("nan"))
    if not n:
        return float("nan"), none
    # Means of the exchanged differences of each pattern, then those of the other differences; NaN
    # if there are none, as all signs are exchanged, or no sign.
    exchanged = _sign_patterns(n, resamples, seed)
    size, sums = exchanged.sum(axis=1), exchanged @ array
    means = np.concatenate([divide_or_nan(sums, size), divide_or_nan(array.sum() - sums, n - size)])
    # Patterns with a NaN are as far from m at any m, and so is the observed pattern, which is added
    # to random ones.
    added = int(n > MOST_ENUMERATED)
    always = int(np.isnan(means).sum()) + added
    total = len(exchanged) + added
    ranked = np.sort(np.round(means[~np.isnan(means)], 9))
    # The test of m = 0.
    mean = round(float(array.mean()), 9)
    beyond = (ranked <= 0).sum() if mean > 0 else (ranked >= 0).sum()
    p = 1.0 if mean == 0 else float(min((always + beyond) / total, 1))
    # The interval: from the k-th least mean on, at least 5% of patterns are as far from m.
    k = int(np.ceil(0.05 * total - 1e-9)) - always
    if k < 1 or ranked[0] == ranked[-1]:
        return p, none
    return p, (float(min(ranked[k - 1], mean)), float(max(ranked[-k], mean)))


@lru_cache(maxsize=4)
def _sign_patterns(n: int, resamples: int, seed: int) -> FloatArray:
    """Return rows that say which of n differences have their sign exchanged (1) or not (0).

    They are all 2^n rows for up to 13 differences, else `resamples` random ones.
    """
    if n <= MOST_ENUMERATED:
        return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(float)
    return np.random.default_rng(seed).integers(0, 2, size=(resamples, n)).astype(float)
