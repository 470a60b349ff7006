"""Choices among words for a probability: whether they are consistent with each other.

Choices are ranked from 0. Each metric is the share of pairs, sequences or steps that are
consistent. The function `..._flags` returns for each of them 1 if it is consistent, 0 if not, and
NaN if a rank is NaN.
"""

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics.arrays import (
    FloatArray,
    aligned,
    double_array,
    flags,
    mean_or_nan,
    subtract,
)
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

_CLUSTERED = Interval(
    "wilson",
    min_units=LEAST_CLUSTERS,
    units="groups of like prompts (same scenario, choices and numbers)",
)
_STUDY = "Tang, Shen and Kejriwal (2024)"


@metric(direction="higher", undefined=UNREAD, source=_STUDY, interval=_CLUSTERED)
def pairwise_consistency(first: ArrayLike, second: ArrayLike, choices: ArrayLike) -> float:
    """Share of complementary intervals whose words mirror each other.

    A pair mirrors if rank of the first + rank of the second = choices - 1: "almost certain" that a
    number is below 99 goes with "almost certainly not" above 99, and "maybe" with "maybe".

    Args:
        first: Rank of the word chosen for the first interval of each pair; pairs with a NaN are
            left out, NaN if none is left.
        second: Rank of the word for the complementary interval.
        choices: Number of words, one for all pairs or one each.

    Example:
        >>> pairwise_consistency([0, 1, 1], [4, 3, 1], choices=5)
        0.6666666666666666
    """
    return mean_or_nan(pairwise_consistency_flags(first, second, choices))


def pairwise_consistency_flags(
    first: ArrayLike, second: ArrayLike, choices: ArrayLike
) -> FloatArray:
    """Return whether each pair's words mirror each other: 1 or 0; NaN if a rank is NaN.

    They do if the ranks of both words sum to choices - 1, the rank of the last word.
    """
    first_rank, second_rank, count = aligned(first=first, second=second, choices=choices)
    total = first_rank + second_rank
    return _flags_or_nan(total == count - 1, total)


@metric(direction="higher", undefined=UNREAD, source=_STUDY, interval=_CLUSTERED)
def monotonicity_consistency(ranks: ArrayLike, rises: ArrayLike) -> float:
    """Share of sequences of nested intervals whose word never steps the wrong way.

    The intervals of a sequence are nested, so that their probability rises or falls from point to
    point. A word that stays the same is no wrong step: a constant answer scores 1.

    Args:
        ranks: Ranks of shape (sequences, points), rank 0 being the most probable word; sequences
            with a NaN are left out, NaN if none is left.
        rises: Whether the probability rises along each sequence; else it falls.

    Example:
        >>> monotonicity_consistency([[3, 3, 2, 1, 0], [0, 1, 0, 2, 2]], rises=[True, False])
        0.5
    """
    return mean_or_nan(monotonicity_flags(ranks, rises))


def monotonicity_flags(ranks: ArrayLike, rises: ArrayLike) -> FloatArray:
    """Return whether the word of each sequence never steps the wrong way: 1 or 0, or NaN.

    NaN if a rank of the sequence, or `rises`, is NaN. `ranks`, (sequences, points), has the words
    chosen for the probability of nested intervals, one interval a point. `rises` tells whether that
    probability rises along the sequence, or falls.
    """
    steps = _rank_steps(ranks)
    # Rank 0 is the most probable word: ranks must not rise where the probability does.
    (are_rising,) = flags(rises=rises)
    if len(are_rising) != len(steps):
        raise ValueError(f"rises has {len(are_rising)} values for {len(steps)} sequences.")
    sign = np.where(are_rising == 1, -1, 1)[:, None]
    sums = steps.sum(axis=1) + 0 * are_rising  # NaN if a rank of the sequence, or its rise, is
    return _flags_or_nan((sign * steps >= 0).all(axis=1), sums)


