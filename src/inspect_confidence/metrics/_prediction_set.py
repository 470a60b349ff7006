"""Sets of whole numbers from probabilities: the smallest that hold a given mass."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inspect_confidence.metrics._arrays import FloatArray, checked_level

_ROUNDING = 1e-12
"""Sums of probabilities this close below the level have reached it."""


def prediction_set(probabilities: Mapping[int, float], level: float) -> list[int]:
    """The smallest set of values whose probabilities sum to at least the level.

    Values are taken by descending probability, ties by ascending value. Probabilities are
    normalised first.

    Args:
        probabilities: Of each value, at least one above 0.
        level: Nominal level in percent, between 0 and 100.

    Returns:
        The values, ascending.

    Example:
        >>> prediction_set({3: 0.5, 4: 0.3, 5: 0.2}, level=80)
        [3, 4]
    """
    values, masses = ranked([probabilities])
    size = set_sizes(masses, level)[0]
    return sorted(int(value) for value in values[0, :size])


def ranked(distributions: Sequence[Mapping[int, float]]) -> tuple[FloatArray, FloatArray]:
    """Values and normalised probabilities of several distributions, each by falling probability.

    Tempering keeps the order of probabilities, so it is found once.

    Args:
        distributions: One an item.

    Returns:
        Two arrays of shape (items, most values); rows are filled up with probability 0 and with
        the value of the row's last entry.

    Raises:
        ValueError: A distribution has no probability above 0, or one below 0, infinite or NaN.
    """
    orders = [_ranked(one) for one in distributions]
    width = max((len(order) for order in orders), default=1)
    values = np.empty((len(orders), width))
    masses = np.zeros((len(orders), width))
    for row, order in enumerate(orders):
        values[row] = [*order, *[order[-1]] * (width - len(order))]
        masses[row, : len(order)] = [distributions[row][value] for value in order]
    return values, masses / masses.sum(axis=1, keepdims=True)


def _ranked(distribution: Mapping[int, float]) -> list[int]:
    if not all(0 <= mass < math.inf for mass in distribution.values()):
        raise ValueError(f"A probability is below 0 or no number: {dict(distribution)}.")
    there: Iterable[int] = (value for value, mass in distribution.items() if mass > 0)
    order = sorted(there, key=lambda value: (-distribution[value], value))
    if not order:
        raise ValueError("A distribution has no probability above 0.")
    return order


def set_sizes(masses: FloatArray, level: float) -> NDArray[np.int64]:
    """How many of the ranked values the smallest set takes, by row."""
    total = np.cumsum(masses, axis=1)
    reached = total >= checked_level(level) / 100 - _ROUNDING
    last: NDArray[np.int64] = np.where(
        reached.any(axis=1), reached.argmax(axis=1), masses.shape[1] - 1
    )
    return last + 1


def set_hulls(
    values: FloatArray, masses: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Least and greatest value of each row's smallest set."""
    last = set_sizes(masses, level)[:, None] - 1
    low = np.take_along_axis(np.minimum.accumulate(values, axis=1), last, axis=1)
    high = np.take_along_axis(np.maximum.accumulate(values, axis=1), last, axis=1)
    return low[:, 0], high[:, 0]


def set_covers(
    values: FloatArray, masses: FloatArray, level: float, truth: ArrayLike
) -> FloatArray:
    """Whether each row's smallest set holds its truth: 1 or 0."""
    taken = np.arange(values.shape[1]) < set_sizes(masses, level)[:, None]
    held = (values == np.asarray(truth, float)[:, None]) & taken
    found: FloatArray = held.any(axis=1).astype(float)
    return found


def tempered(masses: FloatArray, temperature: float) -> FloatArray:
    """Probabilities at another temperature: p^(1/T), normalised; 0 stays 0.

    Raises:
        ValueError: The temperature is not above 0.
    """
    if not temperature > 0:
        raise ValueError(f"temperature={temperature} is not above 0.")
    with np.errstate(divide="ignore"):
        logs = np.log(masses) / temperature
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    result: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return result
