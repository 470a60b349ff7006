"""Choices among words for a probability: whether they are consistent with each other.

Choices are ranked from 0; their consistencies are shares of pairs, sequences or steps, those with a
NaN left out.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics.arrays import FloatArray, aligned, mean_or_nan
from inspect_confidence.metrics.registry import UNREAD, Interval, metric

__all__ = [
    "choice_sensitivity",
    "empirical_consistency",
    "empirical_monotonicity_consistency",
    "monotonicity_consistency",
    "pairwise_consistency",
]

LEAST_CLUSTERS = 10
"""From which on there are intervals of these scores, and of differences of them."""

_CLUSTERED = Interval("wilson", min_units=LEAST_CLUSTERS, units="clusters of sequences")
_STUDY = "Tang, Shen and Kejriwal (2024)"

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


@metric(direction="higher", undefined=UNREAD, source=_STUDY, interval=_CLUSTERED)
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


@metric(direction="higher", undefined=UNREAD, source=_STUDY, interval=_CLUSTERED)
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


@metric(direction="higher", undefined=UNREAD, source=_STUDY, interval=_CLUSTERED)
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


@metric(direction="higher", undefined=UNREAD, source=_STUDY, interval=_CLUSTERED)
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


@metric(undefined=UNREAD, interval=_CLUSTERED)
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
