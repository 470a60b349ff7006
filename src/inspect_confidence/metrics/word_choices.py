"""Choices among words for a probability: whether they are consistent with each other.

Choices are ranked from 0. Each metric is the share of pairs, sequences or steps that are
consistent; a function `..._flags` says of each one whether it is (1, 0, or NaN if a rank is NaN).
"""

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics.arrays import FloatArray, aligned, mean_or_nan
from inspect_confidence.metrics.registry import UNREAD, Interval, metric

__all__ = [
    "choice_sensitivity",
    "choice_sensitivity_flags",
    "empirical_consistency",
    "empirical_consistency_flags",
    "empirical_monotonicity_consistency",
    "empirical_monotonicity_flags",
    "monotonicity_consistency",
    "monotonicity_flags",
    "pairwise_consistency",
    "pairwise_consistency_flags",
]

LEAST_CLUSTERS = 10
"""Clusters from which on these scores and their differences have intervals."""

_CLUSTERED = Interval("wilson", min_units=LEAST_CLUSTERS, units="clusters of sequences")
_STUDY = "Tang, Shen and Kejriwal (2024)"


@metric(direction="higher", undefined=UNREAD, source=_STUDY, interval=_CLUSTERED)
def pairwise_consistency(first: ArrayLike, second: ArrayLike, choices: ArrayLike) -> float:
    """Share of complementary intervals whose words mirror each other.

    That is rank of the first + rank of the second = choices - 1, one a pair: "below 99" almost
    certain goes with "above 99" almost certainly not, maybe with maybe.

    Example:
        >>> pairwise_consistency([0, 1, 1], [4, 3, 1], choices=5)
        0.6666666666666666
    """
    return mean_or_nan(pairwise_consistency_flags(first, second, choices))


def pairwise_consistency_flags(
    first: ArrayLike, second: ArrayLike, choices: ArrayLike
) -> FloatArray:
    """Return whether the words of each pair mirror each other."""
    first_rank, second_rank, count = aligned(first=first, second=second, choices=choices)
    total = first_rank + second_rank
    return _flags(total == count - 1, total)


@metric(direction="higher", undefined=UNREAD, source=_STUDY, interval=_CLUSTERED)
def monotonicity_consistency(ranks: ArrayLike, rises: ArrayLike) -> float:
    """Share of sequences of nested intervals whose word never steps the wrong way.

    The points of a sequence move outwards, so that its interval's probability rises or falls:
    `rises` says which. A word that stays the same is no wrong step, so that a constant answer
    scores 1. Ranks are of shape (sequences, points), in order of the points.

    Example:
        >>> monotonicity_consistency([[3, 3, 2, 1, 0], [0, 1, 0, 2, 2]], rises=[True, False])
        0.5
    """
    return mean_or_nan(monotonicity_flags(ranks, rises))


def monotonicity_flags(ranks: ArrayLike, rises: ArrayLike) -> FloatArray:
    """Return whether each sequence never steps the wrong way."""
    steps = _steps(ranks)
    sign = np.where(np.asarray(rises, bool), -1, 1)[:, None]
    return _flags((sign * steps >= 0).all(axis=1), steps.sum(axis=1))


@metric(direction="higher", undefined=UNREAD, source=_STUDY, interval=_CLUSTERED)
def empirical_consistency(ranks: ArrayLike, right: ArrayLike) -> float:
    """Share of choices whose range holds the share of numbers in the interval.

    That is rank = right rank, one a prompt.

    Example:
        >>> empirical_consistency([0, 1, 2, 2], right=[0, 1, 1, 2])
        0.75
    """
    return mean_or_nan(empirical_consistency_flags(ranks, right))


def empirical_consistency_flags(ranks: ArrayLike, right: ArrayLike) -> FloatArray:
    """Return whether each rank is the right one."""
    rank, right_rank = aligned(ranks=ranks, right=right)
    return _flags(rank == right_rank, rank + right_rank)


@metric(direction="higher", undefined=UNREAD, source=_STUDY, interval=_CLUSTERED)
def empirical_monotonicity_consistency(
    ranks: ArrayLike, following: ArrayLike, right: ArrayLike, right_following: ArrayLike
) -> float:
    """Share of steps in which the word moves as the right word does.

    Up, down or not at all: sign(following - rank) = sign(right following - right), of the ranks at
    a point and at the one that follows, one a step.

    Example:
        >>> empirical_monotonicity_consistency([2, 2], [1, 2], right=[1, 1], right_following=[0, 0])
        0.5
    """
    return mean_or_nan(empirical_monotonicity_flags(ranks, following, right, right_following))


def empirical_monotonicity_flags(
    ranks: ArrayLike, following: ArrayLike, right: ArrayLike, right_following: ArrayLike
) -> FloatArray:
    """Return whether the word moves as the right word does, in each step."""
    rank, next_rank, right_rank, next_right_rank = aligned(
        ranks=ranks, following=following, right=right, right_following=right_following
    )
    step, right_step = next_rank - rank, next_right_rank - right_rank
    return _flags(np.sign(step) == np.sign(right_step), step + right_step)


@metric(undefined=UNREAD, interval=_CLUSTERED)
def choice_sensitivity(ranks: ArrayLike) -> float:
    """Share of sequences of nested intervals in which the word ever changes.

    Ranks are of shape (sequences, points).

    Example:
        >>> choice_sensitivity([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
        0.5
    """
    return mean_or_nan(choice_sensitivity_flags(ranks))


def choice_sensitivity_flags(ranks: ArrayLike) -> FloatArray:
    """Return whether the word ever changes in each sequence."""
    steps = _steps(ranks)
    return _flags((steps != 0).any(axis=1), steps.sum(axis=1))


def _steps(ranks: ArrayLike) -> FloatArray:
    """Return the differences from point to point of each sequence."""
    array = np.asarray(ranks, float)
    if array.ndim != 2:
        raise ValueError(f"ranks has {array.ndim} dimensions; give rows of points.")
    return np.diff(array, axis=1)


def _flags(holds: ArrayLike, sums: FloatArray) -> FloatArray:
    """Return whether each holds, NaN where a sum of its ranks is NaN."""
    return np.where(np.isnan(sums), np.nan, np.asarray(holds, float))
