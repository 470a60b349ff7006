"""Meanings of words: how far two samples of values lie apart.

Distances are written for `ValueTables`, one a resample, where R rows meet R rows or a single one;
that of two samples is that of their tables of one row. They are NaN where a sample, or a row's
mass, is empty.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr

from inspect_confidence.metrics.arrays import EDGE, FloatArray, divided
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

__all__ = [
    "brunner_munzel_theta",
    "jensen_shannon",
    "kl_divergence",
    "ks_statistic",
    "median_difference",
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
    """Compute `brunner_munzel_theta` of each pair of tables."""
    _check_same_values(first, second)
    below = second.cumulated()
    above = (first.mass * (below[:, :-1] + below[:, 1:]) / 2).sum(axis=1)
    return divided(above, first.mass.sum(axis=1))


@metric(
    definition="P(reference > own) + P(equal)/2, the reference being `versus`.",
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
        first: First sample, as in `ValueTables.pair`.
        second: Second sample.

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
    """Compute `kl_divergence` of each pair of tables."""
    if not constant > 0:
        raise ValueError(f"constant={constant} is not above 0.")
    p, q = _binned(first, low, high, bins), _binned(second, low, high, bins)
    return _divergence(np.where(p == 0, constant, p), np.where(q == 0, constant, q))


@metric(
    definition="D(reference || own) over 20 bins from 0 to 100, 1e-10 in empty ones.",
    unit="nats",
    direction="lower",
    low=-INFINITY,
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
    unit of the values, the last one closed. An empty bin has `constant` for its share, and shares
    aren't made to add up to 1 again; the estimative-words study's figures come out so. Where a bin
    is empty in the second sample alone, the constant makes the result: state it, and give
    `jensen_shannon` too. The divergence is that of Kullback and Leibler (1951, Annals of
    Mathematical Statistics).

    Args:
        first: First sample, as in `ValueTables.pair`.
        second: Second sample.
        low: Lower edge of the first bin.
        high: Upper edge of the last bin.
        bins: Number of bins.
        constant: Share of an empty bin, above 0.

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
    tables = ValueTables.pair(first, second)
    return float(
        kl_divergence_of_tables(*tables, low=low, high=high, bins=bins, constant=constant)[0]
    )


def jensen_shannon_of_tables(
    first: ValueTables, second: ValueTables, *, low: float = 0, high: float = 100, bins: int = 20
) -> FloatArray:
    """Compute `jensen_shannon` of each pair of tables."""
    p, q = _binned(first, low, high, bins), _binned(second, low, high, bins)
    middle = (p + q) / 2
    # Rounding leaves 1e-16 above ln 2 where no bin is shared.
    return np.clip((_divergence(p, middle) + _divergence(q, middle)) / 2, 0, np.log(2))


@metric(
    definition="Jensen-Shannon divergence over the same bins.",
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

    Bins are those of `kl_divergence`; no constant is needed. Symmetric; ln 2 for samples that share
    no bin.

    Args:
        first: First sample, as in `ValueTables.pair`.
        second: Second sample.
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
    """Compute `ks_statistic` of each pair of tables."""
    return np.asarray(_gaps(first, second).max(axis=1))


@metric(direction="lower", undefined=_NO_VALUE, interval=_UPWARD, of_tables=ks_statistic_of_tables)
def ks_statistic(first: ArrayLike, second: ArrayLike) -> float:
    """Largest distance of the two distribution functions.

    The Kolmogorov-Smirnov statistic: the greatest |F(x) - G(x)| of the samples' cumulated shares;
    1 at complete separation.

    Args:
        first: First sample, as in `ValueTables.pair`.
        second: Second sample.

    Example:
        >>> ks_statistic([1, 2], [2, 3])
        0.5
    """
    tables = ValueTables.pair(first, second)
    return float(ks_statistic_of_tables(*tables)[0])


def wasserstein_of_tables(first: ValueTables, second: ValueTables) -> FloatArray:
    """Compute `wasserstein` of each pair of tables."""
    gaps = _gaps(first, second)
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
        first: First sample, as in `ValueTables.pair`.
        second: Second sample.

    Returns:
        A distance >= 0 in the unit of the values. NaN where a sample is empty.

    Example:
        >>> wasserstein([1, 2], [2, 5])
        2.0
    """
    tables = ValueTables.pair(first, second)
    return float(wasserstein_of_tables(*tables)[0])


def median_difference_of_tables(first: ValueTables, second: ValueTables) -> FloatArray:
    """Compute `median_difference` of each pair of tables."""
    _check_same_values(first, second)
    return first.quantile(0.5) - second.quantile(0.5)


@metric(
    definition="Median of the reference less that of the own values.",
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

    Medians are the mean of lower and upper weighted median.

    Args:
        first: First sample, as in `ValueTables.pair`.
        second: Second sample.

    Returns:
        A number in the unit of the values. NaN where a sample is empty.

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
    paired_difference="Mean over shared contexts of the reference less the own value.",
)
numbers(
    About(undefined="never", unit="count", interval=NO_ESTIMATE),
    own_values="Values of the word that are compared: contexts read.",
    reference_values="Values that the reference has for the word: contexts, or people.",
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
