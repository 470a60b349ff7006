"""Meanings of words: how far two samples of values lie apart, and whether choices are consistent.

Distances are written for `ValueTables`, one a resample, where R rows meet R rows or a single one;
that of two samples is that of their tables of one row. They are NaN where a sample, or a row's
mass, is empty. Choices among words for a probability are ranked from 0; their consistencies are
shares of pairs, sequences or steps, those with a NaN left out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr, stdtr, stdtrit

from inspect_confidence.metrics.arrays import (
    EDGE,
    FloatArray,
    aligned,
    divided,
    mean_or_nan,
    sample_of,
)
from inspect_confidence.metrics.registry import (
    INFINITY,
    NO_ESTIMATE,
    UNREAD,
    About,
    metric,
    numbers,
    with_arrays,
)
from inspect_confidence.metrics.reports import ValueTables

__all__ = [
    "BrunnerMunzel",
    "brunner_munzel",
    "brunner_munzel_theta",
    "choice_sensitivity",
    "empirical_consistency",
    "empirical_monotonicity_consistency",
    "jensen_shannon",
    "kl_divergence",
    "ks_statistic",
    "median_difference",
    "monotonicity_consistency",
    "pairwise_consistency",
    "wasserstein",
]

_NO_VALUE = "no value on a side"
_STUDY = "Tang, Shen and Kejriwal (2024)"

numbers(
    About(undefined=UNREAD),
    mean_probability="Mean over contexts of the probability stated for a word.",
    median_probability="Median over contexts of the probability stated for a word.",
)
numbers(
    About(undefined="fewer than two contexts", high=INFINITY),
    probability_spread="Standard deviation over contexts of the probability stated for a word.",
)


@metric(
    definition="P(reference > own) + P(equal)/2, the reference being `versus`.",
    direction="target=0.5",
    undefined=_NO_VALUE,
    source="Brunner and Munzel (2000)",
)
@with_arrays(ValueTables.pair)
def brunner_munzel_theta(first: ValueTables, second: ValueTables) -> FloatArray:
    """P(first > second) + P(first = second)/2: the theta of `brunner_munzel`.

    Example:
        >>> brunner_munzel_theta([1, 2], [2, 3])  # one of four pairs is equal
        0.125
    """
    _check_same_values(first, second)
    below = second.cumulated()
    above = (first.mass * (below[:, :-1] + below[:, 1:]) / 2).sum(axis=1)
    return divided(above, first.mass.sum(axis=1))


@metric(
    definition="D(reference || own) over 20 bins from 0 to 100, 1e-10 in empty ones.",
    unit="nats",
    direction="lower",
    low=-INFINITY,
    undefined=_NO_VALUE,
    source=_STUDY,
)
@with_arrays(ValueTables.pair)
def kl_divergence(
    first: ValueTables,
    second: ValueTables,
    *,
    low: float = 0,
    high: float = 100,
    bins: int = 20,
    constant: float = 1e-10,
) -> FloatArray:
    """Kullback-Leibler divergence of binned samples: D(p || q) = sum p ln(p/q), in nats.

    p (first) and q (second) are shares in equal bins [edge, next edge) from low to high, in the
    unit of the values, the last one closed. An empty bin has `constant` for its share, and shares
    aren't made to add up to 1 again; the estimative-words study's figures come out so. Where a bin
    is empty in the second sample alone, the constant makes the result: state it, and give
    `jensen_shannon` too. The divergence is that of Kullback and Leibler (1951, Annals of
    Mathematical Statistics).

    Returns:
        Nats, 0 for equal shares, not symmetric; below 0 by at most bins * constant, and larger the
        smaller the constant. NaN where a sample is empty.

    Raises:
        ValueError: A value is outside [low, high], there are no bins, or the constant is not
            above 0.

    Example:
        >>> round(kl_divergence([10, 60], [10, 10, 60, 60, 60, 60]), 4)  # ln(3/2)/2 + ln(3/4)/2
        0.0589
    """
    if not constant > 0:
        raise ValueError(f"constant={constant} is not above 0.")
    p, q = _binned(first, low, high, bins), _binned(second, low, high, bins)
    return _divergence(np.where(p == 0, constant, p), np.where(q == 0, constant, q))


@metric(
    definition="Jensen-Shannon divergence over the same bins.",
    unit="nats",
    direction="lower",
    high=float(np.log(2)),
    undefined=_NO_VALUE,
    source="Lin (1991)",
)
@with_arrays(ValueTables.pair)
def jensen_shannon(
    first: ValueTables, second: ValueTables, *, low: float = 0, high: float = 100, bins: int = 20
) -> FloatArray:
    """Jensen-Shannon divergence of binned samples: (D(p || m) + D(q || m))/2, m = (p + q)/2.

    Bins are those of `kl_divergence`; no constant is needed. Symmetric; ln 2 for samples that share
    no bin.

    Raises:
        ValueError: A value is outside [low, high], or there are no bins.

    Example:
        >>> round(jensen_shannon([10], [60]), 4)
        0.6931
    """
    p, q = _binned(first, low, high, bins), _binned(second, low, high, bins)
    middle = (p + q) / 2
    # Rounding leaves 1e-16 above ln 2 where no bin is shared.
    return np.clip((_divergence(p, middle) + _divergence(q, middle)) / 2, 0, np.log(2))


@metric(direction="lower", undefined=_NO_VALUE)
@with_arrays(ValueTables.pair)
def ks_statistic(first: ValueTables, second: ValueTables) -> FloatArray:
    """Largest distance of the two distribution functions.

    The Kolmogorov-Smirnov statistic: the greatest |F(x) - G(x)| of the samples' cumulated shares;
    1 at complete separation.

    Example:
        >>> ks_statistic([1, 2], [2, 3])
        0.5
    """
    return np.asarray(_gaps(first, second).max(axis=1))


@metric(unit="percentage points", direction="lower", high=100, undefined=_NO_VALUE)
@with_arrays(ValueTables.pair)
def wasserstein(first: ValueTables, second: ValueTables) -> FloatArray:
    """Wasserstein-1 distance.

    The integral of |F(x) - G(x)| over x: the mean distance that values of one sample must be moved
    by to become the other.

    Returns:
        A distance >= 0 in the unit of the values. NaN where a sample is empty.

    Example:
        >>> wasserstein([1, 2], [2, 5])
        2.0
    """
    gaps = _gaps(first, second)
    # The first gap is 0, or NaN where a sample is empty.
    return np.asarray(gaps[:, 0] + (gaps[:, 1:-1] * np.diff(first.values)).sum(axis=1))


@metric(
    definition="Median of the reference less that of the own values.",
    unit="percentage points",
    direction="target=0",
    low=-100,
    high=100,
    undefined=_NO_VALUE,
    source=_STUDY,
)
@with_arrays(ValueTables.pair)
def median_difference(first: ValueTables, second: ValueTables) -> FloatArray:
    """Median of the first sample less median of the second.

    Medians are the mean of lower and upper weighted median.

    Returns:
        A number in the unit of the values. NaN where a sample is empty.

    Example:
        >>> median_difference([50, 60, 90], [40, 50])
        15.0
    """
    _check_same_values(first, second)
    return first.quantile(0.5) - second.quantile(0.5)


numbers(
    About(
        undefined="no shared context",
        unit="percentage points",
        direction="target=0",
        low=-100,
        high=100,
    ),
    paired_difference="Mean over shared contexts of the reference less the own value.",
)
numbers(
    About(undefined="never", unit="count", source=_STUDY, interval=NO_ESTIMATE),
    words_that_differ="How many words differ at the level, p raw or after Holm's adjustment.",
)


def _check_same_values(first: ValueTables, second: ValueTables) -> None:
    if not np.array_equal(first.values, second.values):
        raise ValueError("The tables have different values; ValueTables.pair gives them the same.")


def _binned(tables: ValueTables, low: float, high: float, bins: int) -> FloatArray:
    """Share of each row in each bin, of shape (R, bins); NaN in a row without mass."""
    if not (low < high and bins >= 1):
        raise ValueError(f"low={low}, high={high} and bins={bins} make no bins.")
    values = tables.values
    outside = values[(values < low - EDGE) | (values > high + EDGE)]
    if len(outside):
        raise ValueError(f"The value {outside[0]} is not in [{low}, {high}].")
    index = np.floor((values - low + EDGE) * bins / (high - low)).clip(0, bins - 1)
    mass = tables.mass @ np.eye(bins)[index.astype(int)]
    return divided(mass, mass.sum(axis=1, keepdims=True))


def _divergence(p: FloatArray, q: FloatArray) -> FloatArray:
    return np.asarray(rel_entr(p, q).sum(axis=1))  # with 0 ln 0 = 0


def _gaps(first: ValueTables, second: ValueTables) -> FloatArray:
    _check_same_values(first, second)
    return np.abs(first.cumulated() - second.cumulated())


@dataclass(frozen=True)
class BrunnerMunzel:
    """How two samples lie to each other.

    Attributes:
        theta: P(first > second) + P(first = second)/2, in [0, 1]; above 0.5 the first sample tends
            to larger values.
        ci_low: Lower limit of theta's 95% interval.
        ci_high: Upper limit. A limit of exactly 0 or 1 is one that was cut there.
        p: Two-sided p of theta = 0.5.
        reason: Why something is NaN; empty where nothing is.
    """

    theta: float = float("nan")
    ci_low: float = float("nan")
    ci_high: float = float("nan")
    p: float = float("nan")
    reason: str = ""


def brunner_munzel(first: ArrayLike, second: ArrayLike) -> BrunnerMunzel:
    """Brunner and Munzel's test of two independent samples, with ties and unequal variances.

    The placement of a value is the share of the other sample that lies below it, equal values
    counted half. theta is the mean placement of the first sample; its squared standard error is
    SE^2 = s1^2/n1 + s2^2/n2, where s^2 are the variances (ddof 1) of both samples' placements, and
    (theta - 0.5)/SE is compared with t of Welch and Satterthwaite's degrees of freedom,
    SE^4 / ((s1^2/n1)^2/(n1 - 1) + (s2^2/n2)^2/(n2 - 1)). The interval is theta -+ t(0.975) SE, cut
    to [0, 1]: theta can't be elsewhere, and the estimative-words study prints it so ([0.749,
    1.000], where the formula gives 1.018). Samples are taken as by `ValueTables.pair`; where they
    share contexts they are not independent: give `sign_flip_p` too.

    Source: Brunner and Munzel (2000, Biometrical Journal 42). p is that of
    `scipy.stats.brunnermunzel`, theta and the interval those of statsmodels'
    `rank_compare_2indep` but for the cut.

    Returns:
        With fewer than two values in a sample, where all values of both are equal (theta = 0.5),
        and at complete separation (theta is 0 or 1) there is no variance: p and interval are NaN,
        with the reason. theta is NaN where a sample is empty.

    Raises:
        ValueError: A sample has two dimensions or an infinite value.

    Example:
        >>> result = brunner_munzel([1, 2, 3, 4], [2, 3, 5, 6])
        >>> print(f"{result.theta} [{result.ci_low:.3f}, {result.ci_high:.3f}] p={result.p:.3f}")
        0.25 [0.000, 0.727] p=0.242
    """
    one, other = sample_of(first), sample_of(second)
    if not (len(one) and len(other)):
        return BrunnerMunzel(reason="there is no value in one of the samples")
    placed = [_placements(one, other), _placements(other, one)]
    theta = float(placed[0].mean())
    if min(len(one), len(other)) < 2:
        reason = "there are fewer than two values in one of the samples"
        return BrunnerMunzel(theta, reason=reason)
    if theta in (0, 1):
        return BrunnerMunzel(theta, reason="complete separation")
    # Only these two cases have no variance; found by value, since rounding may leave 1e-17 of it.
    if one.min() == one.max() == other.min() == other.max():
        return BrunnerMunzel(theta, reason="all values are equal")
    variance = np.array([placements.var(ddof=1) / len(placements) for placements in placed])
    freedom = np.array([len(placements) - 1 for placements in placed])
    error = np.sqrt(variance.sum())
    df = variance.sum() ** 2 / (variance**2 / freedom).sum()
    half = stdtrit(df, 0.975) * error
    p = 2 * stdtr(df, -abs(theta - 0.5) / error)
    low, high = max(theta - half, 0.0), min(theta + half, 1.0)
    return BrunnerMunzel(theta, float(low), float(high), float(p))


def _placements(values: FloatArray, others: FloatArray) -> FloatArray:
    """Share of the others below each value, equal ones counted half."""
    ranked = np.sort(others)
    ranks = np.searchsorted(ranked, values) + np.searchsorted(ranked, values, side="right")
    return np.asarray(ranks / (2 * len(others)))


Choices = ParamSpec("Choices")


class MeanOfEach(Protocol[Choices]):
    """A share of pairs, sequences or steps; `each` says of every one whether it holds."""

    each: Callable[Choices, FloatArray]

    def __call__(self, *args: Choices.args, **kwargs: Choices.kwargs) -> float:
        """The share; what is NaN is left out, and NaN if nothing is left."""


def mean_of_each(each: Callable[Choices, FloatArray]) -> MeanOfEach[Choices]:
    """Make a function that says of each whether it holds (1, 0, or NaN) the share that do."""

    @wraps(each)
    def share(*args: Any, **kwargs: Any) -> float:
        return mean_or_nan(each(*args, **kwargs))

    vars(share).update(each=each)
    return cast(MeanOfEach[Choices], share)


@metric(direction="higher", undefined=UNREAD, source=_STUDY)
@mean_of_each
def pairwise_consistency(first: ArrayLike, second: ArrayLike, choices: ArrayLike) -> FloatArray:
    """Share of complementary intervals whose words mirror each other.

    That is rank of the first + rank of the second = choices - 1, one a pair: "below 99" almost
    certain goes with "above 99" almost certainly not, maybe with maybe.

    Example:
        >>> pairwise_consistency([0, 1, 1], [4, 3, 1], choices=5)
        0.6666666666666666
    """
    one, other, n = aligned(first=first, second=second, choices=choices)
    return _flags(one + other == n - 1, one + other)


@metric(direction="higher", undefined=UNREAD, source=_STUDY)
@mean_of_each
def monotonicity_consistency(ranks: ArrayLike, rises: ArrayLike) -> FloatArray:
    """Share of sequences of nested intervals whose word never steps the wrong way.

    The points of a sequence move outwards, so that its interval's probability rises or falls:
    `rises` says which. A word that stays the same is no wrong step, so that a constant answer
    scores 1. Ranks are of shape (sequences, points), in order of the points.

    Example:
        >>> monotonicity_consistency([[3, 3, 2, 1, 0], [0, 1, 0, 2, 2]], rises=[True, False])
        0.5
    """
    steps = _steps(ranks)
    way = np.where(np.asarray(rises, bool), -1, 1)[:, None]
    return _flags((way * steps >= 0).all(axis=1), steps.sum(axis=1))


@metric(direction="higher", undefined=UNREAD, source=_STUDY)
@mean_of_each
def empirical_consistency(ranks: ArrayLike, right: ArrayLike) -> FloatArray:
    """Share of choices whose range holds the share of numbers in the interval.

    That is rank = right rank, one a prompt.

    Example:
        >>> empirical_consistency([0, 1, 2, 2], right=[0, 1, 1, 2])
        0.75
    """
    chosen, wanted = aligned(ranks=ranks, right=right)
    return _flags(chosen == wanted, chosen + wanted)


@metric(direction="higher", undefined=UNREAD, source=_STUDY)
@mean_of_each
def empirical_monotonicity_consistency(
    ranks: ArrayLike, following: ArrayLike, right: ArrayLike, right_following: ArrayLike
) -> FloatArray:
    """Share of steps in which the word moves as the right word does.

    Up, down or not at all: sign(following - rank) = sign(right following - right), of the ranks at
    a point and at the one that follows, one a step.

    Example:
        >>> empirical_monotonicity_consistency([2, 2], [1, 2], right=[1, 1], right_following=[0, 0])
        0.5
    """
    here, there, wanted, next_wanted = aligned(
        ranks=ranks, following=following, right=right, right_following=right_following
    )
    step, wanted_step = there - here, next_wanted - wanted
    return _flags(np.sign(step) == np.sign(wanted_step), step + wanted_step)


@metric(undefined=UNREAD)
@mean_of_each
def choice_sensitivity(ranks: ArrayLike) -> FloatArray:
    """Share of sequences of nested intervals in which the word ever changes.

    Ranks are of shape (sequences, points).

    Example:
        >>> choice_sensitivity([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
        0.5
    """
    steps = _steps(ranks)
    return _flags((steps != 0).any(axis=1), steps.sum(axis=1))


def _steps(ranks: ArrayLike) -> FloatArray:
    """From point to point of each sequence."""
    array = np.asarray(ranks, float)
    if array.ndim != 2:
        raise ValueError(f"ranks has {array.ndim} dimensions; give rows of points.")
    return np.diff(array, axis=1)


def _flags(holds: ArrayLike, known: FloatArray) -> FloatArray:
    return np.where(np.isnan(known), np.nan, np.asarray(holds, float))