@metric(direction="higher", undefined=UNREAD, source=_STUDY, interval=_CLUSTERED)
def empirical_consistency(ranks: ArrayLike, right: ArrayLike) -> float:
    """Share of choices whose range holds the share of numbers in the interval.

    A prompt lists numbers and asks how likely a number lies in an interval. Each word that may be
    chosen stands for a range of probabilities, such as (.92, 1].

    Args:
        ranks: Rank of the word chosen for each prompt; NaN is left out, NaN if none is left.
        right: Rank of the word whose range holds the share of the numbers that lie in the interval.

    Example:
        >>> empirical_consistency([0, 1, 2, 2], right=[0, 1, 1, 2])
        0.75
    """
    return mean_or_nan(empirical_consistency_flags(ranks, right))


def empirical_consistency_flags(ranks: ArrayLike, right: ArrayLike) -> FloatArray:
    """Return whether each rank is the right one: 1 or 0; NaN if either rank is NaN."""
    rank, right_rank = aligned(ranks=ranks, right=right)
    return _flags_or_nan(rank == right_rank, rank + right_rank)


@metric(direction="higher", undefined=UNREAD, source=_STUDY, interval=_CLUSTERED)
def empirical_monotonicity_consistency(
    ranks: ArrayLike, following: ArrayLike, right: ArrayLike, right_following: ArrayLike
) -> float:
    """Share of steps in which the word moves as the right word does.

    It does if sign(following - ranks) = sign(right_following - right): up, down or not at all. A
    step goes from one of nested intervals to the next, and the right word is the one whose range
    holds the share of the prompt's numbers in the interval.

    Args:
        ranks: Rank of the word at the first point of each step; steps with a NaN are left out,
            NaN if none is left.
        following: Rank of the word at the next point.
        right: Rank of the right word at the first point.
        right_following: Rank of the right word at the next point.

    Example:
        >>> empirical_monotonicity_consistency([2, 2], [1, 2], right=[1, 1], right_following=[0, 0])
        0.5
    """
    return mean_or_nan(empirical_monotonicity_flags(ranks, following, right, right_following))


def empirical_monotonicity_flags(
    ranks: ArrayLike, following: ArrayLike, right: ArrayLike, right_following: ArrayLike
) -> FloatArray:
    """Return whether the word moves (up, down, not at all) as the right word does: 1 or 0, or NaN.

    NaN if a rank of the step is NaN. Arguments are those of `empirical_monotonicity_consistency`:
    ranks of the word and of the right word, that of the true probability, at the first and at the
    following point of each step.
    """
    rank, next_rank, right_rank, next_right_rank = aligned(
        ranks=ranks, following=following, right=right, right_following=right_following
    )
    step, right_step = subtract(next_rank, rank), subtract(next_right_rank, right_rank)
    sums = step + right_step  # NaN if a rank is
    return _flags_or_nan(np.sign(step) == np.sign(right_step), sums)


@metric(undefined=UNREAD, interval=_CLUSTERED)
def choice_sensitivity(ranks: ArrayLike) -> float:
    """Share of sequences of nested intervals in which the word ever changes.

    `ranks`, (sequences, points), has the ranks of the words, such as "likely", that are chosen for
    the probability of each sequence's intervals. Sequences with a NaN are left out; NaN if none is
    left.

    Example:
        >>> choice_sensitivity([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
        0.5
    """
    return mean_or_nan(choice_sensitivity_flags(ranks))


def choice_sensitivity_flags(ranks: ArrayLike) -> FloatArray:
    """Return whether the word ever changes in each sequence: 1 or 0; NaN if a rank is NaN."""
    steps = _rank_steps(ranks)
    return _flags_or_nan((steps != 0).any(axis=1), steps.sum(axis=1))


def _rank_steps(ranks: ArrayLike) -> FloatArray:
    """Return the change of rank from each point to the next, of shape (sequences, points - 1).

    ValueError if `ranks` are not of shape (sequences, points).
    """
    array = double_array(ranks, "ranks")
    if array.ndim != 2:
        raise ValueError(f"ranks has {array.ndim} dimensions; give one row of ranks per sequence.")
    return np.diff(array, axis=1)


def _flags_or_nan(holds: ArrayLike, sums: FloatArray) -> FloatArray:
    """Return `holds` as 1 and 0, with NaN where `sums`, made of the ranks, is NaN."""
    return np.where(np.isnan(sums), np.nan, np.asarray(holds, float))
